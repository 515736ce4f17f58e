import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import {
  ANSWERED,
  appendNotWatched,
  appendRows,
  appendSample,
  appendSamples,
  columnsOf,
  createSeries,
  dropBefore,
  fingerprintAt,
  hasPart,
  isUnasked,
  isWatchedBetween,
  keptFingerprint,
  metricsOf,
  NOT_WATCHED,
  OUTCOME_CODES,
  OUTCOMES,
  placeAt,
  sampleKeys,
  shiftSeries,
  type MetricColumns,
  type Series,
  type StoredMetric,
} from '#history/series.ts'
import { rowsOf, samplesOf, seriesOf } from './samples.ts'

const sample = (atMs: number): Sample => ({ node: 'n', atMs, latencyMs: 1, outcome: 'answered' })

const filled = (times: readonly number[], samplesMax = 1_000) => {
  const series = createSeries()
  for (const atMs of times) appendSample(series, sample(atMs), samplesMax)
  return series
}
const timesOf = ({ columns, length }: ReturnType<typeof createSeries>) =>
  Array.from(columns.atMs.subarray(0, length))
const NONE = Number.NaN
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place)

describe('a series', () => {
  it('moves a sample that is not later than the one before just behind it', () => {
    expect(timesOf(filled([100, 50, 50, 102, 200]))).toEqual([100, 101, 102, 103, 200])
  })

  it('takes times before 1970 as they are', () => {
    expect(timesOf(filled([-500, -200]))).toEqual([-500, -200])
  })

  it('keeps every sample while it grows, and takes no more room than its limit allows', () => {
    const series = filled(upTo(65), 100)
    expect(timesOf(series)).toEqual(upTo(65))
    expect(series.columns.atMs.length).toBe(125)
    expect(filled(upTo(65), 1_000).columns.atMs.length).toBe(128)
  })

  it('drops the oldest down to its limit once it is a quarter above it', () => {
    const series = createSeries()
    const lengths = upTo(14).map((atMs) => {
      appendSample(series, sample(atMs), 8)
      return series.length
    })
    expect(lengths).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9, 10, 9, 10])
    expect(timesOf(series)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
  })

  it('is the same whether samples come one by one or in one go', () => {
    fc.assert(
      fc.property(samplesOf(20_000, 400), fc.integer({ min: 0, max: 500 }), (samples, samplesMax) => {
        const [one, all] = [createSeries(), createSeries()]
        for (const each of samples) appendSample(one, each, samplesMax)
        appendSamples(all, samples, samplesMax)
        expect(rowsOf(all)).toEqual(rowsOf(one))
      }),
    )
  })

  it('comes down to a limit that is lowered', () => {
    const series = filled(upTo(300))
    appendSample(series, sample(300), 16)
    expect(timesOf(series)).toEqual(Array.from({ length: 17 }, (_, place) => 284 + place))
    expect(series.columns.atMs.length).toBe(20)
  })

  it.each([
    [-5, 0],
    [0, 0],
    [1, 1],
    [10, 1],
    [11, 2],
    [20, 2],
    [21, 3],
  ])('has the first sample that is not before %d at place %d', (atMs, place) => {
    expect(placeAt(filled([0, 10, 20]), atMs)).toBe(place)
  })

  it('moves as a whole when its clock was wrong', () => {
    const series = filled([1_000, 2_000])
    shiftSeries(series, -1_500)
    expect(timesOf(series)).toEqual([-500, 500])
  })
})

