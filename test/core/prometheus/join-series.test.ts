import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import {
  pointsIn,
  type BarSeries,
  type LineSeries,
  type SeriesData,
  type SeriesSpan,
} from '#charts/charts.ts'
import { METRICS } from '#metrics/metrics.ts'
import { joinSeries, watchedSince } from '#prometheus/join-series.ts'
import type { LongTermSeries } from '#prometheus/long-term-series.ts'

const SEAM_MS = 90 * 60_000

const spans = (...given: readonly [number, number, SeriesSpan['kind']][]): readonly SeriesSpan[] =>
  given.map(([fromMs, toMs, kind]) => ({ fromMs, toMs, kind }))

/** Two hours, of which this browser watched the last half hour; its first sample counts the time before. */
const LOCAL: SeriesData = {
  fromMs: 0,
  toMs: 2 * HOUR_MS,
  stepMs: 0,
  samples: 3,
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
      unwatched: [],
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
  up: [1, 0.5, null, 1],
  upMin: [1, 0, null, 1],
  scrapes: [10, 10, null, 10],
  failures: [null, 'timeout', null, null],
  metrics: [
    { id: 'stake', kind: 'line', min: [1, 2, null, 9], max: [1, 3, null, 9], last: [1, 2, null, 9] },
    { id: 'threatResponses', kind: 'bars', increase: [4, 3, null, 5], unwatched: [], restarts: [1, 0] },
  ],
}

const minutes = (atMs: number) => atMs / MINUTE_MS
/** As "minute:value minute:value". */
const pointsOf = ({ points }: LineSeries): string =>
  Array.from(points.atMs, (atMs, place) => `${minutes(atMs)}:${points.value[place]}`).join(' ')

const joinedOf = () => joinSeries(METRICS, LOCAL, KEPT, SEAM_MS, new Map([['stake', 0.001]]), HOUR_MS)
const seriesOf = (id: string) => joinedOf().metrics.find((each) => each.id === id)

describe('the start of a browser’s own history', () => {
  it('is the end of the last pause that a chart could show', () => {
    expect(watchedSince(LOCAL, 60_000, 2 * HOUR_MS)).toBe(SEAM_MS)
    expect(watchedSince(LOCAL, SEAM_MS, 2 * HOUR_MS)).toBe(0)
    expect(watchedSince({ ...LOCAL, stepMs: SEAM_MS }, 60_000, 2 * HOUR_MS)).toBe(0)
  })

  it('is the start of the range without a pause, and its end if the pause lasts beyond it', () => {
    const watched = { ...LOCAL, fromMs: 5_000, spans: spans([5_000, 2 * HOUR_MS, 'answered']) }
    expect(watchedSince(watched, 60_000, 2 * HOUR_MS)).toBe(5_000)
    const closed = { ...LOCAL, spans: spans([HOUR_MS, 3 * HOUR_MS, 'not-watched']) }
    expect(watchedSince(closed, 60_000, 3 * HOUR_MS)).toBe(2 * HOUR_MS)
    const after = { ...LOCAL, spans: spans([2 * HOUR_MS - 30_000, 3 * HOUR_MS, 'not-watched']) }
    expect(watchedSince(after, 60_000, 3 * HOUR_MS)).toBe(0)
    const failing = { ...LOCAL, spans: spans([0, HOUR_MS, 'no-answer'], [HOUR_MS, 2 * HOUR_MS, 'answered']) }
    expect(watchedSince(failing, 60_000, 2 * HOUR_MS)).toBe(0)
  })
})

describe('joined histories', () => {
  it('have failures and gaps of the query API up to the seam, and of this browser from there on', () => {
    const joined = joinedOf()
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
    expect(joined.answered).toBe(18)
    expect(pointsIn(joined)).toBe(6)
    expect(joined.stepMs).toBe(HOUR_MS / 2)
    expect(joined.longTerm?.missing).toEqual(['participation', 'heartbeat', 'proof', 'answerTime'])
  })

  it('draw minimum, maximum and last value in the unit of history, and nothing twice', () => {
    const stake = seriesOf('stake')
    if (stake?.kind !== 'line') throw new Error('no line')
    // The points are spread over their step, with the last at its end.
    expect(pointsOf(stake)).toBe('30:1000 40:2000 50:3000 60:2000 90:3000 120:4000')
    expect(stake.stats).toEqual({ min: 1_000, max: 4_000, last: 4_000 })
  })
})

