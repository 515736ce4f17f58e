import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnOf, decimate } from '#charts/decimate.ts'
import type { Gap, Sample } from '#history/history.ts'
import { pointsIn, type SeriesQuery } from '#charts/charts.ts'
import { drawn } from '#test/core/history/samples.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'
import { answered, asked } from './asked.ts'
import { createMemoryHistory } from '#test/support/memory-history.ts'
import { OUTCOMES } from '#history/series.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES } from '#protocol/failure.ts'

const failed = (atMs: number, outcome: Sample['outcome'] = 'timeout'): Sample =>
  answered(atMs, { latencyMs: 10_000, outcome })
const lanes = async (
  samples: readonly Sample[],
  gaps: readonly Gap[] = [],
  given: Partial<SeriesQuery> = {},
) => {
  const history = createMemoryHistory()
  // Appends samples and gaps in order of time.
  const gapsLeft = gaps.toSorted((a, b) => a.fromMs - b.fromMs)
  for (const sample of samples) {
    const before = gapsLeft.findIndex(({ fromMs }) => fromMs > sample.atMs)
    const passed = gapsLeft.splice(0, before === -1 ? gapsLeft.length : before)
    await history.append({ samples: [sample], gaps: passed })
  }
  return drawn(await history.readSeriesData(asked(given)))
}
describe('decimation', () => {
  /** The extent of a line by pixel column: its lowest, highest, first and last value. */
  const inked = (points: readonly (readonly [number, number])[], columns: number, toMs: number) => {
    const low = Array.from({ length: columns }, () => Number.POSITIVE_INFINITY)
    const high = Array.from({ length: columns }, () => Number.NEGATIVE_INFINITY)
    const ends = new Map<number, { first: number; last: number }>()
    for (const [atMs, value] of points) {
      const column = columnOf({ fromMs: 0, toMs, count: columns }, atMs)
      low[column] = Math.min(low[column] ?? 0, value)
      high[column] = Math.max(high[column] ?? 0, value)
      ends.set(column, { first: ends.get(column)?.first ?? value, last: value })
    }
    return { low, high, ends }
  }
  const series = fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 900 }),
      fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: -50, max: 50 }) },
        { weight: 1, arbitrary: fc.constant(Number.NaN) },
      ),
    ),
    { maxLength: 300 },
  )
  const placed = (steps: readonly (readonly [number, number])[]) => {
    let atMs = 0
    return steps.map(([byMs, value]) => [(atMs += byMs) % 1 === 0 ? atMs : atMs, value] as const)
  }
  const columnsOf = (all: readonly (readonly [number, number])[]) => ({
    atMs: Float64Array.from(all, ([atMs]) => atMs),
    value: Float64Array.from(all, ([, value]) => value),
  })

  it('keeps the lowest, highest, first and last value of each column, in order of time', () => {
    fc.assert(
      fc.property(series, fc.integer({ min: 1, max: 60 }), (steps, columns) => {
        const all = placed(steps)
        const toMs = (all.at(-1)?.[0] ?? 0) + 1
        const points = decimate(
          columnsOf(all),
          { fromMs: 0, toMs, count: columns },
          () => Number.POSITIVE_INFINITY,
        )
        const kept = Array.from(points.atMs, (atMs, place) => [atMs, points.value[place] ?? 0] as const)
        const isValue = ([, value]: readonly [number, number]) => !Number.isNaN(value)
        expect(inked(kept.filter(isValue), columns, toMs)).toEqual(inked(all.filter(isValue), columns, toMs))
        expect(kept.length).toBeLessThanOrEqual(5 * columns)
        for (let place = 1; place < kept.length; place++)
          expect(kept[place]?.[0]).toBeGreaterThanOrEqual(kept[place - 1]?.[0] ?? 0)
      }),
    )
  })

  it('breaks the line between columns exactly where a value is missing or a gap is too long', () => {
    fc.assert(
      fc.property(
        series,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 100, max: 900 }),
        (steps, columns, maxGapMs) => {
          const all = placed(steps)
          const toMs = (all.at(-1)?.[0] ?? 0) + 1
          const grid = { fromMs: 0, toMs, count: columns }
          const points = decimate(columnsOf(all), grid, () => maxGapMs)
          let expected = 0
          let last: number | undefined
          let missing = false
          for (const [atMs, value] of all) {
            if (Number.isNaN(value)) {
              missing = true
              continue
            }
            if (
              last !== undefined &&
              columnOf(grid, last) !== columnOf(grid, atMs) &&
              (missing || atMs - last > maxGapMs)
            )
              expected++
            last = atMs
            missing = false
          }
          expect(Array.from(points.value).filter((value) => Number.isNaN(value)).length).toBe(expected)
        },
      ),
    )
  })
})

