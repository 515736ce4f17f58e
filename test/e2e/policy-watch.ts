import type { Browser } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { watchCsp, type CspViolation, type CspWatch } from '#test/support/csp.ts'
import { afterLaunch } from '#test/support/launch-browser.ts'

/**
 * Set up for every file of end-to-end tests: whichever way a test has its browser made, it fails when
 * a page or Worker in there breaks its policy.
 */
const watches = new Map<Browser, CspWatch>()
let told = 0

afterLaunch(async (browser) => {
  watches.set(browser, await watchCsp(browser))
})

/** What the signer does at its start to see that its policy holds. */
const isSignersOwn = ({ in: kind, path }: CspViolation): boolean =>
  kind !== 'page' && /^\/assets\/signer-worker-[\w-]+\.js$/.test(path)

const all = async (browsers: readonly Browser[]): Promise<readonly CspViolation[]> =>
  (
    await Promise.all(browsers.map(async (browser) => (await watches.get(browser)?.violations()) ?? []))
  ).flat()

/** How often signers in a browser tried to get out, and were stopped, so far. */
export const signerTriesIn = async (browser: Browser): Promise<number> =>
  (await all([browser])).filter(isSignersOwn).length

/** Every violation so far but those that the signer means. */
export const violationsIn = async (browser: Browser): Promise<readonly CspViolation[]> =>
  (await all([browser])).filter((one) => !isSignersOwn(one))

async function expectNoMore(): Promise<void> {
  const broken = (await all(Array.from(watches.keys()))).filter((one) => !isSignersOwn(one))
  const before = told
  told = broken.length
  expect(broken.slice(before)).toEqual([])
}

afterEach(expectNoMore)
// What came while the file's browsers were closed.
afterAll(expectNoMore)
