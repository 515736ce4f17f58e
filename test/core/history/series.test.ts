import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import {
  ANSWERED,
  appendNotWatched,
  appendRows,
  appendSamples,
  columnsOf,
  createSeries,
  dropBefore,
  fingerprintAt,
  isUnasked,
  isWatchedBetween,
  keptFingerprint,
  metricsOf,
  NOT_WATCHED,
  OUTCOME_CODES,
  OUTCOMES,
  type MetricColumns,
  type Series,
  type StoredMetric,
} from '#history/series.ts'
import { rowsOf, samplesOf, seriesOf } from './samples.ts'

const sample = (atMs: number): Sample => ({ node: 'n', atMs, latencyMs: 1, outcome: 'answered' })

const filled = (times: readonly number[]) => {
  const series = createSeries(METRICS)
  for (const atMs of times) appendSamples(series, [sample(atMs)])
  return series
}
const timesOf = ({ columns, length }: ReturnType<typeof createSeries>) =>
  Array.from(columns.atMs.subarray(0, length))
const NONE = Number.NaN
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place)

describe('a series', () => {
  it('moves a sample that is not later than the one before it to 1 ms after that one', () => {
    expect(timesOf(filled([100, 50, 50, 102, 200]))).toEqual([100, 101, 102, 103, 200])
  })

  it('keeps times before 1970', () => {
    expect(timesOf(filled([-500, -200]))).toEqual([-500, -200])
  })

  it('keeps every sample while it grows', () => {
    expect(timesOf(filled(upTo(1_000)))).toEqual(upTo(1_000))
  })

  it('is the same for samples added one by one or at once', () => {
    fc.assert(
      fc.property(samplesOf(20_000, 400), (samples) => {
        const all = createSeries(METRICS)
        appendSamples(all, samples)
        expect(rowsOf(all)).toEqual(rowsOf(seriesOf(samples)))
      }),
    )
  })
})

