import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import { comparePath } from '#parts/compare-address.ts'
import { serviceIdOf } from '#record/service.ts'
import { compareTexts } from '#texts/en-compare.ts'
import { fleetTexts } from '#texts/en-fleet.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { QUICK, setStage, startWatching, WAIT, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({ nodes: 8, service: QUICK })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
})
afterAll(async () => {
  await stage.stop()
})

const nameAt = (place: number): string => stage.nodes[place]?.name ?? ''
const table = () => page.getByRole('table', { name: compareTexts.table.caption })
const named = () => table().getByRole('link').allTextContents()
const slider = () => page.getByRole('slider', { name: nodeHistoryTexts.chart.crosshair })
const drawn = () => page.locator('.strip-chart-plots path.plot-line[d*="M"]').count()
const stageKey = (id: string) => nodeKeyOf(serviceIdOf(stage.service), id)

it('compares three selected nodes, even after a reload, and then two', async () => {
  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  for (const place of [0, 1, 2])
    await page.getByRole('checkbox', { name: fleetTexts.select.one(nameAt(place)) }).check()
  await page.getByRole('button', { name: fleetToolTexts.selection.compare }).click()
  await table().waitFor()
  const names = [0, 1, 2].map(nameAt).toSorted()
  expect((await named()).toSorted()).toEqual(names)
  // Each node has a value and, in every row with an axis, a line.
  await expect.poll(() => table().getByText('ACTIVE').count(), WAIT).toBe(3)
  await slider().waitFor()
  await expect
    .poll(() => slider().getAttribute('aria-valuetext'), WAIT)
    .toContain(`Participation, ${nameAt(2)}`)
  const scaled = METRICS.filter(({ kind }) => kind !== 'state' && kind !== 'fingerprint').length
  await expect.poll(drawn, WAIT).toBeGreaterThanOrEqual(3 * scaled)

  await page.reload()
  await table().waitFor()
  expect((await named()).toSorted()).toEqual(names)
  await slider().waitFor()

  await page.getByRole('button', { name: compareTexts.remove(nameAt(1)) }).click()
  await expect.poll(named, WAIT).toHaveLength(2)
  expect(await named()).not.toContain(nameAt(1))
  expect(new URL(page.url()).hash).not.toContain(stage.nodes[1]?.id ?? '')
  await page.goBack()
  await expect.poll(named, WAIT).toHaveLength(3)
})

it('keeps the time range in the URL, and reads the same moment of each node', async () => {
  const keys = stage.nodes.slice(0, 2).map(({ id }) => stageKey(id))
  await page.goto(`${stage.dashboard.dashboardUrl}#${comparePath(keys)}`)
  await slider().waitFor()
  // The selection follows the URL shortly after the click.
  const range = page.getByRole('combobox', { name: nodeHistoryTexts.range.legend })
  await range.selectOption('1h')
  await page.waitForURL(/range=1h/)
  await expect.poll(() => range.inputValue(), WAIT).toBe('1h')
  await slider().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await expect
    .poll(() => slider().getAttribute('aria-valuetext'), WAIT)
    .toMatch(new RegExp(`Participation, ${nameAt(0)} \\d.*Participation, ${nameAt(1)} \\d`))
  await page.locator('.crosshair-line').waitFor()
})

it('shows old values of a node that fails, and continues with the others', async () => {
  const [silent, other] = stage.nodes
  if (silent === undefined || other === undefined) throw new Error('no nodes')
  await page.goto(`${stage.dashboard.dashboardUrl}#${comparePath([stageKey(silent.id), stageKey(other.id)])}`)
  await slider().waitFor()
  await stage.reference.faults.set(silent.id, { name: 'status-500' })
  await expect
    .poll(() => table().locator('td .value.old').count(), WAIT)
    .toBeGreaterThanOrEqual(METRICS.length)
  await page.getByText(nodeHistoryTexts.chart.noAnswer, { exact: true }).waitFor()
  await stage.reference.faults.clear()
})