describe('rows of a series', () => {
  it('are the same behind those of another, with their texts', () => {
    fc.assert(
      fc.property(samplesOf(100, 70), samplesOf(100, 70), fc.nat(), (one, other, at) => {
        const series = seriesOf(one)
        const before = rowsOf(series)
        const from = seriesOf(other)
        const start = at % (from.length + 1)
        appendRows(series, from, start, from.length)
        expect(rowsOf(series)).toEqual([...before, ...rowsOf(from).slice(start)])
      }),
    )
  })

  it('stay as they are when those before them go, and texts that nobody uses go too', () => {
    fc.assert(
      fc.property(samplesOf(100, 70), fc.nat(), (samples, at) => {
        const series = seriesOf(samples)
        const rows = rowsOf(series)
        const place = at % (series.length + 1)
        dropBefore(series, place)
        expect(rowsOf(series)).toEqual(rows.slice(place))
        const used = new Set(
          rowsOf(series).flatMap(({ status, stakeExact, threatResponsesExact }) => [
            status,
            stakeExact,
            threatResponsesExact,
          ]),
        )
        used.delete(undefined)
        if (place > 0) expect(new Set(series.texts.list.slice(1))).toEqual(used)
      }),
    )
  })
})

describe('room in a series', () => {
  const full = (capacity: number, samplesMax: number) => {
    const series = createSeries(capacity)
    series.length = capacity
    appendSample(series, sample(1), samplesMax)
    return series.columns.atMs.length
  }

  it.each([
    [64, 1e6, 128],
    [16_383, 1e6, 32_766],
    [16_384, 1e6, 65_536],
    [4, 1e6, 64],
    // No more than its limit allows.
    [64, 80, 100],
    [100, 81, 102],
    [100, 200, 200],
  ])('that is full at %d, of %d at most, is of %d then', (capacity, samplesMax, wanted) => {
    expect(full(capacity, samplesMax)).toBe(wanted)
  })

  it.each([
    [4, 4],
    [5, 8],
    [13, 13],
  ])('of 4 that takes %d rows of another series is of %d then', (count, wanted) => {
    const from = filled(upTo(13))
    const series = createSeries(4)
    appendRows(series, from, 0, 4)
    appendRows(series, from, 4, count)
    expect([series.columns.atMs.length, timesOf(series)]).toEqual([wanted, upTo(count)])
  })

  it('is for what is left, where rows go, and stays where none do', () => {
    const series = filled(upTo(100))
    dropBefore(series, 10)
    expect([series.columns.atMs.length, timesOf(series)]).toEqual([90, upTo(100).slice(10)])
    dropBefore(series, 80)
    expect([series.columns.atMs.length, series.length]).toEqual([64, 10])
    const { columns } = series
    dropBefore(series, 0)
    expect(series.columns).toBe(columns)
  })

  it('is for one more, where the limit is none', () => {
    const series = createSeries(4)
    for (const atMs of [1, 2, 3]) appendSample(series, sample(atMs), 0)
    expect(timesOf(series)).toEqual([3])
  })
})

/** Metrics of every kind, in any order. */
const ALL: readonly StoredMetric[] = [
  { id: 'g', kind: 'gauge', exact: true },
  { id: 'c', kind: 'counter' },
  { id: 't', kind: 'timestamp' },
  { id: 's', kind: 'state' },
  { id: 'f', kind: 'fingerprint' },
]
const column = (series: Series, id: string): MetricColumns => {
  const found = columnsOf(series, id)
  if (found === undefined) throw new Error(id)
  return found
}
/** As many samples that say something of each. */
const saying = (count: number, metrics: readonly StoredMetric[]) => {
  const series = createSeries(64, metrics)
  for (let place = 0; place < count; place++) {
    const given = {
      g: place + 1,
      gExact: `${place}.5`,
      c: place + 2,
      cExact: `${place}.25`,
      cIncrease: 3,
      cRestarted: true,
      tAgeMs: place + 4,
      s: `S${place}`,
      f: `0000000${place % 10}`,
      fChanged: true,
    }
    appendSample(series, { ...sample(place), ...given, everyMs: 2_000, serviceMs: 5_000 + place }, 1e6)
  }
  return series
}
const rowsFrom = (series: Series, start = 0) => rowsOf(series).slice(start)

