import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '#test/support/launch-browser.ts'
import { openRawTab, type RawTab } from '#test/support/raw-tab.ts'
import { naiveFleetOf, openServices, type Services } from './contenders.ts'
import { alone, beside, median, rounded, type Figure } from './figure.ts'

type Say = (line: string) => void

const WINDOW_MS = 10_000
const SIZES = [1, 10, 40, 100, 1_000, 5_000]
const LIMITS: Readonly<Record<number, number>> = { 1: 0.66, 40: 0.66, 1_000: 1.6 }
/** Two percent of a core. */
const WALL_40_MAX_MS = 0.02 * WINDOW_MS
const NAIVE = 'a query per row, no signature'

/** Work of one browser's processes in a window. */
type Work = {
  /** Total CPU time of all processes, in ms. */
  readonly cpuMs: number
  readonly requests: number
  /** Number of layouts and style recalculations in the page. */
  readonly drawn: number
}

type Screen = { readonly browser: Browser; readonly answered: () => number; readonly open: Opener }
type Opener = () => Promise<RawTab>

/** CPU time of all browser processes that watch a fleet: script, style, paint, compositor and Workers. */
export async function measureTotalCpu(
  say: Say,
  sizes: readonly number[] = SIZES,
): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const perRequest = new Map<number, number>()
  for (const size of sizes) {
    const services = await openServices(size)
    const [ours, naive] = [await launchRaw(), await launchRaw()]
    try {
      const measured = await figuresOf(size, services, { ours, naive }, say)
      figures.push(...measured.figures)
      perRequest.set(size, measured.cpuPerRequestMs)
    } finally {
      await Promise.all([ours.close(), naive.close()])
      await services.close()
    }
  }
  const [small, large] = [perRequest.get(1_000), perRequest.get(5_000)]
  if (small !== undefined && large !== undefined) figures.push(growth(large / small))
  return figures
}

const growth = (times: number): Figure =>
  alone('total-cpu-growth', 'times the CPU of all processes per request of 1,000 nodes, at 5,000', times, 1.2)

const launchRaw = (): Promise<Browser> => launchBrowser(['--window-size=1440,900'])

async function figuresOf(
  size: number,
  services: Services,
  browsers: { readonly ours: Browser; readonly naive: Browser },
  say: Say,
): Promise<{ readonly figures: readonly Figure[]; readonly cpuPerRequestMs: number }> {
  const { stage } = services
  const [node] = stage.nodes
  if (node === undefined) throw new Error('no node')
  await startOnce(browsers.ours, stage.dashboard.openUrl)
  const at = (url: string): Screen => ({
    browser: browsers.ours,
    answered: services.productAnswered,
    open: () => openRawTab(browsers.ours, url),
  })
  const table = at(`${stage.dashboard.dashboardUrl}#/nodes`)
  const naive: Screen = {
    browser: browsers.naive,
    answered: services.naiveAnswered,
    open: () => openNaiveTab(browsers.naive, services),
  }
  const warmUpMs = size > 100 ? 12_000 : 5_000
  const ours: Work[] = []
  const rival: Work[] = []
  for (let round = 0; round < 2; round++) {
    ours.push(await workOf(table, warmUpMs))
    rival.push(await workOf(naive, warmUpMs))
  }
  const others = {
    node: await workOf(at(stage.nodeUrl(node)), warmUpMs),
    wall: await workOf(at(`${stage.dashboard.dashboardUrl}#/wall`), warmUpMs),
    hidden: await workOf(table, warmUpMs, 'hidden'),
  }
  const hiddenRival = await workOf(naive, warmUpMs, 'hidden')
  const cpuMs = (works: readonly Work[]) => median(works.map((work) => work.cpuMs))
  say(
    `${size} nodes, all processes in 10 s: table ${rounded(cpuMs(ours))} ms, naive ${rounded(cpuMs(rival))}, ` +
      Object.entries(others)
        .map(([name, work]) => `${name} ${rounded(work.cpuMs)}`)
        .join(', '),
  )
  const unit = 'ms of CPU of all processes in 10 s'
  const named = (name: string, own: number, theirs: number, limit: number | null): Figure =>
    beside(`${name}-${size}`, unit, own, theirs, NAIVE, limit)
  const figures = [
    named('total-cpu', cpuMs(ours), cpuMs(rival), LIMITS[size] ?? null),
    named('total-cpu-node', others.node.cpuMs, cpuMs(rival), null),
    alone(`total-cpu-wall-${size}`, unit, others.wall.cpuMs, size === 40 ? WALL_40_MAX_MS : null),
    named('total-cpu-hidden', others.hidden.cpuMs, hiddenRival.cpuMs, null),
    alone(`hidden-drawn-${size}`, 'style and layout passes in 10 s', others.hidden.drawn, 0),
  ]
  return { figures, cpuPerRequestMs: median(ours.map((work) => work.cpuMs / work.requests)) }
}

/** Simulates the first visit, which creates a key and begins to poll. Later tabs find what it stores. */
async function startOnce(browser: Browser, url: string): Promise<void> {
  const tab = await openRawTab(browser, url)
  const start = `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Start watching')`
  // The page can't evaluate expressions while it loads.
  const is = async (expression: string) => (await tab.evaluate(expression).catch(() => false)) === true
  while (!(await is(`${start}?.disabled === false`))) await pause(50)
  await tab.evaluate(`${start}.click()`)
  while (!(await is(`${start} === undefined`))) await pause(50)
  await tab.close()
}

async function openNaiveTab(browser: Browser, services: Services): Promise<RawTab> {
  const tab = await openRawTab(browser, 'about:blank')
  await tab.send('Page.enable')
  const fleet = JSON.stringify(naiveFleetOf(services, false))
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: `globalThis.naiveFleet = ${fleet}` })
  await tab.send('Page.navigate', { url: services.naiveUrl })
  return tab
}

async function workOf(
  { browser, answered, open }: Screen,
  warmUpMs: number,
  visibility: 'visible' | 'hidden' = 'visible',
): Promise<Work> {
  const session = await browser.newBrowserCDPSession()
  const tab = await open()
  const cover = visibility === 'hidden' ? await openRawTab(browser, 'about:blank') : undefined
  await (cover ?? tab).activate()
  await tab.send('Performance.enable')
  const drawn = async (): Promise<number> => {
    const { metrics } = (await tab.send('Performance.getMetrics')) as {
      readonly metrics: readonly { readonly name: string; readonly value: number }[]
    }
    const read = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
    return read('LayoutCount') + read('RecalcStyleCount')
  }
  const cpuByProcess = async (): Promise<ReadonlyMap<number, number>> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return new Map(processInfo.map(({ id, cpuTime }) => [id, cpuTime * 1_000]))
  }
  await pause(warmUpMs)
  if ((await tab.evaluate('document.visibilityState')) !== visibility)
    throw new Error(`the tab is not ${visibility}`)
  const before = { drawn: await drawn(), answered: answered(), cpu: await cpuByProcess() }
  await pause(WINDOW_MS)
  const cpu = await cpuByProcess()
  const work = {
    cpuMs: Array.from(cpu).reduce((sum, [id, ms]) => sum + ms - (before.cpu.get(id) ?? 0), 0),
    requests: answered() - before.answered,
    drawn: (await drawn()) - before.drawn,
  }
  await tab.close()
  await cover?.close()
  await session.detach()
  return work
}
