import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Which tests of core, e.g. "history/*"; a part of core needs no more than its own tests. */
const tests = process.env['MUTATION_TESTS'] ?? '**/*'

/** The tests that the mutation check runs against each change it makes to core. */
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    environment: 'node',
    include: [`test/core/${tests}.test.ts`],
    // It takes seconds, for each of thousands of changes, and smaller fleets find the same.
    exclude: ['test/core/monitor/largest-fleet.test.ts'],
    setupFiles: ['test/support/mutation-setup.ts'],
    // Changes that make a test hang are ended by Stryker; a busy machine is no reason for a test to fail.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
