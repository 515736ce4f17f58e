import { describe, expect, it } from 'vitest'
import type { SeriesData, SeriesSpan } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import { joinSeries, watchedSince } from '#prometheus/join-series.ts'
import { longTermQuery, queryApiFor, type LongTermSeries } from '#prometheus/long-term-series.ts'

const HOUR_MS = 3_600_000
const SEAM_MS = 90 * 60_000

const spans = (...given: readonly [number, number, SeriesSpan['kind']][]): readonly SeriesSpan[] =>
  given.map(([fromMs, toMs, kind]) => ({ fromMs, toMs, kind }))

/** Two hours, of which this browser watched the last half: its first sample counts what came since it was closed. */
const LOCAL: SeriesData = {
  fromMs: 0,
  toMs: 2 * HOUR_MS,
  stepMs: 0,
  samples: 3,
  points: 2,
  answered: 3,
  answeredMs: 30 * 60_000,
  notWatchedMs: SEAM_MS,
  spans: spans([0, SEAM_MS, 'not-watched'], [SEAM_MS, 2 * HOUR_MS, 'answered']),
  metrics: [
    {
      id: 'stake',
      kind: 'line',
      points: { atMs: Float64Array.of(SEAM_MS, 2 * HOUR_MS), value: Float64Array.of(3_000, 4_000) },
      stats: { min: 3_000, max: 4_000, last: 4_000 },
      exact: new Map(),
    },
    {
      id: 'threatResponses',
      kind: 'bars',
      bars: [{ fromMs: HOUR_MS, toMs: 2 * HOUR_MS, increase: 900, restarted: false }],
      increase: 900,
      restarts: new Float64Array(),
    },
    { id: 'proof', kind: 'ticks', atMs: Float64Array.of(SEAM_MS) },
  ],
}

/** Four half hours: answered, failed once, nothing, answered. Stake in thousands. */
const KEPT: LongTermSeries = {
  fromMs: 0,
  stepMs: HOUR_MS / 2,
  count: 4,
  barFromMs: 0,
  barMs: HOUR_MS,
  barCount: 2,
  up: [1, 0.5, null, 1],
  upMin: [1, 0, null, 1],
  scrapes: [10, 10, null, 10],
  failures: [null, 'timeout', null, null],
  metrics: [
    { id: 'stake', kind: 'line', min: [1, 2, null, 9], max: [1, 3, null, 9], last: [1, 2, null, 9] },
    { id: 'threatResponses', kind: 'bars', increase: [7, 5], restarts: [1, 0] },
  ],
}

const joined = joinSeries(METRICS, LOCAL, KEPT, SEAM_MS, new Map([['stake', 0.001]]))
const seriesOf = (id: string) => joined.metrics.find((each) => each.id === id)

describe('where a browser’s own history begins', () => {
  it('is the end of the last pause that a chart could show', () => {
    expect(watchedSince(LOCAL, 60_000, 2 * HOUR_MS)).toBe(SEAM_MS)
    expect(watchedSince(LOCAL, SEAM_MS, 2 * HOUR_MS)).toBe(0)
    expect(watchedSince({ ...LOCAL, stepMs: SEAM_MS }, 60_000, 2 * HOUR_MS)).toBe(0)
  })

  it('is not put off by an axis that ends after now', () => {
    const ahead = { ...LOCAL, spans: spans([0, HOUR_MS, 'answered'], [HOUR_MS, 2 * HOUR_MS, 'not-watched']) }
    expect(watchedSince(ahead, 60_000, HOUR_MS + 30_000)).toBe(0)
    expect(watchedSince(ahead, 60_000, 2 * HOUR_MS)).toBe(2 * HOUR_MS)
  })
})

describe('two histories as one', () => {
  it('have failures and holes of the one up to the seam, and of the other from there on', () => {
    expect(joined.spans).toEqual([
      { fromMs: 0, toMs: 1_800_000, kind: 'answered' },
      { fromMs: 1_800_000, toMs: HOUR_MS, kind: 'no-answer', failure: 'timeout' },
      { fromMs: HOUR_MS, toMs: SEAM_MS, kind: 'not-watched' },
      { fromMs: SEAM_MS, toMs: 2 * HOUR_MS, kind: 'answered' },
    ])
    expect(joined.notWatchedMs).toBe(HOUR_MS / 2)
    expect(joined.answeredMs).toBe(HOUR_MS / 2 + HOUR_MS / 4 + HOUR_MS / 2)
    expect(joined.samples).toBe(23)
    expect(joined.longTerm?.untilMs).toBe(SEAM_MS)
    expect(joined.longTerm?.missing).toContain('proof')
    expect(joined.longTerm?.missing).not.toContain('stake')
  })

  it('draw lowest, highest and last value in the unit that history keeps, and nothing twice', () => {
    const stake = seriesOf('stake')
    if (stake?.kind !== 'line') throw new Error('no line')
    expect(Array.from(stake.points.value)).toEqual([1_000, 2_000, 3_000, 2_000, 3_000, 4_000])
    expect(stake.points.atMs.every((atMs, place, all) => atMs > (all[place - 1] ?? -1))).toBe(true)
    expect(stake.stats).toEqual({ min: 1_000, max: 4_000, last: 4_000 })
  })

  it('leave a hole where neither knows anything', () => {
    const late = joinSeries(
      METRICS,
      { ...LOCAL, spans: spans([0, 2 * HOUR_MS, 'not-watched']), metrics: [] },
      {
        ...KEPT,
        metrics: [
          {
            id: 'stake',
            kind: 'line',
            min: [1, null, null, 9],
            max: [1, null, null, 9],
            last: [1, null, null, 9],
          },
        ],
      },
      2 * HOUR_MS,
      new Map(),
    )
    const stake = late.metrics[0]
    if (stake?.kind !== 'line') throw new Error('no line')
    expect(Array.from(stake.points.value)).toEqual([1, Number.NaN, 9])
  })

  it('take the bar that the seam lies in from the one that saw all of it', () => {
    expect(seriesOf('threatResponses')).toMatchObject({
      bars: [
        { fromMs: 0, increase: 7, restarted: true },
        { fromMs: HOUR_MS, increase: 5 },
      ],
      increase: 12,
    })
  })
})

describe('the steps of a question', () => {
  it('are whole, hold two scrapes and a minute at least, and cover the range', () => {
    const asked = longTermQuery(
      { fromMs: 10_000_000, toMs: 13_600_000, columns: 1_000, barMs: 60_000 },
      15_000,
    )
    expect(asked).toMatchObject({ stepMs: 60_000, barMs: 60_000 })
    expect(asked.fromMs).toBeLessThanOrEqual(10_000_000)
    expect(asked.fromMs % asked.stepMs).toBe(0)
    expect(asked.fromMs + asked.count * asked.stepMs).toBeGreaterThanOrEqual(13_600_000)
    const months = longTermQuery(
      { fromMs: 0, toMs: 400 * 24 * HOUR_MS, columns: 4_000, barMs: 1_000 },
      300_000,
    )
    expect(months.count).toBeLessThanOrEqual(2_000)
    expect(months.barCount).toBeLessThanOrEqual(2_000)
  })

  it('go to the query API that names the service before one for all', () => {
    const apis = [{ name: 'all' }, { name: 'a', service: 'https://a.example' }]
    expect(queryApiFor(apis, 'https://a.example')).toBe(apis[1])
    expect(queryApiFor(apis, 'https://b.example')).toBe(apis[0])
    expect(queryApiFor([], 'https://b.example')).toBeUndefined()
  })
})
