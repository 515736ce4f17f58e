import * as v from 'valibot'
import { expect, it } from 'vitest'
import { readStored } from '#base/stored.ts'

it('A value that does not match is read only up to its first problem', () => {
  let read = 0
  const Never = v.custom(() => {
    read += 1
    return false
  })
  expect(readStored(v.array(Never), Array.from({ length: 100_000 }))).toBeUndefined()
  expect(read).toBe(1)
})
