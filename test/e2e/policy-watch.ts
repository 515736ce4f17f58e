import { afterAll, afterEach, expect } from 'vitest'
import type { CspViolation } from '#test/support/csp.ts'
import { newViolations } from './policies.ts'

/** Runs for every file of end-to-end tests, and fails a test if a page or Worker violates its policy during it. */
const broken: CspViolation[] = []

afterEach(async () => {
  const fresh = await newViolations()
  broken.push(...fresh)
  expect(fresh).toEqual([])
})

// Includes violations while browsers closed, and those that a retried test no longer meets.
afterAll(async () => {
  broken.push(...(await newViolations()))
  expect(broken).toEqual([])
})
