import type { Browser } from 'playwright-core'
import { watchCsp, type CspViolation, type CspWatch } from '#test/support/csp.ts'
import { afterLaunch } from '#test/support/launch-browser.ts'

/** All browsers of this process, which serve many files. `told` counts the violations reported so far. */
const watches = new Map<Browser, { readonly watch: CspWatch; told: number }>()

afterLaunch(async (browser) => {
  watches.set(browser, { watch: await watchCsp(browser), told: 0 })
})

/** The signer's own attempt at its start, which checks that its policy holds. */
const isSignersOwn = ({ in: kind, path }: CspViolation): boolean =>
  kind !== 'page' && /\/assets\/signer-worker-[\w-]+\.js$/.test(path)

const all = async (browser: Browser): Promise<readonly CspViolation[]> =>
  (await watches.get(browser)?.watch.violations()) ?? []

/** The number of blocked connection attempts of signers in a browser so far. */
export const signerTriesIn = async (browser: Browser): Promise<number> =>
  (await all(browser)).filter(isSignersOwn).length

/** All violations so far, except the signer's own. */
export const violationsIn = async (browser: Browser): Promise<readonly CspViolation[]> =>
  (await all(browser)).filter((one) => !isSignersOwn(one))

/** Violations in any browser since the previous call. */
export async function newViolations(): Promise<readonly CspViolation[]> {
  const found = Array.from(watches, async ([browser, watched]) => {
    const broken = await violationsIn(browser)
    const fresh = broken.slice(watched.told)
    watched.told = broken.length
    if (!browser.isConnected()) watches.delete(browser)
    return fresh
  })
  return (await Promise.all(found)).flat()
}
