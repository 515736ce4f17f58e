import process from 'node:process'
import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { findBrowser } from './find-browser.ts'

/** Without these Chromium looks for updates and its maker's hosts, which closed networks refuse many times a second. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A headless Chromium of its own, with an empty profile. `args` come after the usual ones. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch(options(args))
}

/** The same with a profile folder that stays: what a restart of the browser leaves. */
export async function launchProfile(folder: string, args: readonly string[] = []): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, options(args))
}

function options(args: readonly string[]) {
  const executablePath = findBrowser()
  if (executablePath === undefined)
    throw new Error('No Chromium found: install it or set CHROMIUM_PATH to its program file.')
  // Chromium's own sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return { executablePath, headless: true, args: [...QUIET, ...sandbox, ...args] }
}
