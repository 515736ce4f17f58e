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
    { atMs: Float64Array.of(10, 30, 50), value: Float64Array.of(1, 2, 3) },
    { fromMs: 0, toMs: 80, count: 8 },
    (place) => (place === 0 ? 20 : 19),
  )
  expect(Array.from(kept.atMs)).toEqual([10, 30, 40, 50])
  expect(Array.from(kept.value)).toEqual([1, 2, Number.NaN, 3])
})

it('no rows give no points', () => {
  const none = { atMs: new Float64Array(), value: new Float64Array() }
  expect(decimate(none, { fromMs: 0, toMs: 50, count: 5 }, () => 100)).toEqual(none)
})
