import { Buffer } from 'node:buffer'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { nodeKeyOf } from '#fleet/live.ts'
import { keptByPart } from '#test/support/kept-samples.ts'
import { sampleColumns } from '#history/transfer/export-columns.ts'
import { EXPORT_FORMAT } from '#history/transfer/transfer.ts'
import { METRICS } from '#metrics/metrics.ts'
import { serviceIdOf } from '#record/service.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { messages, setStage, startWatching, type Stage } from '#test/e2e/stage.ts'
import { launchLightBrowser, LIMIT_MS } from '#test/support/launch-browser.ts'
import { attachToWorker } from '#test/support/raw-tab.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import type { Counts, Sample, Soaked } from './judge.ts'
import {
  createServiceClock,
  preludeOf,
  realmOf,
  type Leak,
  type Realm,
  type RunOptions,
  type ServiceClock,
} from './time-control.ts'

export type SoakOptions = {
  readonly nodes: number
  /** Per node. */
  readonly polls: number
  readonly intervalMs: number
  /** The page between visits to the panels. */
  readonly view: 'node' | 'fleet' | 'wall'
  readonly churn: boolean
  readonly leaks?: readonly Leak[]
}

export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
/** How often a node is polled in this time, at least once. */
export const pollsIn = (ms: number, intervalMs: number): number => Math.max(1, Math.floor(ms / intervalMs))

const DIST = join(import.meta.dirname, '../../dist')
const SAMPLES = 80
/** Rounds in which the test opens and closes every panel. */
const PANEL_ROUNDS = 8
/**
 * Additional rounds during the warm-up. The page grows until every path is compiled and the browser's own lists of long
 * tasks, animation frames and fetches are full (200 to 250 entries each). That takes about 13 rounds; then the size is
 * stable.
 */
const WARM_UP_ROUNDS = 16
const WARM_UP_ROUND_EVERY_POLLS = 30
const SEEDED_DAYS = 29
const SEEDED_POLLS_OF_A_RESPONSE = 100
/** Seeded times have a fraction, as measured ones do: whole numbers take half the memory, which would mimic a leak. */
const FRACTION_MS = 0.3
/** In a fleet, nodes get sparser seeded polls, and only this many nodes get a month of them. */
const MONTH_NODES_MAX = 5
/** The most rows in view. They draw their last day, and a day that fills up would look like a leak. */
const DAY_NODES_MAX = 40
const CHURN_EVERY_POLLS = 50
/**
 * Timers that are due within this time fire together. The limit keeps within the slots of a host, within the tenth of
 * an interval by which a poll may be late, and within the five seconds by which timers may be late before the screen
 * reports it.
 */
const grainMsOf = (intervalMs: number): number => Math.min(intervalMs / 11, 4_500)
/** Longer than history's write delay, and within the tenth of an interval by which a poll may be late. */
const WRITE_MS = 2_500

/** Faults that real networks and gateways show now and then. `isHung` means that no answer arrives to wait for. */
const CHURN: readonly { readonly name?: FaultName; readonly isHung?: true }[] = [
  {},
  { name: 'hang', isHung: true },
  { name: 'headers-then-hang', isHung: true },
  { name: 'reset' },
  { name: 'reset-in-body' },
  { name: 'truncated' },
  { name: 'status-429' },
  { name: 'status-500' },
  { name: 'status-502' },
  { name: 'status-503' },
  { name: 'status-401' },
  { name: 'html' },
  { name: 'truncated-json' },
  { name: 'missing' },
]
/** Real time for a request to reach the service before the simulated time advances. */
const HUNG_PATIENCE_MS = 60

/** The page's time advances with every message, but its timers fire as rarely as a hidden page's. */
const PAGE_EVERY_MS = 120_000
const PAGE_OPTIONS: RunOptions = { grainMs: 10_000, once: true }
const SIGNER_EVERY_MS = 300_000

/**
 * Compiled code is part of the heap, and optimizing compilers recompile functions for days. Heap snapshots showed that
 * this was nearly all of the 360 kB by which the page grew in 390 polls. These flags compile each function once, at its
 * first call.
 */
const SETTLED_CODE = [
  '--always-sparkplug',
  '--no-maglev',
  '--no-opt',
  '--no-lazy-feedback-allocation',
  '--no-flush-bytecode',
] as const

/** Every soak begins at this time of day, so that the first midnight falls into the warm-up. */
const BEGIN_MS = 22.5 * HOUR_MS
const aheadMsAt = (nowMs: number): number => (DAY_MS + BEGIN_MS - (nowMs % DAY_MS)) % DAY_MS

