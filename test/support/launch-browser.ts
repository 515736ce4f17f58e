import process from 'node:process'
import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { findBrowser, findLightBrowser } from './find-browser.ts'
import { ownerCookies } from './launch-app.ts'

/** Without these flags Chromium keeps contacting Google's hosts, even where a closed network refuses it. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Ends a wait for something that never happens; on a busy machine the real thing can take many seconds. */
export const LIMIT_MS = 60_000

let workAfterLaunch: (browser: Browser) => Promise<void> = async () => undefined

/** Registers work to do with each new browser before its test gets it. */
export function afterLaunch(work: (browser: Browser) => Promise<void>): void {
  workAfterLaunch = work
}

async function launched(browser: Browser): Promise<Browser> {
  await workAfterLaunch(browser)
  const open = browser.newContext.bind(browser)
  // Signs in like a browser that opened each dashboard by its printed address.
  browser.newContext = async (contextOptions) => withOwner(await open(contextOptions))
  return browser
}

async function withOwner(context: BrowserContext): Promise<BrowserContext> {
  await context.addCookies(ownerCookies)
  return context
}

/** A separate headless Chromium with an empty profile. `args` are added after the default ones. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return launched(await chromium.launch(options(findBrowser(), args)))
}

/** Like `launchBrowser`, for tests that need only page content: half the work if the headless shell is installed. */
export async function launchLightBrowser(args: readonly string[] = []): Promise<Browser> {
  return launched(await chromium.launch(options(findLightBrowser() ?? findBrowser(), args)))
}

let shared: Promise<Browser> | undefined

/**
 * The light browser that all test files of this process share. The files run one after another; each opens and closes
 * contexts of its own. The browser ends with the process.
 */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await shared
  if (browser?.isConnected() === true) return browser
  shared = launchLightBrowser()
  return shared
}

/** A full Chromium with a persistent profile folder, for tests that restart the browser. */
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
  // Chromium's own sandbox does not start as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return { executablePath, headless: true, args: [...QUIET, ...sandbox, ...args] }
}
