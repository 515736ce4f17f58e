import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The tests that the mutation check runs against each change it makes to core. */
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: { environment: 'node', include: ['test/core/**/*.test.ts'] },
})