describe('rows of a series', () => {
  it('are unchanged, with their texts, when appended to those of another', () => {
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

  it('are unchanged when the rows before them are dropped', () => {
    fc.assert(
      fc.property(samplesOf(100, 70), fc.nat(), (samples, at) => {
        const series = seriesOf(samples)
        const rows = rowsOf(series)
        const place = at % (series.length + 1)
        dropBefore(series, place)
        expect(rowsOf(series)).toEqual(rows.slice(place))
      }),
    )
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
/** The columns of a row in which all of them are unknown. */
const UNKNOWN = {
  g: NONE,
  gExact: undefined,
  c: NONE,
  cExact: undefined,
  cIncrease: 0,
  cRestarted: false,
  cUnwatched: false,
  tAgeMs: NONE,
  s: undefined,
  f: undefined,
  fChanged: false,
}
const column = (series: Series, id: string): MetricColumns => {
  const found = columnsOf(series, id)
  if (found === undefined) throw new Error(id)
  return found
}
/** `count` samples with a value of each metric. */
const saying = (count: number, metrics: readonly StoredMetric[]) => {
  const series = createSeries(metrics)
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
    appendSamples(series, [{ ...sample(place), ...given, everyMs: 2_000, serviceMs: 5_000 + place }])
  }
  return series
}
const rowsFrom = (series: Series, start = 0) => rowsOf(series).slice(start)

describe('rows of other metrics', () => {
  it.each([1, 40])('add their metrics, %d at once, which are unknown in the rows before', (count) => {
    const series = saying(3, [])
    const from = saying(count, ALL)
    appendRows(series, from, 0, count)
    expect(metricsOf(series).map(({ id }) => id)).toEqual(['g', 'c', 't', 's', 'f'])
    expect(rowsFrom(series).slice(0, 3)).toEqual(
      upTo(3).map((atMs) => ({ atMs, everyMs: 2_000, serviceMs: 5_000 + atMs, outcome: 0, ...UNKNOWN })),
    )
    expect(rowsFrom(series, 3)).toEqual(rowsOf(from))
  })

  it.each([1, 40])('leave the metrics that they lack unknown, %d at once', (count) => {
    const series = saying(0, ALL)
    appendRows(series, saying(count, []), 0, count)
    expect(rowsOf(series)).toMatchObject(upTo(count).map((atMs) => ({ atMs, ...UNKNOWN })))
  })

  it('may have the same metrics in another order', () => {
    const series = saying(2, ALL)
    const from = saying(5, ALL.toReversed())
    appendRows(series, from, 1, 4)
    expect(metricsOf(series).map(({ id }) => id)).toEqual(['g', 'c', 't', 's', 'f'])
    expect(rowsFrom(series, 2)).toEqual(rowsOf(from).slice(1, 4))
    expect(rowsFrom(series).slice(0, 2)).toEqual(rowsOf(saying(2, ALL)))
  })

  it('add only the metrics that the series lacks', () => {
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
  ])('add no metrics for an empty range, from %d to %d', (start, end) => {
    const series = saying(2, [])
    appendRows(series, saying(3, ALL), start, end)
    expect([series.length, metricsOf(series)]).toEqual([2, []])
  })

  it.each([1, 40])('leave a metric of another kind unknown, %d at once', (count) => {
    const series = saying(0, [{ id: 's', kind: 'state' }])
    const from = createSeries([{ id: 's', kind: 'timestamp' }])
    const given = { sAgeMs: 7 }
    for (const atMs of upTo(count)) appendSamples(from, [{ ...sample(atMs), ...given }])
    appendRows(series, from, 0, count)
    expect(rowsOf(series).map(({ s }) => s)).toEqual(upTo(count).map(() => undefined))
  })

  it('are unknown at the start of unwatched time, whatever their index held before', () => {
    const series = saying(3, ALL)
    dropBefore(series, 2)
    appendNotWatched(series, 5)
    expect(rowsOf(series)[1]).toEqual({
      atMs: 5,
      everyMs: 15_000,
      serviceMs: NONE,
      outcome: 255,
      ...UNKNOWN,
    })
  })

  it('keep the start of unwatched time', () => {
    const series = createSeries(ALL)
    appendNotWatched(series, 5)
    appendNotWatched(series, 5)
    expect(timesOf(series)).toEqual([5, 6])
  })
})

const polled = (outcome: number, everyMs = 10_000) => ({ atMs: 1_000, everyMs, outcome })

it.each([
  ['is watched for 2.5 intervals after an answer', polled(ANSWERED), 25_000, 10_000, true],
  ['is unwatched after that', polled(ANSWERED), 25_001, 10_000, false],
  ['is watched for 2.5 of a longer interval set since', polled(ANSWERED), 150_000, 60_000, true],
  ['is not cut by a shorter interval set since', polled(ANSWERED, 60_000), 150_000, 10_000, true],
  ['is watched for 10 min after a failed poll', polled(OUTCOME_CODES.timeout), 600_000, 10_000, true],
  ['is unwatched more than 10 min after it', polled(OUTCOME_CODES.timeout), 600_001, 10_000, false],
  ['is unwatched without a network', polled(OUTCOME_CODES.offline), 1, 10_000, false],
  ['is unwatched while signed out', polled(OUTCOME_CODES['signed-out']), 1, 10_000, false],
  ['is unwatched after the start of unwatched time', polled(NOT_WATCHED), 1, 10_000, false],
])('the time between two polls %s', (_what, before, apartMs, everyMs, isWatched) => {
  expect(isWatchedBetween(before, { atMs: before.atMs + apartMs, everyMs })).toBe(isWatched)
})

describe('the stored value of a metric', () => {
  it('is unknown for a value of the wrong type', () => {
    const series = createSeries(ALL)
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
    appendSamples(series, [{ ...sample(1), ...odd }])
    expect(rowsOf(series)).toMatchObject([UNKNOWN])
  })

  it('is rounded to its resolution, and known only of answers if it is measured', () => {
    const series = createSeries([
      { id: 'm', kind: 'gauge', measured: 'latencyMs', resolution: 0.1 },
      { id: 'g', kind: 'gauge', resolution: 0.5 },
      { id: 't', kind: 'timestamp' },
    ])
    const given = { latencyMs: 12.34, g: 7.2, tAgeMs: 4.6 }
    appendSamples(series, [
      { ...sample(1), ...given },
      { ...sample(2), ...given, outcome: 'timeout' },
    ])
    expect(rowsOf(series).map(({ m, g, tAgeMs }) => [m, g, tAgeMs])).toEqual([
      [12.3, 7, 5],
      [NONE, 7, 5],
    ])
  })

  it('has no exact text unless its definition asks for it', () => {
    const gauge = createSeries([{ id: 'g', kind: 'gauge' }])
    appendSamples(gauge, [Object.assign(sample(0), { g: 1, gExact: '1.5' })])
    expect(column(gauge, 'g').text).toEqual([])
  })
})

it('a fingerprint is stored as its first 8 digits', () => {
  expect(keptFingerprint('0012abcdef')).toBe('0012abcd')
  const series = createSeries(METRICS)
  for (const [place, proof] of ['0012abcd', 'ffffffff', '00000000', undefined].entries())
    appendSamples(series, [{ ...sample(place), ...(proof !== undefined && { proof }) }])
  const proofs = column(series, 'proof')
  expect(upTo(4).map((place) => fingerprintAt(proofs, place))).toEqual([
    '0012abcd',
    'ffffffff',
    '00000000',
    undefined,
  ])
})

it('no request is sent for the outcomes offline and signed-out only', () => {
  expect(OUTCOMES.filter((outcome) => isUnasked(outcome))).toEqual(['offline', 'signed-out'])
})

it('no code stands for two outcomes, nor for an outcome and unwatched time', () => {
  const codes = Object.values(OUTCOME_CODES)
  expect(new Set([...codes, NOT_WATCHED]).size).toBe(codes.length + 1)
})
