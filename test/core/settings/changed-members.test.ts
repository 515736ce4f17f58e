import { expect, it } from 'vitest'
import { changedMembers } from '#settings/settings-changes.ts'

it.each([
  ['nothing', { a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 2 }] }, []],
  ['a member', { a: 1, b: 2 }, { a: 1, b: 3 }, ['b']],
  ['one that came, and one that went', { a: 1 }, { b: 1 }, ['a', 'b']],
  [
    'one inside another',
    { d: { zone: 'utc', theme: 'x' } },
    { d: { zone: 'local', theme: 'x' } },
    ['d.zone'],
  ],
  ['one inside a list', { s: [{ v: 1 }, { v: 2 }] }, { s: [{ v: 1 }, { v: 3 }] }, ['s[1].v']],
  ['a longer list', { s: [1] }, { s: [1, 2] }, ['s']],
  ['what lies deep', { a: { b: { c: { d: 1 } } } }, { a: { b: { c: { d: 2 } } } }, ['a.b.c']],
  ['a deep list', { a: { b: { c: [1] } } }, { a: { b: { c: [2] } } }, ['a.b.c']],
  ['a deep list that is the same', { a: { b: { c: [1] } } }, { a: { b: { c: [1] } } }, []],
  ['an object for a list', { a: [] }, { a: {} }, ['a']],
  ['null', { a: null }, { a: { b: 1 } }, ['a']],
])('%s', (_what, before, after, names) => {
  expect(changedMembers(before, after)).toEqual({ names, count: names.length })
})

it('names 24 members at most, and counts all', () => {
  const before = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`m${n}`, 0]))
  const { names, count } = changedMembers(before, {})
  expect(names).toHaveLength(24)
  expect(count).toBe(30)
})
