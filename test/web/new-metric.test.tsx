import { cleanup, screen } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import type { SeriesData, SeriesQuery } from '#charts/charts.ts'
import type { RecordMetric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { readStatusRecord } from '#metrics/status-record.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { effectiveSettings, NO_SERVICE_RULES } from '#settings/effective.ts'
import { chartedOf, rowOfAlarm } from '#features/alarms/detail-chart.tsx'
import { anAlarm } from '#test/support/alarm-fixture.ts'
import { FleetPage } from '#features/fleet/fleet-page.tsx'
import { NodePage } from '#features/node/node-page.tsx'
import { WallPage } from '#features/wall/wall-page.tsx'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { nodePath } from '#react/routes.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { wallTexts } from '#texts/en-wall.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { BACKUP, ROLE } from '#test/core/metrics/peers.ts'
import { aNode, aReading, aServiceLive, aSnapshot, RECORD_FIELDS } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { withAssessment } from '#test/support/evaluated.ts'

beforeAll(async () => {
  installDialog()
  giveLayout()
  await Promise.all([import('#ui/chart/strip-chart.tsx'), import('#features/node/node-history.tsx')])
})

/** All that a new metric takes. */
const PEERS: RecordMetric<'peersConnected', 'gauge'> = {
  id: 'peersConnected',
  kind: 'gauge',
  unit: 'count',
  heading: 'Peers connected',
  help: 'Peers that the node is connected to.',
  field: 'peers_connected',
  exportName: 'peers_connected',
  prometheusName: 'immune_node_peers_connected',
  settings: [],
  limits: () => [{ side: 'below', state: 'warning', value: 3_000 }],
  check: { order: 9 },
  chart: { order: 9, kind: 'line', note: 'max' },
  table: { order: 9, align: 'end' },
  wall: { order: 9 },
}
const REGISTRY = [...METRICS, PEERS, BACKUP, ROLE]

const never = () => new Promise<never>(() => undefined)

const lanes = ({ fromMs, toMs }: SeriesQuery): SeriesData => ({
  fromMs,
  toMs,
  stepMs: 0,
  samples: 1,
  answered: 1,
  answeredMs: toMs - fromMs,
  notWatchedMs: 0,
  spans: [{ fromMs, toMs, kind: 'answered' }],
  metrics: [
    {
      id: PEERS.id,
      kind: 'line',
      points: { atMs: Float64Array.of(fromMs + 1), value: Float64Array.of(2_048) },
      stats: { min: 2_048, max: 2_048, last: 2_048 },
      exact: new Map(),
    },
  ],
})

function aDashboard() {
  const json = parseJsonRecord(
    JSON.stringify({ ...RECORD_FIELDS, peers_connected: 2_048, last_backup: 1, role: 'WITNESS' }),
  )
  if (!json.ok) throw new Error(json.error)
  const record = readStatusRecord(json.value, REGISTRY)
  const ages = {
    ...aReading().ages,
    [BACKUP.id]: { kind: 'known', ageMs: 3_600_000, uncertaintyMs: 0 },
  } as const
  const node = withAssessment(aNode({ reading: { ...aReading(), record, ages } }), aServiceLive(), REGISTRY)
  const dashboard = fakeDashboard({
    metrics: REGISTRY,
    snapshot: { ...aSnapshot([node]), nodes: new Map([[node.key, node]]) },
    engine: {
      readSeriesData: async (query) => lanes(query),
      readEvents: never,
      readUsual: never,
      lookAt: async () => {},
      lastExchange: async () => undefined,
    },
  })
  return { dashboard, node }
}

it('a new metric is in the table, with its column and its limit', () => {
  const { dashboard } = aDashboard()
  renderWith(
    dashboard,
    <EvaluationProvider>
      <FleetPage />
    </EvaluationProvider>,
    `/nodes?columns=condition,${PEERS.id}`,
  )
  screen.getByRole('columnheader', { name: PEERS.heading })
  expect(screen.getByText('2,048').className).toContain('warning')
  screen.getByText(`${PEERS.heading} too low`)
})

it('a new metric is on the node’s page: among checks, charts, facts and in the record', async () => {
  const { dashboard, node } = aDashboard()
  renderWith(dashboard, <NodePage nodeKey={node.key} />, nodePath(node.key))
  const row = (await screen.findByText(PEERS.heading, { selector: '.strip-chart-row *' })).closest(
    '.strip-chart-row',
  )
  expect(row?.textContent).toContain('2,048')
  expect(row?.textContent).toContain(nodeHistoryTexts.chart.max('2,048'))
  screen.getByText(`${PEERS.heading} too low`)
  const facts = screen.getByRole('region', { name: nodeHistoryTexts.facts.title })
  expect(facts.textContent).toContain(`${PEERS.heading}2,048`)
  const kept = screen.getByRole('region', { name: nodeHistoryTexts.record.title })
  expect(kept.textContent).toContain('peers_connected')
})

it('a new metric is on the wall, and a second state and timestamp lead it and the node’s page', async () => {
  const { dashboard, node } = aDashboard()
  renderWith(dashboard, <NodePage nodeKey={node.key} />, nodePath(node.key))
  const hero = await screen.findByRole('region', { name: nodeTexts.hero.label })
  const cells = Array.from(hero.children, ({ textContent }) => textContent)
  expect(cells.find((text) => text.includes(nodeTexts.hero.state(ROLE.heading)))).toContain('WITNESS')
  expect(cells.find((text) => text.includes(nodeTexts.hero.age('Backup')))).toContain('1h')
  expect(cells.find((text) => text.includes(nodeTexts.hero.age('Heartbeat')))).toContain('4s')
  cleanup()
  renderWith(
    dashboard,
    <EvaluationProvider>
      <WallPage />
    </EvaluationProvider>,
    `/wall/${node.key}`,
  )
  expect(screen.getByText(PEERS.heading).closest('div')?.textContent).toContain('2.048')
  expect(screen.getByText(ROLE.heading).parentElement?.textContent).toContain('WITNESS')
  expect(screen.getByText(wallTexts.age('Backup')).parentElement?.textContent).toContain('1h')
  expect(screen.getByText(wallTexts.age('Heartbeat')).parentElement?.textContent).toContain('4s')
})

it('an alarm of a new metric has its chart, with the limit on the side that is wrong', () => {
  const limit = { unit: 'count', value: 3_000 } as const
  const alarm = anAlarm({ kind: `${PEERS.id}-below`, limit })
  expect(chartedOf(alarm, REGISTRY)).toBe(PEERS.heading)
  const data = lanes({ node: aNode().key, fromMs: 0, toMs: 10, columns: 1, barMs: 1, maxGapMs: 1 })
  const settings = effectiveSettings(NO_SERVICE_RULES, { tags: [], rules: [] })
  const row = rowOfAlarm(alarm, REGISTRY, { data, settings, barMs: 1 })
  expect(row).toMatchObject({ title: PEERS.heading, limits: [{ value: 3_000, bad: 'below' }] })
})
