import { describe, expect, it } from 'vitest'
import { lineIn, pointsIn, type SeriesQuery } from '#charts/charts.ts'
import { rollupSource } from '#charts/rollup-source.ts'
import { seriesDataOf } from '#charts/series-data.ts'
import { drawn, rolledIn } from '#test/core/history/samples.ts'
import { addTo, createRollup, type Rollup } from '#history/rollup.ts'
import { OUTCOMES } from '#history/series.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { FailureKind } from '#protocol/failure.ts'
import { asked as askedOf } from './asked.ts'

const STEP_MS = 100
type Held = Partial<Record<'answered' | FailureKind, number>>
type Row = {
  readonly startMs: number
  readonly heldMs?: Held
  readonly polls?: Held
  /** First, lowest, highest and last. */
  readonly stake?: readonly [number, number, number, number]
  readonly at?: readonly [firstMs: number, lastMs: number]
  readonly threats?: number
  readonly restarts?: number
  readonly proofs?: number
  readonly latency?: readonly [min: number, max: number]
}

function rollupOf(rows: readonly Row[], withSpread = false): Rollup {
  const starts = rows.map(({ startMs }) => startMs)
  const rollup = createRollup(STEP_MS, withSpread, METRICS, starts)
  const rolled = rolledIn(rollup)
  for (const [row, given] of rows.entries()) {
    const { startMs, heldMs = {}, polls = {}, stake, at, threats, restarts, proofs, latency } = given
    for (const [outcome, ms] of Object.entries(heldMs))
      addTo(rollup.outcomeMs, OUTCOMES.indexOf(outcome as FailureKind), row, ms)
    for (const [outcome, made] of Object.entries(polls))
      addTo(rollup.polls, OUTCOMES.indexOf(outcome as FailureKind), row, made)
    if (stake !== undefined) {
      const { first, min, max, last, count, sum } = rolled.values.stake
      ;[first[row], min[row], max[row], last[row]] = stake
      count[row] = 2
      sum[row] = stake[0] + stake[3]
    }
    if (at !== undefined)
      [rollup.firstPollMs[row], rollup.lastPollMs[row]] = [startMs + at[0], startMs + at[1]]
    rolled.increase[row] = threats ?? 0
    rolled.restarts[row] = restarts ?? 0
    rolled.changes[row] = proofs ?? 0
    if (latency !== undefined) {
      const { min, max, count, first, last, sum } = rolled.values.answerTime
      ;[min[row], max[row], first[row], last[row]] = [...latency, ...latency]
      count[row] = 2
      sum[row] = latency[0] + latency[1]
      rolled.spread.answerTime?.splice(row, 1, { buckets: [161, 200], counts: [3, 1] })
    }
  }
  return rollup
}
const bandOf = ({ answerTime }: ReturnType<typeof drawn>) => answerTime.band
const asked = (given: Partial<SeriesQuery> = {}) =>
  askedOf({ toMs: 1_000, columns: 10, barMs: 100, maxGapMs: 150, ...given })
const dataOf = (rollup: Rollup, query = asked(), registry: MetricRegistry = METRICS, spread = rollup) =>
  seriesDataOf(rollupSource(rollup, spread, query), query, registry)
const lanes = (rows: readonly Row[], given?: Partial<SeriesQuery>) => {
  const rollup = rollupOf(rows, true)
  return drawn(dataOf(rollup, asked(given)))
}
/** As "time:value time:value". */
const points = ({ atMs, value }: { readonly atMs: Float64Array; readonly value: Float64Array }) =>
  Array.from(atMs, (at, place) => `${at}:${value[place]}`).join(' ')
const GAP = Number.NaN

describe('chart data from rollups', () => {
  it('omits a metric that has no rollup, or one of another kind', () => {
    const registry = METRICS.filter(({ id }) => id === 'stake' || id === 'participation')
    const rollup = createRollup(STEP_MS, true, [{ id: 'stake', kind: 'timestamp' }], [0])
    expect(dataOf(rollup, asked(), registry).metrics).toEqual([])
  })

  it('has a band only for a metric whose chart has one', () => {
    const rollup = rollupOf([{ startMs: 0 }], true)
    expect(lineIn(dataOf(rollup), 'answerTime')).toHaveProperty('band')
    expect(lineIn(dataOf(rollup), 'stake')).not.toHaveProperty('band')
    const registry = METRICS.filter(({ id }) => id === 'answerTime').map(({ chart: _chart, ...rest }) => rest)
    const { metrics } = dataOf(rollup, asked(), registry)
    expect(metrics.map(({ id }) => id)).toEqual(['answerTime'])
    expect(metrics[0]).not.toHaveProperty('band')
  })
})

