import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchBrowser, launchLightBrowser, LIMIT_MS, sharedBrowser } from '#test/support/launch-browser.ts'
import { signerTriesIn, violationsIn } from './policies.ts'

type WatchedBrowser = {
  /** A page in a context of its own, or beside other pages in theirs: those share key and settings. */
  readonly openPage: (options?: OpenOptions) => Promise<Page>
  /** For tabs that are opened past it; these are not watched. */
  readonly itself: () => Browser
  /** The next complaints that fit are meant by the test; one that does not come fails it. */
  readonly expectComplaint: (fits: RegExp) => void
  /** How often signers tried to get out, and were stopped, so far. */
  readonly signerTries: () => Promise<number>
}

type OpenOptions = BrowserContextOptions & { readonly context?: BrowserContext }

const PICTURES = join(import.meta.dirname, '../../reports/e2e')

/** What the browser writes by itself: about every answer but a good one, and about plain http. */
const IS_BROWSERS_OWN = /^Failed to load resource|^The Cross-Origin-Opener-Policy header has been ignored/

/**
 * A browser for a file of tests. A test fails when a page complained or broke its policy
 * meanwhile; then a picture of each page that is open is kept in `reports/e2e`. What a test
 * opened is closed after it, and what was opened before all tests after all of them. With arguments, or
 * where a test sees into all of the browser (`own`) or needs what only the `whole` Chromium has, such as
 * notifications, it is one for this file alone.
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
    expect(said).toEqual([])
    expect(missing).toEqual([])
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
  await page.screenshot({ path: join(PICTURES, file) }).catch(() => undefined) // the page is going
}