describe('a joined line', () => {
  type Values = readonly (number | null)[]

  /** A gauge with these values per half hour in the query API, and these points in this browser. */
  const lineOf = (
    kept: Values | { readonly min: Values; readonly max: Values; readonly last: Values },
    own: string | undefined,
    {
      seam = 90,
      local = {},
      keptMore = {},
      exact = new Map<number, string>(),
    }: {
      readonly seam?: number
      readonly local?: Partial<SeriesData>
      readonly keptMore?: Partial<LongTermSeries>
      readonly exact?: ReadonlyMap<number, string>
    } = {},
  ): LineSeries => {
    const columns = 'min' in kept ? kept : { min: kept, max: kept, last: kept }
    const given = (own ?? '').split(' ').map((point) => point.split(':').map(Number))
    const line: LineSeries = {
      id: 'participation',
      kind: 'line',
      points: {
        atMs: Float64Array.from(given, ([minute = 0]) => minute * MINUTE_MS),
        value: Float64Array.from(given, ([, value = 0]) => value),
      },
      stats: { min: 0, max: 0, last: 0 },
      exact,
    }
    const of = joinSeries(
      METRICS,
      { ...LOCAL, metrics: own === undefined ? [] : [line], ...local },
      { ...KEPT, metrics: [{ id: 'participation', kind: 'line', ...columns }], ...keptMore },
      seam * MINUTE_MS,
      new Map(),
      HOUR_MS,
    ).metrics.find(({ id }) => id === 'participation')
    if (of?.kind !== 'line') throw new Error('no line')
    return of
  }

  it('is the query API’s alone if this browser has none from the seam on', () => {
    const alone = lineOf([1, 2, 3, null], undefined)
    expect(pointsOf(alone)).toBe('30:1 60:2 90:3')
    expect(alone.exact).toEqual(new Map())
    expect(alone.stats).toEqual({ min: 1, max: 3, last: 3 })
    expect(lineOf([1, 2, 3, null], '10:7')).toEqual(alone)
  })

  it('is this browser’s from the seam on, with the exact texts of its points', () => {
    const exact = new Map([[100 * MINUTE_MS, '0.30000000000000000001']])
    const line = lineOf([1, 2, 3, 9], '80:7 90:8 100:0.3', { exact })
    expect(pointsOf(line)).toBe('30:1 60:2 90:3 90:8 100:0.3')
    expect(line.exact).toBe(exact)
    expect(line.stats).toEqual({ min: 0.3, max: 8, last: 0.3 })
  })

  it('has a gap at the seam only if more than two steps are missing', () => {
    expect(pointsOf(lineOf([1], '90:5'))).toBe('30:1 90:5')
    expect(pointsOf(lineOf([1], '92:5'))).toBe('30:1 61:NaN 92:5')
  })

  it('has a gap where neither has values', () => {
    expect(pointsOf(lineOf([1, null, null, 9], undefined, { seam: 120 }))).toBe('30:1 90:NaN 120:9')
  })

  it('keeps this browser’s own gaps, which are not in the statistics', () => {
    const line = lineOf([2], '90:5 95:NaN 100:4 110:NaN', { seam: 60 })
    expect(pointsOf(line)).toBe('30:2 90:5 95:NaN 100:4 110:NaN')
    expect(line.stats).toEqual({ min: 2, max: 5, last: 4 })
  })

  it('has a band of the steps with percentiles, in the unit of history', () => {
    const flat = [100, 100, 100, 100]
    const [p50, p95] = [
      [100, null, 120, 130],
      [200, 210, null, 230],
    ]
    const bandOf = (band: { readonly p50?: Values; readonly p95?: Values }) =>
      joinSeries(
        METRICS,
        { ...LOCAL, metrics: [], toMs: SEAM_MS },
        { ...KEPT, metrics: [{ id: 'answerTime', kind: 'line', min: flat, max: flat, last: flat, ...band }] },
        SEAM_MS,
        new Map([['answerTime', 10]]),
        HOUR_MS,
      ).metrics[0]
    expect(bandOf({ p50, p95 })).toMatchObject({
      band: {
        atMs: Float64Array.of(0, HOUR_MS),
        stepMs: HOUR_MS / 2,
        p50: Float64Array.of(10, 12),
        p95: Float64Array.of(20, Number.NaN),
      },
    })
    for (const part of [{}, { p50 }, { p95 }]) expect(bandOf(part)).not.toHaveProperty('band')
  })
})

