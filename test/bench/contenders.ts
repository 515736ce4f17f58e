import type { BrowserContext, Page } from 'playwright-core'
import { createReferenceService, type ReferenceService } from '#reference/reference-service.ts'
import { parseProfile } from '#settings/documents.ts'
import { setStage, startWatching, type Stage } from '#test/e2e/stage.ts'
import buildOnce from '#test/support/build-once.ts'
import { launchBrowser } from '#test/support/launch-browser.ts'
import { serveBenchPage } from './bench-page.ts'
import type { NaiveFleet } from './fleet-page/naive-fleet.tsx'

export const INTERVAL_MS = 10_000

/** A page that watches the fleet: the product's, or a naive one. */
export type Contender = {
  readonly open: () => Promise<Page>
  /** Number of requests that its service has answered. */
  readonly answered: () => number
}

/** A service with the product's dashboard, and another service with the page that queries it once per row. */
export type Services = {
  readonly stage: Stage
  readonly productAnswered: () => number
  readonly naiveUrl: string
  readonly naiveAnswered: () => number
  readonly naiveIds: readonly string[]
  readonly close: () => Promise<void>
}

/** An unsigned profile for the naive page. The service needs a token, which the page's server adds. */
const TOKEN_PROFILE = {
  message: { kind: 'none', token: 'operator-typed' },
  headers: { Authorization: 'Bearer {token}' },
}
const TOKEN = 'token-of-the-bench'

export async function openServices(nodes: number): Promise<Services> {
  buildOnce()
  const stage = await setStage({ nodes, service: { label: 'Bench', pollIntervalMs: INTERVAL_MS } })
  const profile = parseProfile(TOKEN_PROFILE)
  if (!profile.ok) throw new Error('the profile does not parse')
  const named = { name: 'token', profile: profile.value }
  const reference = createReferenceService({ nodes, profile: named, token: TOKEN })
  const { baseUrl } = await reference.listen()
  const served = await serveBenchPage('fleet-page', {
    baseUrl,
    headers: { Authorization: `Bearer ${TOKEN}` },
  })
  const answeredBy = ({ stats }: ReferenceService) => stats().byStatus['200'] ?? 0
  return {
    stage,
    productAnswered: () => answeredBy(stage.reference),
    naiveUrl: served.url,
    naiveAnswered: () => answeredBy(reference),
    naiveIds: Array.from({ length: nodes }, (_, index) => reference.network.idOf(index)),
    close: async () => {
      await Promise.all([stage.stop(), served.close(), reference.close()])
    },
  }
}

export const naiveFleetOf = ({ naiveIds }: Services, signs: boolean): NaiveFleet => ({
  ids: naiveIds,
  intervalMs: INTERVAL_MS,
  signs,
})

type Contenders = { readonly product: Contender; readonly naive: Contender; readonly naiveSigned: Contender }

/** Each contender has its own browser and its own service. Only one is open at a time. */
export async function withContenders(
  nodes: number,
  measure: (all: Contenders) => Promise<void>,
): Promise<void> {
  const services = await openServices(nodes)
  const [own, naive] = [await newContext(), await newContext()]
  try {
    const product = await openProduct(services, own)
    await measure({
      product,
      naive: naiveOf(services, naive, false),
      naiveSigned: naiveOf(services, naive, true),
    })
  } finally {
    await Promise.all([own.browser()?.close(), naive.browser()?.close()])
    await services.close()
  }
}

async function openProduct(
  { stage, productAnswered }: Services,
  context: BrowserContext,
): Promise<Contender> {
  const openTable = async (): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    return page
  }
  const first = await context.newPage()
  await startWatching(first, stage)
  await first.close()
  // Stores the fleet in the browser, so that later pages start with it.
  await (await openTable()).close()
  return { open: openTable, answered: productAnswered }
}

const naiveOf = (services: Services, context: BrowserContext, signs: boolean): Contender => ({
  open: async () => {
    const page = await context.newPage()
    await page.addInitScript(
      (fleet) => {
        globalThis.naiveFleet = fleet
      },
      naiveFleetOf(services, signs),
    )
    await page.goto(services.naiveUrl)
    return page
  },
  answered: services.naiveAnswered,
})

async function newContext(): Promise<BrowserContext> {
  const browser = await launchBrowser()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(120_000)
  await context.addInitScript(watchPage)
  return context
}

declare global {
  /** Duration of each task longer than 50 ms. */
  var benchTasks: number[]
  /** How long each key press, click and turn of the wheel waited for the main thread. */
  var benchDelays: number[]
  /** Time from navigation until a row first showed a value. */
  var benchFirstRow: number | undefined
}

/** Runs before any script of the page. */
function watchPage(): void {
  globalThis.benchTasks = []
  globalThis.benchDelays = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.benchTasks.push(duration)
  }).observe({ type: 'longtask' })
  const note = (event: Event): void => {
    globalThis.benchDelays.push(performance.now() - event.timeStamp)
  }
  for (const type of ['keydown', 'pointerdown', 'wheel'])
    window.addEventListener(type, note, { capture: true, passive: true })
  const look = (): void => {
    // The first row may be a heading, which has no value.
    const values = document.querySelectorAll('[aria-rowindex] .value, tbody tr .value')
    const isThere = Array.from(values).some(({ textContent }) => /\d/.test(textContent ?? ''))
    if (isThere) globalThis.benchFirstRow = performance.now()
    else requestAnimationFrame(look)
  }
  look()
}
