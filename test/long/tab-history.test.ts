import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shellTexts } from '#texts/en-shell.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { QUICK, setStage, startWatching, statusLine, WAIT, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

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

/** The polls in an export of the last 24 hours, as the page writes it. There is only one node. */
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

it('a second tab exports every answer, even from before it was opened and from the last seconds', async () => {
  stage.reference.resetStats()
  const first = await open()
  await startWatching(first, stage)
  await expect.poll(answered).toBeGreaterThan(4)
  const second = await open(first.context())
  await second.goto(stage.dashboard.dashboardUrl)
  await isLive(second)
  const before = answered()
  const lines = await exportedBy(second)
  // An answer that arrives during the export may or may not be in it.
  expect(lines.length).toBeGreaterThanOrEqual(before - 1)
  expect(lines.length).toBeLessThanOrEqual(answered())
  expect(new Set(lines).size).toBe(lines.length)
  await isLive(first)
})

it('tabs that close during polls and writes lose at most the answer in flight, and save none twice', async () => {
  stage.reference.resetStats()
  let page = await open()
  const context = page.context()
  await startWatching(page, stage)
  // Each tab closes at a different moment of the interval. The context remains, with its stored history.
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
  // One more answer may arrive during the export.
  expect(lines.length).toBeGreaterThanOrEqual(before - CLOSINGS - 1)
  expect(lines.length).toBeLessThanOrEqual(answered())
  expect(new Set(lines).size).toBe(lines.length)
})

/** Each closing may lose the answer in flight. Two polls between closings would show a lost second. */
const CLOSINGS = 3
