import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchBrowser, launchLightBrowser, LIMIT_MS, sharedBrowser } from '#test/support/launch-browser.ts'
import { signerTriesIn, violationsIn } from './policies.ts'

type WatchedBrowser = {
  /** Opens a page in a context of its own, or in a given one, where pages share key and settings. */
  readonly openPage: (options?: OpenOptions) => Promise<Page>
  /** The browser itself, for tabs that the watch should ignore. */
  readonly itself: () => Browser
  /** Expects matching complaints in this test. The test fails if none comes. */
  readonly expectComplaint: (fits: RegExp) => void
  /** The number of blocked connection attempts of signers so far. */
  readonly signerTries: () => Promise<number>
}

type OpenOptions = BrowserContextOptions & { readonly context?: BrowserContext }

const PICTURES = join(import.meta.dirname, '../../reports/e2e')

/** The browser's own messages, about failed requests and plain http. */
const IS_BROWSERS_OWN = /^Failed to load resource|^The Cross-Origin-Opener-Policy header has been ignored/

/**
 * A browser for a file of tests. A test fails if a page logs an error or violates its policy; then a screenshot of each
 * open page is saved in `reports/e2e`. Pages that a test opened close after it, those from before all tests after the
 * last one. Files share the browser unless they pass arguments, inspect the whole browser (`own`), or need features of
 * the full Chromium (`whole`) such as notifications.
 */
export function browserForTests(args: readonly string[] = [], needs?: 'own' | 'whole'): WatchedBrowser {
  const isShared = needs === undefined && args.length === 0
  let browser: Browser
  let complaints: string[] = []
  let expected: RegExp[] = []
  let isInTest = false
  const ofTest = new Set<BrowserContext>()
  const ofFile = new Set<BrowserContext>()

  beforeAll(async () => {
    if (isShared) browser = await sharedBrowser()
    else browser = await (needs === 'whole' ? launchBrowser : launchLightBrowser)(args)
  })
  beforeEach(() => {
    isInTest = true
  })
  afterEach(async ({ task }) => {
    isInTest = false
    const meant = expected
    const missing = meant.filter((fits) => !complaints.some((said) => fits.test(said)))
    const said = complaints.filter((line) => !meant.some((fits) => fits.test(line)))
    complaints = []
    expected = []
    const broken = await violationsIn(browser)
    const pages = browser.contexts().flatMap((context) => context.pages())
    if (task.result?.state === 'fail' || said.length + broken.length > 0)
      await Promise.all(pages.map((page, place) => takePicture(page, `${task.name} ${place}`)))
    await Promise.all(Array.from(ofTest, (context) => context.close()))
    ofTest.clear()
    expect(said.join('\n')).toBe('')
    expect(missing.join('\n')).toBe('')
  })
  afterAll(async () => {
    if (isShared) await Promise.all(Array.from(ofFile, (context) => context.close()))
    else await browser.close()
  })

  const openContext = async (options: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(LIMIT_MS)
    context.on('console', (message) => {
      if (message.type() === 'error' && !IS_BROWSERS_OWN.test(message.text())) complaints.push(message.text())
    })
    context.on('weberror', (error) => complaints.push(String(error.error())))
    const owned = isInTest ? ofTest : ofFile
    owned.add(context)
    return context
  }

  return {
    openPage: async ({ context, ...options } = {}) => (context ?? (await openContext(options))).newPage(),
    itself: () => browser,
    expectComplaint: (fits) => {
      expected.push(fits)
    },
    signerTries: () => signerTriesIn(browser),
  }
}

async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  const file = `${name.replaceAll(/[^\w-]+/g, '-').slice(0, 80)}.png`
  await page.screenshot({ path: join(PICTURES, file) }).catch(() => undefined) // The page may be closing.
}
