import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { hero, startWatching, WAIT, type Stage } from '#test/e2e/stage.ts'
import { launchLightBrowser, LIMIT_MS } from '#test/support/launch-browser.ts'
import { attachToWorker } from '#test/support/raw-tab.ts'
import { keptSamples } from './shared-assertions.ts'

export type OwnScreen = {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
  /** Runs in the engine Worker. */
  readonly inEngine: (expression: string) => Promise<unknown>
  /** Puts the clocks of page and engine so far from the computer's. Timers ring when they would. */
  readonly shiftClocks: (byMs: { readonly wall: number; readonly steady: number }) => Promise<void>
}

const shifted = ({ wall, steady }: { readonly wall: number; readonly steady: number }): string => `{
  const real = globalThis.realClocks ??= { wall: Date.now.bind(Date), steady: performance.now.bind(performance) }
  Date.now = () => real.wall() + ${wall}
  performance.now = () => real.steady() + ${steady}
}`

/** A browser of its own, whose Workers nobody watches: they may end, and their clocks be set. On the first node's page. */
export async function openScreen(stage: Stage): Promise<OwnScreen> {
  const browser = await launchLightBrowser()
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  await startWatching(page, stage)
  const [node] = stage.nodes
  if (node === undefined) throw new Error('no node')
  await page.goto(stage.nodeUrl(node))
  await hero(page).getByText('Last answer').waitFor()
  await vi.waitFor(async () => expect(await keptSamples(page)).toBeGreaterThan(2), WAIT)
  // Only once it is needed: an engine to which something is attached outlives its last page.
  let engine: ReturnType<typeof attachToWorker> | undefined
  const inEngine = async (expression: string): Promise<unknown> => {
    engine ??= attachToWorker(browser, 'engine-worker', () => undefined)
    return (await engine).send('Runtime.evaluate', { expression })
  }
  return {
    browser,
    context,
    page,
    inEngine,
    shiftClocks: async (byMs) => {
      await Promise.all([inEngine(shifted(byMs)), page.evaluate(shifted(byMs))])
    },
  }
}

/** The list of alarms, and of what happened. */
export const alarmList = (page: Page): Locator => page.getByRole('grid', { name: /^Alarms/ })
export const journal = (page: Page): Locator => page.getByRole('grid', { name: /^Event/ })

export const goTo = (page: Page, stage: Stage, route: string): Promise<unknown> =>
  page.goto(`${stage.dashboard.dashboardUrl}#/${route}`)
