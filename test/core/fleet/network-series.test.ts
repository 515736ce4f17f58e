import { expect, it } from 'vitest'
import { isSameCount, NETWORK_MS } from '#fleet/network-metrics.ts'

it('the network is remembered for a day', () => {
  expect(NETWORK_MS).toBe(86_400_000)
})

it.each<[string, readonly [number, number], readonly [number, number], boolean]>([
  ['as many', [1_000, 1_000], [1_000, 1_000], true],
  ['one in a hundred more', [1_000, 1_000], [1_010, 1_010], true],
  ['one in a hundred less', [1_010, 1_010], [1_000, 1_000], true],
  ['more than that', [1_000, 1_000], [1_011, 1_011], false],
  ['less than that', [1_011, 1_011], [1_000, 1_000], false],
  ['ranges that overlap', [900, 1_000], [950, 1_100], true],
  ['ranges that lie apart', [900, 950], [1_000, 1_100], false],
  ['ranges that lie apart the other way', [1_000, 1_100], [900, 950], false],
])('two points may be of the same nodes: %s', (_, one, other, same) => {
  expect(isSameCount(one, other)).toBe(same)
})