describe('joined bars', () => {
  /** Hourly bars from half an hour before the range; the counter restarted in the first and the third. */
  const barsOf = (own: Partial<BarSeries> | undefined, seam: number, local: Partial<SeriesData> = {}) => {
    const series: BarSeries = {
      id: 'threatResponses',
      kind: 'bars',
      bars: [],
      increase: 0,
      unwatched: [],
      restarts: new Float64Array(),
      ...own,
    }
    const of = joinSeries(
      METRICS,
      {
        ...LOCAL,
        fromMs: HOUR_MS / 2,
        toMs: 2.5 * HOUR_MS,
        metrics: own === undefined ? [] : [series],
        ...local,
      },
      {
        ...KEPT,
        stepMs: HOUR_MS,
        metrics: [
          {
            id: 'threatResponses',
            kind: 'bars',
            increase: [1, null, 4, 8],
            unwatched: [16, null, 32, null],
            restarts: [1, 0, 2, null],
          },
        ],
      },
      seam * MINUTE_MS,
      new Map(),
      HOUR_MS,
    ).metrics[0]
    if (of?.kind !== 'bars') throw new Error('no bars')
    return of
  }
  const barAt = (minute: number, increase: number, restarted = false) => ({
    fromMs: minute * MINUTE_MS,
    toMs: minute * MINUTE_MS + HOUR_MS,
    increase,
    restarted,
  })

  it('are the query API’s bars with a value if this browser has none', () => {
    expect(barsOf(undefined, 150)).toEqual({
      id: 'threatResponses',
      kind: 'bars',
      bars: [barAt(0, 1, true), barAt(120, 4, true)],
      increase: 5,
      unwatched: [
        { atMs: 30 * MINUTE_MS, increase: 16 },
        { atMs: 120 * MINUTE_MS, increase: 32 },
      ],
      // A restart is never placed before the range.
      restarts: Float64Array.of(30 * MINUTE_MS, 120 * MINUTE_MS),
    })
  })

  it('are this browser’s from the end of the bar that contains the seam', () => {
    const own = {
      bars: [barAt(60, 100), barAt(120, 200, true)],
      increase: 300,
      restarts: Float64Array.of(90 * MINUTE_MS, 120 * MINUTE_MS, 130 * MINUTE_MS),
    }
    const expected = {
      bars: [barAt(0, 1, true), barAt(120, 200, true)],
      increase: 201,
      restarts: Float64Array.of(30 * MINUTE_MS, 120 * MINUTE_MS, 130 * MINUTE_MS),
    }
    expect(barsOf(own, 120)).toMatchObject(expected)
    expect(barsOf(own, 61)).toMatchObject(expected)
    expect(barsOf(own, 60)).toMatchObject({
      bars: [barAt(0, 1, true), barAt(60, 100), barAt(120, 200, true)],
      increase: 301,
    })
  })

  it('use unwatched increases of this browser only after the bar that contains the seam', () => {
    const unwatched = [60, 61, 90].map((minute) => ({ atMs: minute * MINUTE_MS, increase: minute }))
    const seen = (seam: number) => barsOf({ unwatched }, seam).unwatched.map(({ increase }) => increase)
    expect([seen(60), seen(61)]).toEqual([[16, 61, 90], [16]])
  })
})

describe('joined time ranges', () => {
  const joinedTo = (local: Partial<SeriesData>, kept: Partial<LongTermSeries>, seamMs = SEAM_MS) =>
    joinSeries(
      METRICS,
      { ...LOCAL, metrics: [], ...local },
      { ...KEPT, metrics: [], ...kept },
      seamMs,
      new Map(),
      HOUR_MS,
    )
  const inMinutes = ({ spans: found }: SeriesData) =>
    found.map(({ fromMs, toMs, kind, failure }) => `${minutes(fromMs)}-${minutes(toMs)} ${failure ?? kind}`)

  it('are cut at the start of the range and at the seam', () => {
    const both = joinedTo(
      {
        fromMs: 10 * MINUTE_MS,
        spans: spans([0, 100 * MINUTE_MS, 'no-answer'], [100 * MINUTE_MS, 3 * HOUR_MS, 'answered']),
      },
      {},
      50 * MINUTE_MS,
    )
    expect(inMinutes(both)).toEqual([
      '10-30 answered',
      '30-50 timeout',
      '50-100 no-answer',
      '100-120 answered',
    ])
    // 20 min of the first step, half of 20 min of the second, and 20 min of this browser.
    expect(minutes(both.answeredMs)).toBe(20 + 10 + 20)
    expect(both.notWatchedMs).toBe(0)
  })

  it('are merged if they are the same, but not across different failures', () => {
    const failing = joinedTo(
      { spans: [] },
      { upMin: [0, 0, 0, 0], failures: ['timeout', 'timeout', 'unreachable', null] },
      2 * HOUR_MS,
    )
    expect(inMinutes(failing)).toEqual(['0-60 timeout', '60-90 unreachable', '90-120 no-answer'])
    expect(failing.spans[2]).not.toHaveProperty('failure')
  })
})

const idsOf = ({ metrics }: SeriesData) => metrics.map(({ id, kind }) => [id, kind])

it('metrics of only one history are included, in the order of the definitions', () => {
  expect(idsOf(joinedOf())).toEqual([
    ['stake', 'line'],
    ['threatResponses', 'bars'],
    ['proof', 'ticks'],
  ])
  expect(seriesOf('proof')).toBe(LOCAL.metrics[2])
  const alone = joinSeries(METRICS, { ...LOCAL, metrics: [] }, KEPT, SEAM_MS, new Map(), HOUR_MS)
  expect(idsOf(alone)).toEqual([
    ['stake', 'line'],
    ['threatResponses', 'bars'],
  ])
})
