import process from 'node:process'
import { defineConfig } from 'vitest/config'

// A test that takes a second alone takes many on two busy cores. These limits end a hang; no test waits for them.
const LIMITS = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 20_000, interval: 50 } },
}
const BROWSER_LIMITS = {
  // On a busy machine a browser can be starved for a minute. The summary lists tests that passed only when repeated.
  retry: 2,
  setupFiles: ['test/support/work-time.ts'],
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000, interval: 100 } },
}

/** Node 26 has its own `localStorage`, which hides the one of jsdom and is undefined without a file. */
const NO_WEB_STORAGE = '--no-experimental-webstorage'
const execArgv = process.allowedNodeEnvironmentFlags.has(NO_WEB_STORAGE) ? [NO_WEB_STORAGE] : []
/** Pages in jsdom become garbage quickly. A larger semi-space makes collecting them a fifth cheaper in CPU. */
const ROOM_FOR_PAGES = '--max-semi-space-size=64'

const OF_BUILD = { globalSetup: ['test/support/build-once.ts'] }
/** Each process loads modules and starts its browser once for all of its files. */
const SHARED = { ...OF_BUILD, isolate: false }
const WATCHED = { ...SHARED, setupFiles: ['test/support/work-time.ts', 'test/e2e/policy-watch.ts'] }

const browserTests = (name: string, include: string, more: object = {}) => ({
  test: { name, environment: 'node' as const, include: [include], ...BROWSER_LIMITS, ...more },
})

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
          // A hundred files load the same modules; loading them again for each file took half of the time.
          isolate: false,
          unstubGlobals: true,
        },
      },
      {
        test: {
          name: 'component',
          environment: 'jsdom',
          execArgv: [...execArgv, ROOM_FOR_PAGES],
          ...LIMITS,
          isolate: false,
          unstubGlobals: true,
          include: ['test/web/**/*.test.tsx'],
          setupFiles: ['test/support/work-time.ts', 'test/support/component-setup.ts'],
        },
      },
      {
        // Uses React's production build, which has no `act` and takes half the CPU.
        oxc: { jsx: { runtime: 'automatic', development: false } },
        test: {
          name: 'world',
          environment: 'jsdom',
          env: { NODE_ENV: 'production' },
          execArgv: [...execArgv, ROOM_FOR_PAGES],
          ...LIMITS,
          isolate: false,
          unstubGlobals: true,
          include: ['test/world/**/*.test.tsx'],
          setupFiles: ['test/support/work-time.ts', 'test/support/component-setup.ts'],
        },
      },
      browserTests('browser', 'test/browser/**/*.test.ts'),
      browserTests('built', 'test/built/**/*.test.ts', OF_BUILD),
      browserTests('e2e', 'test/e2e/**/*.test.ts', WATCHED),
      browserTests('faults', 'test/faults/*.test.ts', SHARED),
      browserTests('long', 'test/long/*.test.ts', WATCHED),
      browserTests('foreign', 'test/foreign/*.test.ts', WATCHED),
      browserTests('engines', 'test/engines/**/*.test.ts', OF_BUILD),
      browserTests('slow', 'test/slow/*.test.ts', WATCHED),
    ],
  },
})
