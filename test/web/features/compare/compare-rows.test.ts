import { expect, it } from 'vitest'
import type { SeriesData } from '#charts/charts.ts'
import { compareRows, sharedGaps, type ReadSubject } from '#features/compare/compare-rows.ts'
import { METRICS } from '#metrics/metrics.ts'
import { effectiveSettings, NO_SERVICE_RULES } from '#settings/effective.ts'
import type { Limits } from '#settings/schema.ts'
import { withAssessment } from '#test/support/evaluated.ts'
import { aNode, aServiceLive, emptySeriesData, NOW_MS } from '#test/support/fleet-fixture.ts'
import type { ChartSpan } from '#ui/chart/chart-types.ts'

const span = (fromMs: number, toMs: number, kind: ChartSpan['kind'] = 'not-watched'): ChartSpan => ({
  fromMs,
  toMs,
  kind,
  label: `${fromMs} to ${toMs}`,
})
const EMPTY = emptySeriesData({ node: aNode().key, fromMs: 0, toMs: 40, columns: 9, barMs: 10, maxGapMs: 9 })

function subject(given: Partial<ReadSubject>, limits: Limits = {}): ReadSubject {
  const from = { kind: 'service', by: 'browser' } as const
  const rules = { ...NO_SERVICE_RULES, service: [{ from, units: {}, limits }] }
  const node = withAssessment(aNode(), aServiceLive(undefined, { rules }))
  const settings = effectiveSettings(rules, node)
  return {
    key: node.key,
    title: 'vela',
    node,
    service: undefined,
    settings,
    data: EMPTY,
    failed: false,
    spans: [],
    ...given,
  }
}

const rowOf = (id: string, ...reads: readonly ReadSubject[]) => {
  const rows = compareRows(METRICS, reads, { nowMs: NOW_MS, barMs: 10, inRange: '' })
  const row = rows.find((each) => each.id === id)
  return row?.kind === 'lines' ? row : undefined
}
const counted = (...bars: readonly (readonly [fromMs: number, increase: number])[]): SeriesData => ({
  ...EMPTY,
  metrics: [
    {
      id: 'threatResponses',
      kind: 'bars',
      bars: bars.map(([fromMs, increase]) => ({ fromMs, toMs: fromMs + 10, increase, restarted: false })),
      increase: 0,
      unwatched: [],
      restarts: new Float64Array(),
    },
  ],
})
const shared = (low: number, high: number): SeriesData => ({
  ...EMPTY,
  metrics: [
    {
      id: 'participation',
      kind: 'line',
      points: { atMs: Float64Array.of(5, 6), value: Float64Array.of(low, high) },
      stats: { min: low, max: high, last: high },
      exact: new Map(),
    },
  ],
})

it('time counts as not watched only if no node was watched, ignoring nodes not read yet', () => {
  const one = subject({ spans: [span(0, 20), span(20, 30, 'answered'), span(30, 40)] })
  const other = subject({ spans: [span(0, 5, 'answered'), span(5, 35), span(35, 40, 'no-answer')] })
  expect(sharedGaps([one, other])).toMatchObject([
    { fromMs: 5, toMs: 20, label: '0 to 20' },
    { fromMs: 30, toMs: 35, label: '30 to 40' },
  ])
  expect(sharedGaps([one, subject({ data: undefined })])).toHaveLength(2)
  expect(sharedGaps([one, subject({ spans: [span(20, 30)] })])).toEqual([])
})

it('a counter is a step line that breaks where bars are not adjacent', () => {
  const row = rowOf('threatResponses', subject({ data: counted([0, 3], [10, 1], [30, 2]) }))
  const [line] = row?.lines ?? []
  expect(line).toMatchObject({ kind: 'steps' })
  expect(Array.from(line?.points.atMs ?? [])).toEqual([0, 10, 20, 30, 40])
  expect(Array.from(line?.points.value ?? [])).toEqual([3, 1, Number.NaN, 2, Number.NaN])
  expect(row).toMatchObject({ fromZero: true, domain: [0, 4], ticks: [0, 2, 4] })
  const many = subject({ data: counted([0, 900]) })
  expect(rowOf('threatResponses', subject({ data: counted([0, 3]) }), many)).not.toHaveProperty('ticks')
})

it('the scale fits all values, and limits are drawn only if all nodes share them', () => {
  const one = subject({ data: shared(0.5, 0.6) })
  const other = subject({ data: shared(0.1, 0.2) })
  const both = rowOf('participation', one, other)
  expect(both?.domain?.[0]).toBeLessThanOrEqual(0.1)
  expect(both?.domain?.[1]).toBeGreaterThanOrEqual(0.6)
  expect(both?.limits).toHaveLength(1)
  const strict = subject({ data: shared(0.5, 0.6) }, { participationBelow: 0.8 })
  expect(rowOf('participation', one, strict)).not.toHaveProperty('limits')
})
