import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { filterTexts } from '#texts/en-filter.ts'
import { fleetTexts } from '#texts/en-fleet.ts'
import { fleetOverviewTexts } from '#texts/en-fleet-overview.ts'
import { wallTexts } from '#texts/en-wall.ts'
import {
  hero,
  message,
  messages,
  setStage,
  startWatching,
  statusLine,
  WAIT,
  type Stage,
  type WatchedNode,
} from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

/** Several screens of rows, and more nodes than concurrent requests. */
const NODES = 100
/** Long enough for a full round on a busy machine; otherwise the screen would report an overlong round. */
const INTERVAL_MS = 10_000
/** Before the order of the rows changes. */
const QUICKLY = { timeout: 5_000 }
const ROUND = { timeout: 15 * INTERVAL_MS }
/** About 30 rows of this height fit on a screen, and the table renders some more above and below. */
const ROWS_MAX = 60
const ELEMENTS_MAX = 2_500
/** The engine stores a large fleet at most this often. It also does so at its end, if the browser lets it. */
const KEPT_WITHIN_MS = 110_000
/** A little longer than a reading stays current. */
const AWAY_MS = 2.5 * INTERVAL_MS + 2_000

const SIZE = { width: 1440, height: 900 }

const browser = browserForTests()
let stage: Stage
let page: Page

/** All tests share one fleet, because its first round takes as long as several tests. */
beforeAll(async () => {
  stage = await setStage({
    nodes: NODES,
    service: { label: 'Large service', pollIntervalMs: INTERVAL_MS, proof: 'record-v1' },
  })
  page = await browser.openPage({ viewport: SIZE })
  await startWatching(page, stage)
  await open('')
})
afterAll(async () => {
  await stage.stop()
})

