import type { Browser } from 'playwright-core'
import { watchCsp, type CspViolation, type CspWatch } from '#test/support/csp.ts'
import { afterLaunch } from '#test/support/launch-browser.ts'

/** Every browser of this process, whichever way a test has it made; one serves many files. `told`: how many were asked for. */
const watches = new Map<Browser, { readonly watch: CspWatch; told: number }>()

afterLaunch(async (browser) => {
  watches.set(browser, { watch: await watchCsp(browser), told: 0 })
})

/** What the signer does at its start to see that its policy holds. */
const isSignersOwn = ({ in: kind, path }: CspViolation): boolean =>
  kind !== 'page' && /\/assets\/signer-worker-[\w-]+\.js$/.test(path)

const all = async (browser: Browser): Promise<readonly CspViolation[]> =>
  (await watches.get(browser)?.watch.violations()) ?? []

/** How often signers in a browser tried to get out, and were stopped, so far. */
export const signerTriesIn = async (browser: Browser): Promise<number> =>
  (await all(browser)).filter(isSignersOwn).length

/** Every violation so far but those that the signer means. */
export const violationsIn = async (browser: Browser): Promise<readonly CspViolation[]> =>
  (await all(browser)).filter((one) => !isSignersOwn(one))

/** Those in any browser that came since this was asked last. */
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