describe('columns', () => {
  it.each([
    [1_000, 10, 100],
    [1_001, 10, 200],
    [1_000, 3, 400],
    [1_000, 0, 1_000],
    [1_000, 2.9, 500],
    [50, 10, 100],
    [0, 10, 100],
    [500_000, 5_000, 200],
  ])('for %d ms in %d columns are %d ms wide', (toMs, columns, stepMs) => {
    expect(lanes([], { toMs, columns }).stepMs).toBe(stepMs)
  })

  it('without rows are empty and not watched', () => {
    expect(lanes([])).toMatchObject({
      fromMs: 0,
      toMs: 1_000,
      samples: 0,
      answered: 0,
      answeredMs: 0,
      notWatchedMs: 1_000,
      spans: [{ fromMs: 0, toMs: 1_000, kind: 'not-watched' }],
      bars: [],
      increase: 0,
      stake: { stats: { min: GAP, max: GAP, last: GAP } },
    })
    expect(lanes([], { fromMs: 5, toMs: 5 }).toMs).toBe(6)
  })
})

describe('a line', () => {
  const flat = (startMs: number, value: number, given: Partial<Row> = {}): Row => ({
    startMs,
    stake: [value, value, value, value],
    at: [50, 50],
    polls: { answered: 1 },
    ...given,
  })

  it('goes through the first, lowest, highest and last value of each column, from the first poll to the last', () => {
    expect(
      points(lanes([{ startMs: 0, stake: [5, 3, 9, 7], at: [10, 70], polls: { answered: 4 } }]).stake),
    ).toBe('10:5 30:3 50:9 70:7')
  })

  it('omits repeated values, except the last one if it comes later', () => {
    expect(points(lanes([{ startMs: 0, stake: [3, 3, 9, 9], at: [10, 70] }]).stake)).toBe('10:3 40:9 70:9')
    expect(points(lanes([flat(0, 4)]).stake)).toBe('50:4')
    expect(points(lanes([flat(0, 4, { at: [10, 90] })]).stake)).toBe('10:4 90:4')
  })

  it('breaks in the middle of a gap that is too long to bridge', () => {
    const line = (startMs: number, maxGapMs: number) =>
      points(lanes([flat(0, 1), flat(startMs, 2)], { maxGapMs }).stake)
    expect(line(100, 150)).toBe('50:1 150:2')
    expect(line(300, 201)).toBe('50:1 350:2')
    expect(line(300, 200)).toBe('50:1 200:NaN 350:2')
  })

  it('breaks at steps whose polls have no value, not at steps without polls', () => {
    const between = (...steps: readonly Held[]) => {
      const rows = steps.map((polls, place): Row => ({ startMs: (place + 1) * 100, polls }))
      const all = [flat(0, 1), ...rows, flat((steps.length + 1) * 100, 2)]
      return points(lanes(all, { maxGapMs: 900 }).stake)
    }
    expect(between({})).toBe('50:1 250:2')
    expect(between({ timeout: 1 })).toBe('50:1 150:NaN 250:2')
    expect(between({ timeout: 1 }, {})).toBe('50:1 200:NaN 350:2')
    const beside = [
      flat(0, 1, { polls: { timeout: 3 } }),
      flat(100, 2, { polls: { timeout: 2, answered: 1 } }),
    ]
    expect(points(lanes(beside).stake)).toBe('50:1 150:2')
  })

  it('starts at its first value after failures, and continues across a step without polls', () => {
    const failing = [0, 100, 200].map((startMs): Row => ({ startMs, polls: { timeout: 1 } }))
    expect(points(lanes([...failing, flat(300, 1)]).stake)).toBe('350:1')
    expect(points(lanes([flat(500, 1)]).stake)).toBe('550:1')
    // 100 ms without any poll lie between the two.
    expect(points(lanes([flat(100, 1), flat(300, 2)]).stake)).toBe('150:1 350:2')
    expect(
      points(lanes([failing[0] ?? flat(0, 0), flat(100, 1), ...failing.slice(2), flat(300, 2)]).stake),
    ).toBe('150:1 250:NaN 350:2')
  })

  it('has statistics of the steps in the range, even with several steps per column', () => {
    const rows: readonly Row[] = [
      flat(0, 100),
      { startMs: 100, stake: [5, 3, 9, 7], at: [1, 99] },
      { startMs: 200, polls: { timeout: 1 } },
      { startMs: 300, stake: [6, 2, 8, 4], at: [1, 99] },
      { startMs: 400 },
      flat(500, 100),
    ]
    const range = { fromMs: 100, toMs: 500 }
    expect(lanes(rows, range).stake.stats).toEqual({ min: 2, max: 9, last: 4 })
    const one = lanes(rows, { ...range, columns: 2 })
    expect([one.stepMs, one.stake.stats]).toEqual([200, { min: 2, max: 9, last: 4 }])
    expect(lanes(rows, { ...range, fromMs: 99 }).stake.stats.max).toBe(100)
    expect(lanes(rows, { ...range, toMs: 501 }).stake.stats.max).toBe(100)
    expect([range, { fromMs: 400, toMs: 500 }].map((each) => pointsIn(lanes(rows, each)))).toEqual([9, 0])
  })
})

