import { describe, expect, it } from 'vitest'
import { draw, drawBinomial, drawNormal, seedWords } from '#reference/random.ts'

const SEED = seedWords('dice')
const many = (count: number, roll: (i: number) => number): readonly number[] =>
  Array.from({ length: count }, (_, i) => roll(i))
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values)
  return meanOf(values.map((value) => (value - mean) ** 2))
}

describe('a draw', () => {
  it('is spread evenly from 0 to below 1', () => {
    const values = many(5_000, (i) => draw(SEED, i))
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...values)).toBeLessThan(1)
    expect(Math.abs(meanOf(values) - 0.5)).toBeLessThan(0.02)
    expect(Math.abs(varianceOf(values) - 1 / 12)).toBeLessThan(0.005)
    expect(new Set(values).size).toBe(5_000)
  })

  it('stays what it is to the last bit', () => {
    expect([draw(SEED), draw(SEED, 1), draw(SEED, 1, 2)]).toEqual([
      0.5669571820077655, 0.1808762518917295, 0.23363499153110212,
    ])
  })
})

describe('a normal draw', () => {
  it('has mean 0 and deviation 1', () => {
    const values = many(5_000, (i) => drawNormal(SEED, 7, i))
    expect(Math.abs(meanOf(values))).toBeLessThan(0.05)
    expect(Math.abs(varianceOf(values) - 1)).toBeLessThan(0.1)
    const within = values.filter((value) => Math.abs(value) < 1).length / values.length
    expect(Math.abs(within - 0.683)).toBeLessThan(0.03)
  })
})

describe('trials that succeed', () => {
  it.each([
    [10, 0.3],
    [16, 0.5],
    [17, 0.5],
    [400, 0.3],
  ])('are their share of %d at %d, spread as chance spreads them', (count, probability) => {
    const values = many(2_000, (i) => drawBinomial(SEED, count, probability, 3, i))
    expect(values.every((value) => Number.isInteger(value) && value >= 0 && value <= count)).toBe(true)
    expect(Math.abs(meanOf(values) / (count * probability) - 1)).toBeLessThan(0.03)
    expect(Math.abs(varianceOf(values) / (count * probability * (1 - probability)) - 1)).toBeLessThan(0.15)
  })
})