const PANELS = [
  '#/nodes',
  '#/wall',
  '#/alarms',
  '#/alarms/rules',
  '#/journal',
  '#/about',
  ...['services', 'signing', 'key', 'nodes', 'units', 'notifications', 'display', 'document', 'storage'].map(
    (section) => `#/settings/${section}`,
  ),
] as const

/** Deterministic, so that a run can be repeated. */
function createDice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Copies the production build and adds the prelude that controls time. */
function copyOfBuild(
  aheadMs: number,
  leaks: readonly Leak[],
): { readonly folder: string; readonly cli: string } {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'))
  const dist = join(folder, 'dist')
  cpSync(DIST, dist, { recursive: true })
  // The server reads its version from this file.
  cpSync(join(DIST, '../package.json'), join(folder, 'package.json'))
  const assets = join(dist, 'web/assets')
  const workers = readdirSync(assets).filter((file) => /^(engine|signer)-worker-.*\.js$/.test(file))
  if (workers.length !== 2)
    throw new Error(`The build should have two Workers, but has: ${workers.join(', ')}`)
  for (const file of workers) {
    const path = join(assets, file)
    writeFileSync(path, preludeOf('worker', aheadMs, leaks) + readFileSync(path, 'utf8'))
  }
  return { folder, cli: join(dist, 'node/cli.js') }
}

type Running = {
  readonly browser: Browser
  readonly page: Page
  readonly stage: Stage
  readonly clock: ServiceClock
  readonly realms: Readonly<Record<'page' | 'engine' | 'signer', Realm>>
  readonly home: string
  readonly say: (line: string) => void
}

/** Simulates weeks of the dashboard in minutes, and resolves to the measurements. */
export async function soak(options: SoakOptions, say: (line: string) => void): Promise<Soaked> {
  const aheadMs = aheadMsAt(Date.now())
  const build = copyOfBuild(aheadMs, options.leaks ?? [])
  const clock = createServiceClock(aheadMs)
  const stage = await setStage({
    nodes: options.nodes,
    service: { label: 'Test service', pollIntervalMs: options.intervalMs },
    reference: { clock },
    cli: build.cli,
  })
  const browser = await launchLightBrowser([`--js-flags=${SETTLED_CODE.join(' ')}`])
  try {
    return await runFor(options, await open(browser, stage, clock, aheadMs, options, say))
  } finally {
    await browser.close()
    await stage.stop()
    rmSync(build.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function open(
  browser: Browser,
  stage: Stage,
  clock: ServiceClock,
  aheadMs: number,
  { view, leaks = [], nodes, intervalMs }: SoakOptions,
  say: (line: string) => void,
): Promise<Running> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
  })
  context.setDefaultTimeout(LIMIT_MS)
  await context.addInitScript({ content: preludeOf('page', aheadMs, leaks) })
  const page = await context.newPage()
  const [first] = stage.nodes
  if (first === undefined) throw new Error('no node')
  const home = { node: stage.nodeUrl(first), fleet: '#/nodes', wall: '#/wall' }[view]
  await startWatching(page, stage)
  await seedHistory(page, stage, nodes === 1 ? intervalMs : 10 * intervalMs, clock.wallMs())
  const session = await context.newCDPSession(page)
  const pageSend = session.send.bind(session) as (
    method: string,
    params?: Readonly<Record<string, unknown>>,
  ) => Promise<unknown>
  const worker = async (name: string): Promise<Realm> =>
    realmOf((await attachToWorker(browser, name, () => undefined)).send)
  const realms = {
    page: realmOf(pageSend),
    engine: await worker('engine-worker'),
    signer: await worker('signer-worker'),
  }
  const running = { browser, page, stage, clock, realms, say, home: new URL(home, page.url()).href }
  await goHome(running)
  return running
}