describe('spans', () => {
  const kinds = (rows: readonly Row[], given?: Partial<SeriesQuery>) =>
    lanes(rows, given).spans.map(({ fromMs, toMs, kind, failure }) => `${fromMs}-${toMs} ${failure ?? kind}`)

  it('show the worst outcome of each step for the whole step', () => {
    expect(
      kinds([
        { startMs: 100, heldMs: { answered: 100 } },
        { startMs: 200, heldMs: { answered: 100 } },
        { startMs: 300, heldMs: { answered: 60, timeout: 10, unreachable: 30 } },
        { startMs: 400, heldMs: { answered: 99, timeout: 1 } },
        { startMs: 500, heldMs: { offline: 100 } },
        { startMs: 700, heldMs: { answered: 50 } },
        { startMs: 800, heldMs: { answered: 49 } },
        { startMs: 900, heldMs: { answered: 49, offline: 51 } },
      ]),
    ).toEqual([
      '0-100 not-watched',
      '100-300 answered',
      '300-400 unreachable',
      '400-500 timeout',
      '500-700 not-watched',
      '700-800 answered',
      '800-1000 not-watched',
    ])
  })

  it('are no more than the columns, each with its worst outcome', () => {
    for (const fromMs of [0, 5_000]) {
      const rows = Array.from({ length: 10 }, (_, row): Row => ({
        startMs: fromMs + row * 100,
        heldMs: row % 2 === 0 || row > 5 ? { answered: 100 } : { timeout: 100 },
      }))
      const toMs = fromMs + 1_000
      expect(kinds(rows, { fromMs, toMs, columns: 4 })).toEqual([
        `${fromMs}-${fromMs + 750} timeout`,
        `${fromMs + 750}-${toMs} answered`,
      ])
    }
  })

  it('name the failure that lasted rather than one of length 0', () => {
    expect(
      kinds([{ startMs: 0, heldMs: { answered: 90, timeout: 10 }, polls: { timeout: 1, unreachable: 2 } }], {
        toMs: 100,
      }),
    ).toEqual(['0-100 timeout'])
  })

  it('of outcomes unknown to this build are not watched', () => {
    const rollup = rollupOf([{ startMs: 0 }])
    addTo(rollup.outcomeMs, 99, 0, 100)
    addTo(rollup.polls, 99, 0, 3)
    expect(dataOf(rollup, asked({ toMs: 100 }))).toMatchObject({
      samples: 3,
      answered: 0,
      notWatchedMs: 100,
      spans: [{ fromMs: 0, toMs: 100, kind: 'not-watched' }],
    })
  })

  it('name a failure of length 0 if none lasted', () => {
    const step = (polls: Held) => kinds([{ startMs: 0, heldMs: { answered: 100 }, polls }], { toMs: 100 })
    expect(step({ answered: 3 })).toEqual(['0-100 answered'])
    expect(step({ answered: 3, timeout: 1 })).toEqual(['0-100 timeout'])
    expect(step({ answered: 3, timeout: 0 })).toEqual(['0-100 answered'])
    expect(step({ answered: 3, offline: 1 })).toEqual(['0-100 answered'])
  })

  it('are clipped to the range; half of a clipped step must have been watched', () => {
    const rows: readonly Row[] = [
      { startMs: 0, heldMs: { timeout: 100 } },
      { startMs: 100, heldMs: { answered: 20 } },
    ]
    expect(kinds(rows, { fromMs: 30, toMs: 140 })).toEqual(['30-100 timeout', '100-140 answered'])
    expect(kinds(rows, { fromMs: 30, toMs: 141 }).at(-1)).toBe('100-141 not-watched')
  })
})

