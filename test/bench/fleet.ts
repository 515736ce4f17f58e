import type { BrowserContext, Page } from 'playwright-core'
import { createReferenceService } from '#reference/reference-service.ts'
import { parseProfile } from '#settings/documents.ts'
import { setStage, startWatching } from '#test/e2e/stage.ts'
import buildOnce from '#test/support/build-once.ts'
import { launchBrowser } from '#test/support/launch-browser.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { metricsOf, serveBenchPage } from './bench-page.ts'
import { median, rounded, type Figure } from './figure.ts'
import type { NaiveFleet } from './fleet-page/naive-fleet.tsx'

type Say = (line: string) => void

const INTERVAL_MS = 10_000
/** What is measured, after a whole first round. */
const WINDOW_MS = 10_000
const WARM_UP_MS = INTERVAL_MS + 2_000

const UNSIGNED = 'a query per row, no signature'
const SIGNED = 'a query per row, signed with tweetnacl'

/** One page that watches the fleet: ours, or a naive one. */
type Contender = {
  readonly open: () => Promise<Page>
  /** Requests that its service answered so far. */
  readonly answered: () => number
  readonly close: () => Promise<void>
}

/** 1,000 nodes every 10 s: what the page's main thread has to do for it. */
export async function measureFleet(say: Say): Promise<readonly Figure[]> {
  const ours: Window[] = []
  const unsigned: Window[] = []
  const signed: Window[] = []
  await withContenders(1_000, async ({ product, naive, naiveSigned }) => {
    for (let round = 0; round < 2; round++) {
      ours.push(await windowOf(product))
      unsigned.push(await windowOf(naive))
      signed.push(await windowOf(naiveSigned))
    }
  })
  const of = (windows: readonly Window[], what: (window: Window) => number) => median(windows.map(what))
  for (const [name, windows] of Object.entries({ ours, unsigned, signed }))
    say(
      `fleet of 1,000, ${name}: ${rounded(of(windows, ({ cpuMs }) => cpuMs))} ms of main thread per 10 s, ` +
        `${rounded(of(windows, perSecond))} answers a second, longest task ${rounded(of(windows, ({ longestMs }) => longestMs))} ms, ` +
        `heap ${rounded(of(windows, ({ heapMb }) => heapMb))} MB, ${of(windows, ({ domNodes }) => domNodes)} DOM nodes`,
    )
  const perRequest = (rival: readonly Window[], rivalName: string, name: string, limit: number): Figure => ({
    name,
    unit: 'ms of main-thread CPU per request',
    ours: rounded(of(ours, cpuPerRequest)),
    rival: rounded(of(rival, cpuPerRequest)),
    rivalName,
    ratio: rounded(of(rival, cpuPerRequest) / of(ours, cpuPerRequest)),
    limit,
    direction: 'higher',
  })
  const lower = (
    name: string,
    unit: string,
    what: (window: Window) => number,
    limit: number | null,
  ): Figure => ({
    name,
    unit,
    ours: rounded(of(ours, what)),
    rival: rounded(of(unsigned, what)),
    rivalName: UNSIGNED,
    ratio: of(ours, what) === 0 ? null : rounded(of(unsigned, what) / of(ours, what)),
    limit,
    direction: 'lower',
  })
  return [
    lower('fleet-1000-main-cpu', 'ms of main-thread CPU per 10 s', ({ cpuMs }) => cpuMs, 250),
    perRequest(unsigned, UNSIGNED, 'fleet-1000-main-cpu-per-request', 6),
    perRequest(signed, SIGNED, 'fleet-1000-main-cpu-per-request-signed', 18),
    lower('fleet-1000-longest-task', 'ms', ({ longestMs }) => longestMs, null),
    lower('fleet-1000-heap', 'MB', ({ heapMb }) => heapMb, 15),
  ]
}

