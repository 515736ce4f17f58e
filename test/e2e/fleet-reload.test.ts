import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fleetTexts } from '#texts/en-fleet.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { setStage, startWatching, statusLine, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const NODES = 1_000
const INTERVAL_MS = 10_000
/** So often, at most, a thousand are kept; at leaving too, but a browser need not wait for that. */
const KEPT_WITHIN_MS = 110_000
/** As long as a reading holds, and a little. */
const AWAY_MS = 2.5 * INTERVAL_MS + 2_000
const ROUND = { timeout: 12 * INTERVAL_MS }

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({
    nodes: NODES,
    service: { label: 'Large service', pollIntervalMs: INTERVAL_MS, timeoutMs: 2_000 },
  })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
  await openNodes()
  await vi.waitUntil(() => answeredCount() === NODES, WAIT)
})
afterAll(async () => {
  await stage.stop()
})

const table = () => page.getByRole('grid', { name: fleetTexts.table })
const rows = () => table().locator('[aria-rowindex]:not([aria-rowindex="1"])')
/** With the headings of columns and groups. */
const rowCount = async () => Number(await table().getAttribute('aria-rowcount'))
const answeredCount = () => Object.keys(stage.reference.stats().byNode).length

async function openNodes(): Promise<void> {
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  await rows().first().waitFor()
}

/** The rows in view: how old their heartbeats are, whether what they say holds, and their nodes. */
const inView = () =>
  table().evaluate((grid, heading) => {
    const headings = Array.from(grid.querySelectorAll('[role=columnheader]'), (cell) => cell.textContent)
    const place = headings.indexOf(heading)
    return Array.from(grid.querySelectorAll('[aria-rowindex]:not([aria-rowindex="1"])'), (row) => ({
      age: row.querySelectorAll('[role=gridcell]')[place]?.textContent ?? '',
      values: row.querySelectorAll('.val').length,
      old: row.querySelectorAll('.val.old').length,
      href: row.querySelector('a')?.getAttribute('href') ?? '',
    })).filter(({ href }) => href !== '')
  }, 'Heartbeat age')

/** "31 s" or "1 m 2 s"; no number where there is none. */
function secondsIn(text: string): number {
  const [, minutes = '0', seconds] = /^(?:(\d+)\sm\s?)?(?:(\d+)\ss)/.exec(text) ?? []
  return seconds === undefined ? Number.NaN : Number(minutes) * 60 + Number(seconds)
}

it('six hung nodes of a thousand keep none of the others waiting', async () => {
  const { reference } = stage
  const hung = stage.nodes.slice(100, 106)
  for (const { id } of hung) await reference.faults.set(id, { name: 'hang' })
  const ids = new Set(hung.map(({ id }) => id.toLowerCase()))
  const asked = () =>
    Math.min(...hung.map(({ id }) => reference.stats().byNode[id.toLowerCase()]?.requests ?? 0))
  reference.resetStats()
  await expect.poll(asked, ROUND).toBeGreaterThanOrEqual(3)
  const { byNode, maxInFlight } = reference.stats()
  expect(maxInFlight).toBeLessThanOrEqual(4)
  const others = Object.entries(byNode).filter(([id]) => !ids.has(id))
  expect(others).toHaveLength(NODES - hung.length)
  const oldest = Math.min(...others.map(([, { lastAtMs }]) => lastAtMs))
  expect(Date.now() - oldest).toBeLessThan(1.5 * INTERVAL_MS)
  // The six are what needs attention; nobody else has anything.
  await page.getByText(fleetToolTexts.filter['no-data'], { exact: true }).click()
  await expect.poll(rowCount, ROUND).toBeLessThan(2 * hung.length)
  expect(await rowCount()).toBeGreaterThan(hung.length)
  for (const { id } of hung) await reference.faults.clear(id)
  await openNodes()
  await expect.poll(rowCount, ROUND).toBeGreaterThan(NODES)
}, 300_000)

it('a reload shows what the thousand said last at once, visibly old and with its true age, and asks first for what is in view', async () => {
  const { reference } = stage
  await expect.poll(async () => (await inView()).every(({ old }) => old === 0), ROUND).toBe(true)
  const leftMs = Date.now()
  await page.goto('about:blank')
  await reference.faults.set('*', { name: 'hang' })
  await expect.poll(() => Date.now() - leftMs, ROUND).toBeGreaterThan(AWAY_MS)
  reference.resetStats()
  await openNodes()
  // Nothing answers: what they show is what was kept.
  await expect
    .poll(async () => (await inView()).every(({ values }) => values > 1), { timeout: 5_000 })
    .toBe(true)
  const shownMs = Date.now()
  const shown = await inView()
  expect(shown.length).toBeGreaterThan(20)
  for (const { age, values, old } of shown) {
    expect(old).toBe(values)
    expect(values).toBeGreaterThan(1)
    const ageS = secondsIn(age)
    expect(ageS).toBeGreaterThanOrEqual(Math.floor((shownMs - leftMs) / 1_000) - 5)
    // A heartbeat may have been as old as this when it was read.
    expect(ageS).toBeLessThan((Date.now() - leftMs + 2 * INTERVAL_MS + KEPT_WITHIN_MS) / 1_000)
  }
  expect(await rowCount()).toBeGreaterThan(NODES)

  await reference.faults.clear()
  const view = new Set(shown.map(({ href }) => href.split('!').at(-1)?.toLowerCase()))
  await expect.poll(() => reference.stats().recent.length, ROUND).toBeGreaterThan(60)
  const first = reference.stats().recent.slice(0, 60)
  const ofView = first.filter(({ node }) => view.has(node))
  expect(ofView.length).toBeGreaterThan(view.size / 2)
  // Then all the others, and everything is current again.
  await expect.poll(answeredCount, ROUND).toBe(NODES)
  await expect.poll(async () => (await inView()).every(({ old }) => old === 0), ROUND).toBe(true)
  await statusLine(page).getByText('Live', { exact: true }).waitFor(ROUND)
}, 300_000)
