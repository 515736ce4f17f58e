import { expect } from 'vitest'
import type { FixedKind } from '#alarms/alarm.ts'
import { METRICS } from '#metrics/metrics.ts'
import { hero, message } from '#test/e2e/stage.ts'
import { attachToWorker } from '#test/support/raw-tab.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { reloadTexts } from '#texts/en-reload.ts'
import { faultStage, type Row } from './fault-stage.ts'

// A small heap fills up quickly. With one process per site, as on desktops, Chromium updates the heap size often;
// otherwise it does so only every 20 minutes.
const { row, browser } = faultStage({
  browserArgs: ['--js-flags=--max-old-space-size=300', '--site-per-process'],
})

/** One second longer than a page may stop responding. */
const BLOCKED_MS = 16_000

/** The row of an alarm in the list, active or not yet acknowledged. Returns to the node's page. */
async function alarmed({ page, stage, node }: Row, kind: FixedKind): Promise<string> {
  await page.goto(`${stage.dashboard.dashboardUrl}#/alarms`)
  const found = page
    .getByRole('grid', { name: /^Alarms/ })
    .getByRole('row')
    .filter({ hasText: alarmName(kind, METRICS) })
  await found.first().waitFor()
  const text = await found.first().innerText()
  await page.goto(stage.nodeUrl(node))
  await hero(page).getByText('Last answer').waitFor()
  return text
}

row(90, {}, async (given) => {
  const startMs = performance.now()
  await given.page.route('**/held', async (route) => {
    await expect.poll(() => performance.now() - startMs).toBeGreaterThan(BLOCKED_MS)
    await route.fulfill({ body: '' })
  })
  // Blocks like an endless script, but without using a core that other tests need.
  await given.page.evaluate(() => {
    const request = new XMLHttpRequest()
    request.open('GET', '/held', false)
    request.send()
  })
  await given.page.unroute('**/held')
  await alarmed(given, 'page-blocked')
})

row(93, {}, async (given) => {
  browser.expectComplaint(/storm|an extension/)
  await given.page.evaluate(() => {
    const { src } = document.querySelector<HTMLScriptElement>('script[type="module"]') ?? { src: '' }
    for (let count = 0; count < 1_000; count++) {
      const storm = new Error('storm')
      // Looks as if a file of the page had thrown it; errors of other scripts do not count.
      storm.stack = `Error: storm\n    at draw (${src}:1:1)`
      void Promise.reject(storm)
      void Promise.reject(new Error('an extension’s'))
    }
  })
  await alarmed(given, 'page-errors')
  // The page counts all errors but logs only a few.
  await given.page.goto(`${given.stage.dashboard.dashboardUrl}#/journal`)
  await given.page.getByText(/storm/).first().waitFor()
  expect(await given.page.getByRole('row').filter({ hasText: 'storm' }).count()).toBeLessThanOrEqual(20)
  expect(await given.page.getByText(/an extension/).count()).toBe(0)
  await given.page.goto(given.stage.nodeUrl(given.node))
})

row(97, {}, async (given) => {
  await given.page.evaluate(() => {
    const held: number[][] = []
    Object.assign(globalThis, { held })
    for (let mb = 0; mb < 250; mb++) held.push(Array.from({ length: 125_000 }, (_, place) => place + 0.5))
  })
  expect(await alarmed(given, 'memory-high')).toMatch(/\d+ MB/)
  await given.page.evaluate(() => Reflect.deleteProperty(globalThis, 'held'))
})

row(126, {}, async (given) => {
  const { page } = given
  const other = JSON.stringify({ build: '/assets/index-another.js' })
  await page.route('**/version.json', (route) =>
    route.fulfill({ contentType: 'application/json', body: other }),
  )
  await page.reload()
  await message(page, reloadTexts.newVersion).waitFor()
  await alarmed(given, 'old-version')
  await page.unroute('**/version.json')
  // The page now runs the version that the server delivers, so no message may remain.
  await message(page, reloadTexts.newVersion).getByRole('button', { name: reloadTexts.reload }).click()
  await message(page, reloadTexts.newVersion).waitFor({ state: 'detached' })
})

// This must be the last test: a watched browser crashes if its Workers are listed after one has ended.
row(91, {}, async (given) => {
  const engine = await attachToWorker(browser.itself(), 'engine-worker', () => undefined)
  const before = given.reference.stats().byNode[given.node.id.toLowerCase()]?.requests ?? 0
  engine.send('Runtime.evaluate', { expression: 'self.close()' }).catch(() => undefined)
  await expect
    .poll(() => given.reference.stats().byNode[given.node.id.toLowerCase()]?.requests ?? 0)
    .toBeGreaterThan(before + 2)
  expect(await alarmed(given, 'engine-lost')).toContain(alarmName('engine-lost', METRICS))
})
