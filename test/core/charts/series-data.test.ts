import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { type SeriesQuery, lineIn, seriesIn } from '#charts/charts.ts'
import { sampleSource } from '#charts/sample-source.ts'
import { seriesDataOf } from '#charts/series-data.ts'
import { createSeries, type Series } from '#history/series.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { drawn, seriesOf } from '#test/core/history/samples.ts'
import { answered, asked } from './asked.ts'

const NONE = Number.NaN

const dataOf = (series: Series, query: SeriesQuery, registry: MetricRegistry = METRICS) =>
  seriesDataOf(sampleSource(series, query), query, registry)
const told = (
  samples: readonly Sample[],
  given: Partial<SeriesQuery> = {},
  notWatched: readonly number[] = [],
) => drawn(dataOf(seriesOf(samples, new Set(notWatched)), asked(given)))

describe('chart data from samples', () => {
  it('has all metrics of the registry except states, in order, from single samples', () => {
    const data = dataOf(seriesOf([answered(5)]), asked())
    expect(data.stepMs).toBe(0)
    expect(data.metrics.map(({ id, kind }) => [id, kind])).toEqual(
      METRICS.filter(({ kind }) => kind !== 'state').map(({ id, kind }) => [
        id,
        kind === 'counter' ? 'bars' : kind === 'fingerprint' ? 'ticks' : 'line',
      ]),
    )
  })

  it('omits a metric that is not stored, or is stored as another kind', () => {
    const registry = METRICS.filter(({ id }) => id === 'stake' || id === 'participation')
    const series = createSeries([
      { id: 'stake', kind: 'timestamp' },
      { id: 'status', kind: 'state' },
    ])
    expect(dataOf(series, asked(), registry).metrics).toEqual([])
  })

  it('includes a metric without a chart, but no band for it', () => {
    const registry = METRICS.filter(({ id }) => id === 'answerTime').map(({ chart: _chart, ...rest }) => rest)
    const { metrics } = dataOf(seriesOf([answered(5)]), asked(), registry)
    expect(metrics.map(({ id }) => id)).toEqual(['answerTime'])
    expect(metrics[0]).not.toHaveProperty('band')
  })

  it('does not count the start of unwatched time as a poll or in a bar', () => {
    const {
      samples,
      answered: good,
      bars,
    } = told([answered(1_000, { threatResponsesIncrease: 2 }), answered(25_000), answered(41_000)], {}, [1])
    expect([samples, good]).toEqual([2, 2])
    expect(bars.map(({ fromMs, increase }) => [fromMs, increase])).toEqual([
      [0, 2],
      [40_000, 0],
    ])
  })

  it('of an empty range covers 1 ms', () => {
    const { fromMs, toMs } = told([], { fromMs: 500, toMs: 500 })
    expect([fromMs, toMs]).toEqual([500, 501])
  })

  it.each([
    [2, 2],
    [2.9, 2],
    [0, 1],
    [-3, 1],
    [5_000, 4_000],
  ])('of many changes on %d columns has %d marks', (columns, marks) => {
    const count = marks * 3
    const samples = Array.from({ length: count }, (_, place) =>
      answered((place * 100_000) / count, { proofChanged: true }),
    )
    expect(told(samples, { columns }).changes).toHaveLength(marks)
  })

  it('has exact texts only for the drawn points, and none for a break', () => {
    const exact = (digit: number) => ({ stake: 2 ** 53, stakeExact: `900719925474099${digit}` })
    const data = told(
      [
        answered(1_000, exact(3)),
        answered(1_200, exact(5)),
        answered(1_400, exact(7)),
        answered(40_000, exact(9)),
      ],
      { columns: 10 },
    )
    expect(Array.from(data.stake.atMs)).toEqual([1_000, 1_400, 20_700, 40_000])
    expect(data.stake.exact).toEqual(
      new Map([
        [1_000, '9007199254740993'],
        [1_400, '9007199254740997'],
        [40_000, '9007199254740999'],
      ]),
    )
    expect(data.participation.exact.size).toBe(0)
  })
})

