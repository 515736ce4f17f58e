import { describe, expect, it } from 'vitest'
import { columnOf, decimate } from '#charts/decimate.ts'

const reduced = (
  points: readonly (readonly [number, number])[],
  given: { fromMs?: number; toMs?: number; count?: number; maxGapMs?: number } = {},
) => {
  const { fromMs = 0, toMs = 100, count = 1, maxGapMs = Number.POSITIVE_INFINITY } = given
  const kept = decimate(
    Float64Array.from(points, ([atMs]) => atMs),
    Float64Array.from(points, ([, value]) => value),
    0,
    points.length,
    { fromMs, toMs, count },
    () => maxGapMs,
  )
  return Array.from(kept.atMs, (atMs, place) => [atMs, kept.value[place]])
}

describe('the pixel column of a time', () => {
  it.each([
    [1_000, 0],
    [1_009, 0],
    [1_010, 1],
    [1_055, 5],
    [1_099, 9],
    [1_100, 9],
  ])('%d ms, of ten between 1,000 and 1,100, is %d', (atMs, column) => {
    expect(columnOf({ fromMs: 1_000, toMs: 1_100, count: 10 }, atMs)).toBe(column)
  })
})

describe('of one column is kept', () => {
  // The values at 1, 2, 3 … ms, and of which times they are kept.
  it.each([
    ['a single value', [5], [1]],
    ['both of two', [5, 5], [1, 2]],
    ['first and last of many that are equal', [5, 5, 5], [1, 3]],
    ['first and last of a line that rises', [1, 2, 3], [1, 3]],
    ['first and last of a line that falls', [3, 2, 1], [1, 3]],
    ['the lowest before the highest', [5, 1, 6, 9, 5], [1, 2, 4, 5]],
    ['the highest before the lowest', [5, 9, 6, 1, 5], [1, 2, 4, 5]],
    ['the lowest alone when the first is the highest', [9, 4, 1, 5], [1, 3, 4]],
    ['the highest alone when the last is the lowest', [5, 4, 9, 1], [1, 3, 4]],
    ['the first of equal lowest and equal highest values', [5, 1, 1, 9, 9, 5], [1, 2, 4, 6]],
  ])('%s', (_what, values, times) => {
    const points = values.map((value, index) => [index + 1, value] as const)
    expect(reduced(points)).toEqual(points.filter(([atMs]) => times.includes(atMs)))
  })
})

describe('the line breaks half way between two columns', () => {
  const two = { count: 2, toMs: 100 }

  it('where a value is missing, however short the hole', () => {
    expect(
      reduced(
        [
          [40, 1],
          [50, Number.NaN],
          [60, 2],
        ],
        two,
      ),
    ).toEqual([
      [40, 1],
      [50, Number.NaN],
      [60, 2],
    ])
  })

  it.each([
    [20, [10, 30]],
    [19, [10, 20, 30]],
  ])('where a hole of 20 ms is longer than the %d that are bridged', (maxGapMs, times) => {
    const kept = reduced(
      [
        [10, 1],
        [30, 2],
      ],
      { count: 4, toMs: 80, maxGapMs },
    )
    expect(kept.map(([atMs]) => atMs)).toEqual(times)
  })

  it('but not where the missing value has others of its column on both sides, nor before the first', () => {
    const kept = reduced(
      [
        [5, Number.NaN],
        [10, 1],
        [20, Number.NaN],
        [30, 2],
        [60, 3],
      ],
      two,
    )
    expect(kept).toEqual([
      [10, 1],
      [30, 2],
      [60, 3],
    ])
  })
})

it('a hole is bridged by what the row before it says', () => {
  const kept = decimate(
    Float64Array.of(10, 30, 50),
    Float64Array.of(1, 2, 3),
    0,
    3,
    { fromMs: 0, toMs: 80, count: 8 },
    (place) => (place === 0 ? 20 : 19),
  )
  expect(Array.from(kept.atMs)).toEqual([10, 30, 40, 50])
  expect(Array.from(kept.value)).toEqual([1, 2, Number.NaN, 3])
})

it('only the rows that are asked for are gone through', () => {
  const [times, values] = [Float64Array.of(5, 15, 25, 35, 45), Float64Array.of(9, 1, 2, 3, 9)]
  const part = (start: number, end: number) => {
    const kept = decimate(times, values, start, end, { fromMs: 0, toMs: 50, count: 5 }, () => 100)
    expect(kept.value).toHaveLength(kept.atMs.length)
    return Array.from(kept.atMs)
  }
  expect(part(1, 4)).toEqual([15, 25, 35])
  expect([part(2, 2), part(3, 1)]).toEqual([[], []])
})
