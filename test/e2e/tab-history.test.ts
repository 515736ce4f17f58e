import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shellTexts } from '#texts/en-shell.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { QUICK, setStage, startWatching, statusLine, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const words = transferTexts.export
/** Behind the time, as a word and as a number. */
const OUTCOME = 2
const browser = browserForTests()
let stage: Stage

beforeAll(async () => {
  stage = await setStage({ nodes: 1, service: QUICK })
})
afterAll(async () => {
  await stage.stop()
})

const open = async (context?: BrowserContext): Promise<Page> => {
  const page = await browser.openPage({
    viewport: { width: 1440, height: 900 },
    ...(context && { context }),
  })
  return page
}

const answered = (): number => stage.reference.stats().byStatus['200'] ?? 0

/** The polls of the only node that a file of the last 24 hours has, as the page writes it. */
async function exportedBy(page: Page): Promise<readonly string[]> {
  await page.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
  const panel = page.getByRole('region', { name: words.title })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: words.save }).click(),
  ])
  const [, ...lines] = readFileSync(await file.path(), 'utf8')
    .trim()
    .split(/\r?\n/)
  return lines.filter((line) => line.split(',')[OUTCOME] === 'answered')
}

const isLive = async (page: Page): Promise<void> => {
  const says = () => statusLine(page).locator('b').first().textContent()
  await expect.poll(says, WAIT).toBe(shellTexts.status.live(0, 1))
}

it('a second tab exports every answer, those before it was opened and those of the last seconds', async () => {
  stage.reference.resetStats()
  const first = await open()
  await startWatching(first, stage)
  await expect.poll(answered).toBeGreaterThan(4)
  const second = await open(first.context())
  await second.goto(stage.dashboard.dashboardUrl)
  await isLive(second)
  const before = answered()
  const lines = await exportedBy(second)
  // The answer that is on its way while the file is written may be in it or not.
  expect(lines.length).toBeGreaterThanOrEqual(before - 1)
  expect(lines.length).toBeLessThanOrEqual(answered())
  expect(new Set(lines).size).toBe(lines.length)
  await isLive(first)
})

it('tabs that are closed at once, in the middle of polls and writes, cost at most the answer on its way, and none is kept twice', async () => {
  stage.reference.resetStats()
  let page = await open()
  const context = page.context()
  await startWatching(page, stage)
  // Closed at another moment of the interval each time; the context stays, and with it what was kept.
  for (let round = 0; round < CLOSINGS; round++) {
    for (let polls = 0; polls < 2; polls++) await stage.reference.nextRequest()
    await page.evaluate((frames) => {
      const wait = (left: number, done: () => void): void => {
        if (left === 0) done()
        else requestAnimationFrame(() => wait(left - 1, done))
      }
      return new Promise<void>((done) => wait(frames, done))
    }, round * 12)
    const next = await open(context)
    await page.close()
    await next.goto(stage.dashboard.dashboardUrl)
    await isLive(next)
    page = next
  }
  const before = answered()
  const lines = await exportedBy(page)
  // There may be one on its way while the file is written too.
  expect(lines.length).toBeGreaterThanOrEqual(before - CLOSINGS - 1)
  expect(lines.length).toBeLessThanOrEqual(answered())
  expect(new Set(lines).size).toBe(lines.length)
})

/** Each may come while an answer is on its way; two polls between two, so that a lost second would be seen. */
const CLOSINGS = 3
