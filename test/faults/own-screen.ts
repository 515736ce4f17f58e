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
  /** Evaluates an expression in the engine Worker. */
  readonly inEngine: (expression: string) => Promise<unknown>
  /** Shifts the clocks of page and engine away from the computer's. Timers still fire at their real times. */
  readonly shiftClocks: (byMs: { readonly wall: number; readonly steady: number }) => Promise<void>
}

const shifted = ({ wall, steady }: { readonly wall: number; readonly steady: number }): string => `{
  const real = globalThis.realClocks ??= { wall: Date.now.bind(Date), steady: performance.now.bind(performance) }
  Date.now = () => real.wall() + ${wall}
  performance.now = () => real.steady() + ${steady}
}`

/** Opens the first node's page in a browser without a policy watch, so Workers can end and clocks can change. */
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
  // Attaches late, because an engine with a debugger outlives its last page.
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

/** The grid of the alarms page; `journal` is that of the journal. */
export const alarmList = (page: Page): Locator => page.getByRole('grid', { name: /^Alarms/ })
export const journal = (page: Page): Locator => page.getByRole('grid', { name: /^Event/ })

export const goTo = (page: Page, stage: Stage, route: string): Promise<unknown> =>
  page.goto(`${stage.dashboard.dashboardUrl}#/${route}`)
