import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeKeyFromText, type NodeKey, type NodeLive } from '#fleet/live.ts'
import type { SeriesData, SeriesQuery } from '#charts/charts.ts'
import { METRICS } from '#metrics/metrics.ts'
import { comparePath, COMPARE_MAX } from '#parts/compare-address.ts'
import { ComparePage } from '#features/compare/compare-page.tsx'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import {
  aFailingNode,
  aNode,
  aReading,
  aService,
  aServiceLive,
  aSnapshot,
  emptySeriesData,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'
import { NO_SERVICE_RULES } from '#settings/effective.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { read, textsOf } from '#test/support/texts-of.ts'
import { compareTexts } from '#texts/en-compare.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'

beforeAll(giveLayout)
beforeAll(installDialog)

const MINUTE = 60_000
const keyOf = (place: number): NodeKey => aNode({ nodeId: `0x0${place}` }).key
const named = (place: number, fields: Partial<NodeLive> = {}): NodeLive =>
  aNode({ nodeId: `0x0${place}`, name: `vela-${place}`, ...fields })
const staked = (stake: string): NodeLive['reading'] =>
  aReading({
    body: JSON.stringify({
      node_id: '0x01',
      status: 'ACTIVE',
      stake_deployed: 0,
      network_participation: 0.9842,
      threat_responses_executed: 12,
      last_heartbeat: WALL_MS / 1_000 - 4,
      cryptographic_proof: '0x9c41aa0077ab',
    }).replace('"stake_deployed":0', `"stake_deployed":${stake}`),
  })

const GAP_AGO = 5.5

/** One answer per minute in the last ten minutes, with a gap of three minutes. */
function someHistory(query: SeriesQuery, participation: number): SeriesData {
  const { fromMs, toMs } = query
  const at = (ago: number): number => WALL_MS - ago * MINUTE
  const atMs = [10, 9, 8, 7, GAP_AGO, 4, 3, 2, 1].map(at)
  return {
    ...emptySeriesData(query),
    samples: 8,
    answered: 8,
    answeredMs: 8 * MINUTE,
    notWatchedMs: 0,
    spans: [
      { fromMs, toMs: at(7), kind: 'answered' },
      { fromMs: at(7), toMs: at(4), kind: 'no-answer', failure: 'timeout' },
      { fromMs: at(4), toMs, kind: 'answered' },
    ],
    metrics: [
      {
        id: 'participation',
        kind: 'line',
        points: {
          atMs: Float64Array.from(atMs),
          value: Float64Array.from(atMs, (ms) => (ms === at(GAP_AGO) ? Number.NaN : participation)),
        },
        stats: { min: participation, max: participation, last: participation },
        exact: new Map(),
      },
    ],
  }
}

const readSeries = async (asked: SeriesQuery): Promise<SeriesData> => {
  if (asked.node === keyOf(1)) return someHistory(asked, 0.98)
  return asked.node === keyOf(2) ? someHistory(asked, 0.96) : emptySeriesData(asked)
}

function renderCompare(
  nodes: readonly NodeLive[],
  keys: readonly NodeKey[],
  query = '',
  readSeriesData: typeof readSeries = readSeries,
) {
  const dashboard = fakeDashboard({
    snapshot: aSnapshot(nodes, [aServiceLive()]),
    engine: {
      readSeriesData,
    },
  })
  return { ...renderWith(dashboard, <ComparePage />, `${comparePath(keys)}${query}`), dashboard }
}

const table = () => screen.getByRole('table', { name: compareTexts.table.caption })
const row = (heading: string): readonly string[] =>
  within(within(table()).getByRole('rowheader', { name: heading }).closest('tr') ?? table())
    .getAllByRole('cell')
    .map((cell) => read(cell.textContent))
const chart = () => screen.findByRole('slider')
const stake = METRICS.find(({ id }) => id === 'stake')?.heading ?? ''

describe('the node comparison', () => {
  it('shows the current values and their difference for every metric', () => {
    renderCompare(
      [
        named(1),
        named(2, {
          reading: aReading({ fields: { network_participation: 0.9642, stake_deployed: 1_000_000 } }),
        }),
      ],
      [keyOf(1), keyOf(2)],
    )
    expect(textsOf(within(table()).getAllByRole('rowheader'))).toEqual([
      compareTexts.table.condition,
      compareTexts.table.answer,
      ...METRICS.map(({ heading }) => heading),
    ])
    expect(row('Participation')).toEqual(['98.42 %', '96.42 %', compareTexts.table.points('2.00')])
    expect(row(stake)).toEqual(['1,250,000', '1,000,000', '250,000'])
    expect(row('Status')).toEqual(['ACTIVE', 'ACTIVE', compareTexts.table.same])
    expect(row(compareTexts.table.answer).slice(0, 2)).toEqual(['2 s ago', '2 s ago'])
  })

  it('keeps amounts beyond 2^53 and their difference exact', () => {
    renderCompare(
      [
        named(1, { reading: staked('9007199254740993.5') }),
        named(2, { reading: staked('9007199254740992') }),
      ],
      [keyOf(1), keyOf(2)],
    )
    expect(row(stake)).toEqual(['9,007,199,254,740,993.5', '9,007,199,254,740,992', '1.5'])
  })

  it('shows a unit that the service’s rules set later', () => {
    const { dashboard } = renderCompare([named(1), named(2)], [keyOf(1), keyOf(2)])
    const fleet = dashboard.fleet.get()
    const from = { kind: 'service', by: 'browser' } as const
    const rules = { ...NO_SERVICE_RULES, service: [{ from, units: { stakeSymbol: 'IMN' }, limits: {} }] }
    const services = new Map(Array.from(fleet.services, ([id, service]) => [id, { ...service, rules }]))
    dashboard.show({ ...fleet, services })
    expect(row(stake)).toEqual(['1,250,000 IMN', '1,250,000 IMN', '0 IMN'])
  })

  it('dims an outdated value and any difference based on it', () => {
    const failing = aFailingNode({ kind: 'node-unknown' }, { nodeId: '0x02', key: keyOf(2), name: 'vela-2' })
    renderCompare([named(1), failing], [keyOf(1), keyOf(2)])
    const cells = within(
      within(table()).getByRole('rowheader', { name: 'Participation' }).closest('tr') ?? table(),
    ).getAllByRole('cell')
    expect(cells.map((cell) => cell.querySelector('.old') !== null)).toEqual([false, true, true])
  })

  it('marks an unwatched node in its own column and in each chart', async () => {
    renderCompare([named(1), named(2)], [keyOf(1), nodeKeyFromText('gone!0xabcd'), keyOf(2)])
    expect(row('Participation')).toEqual([
      '98.42 %',
      compareTexts.notWatched,
      '98.42 %',
      compareTexts.table.of(compareTexts.table.points('0.00'), 2, 3),
    ])
    await chart()
    expect(screen.getAllByText(compareTexts.chart.noHistory).length).toBe(1)
    expect(screen.getAllByText(compareTexts.notWatched).length).toBeGreaterThan(METRICS.length)
  })

  it('distinguishes nodes with the same name by ID', () => {
    renderCompare([named(1, { name: 'vela' }), named(2, { name: 'vela' })], [keyOf(1), keyOf(2)])
    for (const title of ['vela · 0x01', 'vela · 0x02']) screen.getByRole('link', { name: title })
  })

  it('distinguishes the same node on two services by service', () => {
    const services = ['https://one.example', 'https://two.example'].map((baseUrl) =>
      aServiceLive(aService({ baseUrl })),
    )
    const nodes = services.map(({ id }) => aNode({ serviceId: id, nodeId: '0x01', name: 'vela' }))
    const dashboard = fakeDashboard({ snapshot: aSnapshot(nodes, services) })
    const keys = nodes.map(({ key }) => key)
    renderWith(dashboard, <ComparePage />, comparePath(keys))
    for (const via of ['one.example', 'two.example'])
      screen.getByRole('link', { name: `vela · 0x01 · ${via}` })
  })

  it('draws one line per node, broken where the node did not answer', async () => {
    const { container } = renderCompare([named(1), named(2)], [keyOf(1), keyOf(2)])
    await chart()
    const lines = Array.from(
      container.querySelectorAll('.strip-chart-plots :is(.compared-1, .compared-2) > .plot-line'),
      (path) => path.getAttribute('d') ?? '',
    )
    const drawn = lines.filter((path) => path.includes('L'))
    expect(drawn.length).toBe(2)
    for (const path of drawn) expect(path.match(/M/g)?.length).toBe(2)
    expect(new Set(drawn).size).toBe(2)
  })

  it('treats a value as known only until the next one is due', async () => {
    // The second node keeps answering; the first was polled a second earlier, long ago, or has failed since.
    const late = (lastMs: number, kind: 'not-watched' | 'no-answer') => async (asked: SeriesQuery) => {
      const series = someHistory(asked, 0.98)
      if (asked.node !== keyOf(1)) return series
      const { spans, toMs } = { ...series, spans: series.spans.slice(0, 2) }
      const points = { atMs: Float64Array.of(lastMs), value: Float64Array.of(0.5) }
      return {
        ...series,
        spans: [...spans, { fromMs: lastMs, toMs, kind }],
        metrics: series.metrics.map((each) => (each.kind === 'line' ? { ...each, points } : each)),
      }
    }
    for (const [ago, kind, told] of [
      [1_000, 'not-watched', '50.00 %'],
      [2 * MINUTE, 'not-watched', '3 m 00 s not watched'],
      [1_000, 'no-answer', 'no answer'],
    ] as const) {
      const { unmount } = renderCompare(
        [named(1), named(2)],
        [keyOf(1), keyOf(2)],
        '',
        late(WALL_MS - MINUTE - ago, kind),
      )
      const crosshair = await chart()
      crosshair.focus()
      await userEvent.keyboard('{End}')
      const text = read(crosshair.getAttribute('aria-valuetext'))
      expect(text).toContain(`Participation, vela-1 ${told}`)
      expect(text).toContain('Participation, vela-2 98.00 %')
      unmount()
    }
  })

  it('offers the same data as a table with a node column', async () => {
    renderCompare([named(1), named(2)], [keyOf(1), keyOf(2)])
    await chart()
    await userEvent.click(screen.getByText(nodeHistoryTexts.chart.showTable))
    const grid = await screen.findByRole('grid', { name: nodeHistoryTexts.chart.table })
    expect(within(grid).getByRole('columnheader', { name: compareTexts.chart.node })).toBeDefined()
    const rows = textsOf(within(grid).getAllByRole('row')).map(read)
    expect(rows.filter((each) => each.includes('vela-1') && each.includes('98.00 %')).length).toBe(8)
    expect(rows.filter((each) => each.includes('vela-2') && each.includes('96.00 %')).length).toBe(8)
  })
})

describe('the comparison URL', () => {
  it('gains a node found by its name in any case, loses a removed one, and keeps the range', async () => {
    const others = Array.from({ length: 9 }, (_, place) => named(place + 10))
    const nodes = [named(1), ...others, named(3, { name: 'Vela-3' })]
    const { addresses } = renderCompare(nodes, [keyOf(1)], '&range=1h')
    expect(screen.getByText(compareTexts.onlyOne)).toBeDefined()
    await userEvent.type(screen.getByRole('combobox', { name: compareTexts.add.label }), 'vela-3{Enter}')
    const shown = () => new URLSearchParams(addresses().at(-1)?.split('?')[1]).get('nodes')?.split(',')
    expect(shown()).toEqual([keyOf(1), keyOf(3)])
    await userEvent.click(screen.getByRole('button', { name: compareTexts.remove('vela-1') }))
    expect(shown()).toEqual([keyOf(3)])
    expect(addresses().at(-1)).toContain('range=1h')
  })

  it('with too many nodes shows a notice and compares only the first ones', () => {
    const all = Array.from({ length: COMPARE_MAX + 2 }, (_, place) => named(place + 1))
    renderCompare(
      all,
      all.map(({ key }) => key),
    )
    expect(screen.getByText(compareTexts.cut(COMPARE_MAX, COMPARE_MAX + 2))).toBeDefined()
    expect(within(table()).getAllByRole('link')).toHaveLength(COMPARE_MAX)
    expect(screen.getByRole('combobox', { name: compareTexts.add.label }).hasAttribute('disabled')).toBe(true)
  })

  it('without nodes shows a link to the node list', () => {
    renderCompare([named(1)], [])
    expect(screen.getByText(compareTexts.none.title)).toBeDefined()
    expect(screen.getByRole('link', { name: compareTexts.none.toList })).toBeDefined()
  })
})
