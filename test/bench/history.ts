import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBenchPage } from './bench-page.ts'
import { alone, beside, median, rounded, type Figure } from './figure.ts'
import { EVERY_MS } from './history-page/node-samples.ts'
import type { HistoryBench } from './history-page/history-contenders.ts'
import { statesJson } from './history-states.ts'
import { browserPid, treeCpuMs } from './process-cpu.ts'

const HOUR_MS = 3_600_000
const MONTH_MS = 30 * 24 * HOUR_MS
/** 30 days with a sample every 10 s, until a moment that is not on the hour, as when a user opens the page. */
const SAMPLES = 259_200
const END_MS = Date.UTC(2026, 9, 31, 14, 23, 7)
const START_MS = END_MS - SAMPLES * EVERY_MS
const FLEET = 1_000
const POLLS_A_MINUTE = 6

/** The rival takes more than a minute to write, so only our side repeats. */
const ROUNDS = 6
const READ_ROUNDS = 5
/** Operations of a few ms are repeated this often, because CPU time has ticks of 10 ms. */
const READS = 60
const OPENS = 20
/** Single rounds vary more than the pages differ, so the two alternate over more rounds. */
const PAGE_ROUNDS = 15
const PAGE_OPENS = 8
const FLUSHES = 12
const WARM_UPS = 3

const RIVAL = 'one record per sample'

type Call = (name: keyof HistoryBench, ...given: readonly unknown[]) => Promise<unknown>
type Side = {
  readonly call: Call
  /** CPU time of a call, in ms. */
  readonly spent: (name: keyof HistoryBench, ...given: readonly unknown[]) => Promise<number>
  /** Size of the page's databases in the profile's folder. */
  readonly megabytes: () => Promise<number>
}

/**
 * The cost of writing and opening history: CPU time of all of Chromium's processes, because most of the work is outside
 * the page's own process, and bytes on disk.
 */
export async function measureHistory(say: (line: string) => void): Promise<readonly Figure[]> {
  const ours = await inFreshProfile(measureOurs)
  const records = await inFreshProfile(measureRecords)
  say(
    `history: ${SAMPLES} samples, CPU of all processes; blocks and rollups take ${ours.settleMs} ms more; ` +
      `page with one hour ${rounded(ours.hourPageMs)} ms, with 30 days ${rounded(ours.monthPageMs)} ms; ` +
      `of these, chart rows ${rounded(ours.hourMs)} and ${rounded(ours.monthMs)} ms; ` +
      `new range on an open page ${rounded(ours.hourChangeMs)} and ${rounded(ours.monthChangeMs)} ms`,
  )
  return [
    figure('history-write', 'ms of CPU', ours.writeMs, records.writeMs, 300),
    figure('history-read-30d', 'ms of CPU', ours.monthMs, records.monthMs, 350),
    figure('history-disk', 'MB', ours.megabytes, records.megabytes, 33),
    alone('range-growth', 'times the CPU of opening 1 h', ours.monthPageMs / ours.hourPageMs, 1.15),
    figure('fleet-flush', 'ms of CPU', ours.flushMs, records.flushMs, 100),
  ]
}

/** Each side gets its own profile, so that it does not spend time on cleaning up the other's data. */
async function inFreshProfile<T>(measure: (side: Side) => Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'bench-history-'))
  const bench = await openBenchPage('history-page', profile)
  const pid = browserPid(profile)
  const call: Call = (name, ...given) =>
    bench.page.evaluate(
      ([which, values]): Promise<unknown> => Reflect.apply(globalThis.benchHistory[which], undefined, values),
      [name, given] as const,
    )
  try {
    await call('loadMonth', START_MS, END_MS, statesJson(1, START_MS, SAMPLES))
    const fleet = Array.from({ length: FLEET }, (_, node) =>
      statesJson(node, END_MS - POLLS_A_MINUTE * EVERY_MS, POLLS_A_MINUTE),
    )
    await call('loadMinutes', END_MS - POLLS_A_MINUTE * EVERY_MS, WARM_UPS + FLUSHES, fleet)
    return await measure({
      call,
      spent: async (name, ...given) => {
        const beforeMs = treeCpuMs(pid)
        await call(name, ...given)
        return treeCpuMs(pid) - beforeMs
      },
      megabytes: async () => {
        // Measures the state of the next day: space is freed, and the page was closed and opened again.
        await call('tidy')
        await call('close')
        await pastGrace()
        const said = await bench.page.evaluate(async () => {
          await indexedDB.databases()
          return (await navigator.storage.estimate()).usage ?? 0
        })
        return Math.max(said, await bytesIn(join(profile, 'Default', 'IndexedDB'))) / 1e6
      },
    })
  } finally {
    await bench.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 3 })
  }
}

const figure = (name: string, unit: string, ours: number, rival: number, limit: number): Figure =>
  beside(name, unit, ours, rival, RIVAL, limit)

async function measureRecords({ call, spent, megabytes }: Side) {
  await call('startRecords')
  const writeMs = await spent('writeRecords')
  const monthMs = await spent('readRecords', MONTH_MS)
  const onDisk = await megabytes()
  await call('startRecords')
  const flushMs = (await spent('flushRecords', 0, WARM_UPS)) / WARM_UPS
  return { writeMs, monthMs, megabytes: onDisk, flushMs }
}

async function measureOurs({ call, spent, megabytes }: Side) {
  const writes: number[] = []
  // The first round is a warm-up and does not count.
  for (let round = -1; round < ROUNDS; round++) {
    await call('startOurs')
    const ms = await spent('writeOurs')
    if (round >= 0) writes.push(ms)
  }
  const settleMs = await spent('settleOurs')
  const hours: number[] = []
  const months: number[] = []
  const hourPages: number[] = []
  const monthPages: number[] = []
  const hourChanges: number[] = []
  const monthChanges: number[] = []
  for (let round = -1; round < READ_ROUNDS; round++) {
    const hourMs = (await spent('readOurs', HOUR_MS, READS)) / READS
    const monthMs = (await spent('readOurs', MONTH_MS, READS)) / READS
    hourChanges.push((await spent('changeOurs', HOUR_MS, OPENS)) / OPENS)
    monthChanges.push((await spent('changeOurs', MONTH_MS, OPENS)) / OPENS)
    if (round < 0) continue
    hours.push(hourMs)
    months.push(monthMs)
  }
  for (let round = 0; round < PAGE_ROUNDS; round++) {
    hourPages.push((await spent('openOurs', HOUR_MS, PAGE_OPENS)) / PAGE_OPENS)
    monthPages.push((await spent('openOurs', MONTH_MS, PAGE_OPENS)) / PAGE_OPENS)
  }
  const onDisk = await megabytes()
  await call('startOurs')
  await call('flushOurs', 0, WARM_UPS)
  const flushMs = (await spent('flushOurs', WARM_UPS, WARM_UPS + FLUSHES)) / FLUSHES
  return {
    writeMs: median(writes),
    settleMs,
    monthMs: median(months),
    hourMs: median(hours),
    monthPageMs: median(monthPages),
    hourPageMs: median(hourPages),
    hourChangeMs: median(hourChanges),
    monthChangeMs: median(monthChanges),
    megabytes: onDisk,
    flushMs,
  }
}

/** Chromium keeps a store open for 2 s after its last database closes. */
const pastGrace = (): Promise<void> => new Promise((done) => setTimeout(done, 4_000))

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder, { recursive: true })).map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0, // The file was deleted in the meantime.
      ),
    ),
  )
  return sizes.reduce((sum, one) => sum + one, 0)
}