const open = async (query: string): Promise<void> => {
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes${query}`)
  await table().getByRole('row').nth(1).waitFor()
}
const nodeAt = (place: number): WatchedNode => {
  const node = stage.nodes[place]
  if (node === undefined) throw new Error('no node')
  return node
}
const table = () => page.getByRole('grid', { name: fleetTexts.table })
const filter = () => page.getByRole('combobox', { name: filterTexts.label })
/** Includes the headings of columns and groups. */
const count = () => table().getAttribute('aria-rowcount')
const column = (id: string) => table().locator(`.grid-body .data-table-column-${id}`).allTextContents()
const elements = () => page.evaluate(() => document.querySelectorAll('*').length)
const answeredCount = () => Object.keys(stage.reference.stats().byNode).length

it('all nodes are polled, at most four at once, spread over the interval', async () => {
  const { reference } = stage
  await expect.poll(answeredCount, ROUND).toBe(NODES)
  // Every round, even the first one, uses its whole interval: no quarter has much more than twice its share, part of it
  // requests that a busy machine sent late.
  const { recent, maxInFlight } = reference.stats()
  expect(maxInFlight).toBeLessThanOrEqual(4)
  const askedMs = recent.map(({ atMs }) => atMs).toSorted((left, right) => left - right)
  const [firstMs = 0, lastMs = 0] = [askedMs[0], askedMs.at(-1)]
  expect(lastMs - firstMs).toBeGreaterThan(INTERVAL_MS / 2)
  for (let fromMs = firstMs; fromMs < lastMs; fromMs += INTERVAL_MS / 4) {
    const inQuarter = askedMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + INTERVAL_MS / 4)
    expect(inQuarter.length).toBeLessThanOrEqual(NODES * 0.6)
  }
  await statusLine(page).getByText('Live', { exact: true }).waitFor()
}, 300_000)

it('the page renders only visible rows, and scrolling reaches all of them', async () => {
  // While some nodes need attention the table has headings, and lists only the first nodes of a large group.
  const all = Number(await count())
  expect(all).toBeGreaterThan(NODES / 2)
  const rows = table().getByRole('row')
  expect(await rows.count()).toBeLessThanOrEqual(ROWS_MAX)
  const last = table().locator(`[aria-rowindex="${all}"]`)
  expect(await last.count()).toBe(0)
  await table().evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await last.waitFor()
  expect(await rows.count()).toBeLessThanOrEqual(ROWS_MAX)
})

it('the keyboard moves through the table, opens a node, and returns', async () => {
  await open('')
  await table().locator('[aria-rowindex="2"]').focus()
  // The focus moves with its node when the order changes, so it is near the end or near the beginning.
  const focused = table().locator('[role=row]:focus')
  // The index of the focused row, if there is one: while rows leave the view, none may have the focus.
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

it('filters the nodes, and keeps the filter after a reload', async () => {
  await open('')
  await page.keyboard.press('/')
  await page.keyboard.type('name~vela status:ACTIVE')
  const names = stage.nodes.filter(({ name }) => name.includes('vela'))
  expect(names.length).toBeGreaterThan(5)
  await expect.poll(count, WAIT).toBe(String(names.length + 1))
  await page.getByText(filterTexts.count(names.length, NODES)).waitFor()
  expect((await column('node')).every((text) => text.startsWith('vela'))).toBe(true)
  await page.reload()
  await expect.poll(count, WAIT).toBe(String(names.length + 1))
  expect(await filter().inputValue()).toBe('name~vela status:ACTIVE')
  // The document has one screen of rows, whatever the number of nodes.
  expect(await elements()).toBeLessThan(ELEMENTS_MAX)
})

it('opens a node from the map with the keyboard', async () => {
  await open('')
  await page.getByRole('listbox', { name: fleetOverviewTexts.overview.map(NODES) }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/nodes\/.+/)
})

it('every round checks each node’s proof, and a wrong one is reported', async () => {
  const wrong = nodeAt(NODES * 0.4)
  await stage.reference.faults.set(wrong.id, { name: 'proof-by-other-node' })
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  await message(page, 'Proof wrong').waitFor(ROUND)
  expect(await message(page, /Proof can’t be checked/).count()).toBe(0)
  for (const place of [0, NODES / 2, NODES - 1]) {
    await page.goto(stage.nodeUrl(nodeAt(place)))
    await page.getByRole('main').getByText('Verified', { exact: true }).waitFor()
  }
  await stage.reference.faults.clear(wrong.id)
  await page.goto(stage.nodeUrl(wrong))
  await message(page, 'Proof wrong').waitFor({ state: 'detached', ...ROUND })
  await page.getByRole('main').getByText('Verified', { exact: true }).waitFor()
})

/** Elements not entirely on screen, or with text too small to read at five metres: 3.4 % of the screen's height. */
const unreadable = () =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('.wall-page :is(h1, time, b, dt, dd, em, small, p, svg.mosaic)'))
      .filter(({ tagName, textContent }) => tagName === 'svg' || textContent !== '')
      .filter((element) => {
        const { top, bottom, left, right, width } = element.getBoundingClientRect()
        const isOn = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && width > 0
        const size = Number.parseFloat(getComputedStyle(element).fontSize) / innerHeight
        return !isOn || (element.tagName !== 'svg' && size < 0.0335)
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 120)),
  )

it('the wall shows all nodes in a map that fills any screen, and names those that fail', async () => {
  await stage.reference.faults.clear()
  await page.goto(`${stage.dashboard.dashboardUrl}#/wall?time=utc`)
  await page.getByText(wallTexts.within(NODES)).waitFor(ROUND)
  const map = page.getByRole('img', { name: wallTexts.mosaic(NODES, 0) })
  for (const [width, height] of [
    [1920, 1080],
    [1280, 720],
    [2560, 1080],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight)
    const box = await map.boundingBox()
    expect(box?.width).toBeGreaterThan(width * 0.85)
    expect(box?.height).toBeGreaterThan(height * 0.25)
    expect(await unreadable()).toEqual([])
  }
  const odd = [0.1, 0.5, 0.9].map((share) => nodeAt(NODES * share))
  for (const { id } of odd) await stage.reference.faults.set(id, { name: 'silent-heartbeat', value: 3_600 })
  const list = page.getByRole('listitem').filter({ hasText: 'Heartbeat too old' })
  await expect.poll(() => list.count(), ROUND).toBe(3)
  for (const { name } of odd) await list.filter({ hasText: name }).waitFor()
  const failing = page.getByRole('list', { name: wallTexts.mosaic(NODES, 3) })
  await expect.poll(() => failing.getByRole('listitem').count(), ROUND).toBe(3)
  expect(await unreadable()).toEqual([])
  await stage.reference.faults.clear()
  await page.getByText(wallTexts.within(NODES)).waitFor(ROUND)
  await page.setViewportSize(SIZE)
})