/** Imports export files through the page: a month for the first nodes, and a day for the others in view. */
async function seedHistory(page: Page, stage: Stage, everyMs: number, nowMs: number): Promise<void> {
  const endMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOUR_MS
  const names = sampleColumns(METRICS).map(({ name }) => name)
  for (const [place, { id }] of stage.nodes.slice(0, DAY_NODES_MAX).entries()) {
    const count = ((place < MONTH_NODES_MAX ? SEEDED_DAYS : 1) * DAY_MS) / everyMs
    const rows = Array.from({ length: count }, (_, poll) => {
      const row: Readonly<Record<string, unknown>> = {
        time_ms: endMs - (count - poll) * everyMs,
        outcome: 'answered',
        interval: everyMs,
        status: 'ACTIVE',
        stake_deployed: String(1_000_000 + poll),
        network_participation: (9_000 + (poll % 900)) / 10_000,
        heartbeat_age: (poll % 15) * 1_000 + FRACTION_MS,
        // The count stays below the service's, because a lower one of the service would count as a restart.
        threat_responses_total: Math.floor(poll / SEEDED_POLLS_OF_A_RESPONSE),
        threat_responses_increase: poll > 0 && poll % SEEDED_POLLS_OF_A_RESPONSE === 0 ? 1 : 0,
        threat_responses_restarted: false,
        counter_restarted: false,
        proof_changed: false,
        answer_time: 20 + FRACTION_MS + (poll % 80),
      }
      return JSON.stringify(names.map((name) => row[name] ?? null))
    })
    const node = nodeKeyOf(serviceIdOf(stage.service), id)
    const head = { format: EXPORT_FORMAT, version: 1, node, resolution: 'samples', columns: names }
    const text = `${JSON.stringify(head).slice(0, -1)},"rows":[\n${rows.join(',\n')}\n]}\n`
    await page.goto(`${stage.dashboard.dashboardUrl}#/about`)
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
    await page
      .getByLabel(transferTexts.files.import)
      .setInputFiles({ name: 'history.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await page.getByText(`Imported ${count.toLocaleString('en')} records`).waitFor({ timeout: 10 * LIMIT_MS })
  }
}

const goHome = async ({ page, home }: Pick<Running, 'page' | 'home'>): Promise<void> => {
  await page.goto(home)
  await page.getByRole('main').getByRole('heading').first().waitFor({ state: 'attached' })
}

/** Lets time run freely in page and Workers while `act` uses the page, as for a user. */
async function freely(running: Running, act: () => Promise<void>): Promise<number> {
  const all = Object.values(running.realms)
  running.clock.go()
  for (const realm of all) await realm.go()
  try {
    await act()
  } finally {
    await stopAll(running)
  }
  return stopAll(running)
}

async function stopAll({ realms, clock }: Running): Promise<number> {
  const all = Object.values(realms)
  const atMs = Math.max(...(await Promise.all(all.map((realm) => realm.now()))))
  for (const realm of all) await realm.stop(atMs)
  clock.set(atMs)
  return atMs
}

/** Advances the engine to a moment. The service's clock follows to the time of each request. */
async function advance({ realms, clock }: Running, untilMs: number, options: RunOptions): Promise<void> {
  for (let release = false; ; release = true) {
    const { held, nowMs } = await realms.engine.run(untilMs, { ...options, release })
    clock.set(nowMs)
    if (held === 0) break
  }
}

/** Advances until every answer is stored, while new requests wait. Resolves to the time. */
async function untilWritten({ realms, clock }: Running, atMs: number): Promise<number> {
  const { nowMs } = await realms.engine.run(atMs + WRITE_MS, { hold: true })
  clock.set(nowMs)
  return nowMs
}

async function openPanels(running: Running): Promise<void> {
  const { page, home } = running
  for (const panel of PANELS) {
    await page.goto(new URL(panel, home).href)
    await page.getByRole('main').getByRole('heading').first().waitFor({ state: 'attached' })
    // The panels of a service include its connection test, which would send requests.
    if (!panel.endsWith('/services')) await toggleAll(page)
  }
  await goHome(running)
  for (const range of await page.locator('main [role=radio], main .ranges button').all())
    if (await range.isVisible()) await range.click()
  await toggleAll(page)
  await goHome(running)
}

/** Opens and closes everything that can be opened without leaving the page. */
async function toggleAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const painted = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => done()))
    for (const toggle of document.querySelectorAll<HTMLElement>('main [aria-expanded], main summary')) {
      toggle.click()
      await painted()
      toggle.click()
      await painted()
    }
  })
}

async function residentMb(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pages = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(readFileSync(`/proc/${id}/statm`, 'utf8').split(' ')[1]) / 256)
  return pages.reduce((sum, one) => sum + one, 0)
}

async function sampleOf({ realms, page, browser }: Running, polls: number): Promise<Sample> {
  const openIn = async (realm: Realm) => {
    await realm.collect()
    // Counting also drops what the soak itself holds of event targets that are gone.
    const counted = await realm.measure()
    const heapMb = await realm.heapMb()
    const of = (name: string): number => counted[name] ?? Number.NaN
    return {
      heapMb,
      listeners: of('listeners'),
      timers: of('timers'),
      connections: of('connections'),
      channels: of('channels'),
      workers: of('workers'),
      inFlight: of('inFlight'),
      calls: of('calls'),
      entries: of('entries'),
      marks: of('marks'),
    }
  }
  return {
    polls,
    page: await openIn(realms.page),
    engine: await openIn(realms.engine),
    signer: await openIn(realms.signer),
    domNodes: await page.evaluate(() => document.getElementsByTagName('*').length),
    residentMb: await residentMb(browser),
  }
}