describe('rows of other metrics', () => {
  // From 17 rows on they are copied as a piece.
  it.each([1, 16, 17, 40])(
    'keep what only they have, %d at once, and what was before knows nothing of it',
    (count) => {
      const series = saying(3, [])
      const from = saying(count, ALL)
      appendRows(series, from, 0, count)
      expect(metricsOf(series).map(({ id }) => id)).toEqual(['g', 'c', 't', 's', 'f'])
      const never = { g: NONE, gExact: undefined, c: NONE, cExact: undefined, cIncrease: 0 }
      const neither = {
        cRestarted: false,
        cUnwatched: false,
        tAgeMs: NONE,
        s: undefined,
        f: undefined,
        fChanged: false,
      }
      expect(rowsFrom(series).slice(0, 3)).toEqual(
        Array.from({ length: 3 }, (_, place) => ({
          atMs: place,
          everyMs: 2_000,
          serviceMs: 5_000 + place,
          outcome: 0,
          ...never,
          ...neither,
        })),
      )
      expect(rowsFrom(series, 3)).toEqual(rowsOf(from))
    },
  )

  it.each([1, 16, 17, 40])('say nothing of what they do not have, %d at once', (count) => {
    const series = saying(3, ALL)
    // What lay in their places before.
    series.length = 0
    const { length } = series.columns.atMs
    for (const { value, increase, text, print, flags } of series.columns.metrics) {
      for (const part of [value, increase, text, print, flags]) part.fill(7)
    }
    appendRows(series, saying(count + 1, []), 1, count + 1)
    expect(series.columns.atMs.length).toBe(length)
    const [g, c, t, s, f] = ['g', 'c', 't', 's', 'f'].map((id) => column(series, id))
    for (let place = 0; place < count; place++) {
      expect([g, c, t].map((each) => each?.value[place])).toEqual([NONE, NONE, NONE])
      expect([g, c, s].map((each) => each?.text[place])).toEqual([0, 0, 0])
      expect([c?.increase[place], c?.flags[place], f?.flags[place], f?.print[place]]).toEqual([0, 0, 0, 0])
    }
    // And nothing behind them is touched.
    expect([g?.value[count], c?.increase[count], s?.text[count], f?.print[count]]).toEqual([7, 7, 7, 7])
    expect(c?.flags[count]).toBe(7)
  })

  it('are of the same metrics, in whatever order', () => {
    const series = saying(2, ALL)
    const from = saying(5, ALL.toReversed())
    appendRows(series, from, 1, 4)
    expect(metricsOf(series).map(({ id }) => id)).toEqual(['g', 'c', 't', 's', 'f'])
    expect(rowsFrom(series, 2)).toEqual(rowsOf(from).slice(1, 4))
    expect(rowsFrom(series).slice(0, 2)).toEqual(rowsOf(saying(2, ALL)))
  })

  it('bring what is missing, beside what both have', () => {
    const series = saying(2, ALL.slice(0, 1))
    const from = saying(3, ALL)
    appendRows(series, from, 0, 3)
    expect(metricsOf(series).map(({ id }) => id)).toEqual(['g', 'c', 't', 's', 'f'])
    expect(rowsFrom(series, 2)).toEqual(rowsOf(from))
  })

  it.each([
    [0, 0],
    [2, 2],
    [2, 1],
  ])('bring nothing where there are none, from %d to %d', (start, end) => {
    const series = saying(2, [])
    appendRows(series, saying(3, ALL), start, end)
    expect([series.length, metricsOf(series)]).toEqual([2, []])
  })

  it.each([1, 17])('say nothing of what they have as another kind, %d at once', (count) => {
    const series = saying(0, [{ id: 's', kind: 'state' }])
    const from = createSeries(64, [{ id: 's', kind: 'timestamp' }])
    const given = { sAgeMs: 7 }
    for (const atMs of upTo(count)) appendSample(from, { ...sample(atMs), ...given }, 100)
    appendRows(series, from, 0, count)
    expect(rowsOf(series).map(({ s }) => s)).toEqual(upTo(count).map(() => undefined))
  })

  it('say nothing of a moment from which nobody watched, whatever lay in its place before', () => {
    const series = createSeries(4, ALL)
    for (const { value, increase, text, print, flags } of series.columns.metrics)
      for (const part of [value, increase, text, print, flags]) part.fill(7)
    appendNotWatched(series, 5, 100)
    const at = series.columns.metrics.map(({ value, increase, text, print, flags }) => [
      value[0],
      increase[0],
      text[0],
      print[0],
      flags[0],
    ])
    expect(at).toEqual([
      [NONE, undefined, 0, undefined, undefined],
      [NONE, 0, 0, undefined, 0],
      [NONE, undefined, undefined, undefined, undefined],
      [undefined, undefined, 0, undefined, undefined],
      [undefined, undefined, undefined, 0, 0],
    ])
  })

  it('keep a moment from which nobody watched', () => {
    const series = createSeries(64, ALL)
    appendNotWatched(series, 5, 100)
    appendNotWatched(series, 5, 100)
    expect(timesOf(series)).toEqual([5, 6])
    expect([series.columns.everyMs[1], series.columns.serviceMs[1], series.columns.outcome[1]]).toEqual([
      15_000,
      NONE,
      255,
    ])
  })
})

