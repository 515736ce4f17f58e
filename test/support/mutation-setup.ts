import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeEach } from 'vitest'
import { SLOW_TESTS } from './slow-tests.ts'

/**
 * A property that fails needs no shrinking here, and the same values each time make a survivor
 * of one run a survivor of the next.
 */
fc.configureGlobal({ numRuns: 30, seed: 1, endOnFailure: true })

/** Left out for each of thousands of changes; those beside them find nearly all of the same. */
const slow = new Set<string>(existsSync(SLOW_TESTS) ? JSON.parse(readFileSync(SLOW_TESTS, 'utf8')) : [])

beforeEach(({ task, skip }) => {
  skip(slow.has(task.id))
})
