import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fleetTexts } from '#texts/en-fleet.ts'
import { wallTexts } from '#texts/en-wall.ts'
import {
  message,
  setStage,
  startWatching,
  statusLine,
  type Stage,
  type WatchedNode,
} from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

/** Several screens of rows, and more nodes than concurrent requests. */
const NODES = 100
/** Long enough for a full round on a busy machine; otherwise the screen would report an overlong round. */
const INTERVAL_MS = 10_000
const ROUND = { timeout: 15 * INTERVAL_MS }
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
