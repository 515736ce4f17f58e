import { describe, expect, it } from 'vitest'
import { isMissed, median, rounded, table, type Figure } from './figure.ts'

const figure = (parts: Partial<Figure>): Figure => ({
  name: 'speed',
  unit: 'ms',
  ours: 2,
  rival: 200,
  rivalName: 'theirs',
  ratio: 100,
  limit: 80,
  direction: 'higher',
  ...parts,
})

describe('a figure', () => {
  it.each<[string, Partial<Figure>, boolean]>([
    ['ratio above its limit', {}, false],
    ['ratio at its limit', { ratio: 80 }, false],
    ['ratio below its limit', { ratio: 79.9 }, true],
    ['ratio that could not be measured', { ratio: Number.NaN }, true],
    ['no ratio', { ratio: null }, true],
    ['size below its limit', { direction: 'lower', ours: 79, ratio: 1 }, false],
    ['size at its limit', { direction: 'lower', ours: 80 }, false],
    ['size above its limit', { direction: 'lower', ours: 80.1 }, true],
    ['size that could not be measured', { direction: 'lower', ours: Number.NaN }, true],
    ['no limit', { limit: null, ratio: 0 }, false],
  ])('with %s: missed %s', (_name, parts, missed) => {
    expect(isMissed(figure(parts))).toBe(missed)
  })

  it('stands in the table with its verdict', () => {
    const lines = table([figure({}), figure({ name: 'size', ratio: 1 })]).split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/^speed .*2 ms .*200 \(theirs\) .*100 times .*at least 80 times .*ok$/)
    expect(lines[2]).toMatch(/^size .*MISSED$/)
  })
})

it.each<[readonly number[], number]>([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[7], 7],
  [[], Number.NaN],
])('the median of %j is %d', (values, middle) => {
  expect(median(values)).toBe(middle)
})

it('figures are rounded to four digits', () => {
  expect([rounded(108.8449), rounded(0.047_131), rounded(123_456)]).toEqual([108.8, 0.04713, 123_500])
})