/** 5,000 nodes every 10 s: how many are asked, and whether the page can be worked meanwhile. */
export async function measureLargeFleet(say: Say): Promise<readonly Figure[]> {
  const rates = { ours: Number.NaN, naive: Number.NaN, naiveSigned: Number.NaN }
  const delays = { ours: Number.NaN, naive: Number.NaN }
  const rows = { ours: [] as number[], naive: [] as number[] }
  const rateOf = async (page: Page, { answered }: Contender): Promise<number> => {
    await page.waitForTimeout(WARM_UP_MS)
    const before = answered()
    await page.waitForTimeout(WINDOW_MS)
    return ((answered() - before) * 1_000) / WINDOW_MS
  }
  await withContenders(5_000, async ({ product, naive, naiveSigned }) => {
    const signing = await naiveSigned.open()
    rates.naiveSigned = await rateOf(signing, naiveSigned)
    await signing.close()
    for (const [name, contender] of [
      ['ours', product],
      ['naive', naive],
    ] as const) {
      const page = await contender.open()
      rates[name] = await rateOf(page, contender)
      delays[name] = await inputDelayMs(page)
      for (let reload = 0; reload < 3; reload++) rows[name].push(await firstRowsMs(page))
      await page.close()
    }
  })
  say(
    `fleet of 5,000: first rows after ${rows.ours.map(rounded).join(', ')} ms, naive ${rows.naive.map(rounded).join(', ')}`,
  )
  // No more than 500 a second are asked for, which bounds what can be reached.
  const rate = (name: string, rival: number, rivalName: string, least: number | null): Figure => ({
    name,
    unit: 'answers a second',
    ours: rounded(rates.ours),
    rival: rounded(rival),
    rivalName,
    ratio: rounded(rates.ours / rival),
    limit: least,
    direction: 'higher',
  })
  const [oursFirst, naiveFirst] = [median(rows.ours), median(rows.naive)]
  return [
    rate('fleet-5000-rate', rates.naiveSigned, SIGNED, 4),
    rate('fleet-5000-rate-unsigned', rates.naive, UNSIGNED, null),
    {
      name: 'fleet-5000-input-delay',
      unit: 'ms, 95 of 100 inputs while filtering and scrolling',
      ours: rounded(delays.ours),
      rival: rounded(delays.naive),
      rivalName: UNSIGNED,
      ratio: rounded(delays.naive / delays.ours),
      limit: 100,
      direction: 'lower',
    },
    {
      name: 'fleet-5000-first-rows',
      unit: 'ms from navigation',
      ours: rounded(oursFirst),
      rival: rounded(naiveFirst),
      rivalName: 'a page that waits for its first answers',
      ratio: rounded(naiveFirst / oursFirst),
      limit: 1_000,
      direction: 'lower',
    },
  ]
}

const SIZES = [1, 10, 100, 1_000, 5_000] as const

/** What a fleet costs by its size. */
export async function measureFleetGrowth(say: Say): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const measured = new Map<number, Window & { readonly diskKb: number }>()
  for (const size of SIZES) {
    await withContenders(size, async ({ product, naive }) => {
      // The first round of a few is over at once.
      const warmUpMs = size > 100 ? WARM_UP_MS : WARM_UP_MS / 4
      const ours = await windowOf(product, warmUpMs)
      // Beyond it the naive page answers nothing any more within its interval.
      const rival = size > 1_000 ? undefined : await windowOf(naive, warmUpMs)
      measured.set(size, ours)
      const row = (what: string, unit: string, of: (window: Window) => number): Figure => ({
        name: `fleet-growth-${what}-${size}`,
        unit,
        ours: rounded(of(ours)),
        rival: rival === undefined ? null : rounded(of(rival)),
        rivalName: rival === undefined ? null : UNSIGNED,
        ratio: rival === undefined ? null : rounded(of(rival) / of(ours)),
        limit: null,
        direction: 'higher',
      })
      figures.push(
        row('main-cpu', 'ms of main-thread CPU per 10 s', ({ cpuMs }) => cpuMs),
        row('heap', 'MB', ({ heapMb }) => heapMb),
        row('dom', 'DOM nodes', ({ domNodes }) => domNodes),
        {
          ...row('disk', 'kB in the browser', ({ diskKb }) => diskKb),
          rival: null,
          rivalName: null,
          ratio: null,
        },
      )
      say(`${size} nodes: ${rounded(perSecond(ours))} answers a second`)
    })
  }
  const [large, small] = [measured.get(5_000), measured.get(1_000)]
  const grown = (of: (window: Window) => number, isPerRequest: boolean): number => {
    if (large === undefined || small === undefined) return Number.NaN
    return isPerRequest ? of(large) / large.requests / (of(small) / small.requests) : of(large) / of(small)
  }
  const limit = (name: string, unit: string, ours: number, most: number): Figure => ({
    name,
    unit,
    ours: rounded(ours),
    rival: null,
    rivalName: null,
    ratio: null,
    limit: most,
    direction: 'lower',
  })
  return [
    ...figures,
    limit(
      'fleet-growth',
      'times the CPU per request of 1,000 nodes, at 5,000',
      grown(({ cpuMs }) => cpuMs, true),
      1,
    ),
    limit(
      'fleet-growth-dom',
      'times the DOM nodes of 1,000 nodes, at 5,000',
      grown(({ domNodes }) => domNodes, false),
      1.1,
    ),
  ]
}

type Window = {
  readonly cpuMs: number
  readonly requests: number
  readonly longestMs: number
  readonly heapMb: number
  readonly domNodes: number
  readonly diskKb: number
}

const perSecond = ({ requests }: Window): number => (requests * 1_000) / WINDOW_MS
const cpuPerRequest = ({ cpuMs, requests }: Window): number => cpuMs / requests

async function windowOf({ open, answered }: Contender, warmUpMs = WARM_UP_MS): Promise<Window> {
  const page = await open()
  const metrics = await metricsOf(page)
  await page.waitForTimeout(warmUpMs)
  await page.evaluate(() => {
    globalThis.benchTasks = []
  })
  const [before, answeredBefore] = [await metrics(), answered()]
  await page.waitForTimeout(WINDOW_MS)
  const [after, requests] = [await metrics(), answered() - answeredBefore]
  const longestMs = await page.evaluate(() => Math.max(0, ...globalThis.benchTasks))
  const diskKb = await page.evaluate(async () => ((await navigator.storage.estimate()).usage ?? 0) / 1_000)
  const { heapMb, domNodes } = await metrics(true)
  await page.close()
  return { cpuMs: after.mainCpuMs - before.mainCpuMs, requests, longestMs, heapMb, domNodes, diskKb }
}

