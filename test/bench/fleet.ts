import type { Page } from 'playwright-core'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { metricsOf } from './bench-page.ts'
import { INTERVAL_MS, withContenders, type Contender } from './contenders.ts'
import { alone, beside, median, rounded, type Figure } from './figure.ts'

type Say = (line: string) => void

/**
 * Length of the measurement, which begins after a complete first round. A page that signs on its main thread takes longer than
 * an interval for a round, so a shorter window may fall between two rounds.
 */
const WINDOW_MS = 3 * INTERVAL_MS
const WARM_UP_MS = INTERVAL_MS + 2_000

const UNSIGNED = 'a query per row, no signature'
const SIGNED = 'a query per row, signed with tweetnacl'

/** Main-thread work of the page for 1,000 nodes every 10 s. */
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
        `${rounded(of(windows, perSecond))} answers per second, longest task ${rounded(of(windows, ({ longestMs }) => longestMs))} ms, ` +
        `heap ${rounded(of(windows, ({ heapMb }) => heapMb))} MB, ${of(windows, ({ domNodes }) => domNodes)} DOM nodes`,
    )
  const perRequest = (rival: readonly Window[], rivalName: string, name: string, limit: number): Figure =>
    beside(
      name,
      'ms of main-thread CPU per request',
      of(ours, cpuPerRequest),
      of(rival, cpuPerRequest),
      rivalName,
      limit,
    )
  const lower = (
    name: string,
    unit: string,
    what: (window: Window) => number,
    limit: number | null,
  ): Figure => ({
    ...beside(name, unit, of(ours, what), of(unsigned, what), UNSIGNED, limit),
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

/** Input delay with 5,000 nodes every 10 s, and the time until rows appear after a reload. */
export async function measureLargeFleet(say: Say): Promise<readonly Figure[]> {
  const delays = { ours: Number.NaN, naive: Number.NaN }
  const rows = { ours: [] as number[], naive: [] as number[] }
  await withContenders(5_000, async ({ product, naive }) => {
    for (const [name, contender] of [
      ['ours', product],
      ['naive', naive],
    ] as const) {
      const page = await contender.open()
      // Both pages are measured over the same length of real time, and no event marks its end.
      await page.waitForTimeout(WARM_UP_MS + WINDOW_MS)
      delays[name] = await inputDelayMs(page)
      for (let reload = 0; reload < 3; reload++) rows[name].push(await firstRowsMs(page))
      await page.close()
    }
  })
  say(
    `fleet of 5,000: first rows after ${rows.ours.map(rounded).join(', ')} ms, naive ${rows.naive.map(rounded).join(', ')}`,
  )
  const delay = 'ms, 95 of 100 inputs while filtering and scrolling'
  const waiting = 'a page that waits for its first answers'
  const [oursFirst, naiveFirst] = [median(rows.ours), median(rows.naive)]
  return [
    beside('fleet-5000-input-delay', delay, delays.ours, delays.naive, UNSIGNED, 100),
    beside('fleet-5000-first-rows', 'ms from navigation', oursFirst, naiveFirst, waiting, 1_000),
  ].map((figure) => ({ ...figure, direction: 'lower' as const }))
}

const SIZES = [1, 10, 100, 1_000, 5_000] as const
const MAIN_CPU_MAX_MS: Readonly<Record<number, number>> = { 1: 20, 10: 40, 100: 120 }

/** The cost of a fleet by its size. */
export async function measureFleetGrowth(say: Say): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const measured = new Map<number, Window>()
  for (const size of SIZES) {
    await withContenders(size, async ({ product, naive }) => {
      // A small fleet finishes its first round sooner.
      const warmUpMs = size > 100 ? WARM_UP_MS : WARM_UP_MS / 4
      const ours = await windowOf(product, warmUpMs)
      // Larger fleets overwhelm the naive page: it no longer finishes a round within its interval.
      const rival = size > 1_000 ? undefined : await windowOf(naive, warmUpMs)
      measured.set(size, ours)
      const row = (what: string, unit: string, of: (window: Window) => number): Figure =>
        rival === undefined
          ? { ...alone(`fleet-growth-${what}-${size}`, unit, of(ours), null), direction: 'higher' }
          : beside(`fleet-growth-${what}-${size}`, unit, of(ours), of(rival), UNSIGNED, null)
      figures.push(
        {
          ...row('main-cpu', 'ms of main-thread CPU per 10 s', ({ cpuMs }) => cpuMs),
          limit: MAIN_CPU_MAX_MS[size] ?? null,
          direction: 'lower',
        },
        row('heap', 'MB', ({ heapMb }) => heapMb),
        row('dom', 'DOM nodes', ({ domNodes }) => domNodes),
      )
      say(`${size} nodes: ${rounded(perSecond(ours))} answers per second`)
    })
  }
  const [large, small] = [measured.get(5_000), measured.get(1_000)]
  const grown = (of: (window: Window) => number, isPerRequest: boolean): number => {
    if (large === undefined || small === undefined) return Number.NaN
    return isPerRequest ? of(large) / large.requests / (of(small) / small.requests) : of(large) / of(small)
  }
  return [
    ...figures,
    alone(
      'fleet-growth',
      'times the CPU per request of 1,000 nodes, at 5,000',
      grown(({ cpuMs }) => cpuMs, true),
      1,
    ),
    alone(
      'fleet-growth-dom',
      'times the DOM nodes of 1,000 nodes, at 5,000',
      grown(({ domNodes }) => domNodes, false),
      1.1,
    ),
  ]
}

type Window = {
  /** In 10 s. */
  readonly cpuMs: number
  readonly requests: number
  readonly longestMs: number
  readonly heapMb: number
  readonly domNodes: number
}

const perSecond = ({ requests }: Window): number => requests / 10
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
  const { heapMb, domNodes } = await metrics(true)
  await page.close()
  const of10s = 10_000 / WINDOW_MS
  return {
    cpuMs: (after.mainCpuMs - before.mainCpuMs) * of10s,
    requests: requests * of10s,
    longestMs,
    heapMb,
    domNodes,
  }
}

/** A page that shows no row within this time counts as taking it. */
const FIRST_ROWS_MAX_MS = 60_000

async function firstRowsMs(page: Page): Promise<number> {
  await page.reload()
  const timeout = FIRST_ROWS_MAX_MS
  const found = await page
    .waitForFunction(() => globalThis.benchFirstRow, undefined, { timeout })
    .catch(() => undefined)
  return (await found?.jsonValue()) ?? timeout
}

/** Simulates a user who scrolls through the rows and filters them. */
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
