import { expect, it, onTestFinished } from 'vitest'
import type { LogEntry } from '#history/event-log.ts'
import { hero, message, setStage } from '#test/e2e/stage.ts'
import { goTo } from '#test/faults/own-screen.ts'
import { startStorageSite } from '#test/browser/storage-page/site.ts'
import { launchLightBrowser, LIMIT_MS } from '#test/support/launch-browser.ts'

const NODES = 5_000
/** About 30 rows of this height fit on a screen, and the table renders some more above and below. */
const ROWS_MAX = 60

it('F 138: with five thousand nodes the table renders few rows, and the page stays responsive', async () => {
  const stage = await setStage({
    nodes: NODES,
    service: { label: 'Large service', pollIntervalMs: 60_000 },
  })
  onTestFinished(() => stage.stop())
  const browser = await launchLightBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(LIMIT_MS)
  await page.goto(stage.dashboard.dashboardUrl)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).waitFor()
  await goTo(page, stage, 'nodes')
  const table = page.getByRole('grid', { name: /Watched nodes/ })
  // The table lists only the first of the nodes without an answer until the others have answered.
  const count = async () => Number(await table.getAttribute('aria-rowcount'))
  await expect.poll(count).toBeGreaterThan(NODES / 2)
  expect(await table.getByRole('row').count()).toBeLessThanOrEqual(ROWS_MAX)
  // Updates arrive all the time. A page that spends half its time on them would not respond to a user.
  const busyMs = await page.evaluate(
    (forMs) =>
      new Promise<number>((done) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) sum += duration
        }).observe({ entryTypes: ['longtask'] })
        setTimeout(() => done(sum), forMs)
      }),
    10_000,
  )
  expect(busyMs).toBeLessThan(5_000)
  // A key press must move to the next row before the delay becomes noticeable.
  await table.getByRole('row').nth(3).focus()
  const tookMs: number[] = []
  for (let press = 0; press < 20; press++) {
    const startMs = performance.now()
    await page.keyboard.press('ArrowDown')
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
    tookMs.push(performance.now() - startMs)
  }
  expect(tookMs.toSorted((a, b) => a - b)[10]).toBeLessThan(500)
  await table.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await table.locator(`[aria-rowindex="${await count()}"]`).waitFor()
  expect(await table.getByRole('row').count()).toBeLessThanOrEqual(ROWS_MAX)
  expect(await message(page, /failed to render/).count()).toBe(0)
})

it('F 139: a journal of a million entries is read in pages of bounded size', async () => {
  const site = await startStorageSite()
  onTestFinished(() => site.stop())
  const browser = await launchLightBrowser(['--site-per-process'])
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(site.urlOf('history'))
  await page.evaluate(() => globalThis.storagePage.open('one'))
  const BATCHES = 200
  const BATCH = 5_000
  for (let batch = 0; batch < BATCHES; batch++)
    await page.evaluate(
      async ([start, count]) => {
        const entries = Array.from({ length: count }, (_, place): LogEntry => ({
          wallMs: Date.now() - 100_000_000 + (start + place) * 50,
          area: 'alarm',
          what: 'alarm-raised',
          facts: { alarm: `x${start + place}` },
        }))
        await globalThis.storagePage.log(entries)
        await globalThis.storagePage.saved()
      },
      [batch * BATCH, BATCH] as const,
    )
  const heapBefore = await page.evaluate('performance.memory.usedJSHeapSize')
  const pages = await page.evaluate(async () => {
    const sizes: number[] = []
    let last = Number.POSITIVE_INFINITY
    let isOrdered = true
    let before: string | undefined
    for (let turn = 0; turn < 1_000 && (turn === 0 || before !== undefined); turn++) {
      const read = await globalThis.storagePage.readLog({ limit: 1_000_000, ...(before && { before }) })
      sizes.push(read.entries.length)
      for (const { wallMs } of read.entries) {
        isOrdered &&= wallMs <= last
        last = wallMs
      }
      before = read.before
    }
    return { sizes, isOrdered, hasMore: before !== undefined }
  })
  expect(pages.isOrdered).toBe(true)
  expect(pages.hasMore).toBe(false)
  expect(pages.sizes.reduce((sum, size) => sum + size, 0)).toBe(BATCHES * BATCH)
  expect(Math.max(...pages.sizes)).toBeLessThanOrEqual(10_000)
  expect(Math.max(...pages.sizes)).toBeGreaterThan(0)
  expect(Number(heapBefore)).toBeLessThan(300_000_000)
})