declare global {
  /** How long each task took that took longer than 50 ms. */
  var benchTasks: number[]
  /** How long each key, press and turn of the wheel waited for the main thread. */
  var benchDelays: number[]
  /** When the first value stood in a row, since the navigation began. */
  var benchFirstRow: number | undefined
}

/** Before any script of the page. */
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
    // A heading may be the first row: it has no value.
    const values = document.querySelectorAll('[aria-rowindex] .val, tbody tr .val')
    const isThere = Array.from(values).some(({ textContent }) => /\d/.test(textContent ?? ''))
    if (isThere) globalThis.benchFirstRow = performance.now()
    else requestAnimationFrame(look)
  }
  look()
}

async function firstRowsMs(page: Page): Promise<number> {
  await page.reload()
  const found = await page.waitForFunction(() => globalThis.benchFirstRow, undefined, { timeout: 60_000 })
  return (await found.jsonValue()) ?? Number.NaN
}

/** Of what a person does: turning the wheel through the rows, and narrowing them down. */
async function inputDelayMs(page: Page): Promise<number> {
  await page.evaluate(() => {
    globalThis.benchDelays = []
  })
  await page.mouse.move(700, 500)
  for (let turn = 0; turn < 40; turn++) {
    await page.mouse.wheel(0, 600)
    if (turn % 4 === 0) await narrow(page, turn)
  }
  await page.waitForTimeout(500)
  const delays = (await page.evaluate(() => globalThis.benchDelays)).toSorted((a, b) => a - b)
  return delays[Math.ceil(delays.length * 0.95) - 1] ?? Number.NaN
}

async function narrow(page: Page, turn: number): Promise<void> {
  const filter = page.getByRole('textbox', { name: 'Filter' })
  if ((await filter.count()) > 0) {
    await filter.focus()
    await page.keyboard.type(turn % 8 === 0 ? 'a' : '0')
    await page.keyboard.press('Backspace')
    return
  }
  const { filter: words } = fleetToolTexts
  await page
    .getByText(turn % 8 === 0 ? words.info : words.all, { exact: true })
    .first()
    .click()
}

type Contenders = { readonly product: Contender; readonly naive: Contender; readonly naiveSigned: Contender }

/** Each in a browser of its own, and with a service of its own; one after the other is open. */
async function withContenders(nodes: number, measure: (all: Contenders) => Promise<void>): Promise<void> {
  buildOnce()
  const product = await openProduct(nodes)
  const naive = await openNaive(nodes)
  try {
    await measure({ product, naive: naive(false), naiveSigned: naive(true) })
  } finally {
    await product.close()
    await naive(false).close()
  }
}

async function openProduct(nodes: number): Promise<Contender> {
  const stage = await setStage({ nodes, service: { label: 'Bench', pollIntervalMs: INTERVAL_MS } })
  const context = await newContext()
  const first = await context.newPage()
  await startWatching(first, stage)
  // What is kept of the fleet is there for those that come next.
  await first.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
  await first.close()
  return {
    open: async () => {
      const page = await context.newPage()
      await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
      return page
    },
    answered: () => stage.reference.stats().byStatus['200'] ?? 0,
    close: async () => {
      await context.browser()?.close()
      await stage.stop()
    },
  }
}

/** Nothing is signed; a service wants to know who asks, and hears it from the page's server. */
const TOKEN_PROFILE = {
  message: { kind: 'none', token: 'operator-typed' },
  headers: { Authorization: 'Bearer {token}' },
}
const TOKEN = 'token-of-the-bench'

async function openNaive(nodes: number): Promise<(signs: boolean) => Contender> {
  const profile = parseProfile(TOKEN_PROFILE)
  if (!profile.ok) throw new Error('not a profile')
  const named = { name: 'token', profile: profile.value }
  const reference = createReferenceService({ nodes, profile: named, token: TOKEN })
  const { baseUrl } = await reference.listen()
  const served = await serveBenchPage('fleet-page', {
    baseUrl,
    headers: { Authorization: `Bearer ${TOKEN}` },
  })
  const context = await newContext()
  const ids = Array.from({ length: nodes }, (_, place) => reference.network.idOf(place))
  return (signs) => ({
    open: async () => {
      const page = await context.newPage()
      const given: NaiveFleet = { ids, intervalMs: INTERVAL_MS, signs }
      await page.addInitScript((fleet) => {
        globalThis.naiveFleet = fleet
      }, given)
      await page.goto(served.url)
      return page
    },
    answered: () => reference.stats().byStatus['200'] ?? 0,
    close: async () => {
      await context.browser()?.close()
      await served.close()
      await reference.close()
    },
  })
}

async function newContext(): Promise<BrowserContext> {
  const browser = await launchBrowser()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(120_000)
  await context.addInitScript(watchPage)
  return context
}
