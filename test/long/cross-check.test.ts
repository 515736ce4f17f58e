import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import type { ReferenceService } from '#reference/reference-service.ts'
import { createBenchService } from '#test/support/bench-service.ts'
import { fleetTexts } from '#texts/en-fleet.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { QUICK, setStage, startWatching, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

/** Longer than the delay that may explain a difference between two services. */
const SOON = { timeout: 40_000 }
const NODES = 3

const browser = browserForTests()
let stage: Stage
let other: ReferenceService
let otherUrl: string
let page: Page

beforeAll(async () => {
  // A second service with the same network.
  other = createBenchService({ nodes: NODES, enroll: true })
  otherUrl = (await other.listen()).baseUrl
  const { network } = other
  stage = await setStage({
    nodes: NODES,
    service: { ...QUICK, label: 'Service one' },
    others: [
      {
        service: { ...QUICK, baseUrl: otherUrl, label: 'Service two' },
        nodes: Array.from({ length: NODES }, (_, n) => ({ id: network.idOf(n), name: network.nameOf(n) })),
      },
    ],
  })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
})
afterAll(async () => {
  await stage.stop()
  await other.close()
})

const panel = (): Locator => page.getByRole('region', { name: nodeHistoryTexts.services.title, exact: true })
const first = () => {
  const [node] = stage.nodes
  if (node === undefined) throw new Error('no node')
  return node
}

it('a node’s page shows the answers of two services side by side', async () => {
  await page.goto(stage.nodeUrl(first()))
  await panel().getByRole('columnheader', { name: 'Service one' }).waitFor()
  await panel().getByRole('columnheader', { name: 'Service two' }).waitFor()
  const status = panel().getByRole('row', { name: 'Status' })
  await expect.poll(() => status.getByRole('cell').allInnerTexts(), SOON).toEqual(['ACTIVE', 'ACTIVE'])
  expect(await panel().getByText(nodeHistoryTexts.services.since).count()).toBe(0)
})

it('a disagreement longer than a delay can explain is marked with its start and raises one alarm', async () => {
  const { id, name } = first()
  await other.faults.set(id, { name: 'status-word', value: 'DRAINING' })
  const said = nodeHistoryTexts.services.why.differs('ACTIVE', 'DRAINING')
  await panel().getByText(said).waitFor(SOON)
  // Each service's page shows its own answer as the first one.
  await panel().getByRole('link', { name: 'Service two' }).click()
  await expect.poll(() => page.url()).toContain(nodeKeyOf(serviceIdOf(otherUrl), id))
  await panel().getByText(nodeHistoryTexts.services.why.differs('DRAINING', 'ACTIVE')).waitFor()

  await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  const table = page.getByRole('grid', { name: fleetTexts.table })
  const marked = table.getByRole('row').filter({ hasText: fleetTexts.differs('Status', undefined) })
  await expect.poll(() => marked.count(), SOON).toBe(2)
  expect((await marked.allInnerTexts()).every((text) => text.includes(name))).toBe(true)

  await page.goto(`${stage.dashboard.dashboardUrl}#/alarms`)
  const alarm = page
    .getByRole('grid', { name: /^Alarms/ })
    .getByRole('row')
    .filter({ hasText: 'ACTIVE ≠ DRAINING' })
  await expect.poll(() => alarm.count(), SOON).toBe(1)
})
