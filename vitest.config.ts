import process from 'node:process'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// What takes a second alone takes many on two busy cores. These limits end a hang, they are no waiting time.
const LIMITS = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 20_000, interval: 50 } },
}
const BROWSER_LIMITS = {
  // A browser on a busy machine can be starved for a minute. What passes at a later try only is named above the sum.
  retry: 2,
  setupFiles: ['test/support/work-time.ts'],
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000, interval: 100 } },
}

/** Node 26 has a `localStorage` of its own, without a file an undefined one, which hides that of jsdom. */
const NO_WEB_STORAGE = '--no-experimental-webstorage'
const execArgv = process.allowedNodeEnvironmentFlags.has(NO_WEB_STORAGE) ? [NO_WEB_STORAGE] : []

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          execArgv,
          ...LIMITS,
          include: [
            'test/*.test.ts',
            'test/{core,node,contract,fuzz,runner,soak,support,bench}/**/*.test.ts',
            'test/web/**/*.test.ts',
          ],
          setupFiles: ['test/support/work-time.ts'],
          // A hundred files that load the same modules: half of the time went into loading them anew for each.
          isolate: false,
          unstubGlobals: true,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'component',
          environment: 'jsdom',
          execArgv,
          ...LIMITS,
          isolate: false,
          unstubGlobals: true,
          include: ['test/web/**/*.test.tsx'],
          setupFiles: ['test/support/work-time.ts', 'test/support/component-setup.ts'],
        },
      },
      {
        // The React that ships, which has no `act` and takes half the CPU.
        oxc: { jsx: { runtime: 'automatic', development: false } },
        test: {
          name: 'world',
          environment: 'jsdom',
          env: { NODE_ENV: 'production' },
          execArgv,
          ...LIMITS,
          isolate: false,
          unstubGlobals: true,
          include: ['test/world/**/*.test.tsx'],
          setupFiles: ['test/support/work-time.ts', 'test/support/component-setup.ts'],
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
          ...BROWSER_LIMITS,
          include: ['test/built/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          environment: 'node',
          // What loads once serves all files of a process, as its browser does.
          isolate: false,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...BROWSER_LIMITS,
          setupFiles: ['test/support/work-time.ts', 'test/e2e/policy-watch.ts'],
        },
      },
      {
        test: {
          name: 'faults',
          environment: 'node',
          isolate: false,
          include: ['test/faults/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...BROWSER_LIMITS,
        },
      },
      {
        test: {
          name: 'long',
          environment: 'node',
          isolate: false,
          include: ['test/long/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...BROWSER_LIMITS,
          setupFiles: ['test/support/work-time.ts', 'test/e2e/policy-watch.ts'],
        },
      },
      {
        test: {
          name: 'foreign',
          environment: 'node',
          isolate: false,
          include: ['test/foreign/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...BROWSER_LIMITS,
          setupFiles: ['test/support/work-time.ts', 'test/e2e/policy-watch.ts'],
        },
      },
      {
        test: {
          name: 'engines',
          environment: 'node',
          include: ['test/engines/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...BROWSER_LIMITS,
        },
      },
      {
        test: {
          name: 'slow-faults',
          environment: 'node',
          include: ['test/faults/slow/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...BROWSER_LIMITS,
        },
      },
    ],
  },
})
