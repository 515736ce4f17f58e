import { expect, it } from 'vitest'
import { unreachable } from '#base/result.ts'
import { err, ok } from '#base/result.ts'

it('a result holds a value or an error, and says which', () => {
  expect(ok(7)).toEqual({ ok: true, value: 7 })
  expect(err('too late')).toEqual({ ok: false, error: 'too late' })
})

it('a case that the types rule out throws and names itself', () => {
  // Through Reflect, because the compiler lets nobody write this call.
  expect(() => Reflect.apply(unreachable, undefined, ['seventh'])).toThrow('unreachable: seventh')
})
