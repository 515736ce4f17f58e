import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import {
  appendRows,
  appendSample,
  appendSamples,
  createSeries,
  dropBefore,
  placeAt,
  shiftSeries,
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
