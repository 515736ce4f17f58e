import { expect, it } from 'vitest'
import { isSameCount } from '#fleet/network-metrics.ts'

it.each<[string, readonly [number, number], readonly [number, number], boolean]>([
  ['equal counts', [1_000, 1_000], [1_000, 1_000], true],
  ['1 % more', [1_000, 1_000], [1_010, 1_010], true],
  ['1 % less', [1_010, 1_010], [1_000, 1_000], true],
  ['over 1 % more', [1_000, 1_000], [1_011, 1_011], false],
  ['over 1 % less', [1_011, 1_011], [1_000, 1_000], false],
  ['overlapping ranges', [900, 1_000], [950, 1_100], true],
  ['separate ranges', [900, 950], [1_000, 1_100], false],
  ['separate ranges in reverse order', [1_000, 1_100], [900, 950], false],
])('two points may be of the same nodes: %s', (_, one, other, same) => {
  expect(isSameCount(one, other)).toBe(same)
})
