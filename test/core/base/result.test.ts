import { expect, it } from 'vitest'
import { unreachable } from '#base/result.ts'

it('a case that the types rule out throws and names itself', () => {
  // Through Reflect, because the compiler rejects a direct call.
  expect(() => Reflect.apply(unreachable, undefined, ['seventh'])).toThrow('unreachable: seventh')
})
