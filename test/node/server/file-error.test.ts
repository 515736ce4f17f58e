import { expect, it } from 'vitest'
import { unreadable } from '#server/file-error.ts'

it.each([
  ['ENOENT', 'does not exist.'],
  ['EACCES', 'may not be read by this user.'],
  ['EPERM', 'may not be read by this user.'],
  ['EISDIR', 'can not be read (EISDIR).'],
])('a file that fails to be read with %s %s', (code, words) =>
  expect(unreadable(Object.assign(new Error('x'), { code }))).toBe(words),
)

it('a file that fails to be read without a code can not be read', () => {
  for (const error of [new Error('x'), 'x', undefined])
    expect(unreadable(error)).toBe('can not be read (unknown).')
})
