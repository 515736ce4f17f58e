import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// A browser start on two busy cores takes seconds. These limits end a hang, they are no waiting time.
const BROWSER_LIMITS = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          include: [
            'test/*.test.ts',
            'test/{core,node,contract,runner,support,bench}/**/*.test.ts',
            'test/web/**/*.test.ts',
          ],
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'component',
          environment: 'jsdom',
          include: ['test/web/**/*.test.tsx'],
          setupFiles: ['test/support/component-setup.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          environment: 'node',
          include: ['test/browser/**/*.test.ts'],
          ...BROWSER_LIMITS,
        },
      },
      {
        test: {
          name: 'built',
          environment: 'node',
          include: ['test/built/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          environment: 'node',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          expect: { poll: { timeout: 20_000, interval: 50 } },
          ...BROWSER_LIMITS,
        },
      },
    ],
  },
})
