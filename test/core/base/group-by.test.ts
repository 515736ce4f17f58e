import { expect, it } from 'vitest'
import { groupBy } from '#base/group-by.ts'

it('items with one key are together, in the order in which keys and items come', () => {
  const groups = groupBy(['b1', 'a1', 'b2', 'c1', 'a2'], ([key]) => key)
  expect(Array.from(groups)).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1', 'a2']],
    ['c', ['c1']],
  ])
})
