import { afterAll, afterEach, expect } from 'vitest'
import type { CspViolation } from '#test/support/csp.ts'
import { newViolations } from './policies.ts'

/** Set up for every file of end-to-end tests: a test fails when a page or Worker breaks its policy meanwhile. */
const broken: CspViolation[] = []

afterEach(async () => {
  const fresh = await newViolations()
  broken.push(...fresh)
  expect(fresh).toEqual([])
})

// Also what came while browsers were closed; and at a second try a test may not meet it again.
afterAll(async () => {
  broken.push(...(await newViolations()))
  expect(broken).toEqual([])
})
