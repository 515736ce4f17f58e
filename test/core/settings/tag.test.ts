import { expect, it } from 'vitest'
import { parseTag } from '#record/typed-names.ts'

it.each([
  ['eu', 'eu'],
  ['#EU', 'eu'],
  [' gold-2 ', 'gold-2'],
  ['großstadt', 'großstadt'],
  ['region:eu/1', 'region:eu/1'],
  ['x'.repeat(32), 'x'.repeat(32)],
  ['x'.repeat(33), undefined],
  ['', undefined],
  ['#', undefined],
  ['1st', undefined],
  ['a b', undefined],
  ['a,b', undefined],
  ['a;b', undefined],
  ['a|b', undefined],
  ['a#b', undefined],
  ['a"b', undefined],
])('%j is the tag %j', (text, tag) => {
  expect(parseTag(text)).toBe(tag)
})
