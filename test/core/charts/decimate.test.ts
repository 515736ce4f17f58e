import { expect, it } from 'vitest'
import { columnOf, decimate } from '#charts/decimate.ts'

it.each([
  [1_000, 0],
  [1_009, 0],
  [1_010, 1],
  [1_055, 5],
  [1_099, 9],
  [1_100, 9],
])('the pixel column of a time %d ms, of ten between 1,000 and 1,100, is %d', (atMs, column) => {
  expect(columnOf({ fromMs: 1_000, toMs: 1_100, count: 10 }, atMs)).toBe(column)
})

it('the row before a gap decides whether the line bridges it', () => {
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

it('only the requested rows are decimated', () => {
  const [times, values] = [Float64Array.of(5, 15, 25, 35, 45), Float64Array.of(9, 1, 2, 3, 9)]
  const part = (start: number, end: number) => {
    const kept = decimate(times, values, start, end, { fromMs: 0, toMs: 50, count: 5 }, () => 100)
    expect(kept.value).toHaveLength(kept.atMs.length)
    return Array.from(kept.atMs)
  }
  expect(part(1, 4)).toEqual([15, 25, 35])
  expect([part(2, 2), part(3, 1)]).toEqual([[], []])
})