describe('rollups', () => {
  const rows: readonly Row[] = [
    {
      startMs: 0,
      heldMs: { answered: 80, timeout: 20 },
      polls: { answered: 2, timeout: 1 },
      threats: 2,
      proofs: 1,
    },
    {
      startMs: 100,
      heldMs: { answered: 50, offline: 50 },
      polls: { answered: 1, offline: 4 },
      threats: 3,
      restarts: 1,
    },
    { startMs: 300, heldMs: { answered: 100 }, polls: { answered: 5 }, threats: 4, proofs: 2 },
  ]

  it('count polls and answers, without the time in which no poll was possible', () => {
    expect(lanes(rows)).toMatchObject({ samples: 13, answered: 8, answeredMs: 230, increase: 9 })
  })

  it('outside the range contribute nothing', () => {
    for (const range of [
      { fromMs: 400, toMs: 800 },
      { fromMs: -800, toMs: 0 },
      { fromMs: 200, toMs: 300 },
    ])
      expect(lanes(rows, range)).toMatchObject({ samples: 0, bars: [], increase: 0, answeredMs: 0 })
  })

  it('count the watched time of steps at the edges in proportion', () => {
    expect(lanes(rows).notWatchedMs).toBe(1_000 - 250)
    expect(lanes(rows, { fromMs: 50, toMs: 150 }).notWatchedMs).toBe(100 - 50 - 25)
    expect(lanes([{ startMs: 0, heldMs: { answered: 150 } }], { toMs: 100 }).notWatchedMs).toBe(0)
    const late = lanes([{ startMs: 100, heldMs: { answered: 150 } }], { fromMs: 100, toMs: 200 })
    expect(late.notWatchedMs).toBe(0)
    expect(lanes(rows, { fromMs: 50, toMs: 150 }).answeredMs).toBe(40 + 25)
  })

  it('give bars of whole steps for threat responses, and mark restarts', () => {
    expect(lanes(rows).bars).toEqual([
      { fromMs: 0, toMs: 100, increase: 2, restarted: false },
      { fromMs: 100, toMs: 200, increase: 3, restarted: true },
      { fromMs: 300, toMs: 400, increase: 4, restarted: false },
    ])
    expect(lanes(rows, { barMs: 150 }).bars).toEqual([
      { fromMs: 0, toMs: 200, increase: 5, restarted: true },
      { fromMs: 200, toMs: 400, increase: 4, restarted: false },
    ])
    expect(lanes(rows, { barMs: 1, columns: 2 }).bars).toEqual([
      { fromMs: 0, toMs: 500, increase: 9, restarted: true },
    ])
  })

  it('name the steps in which the proof changed and the counter restarted', () => {
    const { changes, restarts } = lanes(rows)
    expect([Array.from(changes), Array.from(restarts)]).toEqual([[0, 300], [100]])
  })
})

describe('the band of response times', () => {
  it('lies within the measured values', () => {
    const latencyBand = bandOf(
      lanes([{ startMs: 0, latency: [1.01, 3] }, { startMs: 100, latency: [0.5, 9] }, { startMs: 200 }], {
        toMs: 300,
      }),
    )
    expect([Array.from(latencyBand.atMs), latencyBand.stepMs]).toEqual([[0, 100, 200], 100])
    const middle = 2 ** (160.5 / 16 - 10)
    expect(Array.from(latencyBand.p50)).toEqual([middle, middle, GAP])
    expect(Array.from(latencyBand.p95)).toEqual([3, 2 ** (199.5 / 16 - 10), GAP])
  })

  it('is empty without distributions', () => {
    const rollup = rollupOf([{ startMs: 0, latency: [1, 3] }])
    expect(Array.from(drawn(dataOf(rollup)).answerTime.band.p50)).toEqual([GAP])
  })

  it('has the steps of its own rollups, only those within the range', () => {
    const spread = rollupOf(
      [0, 100, 200].map((startMs) => ({ startMs, latency: [1, 3] as const })),
      true,
    )
    const latencyBand = bandOf(
      drawn(dataOf(rollupOf([]), asked({ fromMs: 100, toMs: 200 }), METRICS, spread)),
    )
    expect(Array.from(latencyBand.atMs)).toEqual([100])
  })
})
