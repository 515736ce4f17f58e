import { describe, expect, it } from 'vitest'
import { chartable } from '#ui/chart/chartable.ts'
import type { ChartRow, ValueRow } from '#ui/chart/chart-types.ts'
import { rowDomain } from '#ui/chart/row-domain.ts'
import { neighbour, textAt } from '#ui/chart/value-at.ts'
import { niceTicks } from '#ui/chart/nice-ticks.ts'
import { placeRow } from '#ui/chart/placed-row.ts'
import { tableRows } from '#ui/chart/table-rows.ts'
import { visibleSpans } from '#ui/chart/spans.tsx'

const row = (values: readonly number[], more: Partial<ValueRow> = {}): ValueRow =>
  ({
    id: 'a',
    title: 'A',
    value: [],
    kind: 'line',
    points: {
      atMs: Float64Array.from(values, (_, place) => place * 10),
      value: Float64Array.from(values),
    },
    format: String,
    ...more,
  }) as ValueRow
describe('the value of a row at a time', () => {
  const line = row([1, 2, Number.NaN, 4])
  const steps = row([1, 2], { kind: 'steps' })
  const bars = row([], { kind: 'bars', bars: [{ fromMs: 10, toMs: 20, value: 7 }] })
  it.each([
    ['a line’s nearest point', line, 14, '2'],
    ['a line’s nearest point, even without a value', line, 24, undefined],
    ['a line’s last point within reach', line, 35, '4'],
    ['no point of a line out of reach', line, 36, undefined],
    ['a step’s last point, however long ago', steps, 5_000, '2'],
    ['a step’s own point at its time', steps, 10, '2'],
    ['no step before the first', steps, -1, undefined],
    ['a bar from its start', bars, 10, '7'],
    ['no bar at its end', bars, 20, undefined],
  ])('comes from %s', (_, of, atMs, text) => {
    expect(textAt(of, atMs, 5)).toBe(text)
  })

  it('has the nearest point of any row on either side', () => {
    const rows = [
      row([1, 2, 3]),
      { ...row([1]), points: { atMs: Float64Array.of(15), value: Float64Array.of(1) } },
    ]
    expect([10, 15, 20].map((atMs) => neighbour(rows, atMs, 1))).toEqual([15, 20, undefined])
    expect([20, 15, 0].map((atMs) => neighbour(rows, atMs, -1))).toEqual([15, 10, undefined])
  })
})

describe('chartable', () => {
  it.each([
    [5, 5],
    [9.9e-10, 0],
    [1e-9, 1e-9],
    [1e31, 1e31],
    [1.1e31, Number.NaN],
    [-1e308, Number.NaN],
    [Number.POSITIVE_INFINITY, Number.NaN],
    [Number.NaN, Number.NaN],
  ])('turns %d into %d', (value, expected) => expect(chartable(value)).toBe(expected))
})

describe('rowDomain', () => {
  const limit = (value: number) => ({ value, level: 'warning', label: 'warn', bad: 'above' }) as const
  it.each([
    { name: 'the values', of: row([3, 9]), domain: [3, 9] },
    { name: 'values and usual range', of: row([3, 9], { usual: [1, 10] }), domain: [1, 10] },
    { name: 'a nearby limit', of: row([3, 9], { limits: [limit(20)] }), domain: [3, 20] },
    { name: 'no distant limit', of: row([3, 9], { limits: [limit(100)] }), domain: [3, 9] },
    { name: 'zero under an area', of: row([3, 9], { kind: 'area' }), domain: [0, 9] },
    { name: 'a given domain', of: row([3, 9], { domain: [0, 100] }), domain: [0, 100] },
    { name: 'a default range if there are no values', of: row([Number.NaN]), domain: [0, 1] },
    { name: 'room around a flat line', of: row([100, 100]), domain: [99, 101] },
    { name: 'nothing below zero for a flat zero', of: row([0, 0]), domain: [0, 1] },
    { name: 'only drawable values', of: row([1e308, 5, Number.POSITIVE_INFINITY, 7]), domain: [5, 7] },
    { name: 'a range for an invalid domain', of: row([1], { domain: [5, Number.NaN] }), domain: [5, 6] },
  ])('contains $name', ({ of, domain }) => expect(rowDomain(of)).toEqual(domain))
})

describe('time ticks', () => {
  const S = 1_000
  const MIN = 60 * S
  const H = 60 * MIN
  it.each<[until: number, readonly number[]]>([
    [900 * S, [0, 5 * MIN, 10 * MIN, 15 * MIN]],
    [40 * S, [0, 15 * S, 30 * S]],
    [800, [0, 500]],
    [10, [0, 5, 10]],
    [24 * H, [0, 12 * H, 24 * H]],
    [100 * H, [0, 48 * H, 96 * H]],
  ])('up to %j ms are at round times', (until, ticks) => {
    expect(niceTicks([0, until], 3, 'ms')).toEqual(ticks)
  })
})