/** The visible rows: heartbeat age, the number of values and of old values, and the node's link. */
const inView = () =>
  table().evaluate((grid, heading) => {
    const headings = Array.from(grid.querySelectorAll('[role=columnheader]'), (cell) => cell.textContent)
    const place = headings.indexOf(heading)
    return Array.from(grid.querySelectorAll('[aria-rowindex]:not([aria-rowindex="1"])'), (row) => ({
      age: row.querySelectorAll('[role=gridcell]')[place]?.textContent ?? '',
      values: row.querySelectorAll('.value').length,
      old: row.querySelectorAll('.value.old').length,
      href: row.querySelector('a')?.getAttribute('href') ?? '',
    })).filter(({ href }) => href !== '')
  }, 'Heartbeat age')

/** The minimum number of visible rows. */
const SCREENFUL = 20
const isCurrent = async (): Promise<boolean> => {
  const rows = await inView()
  return rows.length > SCREENFUL && rows.every(({ old }) => old === 0)
}

/** The seconds in "31 s" or "1 m 2 s"; NaN for other text. */
function secondsIn(text: string): number {
  const [, minutes = '0', seconds] = /^(?:(\d+)\sm\s?)?(?:(\d+)\ss)/.exec(text) ?? []
  return seconds === undefined ? Number.NaN : Number(minutes) * 60 + Number(seconds)
}

it('a reload shows all last values at once, as old and with their true age, and polls visible nodes first', async () => {
  const { reference } = stage
  onTestFinished(() => reference.faults.clear())
  await open('')
  await expect.poll(isCurrent, ROUND).toBe(true)
  const leftMs = Date.now()
  await page.goto('about:blank')
  await reference.faults.set('*', { name: 'hang' })
  await expect.poll(() => Date.now() - leftMs, ROUND).toBeGreaterThan(AWAY_MS)
  reference.resetStats()
  await open('')
  // No service answers, so these are stored values.
  await expect
    .poll(async () => (await inView()).filter(({ values }) => values > 1).length, { timeout: 20_000 })
    .toBeGreaterThan(SCREENFUL)
  const shownMs = Date.now()
  const shown = await inView()
  for (const { age, values, old } of shown) {
    expect(old).toBe(values)
    expect(values).toBeGreaterThan(1)
    const ageS = secondsIn(age)
    expect(ageS).toBeGreaterThanOrEqual(Math.floor((shownMs - leftMs) / 1_000) - 5)
    // A heartbeat may already have been this old when it was read.
    expect(ageS).toBeLessThan((Date.now() - leftMs + 2 * INTERVAL_MS + KEPT_WITHIN_MS) / 1_000)
  }
  expect(Number(await count())).toBeGreaterThan(NODES)

  await reference.faults.clear()
  const view = new Set(shown.map(({ href }) => href.split('!').at(-1)?.toLowerCase()))
  await expect.poll(() => reference.stats().recent.length, ROUND).toBeGreaterThan(view.size)
  const first = reference.stats().recent.slice(0, view.size)
  const ofView = first.filter(({ node }) => view.has(node))
  expect(ofView.length).toBeGreaterThan(view.size * 0.7)
  // After the visible nodes come all others, and every value is current again.
  await expect.poll(answeredCount, ROUND).toBe(NODES)
  await expect.poll(isCurrent, ROUND).toBe(true)
  await statusLine(page).getByText('Live', { exact: true }).waitFor(ROUND)
}, 300_000)

it('F 130: all nodes refused at once cause one alarm and one message', async () => {
  await stage.reference.faults.set('*', { name: 'status-401' })
  await page.goto(`${stage.dashboard.dashboardUrl}#/alarms`)
  const alarms = page.getByRole('grid', { name: /^Alarms/ })
  await alarms.getByText('Credentials rejected').waitFor(ROUND)
  await page.getByText(`all ${NODES} nodes of Large service`).waitFor(ROUND)
  expect(await message(page, /Signature rejected/).count()).toBe(1)
  // A slow machine may raise another alarm of its own.
  expect(await alarms.getByRole('row').filter({ hasText: 'Credentials rejected' }).count()).toBe(1)
})