describe('whether somebody watched from one poll to the next', () => {
  const polled = (outcome: number, everyMs = 10_000) => ({ atMs: 1_000, everyMs, outcome })

  it.each([
    ['an answer holds for 2.5 intervals', polled(ANSWERED), 25_000, 10_000, true],
    ['and no longer', polled(ANSWERED), 25_001, 10_000, false],
    ['a longer interval that was set meanwhile counts', polled(ANSWERED), 150_000, 60_000, true],
    ['a shorter one does not', polled(ANSWERED, 60_000), 150_000, 10_000, true],
    ['a failed poll is watched up to the slowest wait', polled(OUTCOME_CODES.timeout), 600_000, 10_000, true],
    ['and no longer', polled(OUTCOME_CODES.timeout), 600_001, 10_000, false],
    ['without a network nothing was asked', polled(OUTCOME_CODES.offline), 1, 10_000, false],
    ['nor while signed out', polled(OUTCOME_CODES['signed-out']), 1, 10_000, false],
    ['nobody watched from here on', polled(NOT_WATCHED), 1, 10_000, false],
  ])('%s', (_what, before, apartMs, everyMs, isWatched) => {
    expect(isWatchedBetween(before, { atMs: before.atMs + apartMs, everyMs })).toBe(isWatched)
  })
})