describe('niceTicks', () => {
  it.each([
    { domain: [0, 1] as const, wanted: 2, ticks: [0, 0.5, 1] },
    { domain: [95.6, 99.2] as const, wanted: 3, ticks: [96, 98] },
    { domain: [0, 0.3] as const, wanted: 3, ticks: [0, 0.1, 0.2, 0.3] },
    { domain: [7, 7] as const, wanted: 3, ticks: [7] },
    { domain: [9e14 + 0.125, 9e14 + 0.25] as const, wanted: 3, ticks: [] },
    { domain: [Number.NaN, 1] as const, wanted: 3, ticks: [Number.NaN] },
    { domain: [0, Number.POSITIVE_INFINITY] as const, wanted: 3, ticks: [0] },
  ])('are round numbers within $domain', ({ domain, wanted, ticks }) =>
    expect(niceTicks(domain, wanted)).toEqual(ticks),
  )
})

describe('placeRow', () => {
  const geometry = {
    widthPx: 1_000,
    heightPx: 300,
    plotLeftPx: 200,
    plotWidthPx: 700,
    slots: { a: { topPx: 100, heightPx: 80 } },
  }
  const limits = [
    { value: 60, level: 'warning' as const, label: 'warn', bad: 'above' as const },
    { value: 180, level: 'critical' as const, label: 'crit', bad: 'above' as const },
  ]
  const only = (of: ValueRow) => {
    const [place] = placeRow(of, geometry)
    if (place === undefined) throw new Error('the lane has a row')
    return place
  }

  it('stretches the axis over the whole chart so that the domain fits the row', () => {
    const { axisDomain, y } = only(row([0, 64]))
    const [low, high] = axisDomain
    const onAxis = (value: number) => 300 - ((value - low) / (high - low)) * 300
    for (const value of [0, 32, 64]) expect(onAxis(value)).toBeCloseTo(y(value), 6)
    expect([y(64), y(0)]).toEqual([108, 172])
  })

  const lower = limits.map((limit) => ({ ...limit, bad: 'below' as const }))
  it.each([
    ['the nearest upper limit out of view, with an arrow', [1, 2], limits, 'warn ↑'],
    ['the nearest lower limit out of view, with an arrow', [900, 901], lower, 'crit ↓'],
    ['no more distant limit when a nearer one is in view', [1, 50], limits, 'warn'],
  ])('labels %s', (_, values, its, label) => {
    const { words } = only(row(values, { limits: its }))
    expect(words.map(({ limit, arrow }) => limit.label + arrow)).toEqual([label])
  })
  it('keeps limit labels apart and within the row when limits meet at the lower edge', () => {
    const { words, slot } = only(row([0, 100_000], { limits }))
    const places = words.map((word) => word.y)
    expect(places).toHaveLength(2)
    expect((places[1] ?? 0) - (places[0] ?? 0)).toBeGreaterThanOrEqual(13)
    expect(Math.max(...places)).toBeLessThanOrEqual(slot.topPx + slot.heightPx - 8)
  })
  it('keeps axis labels clear of limit labels and free of repeats', () => {
    const { ticks, words, y } = only(row([1, 170], { limits, tickFormat: () => 'same' }))
    expect(ticks.length).toBeLessThanOrEqual(1)
    for (const tick of ticks)
      for (const word of words) expect(Math.abs(word.y - y(tick))).toBeGreaterThanOrEqual(13)
  })
})

describe('visibleSpans', () => {
  const span = (fromMs: number, toMs: number) => ({ fromMs, toMs, kind: 'no-answer' as const, label: '' })
  it('clips spans to the range, widens the shortest, and drops those outside', () => {
    const seen = visibleSpans(
      [span(-50, 10), span(50, 50.1), span(99.9, 300), span(200, 300)],
      [0, 100],
      [0, 100],
    )
    expect(seen.map(({ x, widthPx }) => [x, Math.round(widthPx)])).toEqual([
      [0, 10],
      [50, 2],
      [98, 2],
    ])
  })
})

describe('a band', () => {
  const points = { atMs: Float64Array.of(0, 1, 2, 3), value: Float64Array.of(1, 2, Number.NaN, 4) }
  const upper = Float64Array.of(5, 6, 7, 8)
  const spread: ChartRow = {
    id: 'latency',
    title: 'Response time',
    value: [],
    kind: 'band',
    points,
    upper,
    format: (value) => `${value}`,
    formatBand: (middle, high) => `${middle} to ${high}`,
  }

  it('has an axis that contains zero, its middle and its edge', () => {
    expect(rowDomain(spread)).toEqual([0, 8])
  })

  it('reads as both values, or as the middle if the edge is unknown', () => {
    expect(textAt(spread, 1, 0)).toBe('2 to 6')
    expect(textAt({ ...spread, upper: Float64Array.of(5, Number.NaN) }, 1, 0)).toBe('2')
    expect(textAt(spread, 2, 0)).toBeUndefined()
  })

  it('appears in the table where it has a value', () => {
    const rows = tableRows({ fromMs: 0, toMs: 3, rows: [spread], spans: [] })
    expect(rows.map(({ values }) => values['latency'])).toEqual(['4 to 8', '2 to 6', '1 to 5'])
  })
})
