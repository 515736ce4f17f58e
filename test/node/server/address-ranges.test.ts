import { expect, it } from 'vitest'

it('the server can start with the ranges of its address guard', async () => {
  // Loaded in the test itself: a range that is none would end it before any test.
  const { isInReach } = await import('#server/address-guard.ts')
  expect(isInReach('127.0.0.1', 'public')).toBe(false)
})