/** Counts gaps between two requests that differ from the interval by at most a tenth of it. */
function createPunctuality(stage: Stage, intervalMs: number) {
  const lastMs = new Map<string, number>()
  let seenMs = 0
  let spaces = 0
  let onTime = 0
  return {
    look: (): void => {
      for (const { node, atMs } of stage.reference.stats().recent) {
        if (node === undefined || atMs <= seenMs) continue
        const before = lastMs.get(node)
        lastMs.set(node, atMs)
        if (before === undefined) continue
        spaces++
        if (Math.abs(atMs - before - intervalMs) <= intervalMs / 10) onTime++
      }
      seenMs = stage.reference.stats().recent.at(-1)?.atMs ?? seenMs
    },
    result: () => ({ spaces, onTime }),
  }
}

async function runFor(options: SoakOptions, running: Running): Promise<Soaked> {
  const { stage, page, say, realms } = running
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  const { reference } = stage
  const { intervalMs } = options
  const dice = createDice(20_160)
  const samples: Sample[] = []
  let atMs = await stopAll(running)
  // Moves to a point between two polls of the first node, from which the other nodes' phases derive.
  await advance(running, atMs + intervalMs, {})
  atMs = await untilWritten(running, atMs + intervalMs)
  reference.resetStats()
  const punctual = createPunctuality(stage, intervalMs)
  const keptBefore = await keptByPart(page)
  const polledBefore = await signedBy(running)
  const startMs = atMs
  const startedRealMs = performance.now()
  const grainMs = grainMsOf(intervalMs)
  let runOptions: RunOptions = { grainMs }
  const sampleEvery = Math.max(1, Math.floor(options.polls / SAMPLES))
  const panelsEvery = Math.max(1, Math.floor(options.polls / PANEL_ROUNDS))
  for (let poll = 1; poll <= options.polls; poll++) {
    atMs += intervalMs
    await advance(running, atMs, runOptions)
    if (poll % pollsIn(PAGE_EVERY_MS, intervalMs) === 0) await realms.page.run(atMs, PAGE_OPTIONS)
    if (poll % pollsIn(SIGNER_EVERY_MS, intervalMs) === 0) await realms.signer.run(atMs)
    if (options.churn && poll % CHURN_EVERY_POLLS === 0) {
      await reference.faults.clear()
      const isLast = poll > options.polls - 4 * CHURN_EVERY_POLLS
      const fault = isLast ? undefined : CHURN[Math.floor(dice() * CHURN.length)]
      if (fault?.name !== undefined) await reference.faults.set('*', { name: fault.name })
      runOptions = {
        grainMs,
        ...(fault?.isHung && { networkPatienceMs: HUNG_PATIENCE_MS }),
      }
    }
    const isWarmUpRound =
      poll % WARM_UP_ROUND_EVERY_POLLS === 0 &&
      poll * options.nodes <= WARM_UP_ROUNDS * WARM_UP_ROUND_EVERY_POLLS
    if (isWarmUpRound || poll % panelsEvery === Math.floor(panelsEvery / 2))
      atMs = await freely(running, () => openPanels(running))
    if (poll % Math.min(sampleEvery, Math.max(1, Math.floor(900 / options.nodes))) === 0) punctual.look()
    if (poll % sampleEvery === 0) {
      const sample = await sampleOf(running, poll * options.nodes)
      samples.push(sample)
      const seconds = Math.round((performance.now() - startedRealMs) / 1_000)
      say(
        `${sample.polls} slots in ${seconds} s: heap ${sample.page.heapMb.toFixed(2)}, ${sample.engine.heapMb.toFixed(2)}, ${sample.signer.heapMb.toFixed(2)} MB; renderers ${sample.residentMb.toFixed(0)} MB; ${sample.domNodes} elements`,
      )
    }
  }
  await untilWritten(running, atMs)
  const stats = reference.stats()
  const keptAfter = await keptByPart(page)
  const records = Object.entries(keptAfter).reduce(
    (sum, [part, kept]) => sum + kept - (keptBefore[part] ?? 0),
    0,
  )
  const counts: Counts = {
    slots: Math.floor((atMs - startMs) / intervalMs) * options.nodes,
    nodes: options.nodes,
    requests: stats.requests - stats.preflights,
    polls: (await signedBy(running)) - polledBefore,
    maxInFlight: stats.maxInFlight,
    records,
    ...punctual.result(),
    errors,
    ...(await endState(page)),
  }
  return { samples, counts, isChurned: options.churn }
}

const signedBy = async ({ realms }: Running): Promise<number> =>
  (await realms.engine.measure())['signed'] ?? Number.NaN

/** Without a problem there is no message and no old value. */
async function endState(page: Page): Promise<Pick<Counts, 'endState' | 'wantedState'>> {
  const said = await messages(page).allInnerTexts()
  const old = await page.locator('main .old').count()
  return { endState: `${said.join(' / ')}${old} old values`, wantedState: '0 old values' }
}