describe('what is kept of a metric', () => {
  it('is called in a sample by its id, of a timestamp as an age', () => {
    expect(sampleKeys({ id: 'x', kind: 'gauge' })).toEqual({
      value: 'x',
      exact: 'xExact',
      increase: 'xIncrease',
      restarted: 'xRestarted',
      unwatched: 'xUnwatched',
      changed: 'xChanged',
    })
    expect(sampleKeys({ id: 'x', kind: 'timestamp' }).value).toBe('xAgeMs')
  })

  it.each([
    [{ id: 'x', kind: 'gauge' }, ['value']],
    [{ id: 'x', kind: 'gauge', exact: true }, ['value', 'text']],
    [{ id: 'x', kind: 'counter' }, ['value', 'increase', 'text', 'flags']],
    [{ id: 'x', kind: 'timestamp' }, ['value']],
    [{ id: 'x', kind: 'state' }, ['text']],
    [{ id: 'x', kind: 'fingerprint' }, ['print', 'flags']],
  ] as const)('of %j is %j', (metric, parts) => {
    const all = ['value', 'increase', 'text', 'print', 'flags'] as const
    expect(all.filter((part) => hasPart(metric, part))).toEqual(parts)
    const found = column(createSeries(8, [metric]), 'x')
    expect(all.filter((part) => found[part].length > 0)).toEqual(parts)
    for (const part of parts) expect(found[part]).toHaveLength(8)
  })

  it('is what it is: of another type it is not known', () => {
    const series = createSeries(8, ALL)
    const odd = {
      g: '1',
      gExact: 1,
      c: true,
      cExact: 7,
      cIncrease: '3',
      cRestarted: 1,
      tAgeMs: '4',
      s: 5,
      f: 6,
      fChanged: 1,
    }
    appendSample(series, { ...sample(1), ...odd }, 100)
    const [row] = rowsOf(series)
    expect(row).toMatchObject({ g: NONE, gExact: undefined, c: NONE, cExact: undefined, cIncrease: 0 })
    expect(row).toMatchObject({
      cRestarted: false,
      tAgeMs: NONE,
      s: undefined,
      f: undefined,
      fChanged: false,
    })
  })

  it('is rounded to its resolution, and what is measured is known of answers only', () => {
    const series = createSeries(8, [
      { id: 'm', kind: 'gauge', measured: 'latencyMs', resolution: 0.1 },
      { id: 'g', kind: 'gauge', resolution: 0.5 },
      { id: 't', kind: 'timestamp' },
    ])
    const given = { latencyMs: 12.34, g: 7.2, tAgeMs: 4.6 }
    appendSamples(
      series,
      [
        { ...sample(1), ...given },
        { ...sample(2), ...given, outcome: 'timeout' },
      ],
      100,
    )
    expect(rowsOf(series).map(({ m, g, tAgeMs }) => [m, g, tAgeMs])).toEqual([
      [12.3, 7, 5],
      [NONE, 7, 5],
    ])
  })

  it('as a text is kept once, and of its own samples alone', () => {
    const words = (all: readonly string[]) => {
      const series = createSeries(8, [{ id: 's', kind: 'state' }])
      appendSamples(
        series,
        all.map((s, place) => Object.assign(sample(place), { s })),
        100,
      )
      return series.texts.list
    }
    expect(words(['X', 'Y', 'X'])).toEqual(['', 'X', 'Y'])
    expect(words(['Z'])).toEqual(['', 'Z'])
    // Of what is not exact no text is kept.
    const gauge = createSeries(8, [{ id: 'g', kind: 'gauge' }])
    appendSample(gauge, Object.assign(sample(0), { g: 1, gExact: '1.5' }), 100)
    expect(gauge.texts.list).toEqual([''])
  })

  it('of samples in one go is that of each, however many there are', () => {
    const samples = Array.from({ length: 300 }, (_, place) => ({ ...sample(place * 10), stake: place }))
    const series = createSeries()
    appendSamples(series, samples, 1e6)
    expect(rowsOf(series).map(({ stake }) => stake)).toEqual(upTo(300))
    expect(timesOf(series)).toEqual(upTo(300).map((place) => place * 10))
  })
})

describe('a fingerprint', () => {
  it('is kept by its first 8 digits', () => {
    expect(keptFingerprint('0012abcdef')).toBe('0012abcd')
    const series = createSeries()
    for (const [place, proof] of ['0012abcd', 'ffffffff', '00000000', undefined].entries())
      appendSample(series, { ...sample(place), ...(proof !== undefined && { proof }) }, 100)
    const proofs = column(series, 'proof')
    expect(upTo(4).map((place) => fingerprintAt(proofs, place))).toEqual([
      '0012abcd',
      'ffffffff',
      // As good as none.
      undefined,
      undefined,
    ])
    expect(Array.from(proofs.print.subarray(0, 4))).toEqual([0x0012abcd, 0xffffffff, 0, 0])
  })
})

it.each(['0012abc', '0012abcde', '0012ABCD', '0012abcg', '0000000g', 'g0000000', '0012abcł', ''])(
  'what is not 8 hex digits in lower case is no fingerprint: %s',
  (proof) => {
    const series = createSeries()
    appendSample(series, { ...sample(0), proof }, 100)
    const proofs = column(series, 'proof')
    expect([fingerprintAt(proofs, 0), proofs.print[0]]).toEqual([undefined, 0])
  },
)

it('of what never left for the service nothing is known of it', () => {
  expect(OUTCOMES.filter((outcome) => isUnasked(outcome))).toEqual(['offline', 'signed-out'])
})

it('no number stands for two outcomes, nor for time that nobody watched', () => {
  const codes = Object.values(OUTCOME_CODES)
  expect(new Set([...codes, NOT_WATCHED]).size).toBe(codes.length + 1)
})
