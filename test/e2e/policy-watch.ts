import { afterAll, afterEach, expect } from 'vitest'
import type { CspViolation } from '#test/support/csp.ts'
import { newViolations } from './policies.ts'

/** Runs for every file of end-to-end tests, and fails a test if a page or Worker violates its policy during it. */
const broken: CspViolation[] = []

/** As text, because a failed comparison of arrays does not print their elements. */
const listed = (violations: readonly CspViolation[]): string =>
  violations.map((one) => JSON.stringify(one)).join('\n')

afterEach(async () => {
  const fresh = await newViolations()
  broken.push(...fresh)
  expect(listed(fresh)).toBe('')
})

// Includes violations while browsers closed, and those that a retried test no longer meets.
afterAll(async () => {
  broken.push(...(await newViolations()))
  expect(listed(broken)).toBe('')
})
