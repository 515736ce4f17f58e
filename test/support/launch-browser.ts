import process from 'node:process'
import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { findBrowser, findLightBrowser } from './find-browser.ts'
import { ownerCookies } from './launch-app.ts'

/** Without these Chromium looks for updates and its maker's hosts, which closed networks refuse many times a second. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Ends a wait for what does not come; a busy machine takes many seconds for what does. */
export const LIMIT_MS = 60_000

let workAfterLaunch: (browser: Browser) => Promise<void> = async () => undefined

/** Done with each browser that is made from now on, before whoever wanted it has it. */
export function afterLaunch(work: (browser: Browser) => Promise<void>): void {
  workAfterLaunch = work
}

async function launched(browser: Browser): Promise<Browser> {
  await workAfterLaunch(browser)
  const open = browser.newContext.bind(browser)
  // As a browser that opened each dashboard by the address that it printed.
  browser.newContext = async (contextOptions) => withOwner(await open(contextOptions))
  return browser
}

async function withOwner(context: BrowserContext): Promise<BrowserContext> {
  await context.addCookies(ownerCookies)
  return context
}

/** A headless Chromium of its own, with an empty profile. `args` come after the usual ones. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return launched(await chromium.launch(options(findBrowser(), args)))
}

/** The same for what a page does, and not what is around it: half of the work, where the headless shell is there. */
export async function launchLightBrowser(args: readonly string[] = []): Promise<Browser> {
  return launched(await chromium.launch(options(findLightBrowser() ?? findBrowser(), args)))
}

let shared: Promise<Browser> | undefined

/**
 * The light browser that all files share which this process runs one after the other: each has contexts of its own in it,
 * and closes them. It ends with the process.
 */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await shared
  if (browser?.isConnected() === true) return browser
  shared = launchLightBrowser()
  return shared
}

/** A whole Chromium with a profile folder that stays: what a restart of the browser leaves. */
export async function launchProfile(folder: string, args: readonly string[] = []): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(folder, options(findBrowser(), args))
  context.setDefaultTimeout(LIMIT_MS)
  const browser = context.browser()
  if (browser === null) throw new Error('A profile without its browser can’t be watched.')
  await launched(browser)
  return withOwner(context)
}

function options(executablePath: string | undefined, args: readonly string[]) {
  if (executablePath === undefined)
    throw new Error('No Chromium found: install it or set CHROMIUM_PATH to its program file.')
  // Chromium's own sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return { executablePath, headless: true, args: [...QUIET, ...sandbox, ...args] }
}
