import { join } from 'node:path'
import process from 'node:process'
import { defineConfig } from 'vitest/config'

/** The tests that the mutation check runs against each change it makes: a folder needs no more than its own. */
const tests = process.env['MUTATION_TESTS'] ?? 'test/core/**/*.test.ts'

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    environment: 'node',
    include: [tests],
    // It takes seconds, for each of thousands of changes, and smaller fleets find the same.
    exclude: ['test/core/monitor/largest-fleet.test.ts'],
    setupFiles: ['test/support/mutation-setup.ts'],
    // Changes that make a test hang are ended by Stryker; a busy machine is no reason for a test to fail.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