describe('chart data', () => {
  it('of an unknown node is not watched for the whole range', async () => {
    const data = await lanes([])
    expect(data).toMatchObject({
      samples: 0,
      answered: 0,
      answeredMs: 0,
      notWatchedMs: 100_000,
      bars: [],
      increase: 0,
    })
    expect(data.spans).toEqual([{ fromMs: 0, toMs: 100_000, kind: 'not-watched' }])
    expect(data.stake.stats).toEqual({ min: Number.NaN, max: Number.NaN, last: Number.NaN })
  })

  it('has the values, statistics and counts of its range', async () => {
    const samples = [
      answered(5_000, { stake: 1, participation: 0.9, heartbeatAgeMs: 100 }),
      answered(15_000, { stake: 10, participation: 0.8, heartbeatAgeMs: 4_000, latencyMs: 50 }),
      failed(25_000),
      answered(35_000, { stake: 4, participation: 0.95, heartbeatAgeMs: 200, latencyMs: 30 }),
      answered(200_000, { stake: 99 }),
    ]
    const data = await lanes(samples, [], { fromMs: 10_000, toMs: 50_000 })
    expect(data).toMatchObject({ samples: 3, answered: 2 })
    expect(data.stake.stats).toEqual({ min: 4, max: 10, last: 4 })
    expect(data.answerTime.stats).toEqual({ min: 30, max: 50, last: 30 })
    expect(data.participation.stats).toEqual({ min: 0.8, max: 0.95, last: 0.95 })
    expect(Array.from(data.stake.value)).toEqual([10, Number.NaN, 4])
    expect(pointsIn(data)).toBe(3)
    expect(data.heartbeat.atMs.length).toBe(data.heartbeat.value.length)
  })

  it('includes a sample at the start of the range and excludes one at its end', async () => {
    const change = { threatResponsesRestarted: true, proofChanged: true }
    const data = await lanes([answered(10_000, change), answered(50_000, change)], [], {
      fromMs: 10_000,
      toMs: 50_000,
    })
    expect(data.samples).toBe(1)
    expect(Array.from(data.changes)).toEqual([10_000])
    expect(Array.from(data.restarts)).toEqual([10_000])
  })

  it('widens bars so that there are at most 4,000', async () => {
    const given = { fromMs: 1_000_000_000, toMs: 1_000_008_000, barMs: 1 }
    const data = await lanes([answered(1_000_000_003, { threatResponsesIncrease: 1 })], [], given)
    expect(data.bars).toEqual([{ fromMs: 1_000_000_002, toMs: 1_000_000_004, increase: 1, restarted: false }])
  })

  it('splits the range into answered, unanswered and unwatched spans', async () => {
    const samples = [
      answered(10_000),
      answered(20_000),
      failed(30_000),
      failed(40_000, 'server-error'),
      answered(50_000),
    ]
    const data = await lanes(samples, [], { maxGapMs: 12_000 })
    expect(data.spans).toEqual([
      { fromMs: 0, toMs: 10_000, kind: 'not-watched' },
      { fromMs: 10_000, toMs: 30_000, kind: 'answered' },
      { fromMs: 30_000, toMs: 40_000, kind: 'no-answer', failure: 'timeout' },
      { fromMs: 40_000, toMs: 50_000, kind: 'no-answer', failure: 'server-error' },
      { fromMs: 50_000, toMs: 62_000, kind: 'answered' },
      { fromMs: 62_000, toMs: 100_000, kind: 'not-watched' },
    ])
    expect(data.notWatchedMs).toBe(48_000)
    // The share goes by time: failures cover 20 of the 52 s that were watched.
    expect(data.answeredMs).toBe(32_000)
  })

  it.each([
    ['memory', async () => createMemoryHistory()],
    [
      'stored',
      async () => {
        const kept = createKept()
        await kept.start()
        return kept.history
      },
    ],
  ])('of a %s history ends a span at a gap, even one of length 0', async (_where, create) => {
    const history = await create()
    await history.append({ samples: [answered(10_000), answered(20_000)], gaps: [] })
    const gap: Gap = { fromMs: 24_000, toMs: 24_000, reason: 'asleep' }
    await history.append({ samples: [answered(60_000)], gaps: [gap] })
    expect((await history.readSeriesData(asked({ toMs: 70_000 }))).spans).toEqual([
      { fromMs: 0, toMs: 10_000, kind: 'not-watched' },
      { fromMs: 10_000, toMs: 24_000, kind: 'answered' },
      { fromMs: 24_000, toMs: 60_000, kind: 'not-watched' },
      { fromMs: 60_000, toMs: 70_000, kind: 'answered' },
    ])
  })

  it('covers the range without gap or overlap, for any samples and gaps', async () => {
    const step = fc.tuple(fc.integer({ min: 1, max: 40_000 }), fc.constantFrom(...OUTCOMES))
    const gapsGiven = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 300_000 }), fc.integer({ min: 1, max: 50_000 })),
      { maxLength: 3 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        gapsGiven,
        fc.integer({ min: 1, max: 30 }),
        async (steps, given, columns) => {
          let atMs = 0
          const samples = steps.map(([byMs, outcome]) => ({ ...failed((atMs += byMs), outcome) }))
          const gaps = given.map(([fromMs, lengthMs]) => ({
            fromMs,
            toMs: fromMs + lengthMs,
            reason: 'asleep' as const,
          }))
          const { spans, notWatchedMs } = await lanes(samples, gaps, {
            fromMs: 20_000,
            toMs: 300_000,
            columns,
            barMs: 60_000,
          })
          expect(spans[0]?.fromMs).toBe(20_000)
          expect(spans.at(-1)?.toMs).toBeCloseTo(300_000, 3)
          spans.slice(1).forEach((span, place) => expect(span.fromMs).toBeCloseTo(spans[place]?.toMs ?? 0, 3))
          expect(spans.length).toBeLessThanOrEqual(Math.max(columns, 1) + 1)
          expect(notWatchedMs).toBeGreaterThanOrEqual(0)
          expect(notWatchedMs).toBeLessThanOrEqual(280_000)
        },
      ),
    )
  })

  it('keeps every miss visible if there are more spans than columns', async () => {
    const samples = Array.from({ length: 200 }, (_, place) =>
      place === 77 ? failed(place * 1_000) : answered(place * 1_000, { latencyMs: place % 2 }),
    )
    const flapping = samples.map((sample, place) =>
      place > 100 && place % 2 === 0 ? failed(sample.atMs, 'server-error') : sample,
    )
    const data = await lanes(flapping, [], { toMs: 200_000, columns: 20 })
    expect(data.spans.length).toBeLessThanOrEqual(21)
    expect(
      data.spans.some((span) => span.kind === 'no-answer' && span.fromMs <= 77_000 && span.toMs > 77_000),
    ).toBe(true)
    expect(data.spans.at(-1)).toMatchObject({ kind: 'no-answer', failure: 'server-error' })
  })

  it('is bounded for an empty or reversed range and for extreme widths', async () => {
    for (const given of [
      { fromMs: 5, toMs: 5 },
      { fromMs: 50_000, toMs: 10 },
      { columns: 0 },
      { columns: 1e9 },
      { barMs: 0 },
      { barMs: 1e-9 },
    ]) {
      const data = await lanes([answered(5, { threatResponsesIncrease: 1 })], [], given)
      expect(data.spans.length).toBeGreaterThan(0)
      expect(data.bars.length).toBeLessThanOrEqual(4_001)
    }
  })
})

