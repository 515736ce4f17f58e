import { expect, it } from 'vitest'
import { formatCharted } from '#texts/format-charted.ts'

it.each([
  [0, '0'],
  [1_204_882, '1,204,882'],
  [1_250_000.25, '1,250,000.25'],
  [0.1, '0.1'],
  [-3.5, '-3.5'],
  [2 ** 53 - 1, '9,007,199,254,740,991'],
  [2 ** 53, 'about 9,007,199,254,740,990'],
  [1e21, 'about 1,000,000,000,000,000,000,000'],
  [1 / 3, 'about 0.333333333333333'],
  [Number.NaN, '–'],
  [Number.POSITIVE_INFINITY, '–'],
])('a charted %d is told as %s', (value, told) => {
  expect(formatCharted(value)).toBe(told)
})
