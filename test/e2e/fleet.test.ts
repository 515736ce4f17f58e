import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hero, message, messages, setStage, statusLine, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const NODES = 1_000
/** The usual one: 67 requests a second. */
const INTERVAL_MS = 15_000
/** Before the order of the rows is another one. */
const QUICKLY = { timeout: 5_000 }
const ROUND = { timeout: 8 * INTERVAL_MS }
/** Of one row's height a screen holds about 30; some more stand ready above and below. */
const ROWS_MAX = 60

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({
    nodes: NODES,
    service: { label: 'Large service', pollIntervalMs: INTERVAL_MS, proof: 'record-v1' },
  })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(stage.dashboard.dashboardUrl)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).waitFor()
  await page.getByRole('link', { name: 'Nodes' }).first().click()
})
afterAll(async () => {
  await stage.stop()
})

const table = () => page.getByRole('grid', { name: /Watched nodes/ })

it('a thousand nodes of the server’s configuration are all asked, four at once at most, spread over the interval', async () => {
  const { reference } = stage
  const all = () => Object.keys(reference.stats().byNode).length
  await expect.poll(all, ROUND).toBe(NODES)
  // A round takes its interval, the first one too: no quarter of it sees more than twice its share.
  const { recent, maxInFlight } = reference.stats()
  expect(maxInFlight).toBeLessThanOrEqual(4)
  const askedMs = recent.map(({ atMs }) => atMs).toSorted((left, right) => left - right)
  const [firstMs = 0, lastMs = 0] = [askedMs[0], askedMs.at(-1)]
  expect(lastMs - firstMs).toBeGreaterThan(INTERVAL_MS / 2)
  for (let fromMs = firstMs; fromMs < lastMs; fromMs += INTERVAL_MS / 4) {
    const inQuarter = askedMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + INTERVAL_MS / 4)
    expect(inQuarter.length).toBeLessThanOrEqual(NODES / 2)
  }
  await statusLine(page).getByText('Live', { exact: true }).waitFor()
}, 300_000)

it('only rows in view are in the page, and scrolling reaches all of them', async () => {
  // Where some need attention there are headings, and of many of them only the first are listed.
  const count = Number(await table().getAttribute('aria-rowcount'))
  expect(count).toBeGreaterThan(NODES / 2)
  const rows = table().getByRole('row')
  expect(await rows.count()).toBeLessThanOrEqual(ROWS_MAX)
  const last = table().locator(`[aria-rowindex="${count}"]`)
  expect(await last.count()).toBe(0)
  await table().evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await last.waitFor()
  expect(await rows.count()).toBeLessThanOrEqual(ROWS_MAX)
})

it('keys go through the table, open a node, and come back', async () => {
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('link', { name: 'Nodes' }).first().click()
  await table().locator('[aria-rowindex="2"]').focus()
  // The focus goes with its node when the order changes, so it is near the end, or the beginning.
  const focused = table().locator('[role=row]:focus')
  // What is focused, if a row is: none may be for a moment, while rows that were in view go.
  const place = () => page.evaluate(() => Number(document.activeElement?.getAttribute('aria-rowindex')))
  await page.keyboard.press('End')
  await expect.poll(place, QUICKLY).toBeGreaterThan(NODES - 50)
  await page.keyboard.press('Home')
  await expect.poll(place, QUICKLY).toBeLessThan(50)
  await page.keyboard.press('ArrowDown')
  const name = await focused.getByRole('link').innerText()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  await expect.poll(() => messages(page).allInnerTexts()).toEqual([])
  await page.goBack()
  await table().waitFor()
})

it('the proof of each of the thousand is checked in every round, and one that is wrong is told', async () => {
  const wrong = stage.nodes[400]
  if (wrong === undefined) throw new Error('no node')
  await stage.reference.faults.set(wrong.id, { name: 'proof-by-other-node' })
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  await message(page, 'Proof wrong').waitFor(ROUND)
  expect(await message(page, /Proof can’t be checked/).count()).toBe(0)
  for (const place of [0, 500, NODES - 1]) {
    const node = stage.nodes[place]
    if (node === undefined) throw new Error('no node')
    await page.goto(stage.nodeUrl(node))
    await page.getByRole('main').getByText('Verified', { exact: true }).waitFor()
  }
  await stage.reference.faults.clear(wrong.id)
  await page.goto(stage.nodeUrl(wrong))
  await message(page, 'Proof wrong').waitFor({ state: 'detached', ...ROUND })
  await page.getByRole('main').getByText('Verified', { exact: true }).waitFor()
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  await table().waitFor()
})

it('the worst nodes come first, and can be seen alone', async () => {
  const bad = stage.nodes[700]
  if (bad === undefined) throw new Error('no node')
  await stage.reference.faults.set(bad.id, { name: 'silent-heartbeat', value: 3_600 })
  // Under the heading of those that need attention.
  const first = table().locator('[aria-rowindex="3"]')
  await first.getByText(bad.name).waitFor(ROUND)
  await first.getByText('Heartbeat too old').waitFor()
  await page.getByText('Critical', { exact: true }).click()
  await expect.poll(() => table().getAttribute('aria-rowcount')).toBe('2')
  expect(new URL(page.url()).hash).toContain('condition=critical')
})

it('all of them refused at once are one alarm', async () => {
  await stage.reference.faults.set('*', { name: 'status-401' })
  await page.goto(`${stage.dashboard.dashboardUrl}#/alarms`)
  const alarms = page.getByRole('grid', { name: /^Alarms/ })
  await alarms.getByText('Key rejected').waitFor(ROUND)
  await page.getByText('all 1,000 nodes of Large service').waitFor(ROUND)
  // A slow machine may have an alarm of its own beside it.
  expect(await alarms.getByRole('row').filter({ hasText: 'Key rejected' }).count()).toBe(1)
})