describe('the history in memory', () => {
  /** One sample of each of `count` nodes. */
  const ofMany = (count: number) => ({
    samples: Array.from({ length: count }, (_, place) => ({ ...answered(0), node: `m${place}` })),
    gaps: [],
  })

  it('keeps the newest samples of a node, up to 25 % above its maximum', async () => {
    const history = createMemoryHistory()
    const total = 30_000
    for (let from = 0; from < total; from += 1_000)
      await history.append({
        samples: Array.from({ length: 1_000 }, (_, place) => answered(from + place, { stake: from + place })),
        gaps: [],
      })
    const data = drawn(await history.readSeriesData(asked({ toMs: total })))
    expect(data.samples).toBeGreaterThanOrEqual(DEFAULTS.samplesPerNodeMax)
    expect(data.samples).toBeLessThanOrEqual(DEFAULTS.samplesPerNodeMax * 1.25)
    expect(data.stake.stats).toEqual({ min: total - data.samples, max: total - 1, last: total - 1 })
  })

  it('divides its capacity among many nodes', async () => {
    const history = createMemoryHistory()
    const count = 6_000
    const each = Math.floor(DEFAULTS.samplesInMemoryMax / count)
    await history.append(ofMany(count))
    await history.append({
      samples: Array.from({ length: 2_000 }, (_, place) => ({ ...answered(place + 1), node: 'm0' })),
      gaps: [],
    })
    const least = Math.max(each, DEFAULTS.samplesPerNodeMin)
    const data = await history.readSeriesData(asked({ node: 'm0' }))
    expect(data.samples).toBeGreaterThanOrEqual(least)
    expect(data.samples).toBeLessThanOrEqual(least * 1.25 + 1)
  })

  it('drops samples of a node when many others are added', async () => {
    const history = createMemoryHistory()
    const before = 3_000
    await history.append({
      samples: Array.from({ length: before }, (_, place) => answered(place)),
      gaps: [],
    })
    const count = Math.floor(DEFAULTS.samplesInMemoryMax / DEFAULTS.samplesPerNodeMin)
    await history.append(ofMany(count))
    await history.append({ samples: [answered(before)], gaps: [] })
    const { samples } = await history.readSeriesData(asked())
    expect(before).toBeGreaterThan(DEFAULTS.samplesPerNodeMin * 1.25)
    expect(samples).toBe(DEFAULTS.samplesPerNodeMin)
  })

  it('forgets only the given nodes', async () => {
    const history = createMemoryHistory()
    await history.append({ samples: [answered(1), { ...answered(1), node: 'other' }], gaps: [] })
    await history.forget(['n'])
    expect((await history.readSeriesData(asked())).samples).toBe(0)
    expect((await history.readSeriesData(asked({ node: 'other' }))).samples).toBe(1)
  })

  it('moves earlier samples and gaps to the new clock when it is set back', async () => {
    const history = createMemoryHistory()
    const asleep: Gap = { fromMs: 7_030_000, toMs: 7_040_000, reason: 'asleep' }
    await history.append({
      samples: [answered(7_010_000, { stake: 1 }), answered(7_020_000, { stake: 2 })],
      gaps: [],
    })
    await history.append({ samples: [], gaps: [asleep] })
    await history.append({
      samples: [answered(50_000, { stake: 3 })],
      gaps: [{ fromMs: 7_045_000, toMs: 45_000, reason: 'clock-step' }],
    })
    const data = drawn(await history.readSeriesData(asked({ maxGapMs: 12_000 })))
    expect(Array.from(data.stake.atMs.filter((_, place) => !Number.isNaN(data.stake.value[place])))).toEqual([
      10_000, 20_000, 50_000,
    ])
    expect(data.spans.filter(({ kind }) => kind === 'not-watched')).toContainEqual({
      fromMs: 30_000,
      toMs: 50_000,
      kind: 'not-watched',
    })
  })

  it('has an outcome for every failure of a poll', () => {
    expect(OUTCOMES.slice(1).toSorted()).toEqual(Object.keys(FAILURES).toSorted())
  })
})