describe('a band of response times', () => {
  it('has 100 steps in the range, at multiples of their width since 1970, empty without samples', () => {
    const slow = (atMs: number, latencyMs: number) => answered(atMs, { latencyMs })
    const { band } = told(
      [slow(1_030, 9), slow(1_055, 5), slow(1_059, 1), slow(1_060, 7), slow(1_085, 8), slow(2_060, 4)],
      { fromMs: 1_055, toMs: 2_055 },
    ).answerTime
    expect(band.stepMs).toBe(10)
    expect(band.atMs).toHaveLength(101)
    expect([band.atMs[0], band.atMs[1], band.atMs[100]]).toEqual([1_050, 1_060, 2_050])
    // The value at rank ceil(n / 2), and at rank ceil(0.95 n).
    expect(Array.from(band.p50.subarray(0, 5))).toEqual([1, 7, NONE, 8, NONE])
    expect(Array.from(band.p95.subarray(0, 5))).toEqual([5, 7, NONE, 8, NONE])
    expect(Array.from(band.p50.subarray(4)).every((value) => Number.isNaN(value))).toBe(true)
  })

  it('ignores polls without an answer, sorts by size, and has steps of at least 1 ms', () => {
    const { band } = told(
      [
        answered(0, { latencyMs: 100 }),
        answered(1, { latencyMs: 20 }),
        answered(2, { outcome: 'timeout', latencyMs: 3 }),
        answered(3, { latencyMs: 9 }),
      ],
      { toMs: 400 },
    ).answerTime
    expect([band.stepMs, band.p50[0], band.p95[0]]).toEqual([4, 20, 100])
    expect(told([answered(5)], { toMs: 10 }).answerTime.band.stepMs).toBe(1)
  })

  it('exists only for response times', () => {
    const data = dataOf(seriesOf([answered(5)]), asked())
    expect(lineIn(data, 'answerTime').band).toBeDefined()
    expect(lineIn(data, 'stake')).not.toHaveProperty('band')
  })
})

describe('bars', () => {
  it('at the edges count in full, and there is none beyond them', () => {
    const samples = [9_999, 10_000, 19_000, 20_000, 29_999, 30_000].map((atMs, place) =>
      answered(atMs, { threatResponsesIncrease: 2 ** place, everyMs: 10_000 }),
    )
    const { bars, increase } = told(samples, { fromMs: 15_000, toMs: 25_000 })
    expect(bars.map((bar) => [bar.fromMs, bar.toMs, bar.increase])).toEqual([
      [10_000, 20_000, 2 + 4],
      [20_000, 30_000, 8 + 16],
    ])
    // The increase of the range itself excludes the polls outside it.
    expect(increase).toBe(4 + 8)
    expect(told(samples, { fromMs: 10_000, toMs: 20_000 }).bars).toHaveLength(1)
  })

  it('are restarted if any of their polls is', () => {
    const restarted = (place: number) =>
      told(
        Array.from({ length: 3 }, (_, n) => answered(n * 1_000, { threatResponsesRestarted: n === place })),
      ).bars[0]?.restarted
    expect([restarted(0), restarted(1), restarted(2), restarted(3)]).toEqual([true, true, true, false])
  })
})

describe('a metric’s series', () => {
  const data = () => dataOf(seriesOf([answered(5, { stake: 3 })]), asked())

  it('is found by its kind and its id', () => {
    expect(seriesIn(data(), 'line', 'stake')?.id).toBe('stake')
    expect(seriesIn(data(), 'bars', 'stake')).toBeUndefined()
    expect(seriesIn(data(), 'bars', 'threatResponses')?.kind).toBe('bars')
    expect(seriesIn(data(), 'ticks', 'none')).toBeUndefined()
  })

  it('is empty if history does not have it', () => {
    expect(lineIn(data(), 'other')).toEqual({
      id: 'other',
      kind: 'line',
      points: { atMs: new Float64Array(), value: new Float64Array() },
      stats: { min: NONE, max: NONE, last: NONE },
      exact: new Map(),
    })
    expect(Array.from(lineIn(data(), 'stake').points.value)).toEqual([3])
  })
})
