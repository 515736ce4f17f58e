import * as Comlink from 'comlink'
import type { Clock } from '#base/clock.ts'
import type { Charts } from '#charts/charts.ts'
import { createCharts } from '#charts/read-charts.ts'
import type { Sample } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createStoredHistory, type StoredHistory } from '#history/store/stored-history.ts'
import { readEvents } from '#history/store/events.ts'
import { createHistoryStorage } from '#platform/worker-history-storage.ts'
import { browserPacker } from '#platform/worker-packer.ts'
import { pause } from '#platform/worker-pause.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { EVERY_MS, samplesOf, type State } from './node-samples.ts'
import { openRecords, type Records } from './record-per-sample.ts'

const COLUMNS = 1_000
const MINUTE_MS = 60_000
/** Entries of the log that a page reads at once. */
const EVENTS = 100
/** Samples per call, for both contenders. */
const BATCH = 10_000

type Kept = StoredHistory & Charts
type Batches = readonly (readonly Sample[])[]

/** The store without the journal, because the rival has no journal. */
let ours: Kept | undefined
let records: Records | undefined
let writers = 0
let month: Batches = []
/** Prepared before the measurement. */
let minutes: Batches = []
/** The moment when the user opens the page. Wall time stands still then; timers run. */
let nowMs = 0

const clock: Clock = {
  wallMs: () => nowMs,
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

const inBatches = (samples: readonly Sample[]): Batches =>
  Array.from({ length: Math.ceil(samples.length / BATCH) }, (_, place) =>
    samples.slice(place * BATCH, (place + 1) * BATCH),
  )

const nodeName = (index: number): string => `https://node.example 0x${index.toString(16).padStart(40, '0')}`

const statesIn = (json: string): readonly State[] => JSON.parse(json)

function close(): void {
  ours?.dispose()
  ours = undefined
  records?.close()
  records = undefined
}

async function clear(): Promise<void> {
  close()
  for (const { name = '' } of await indexedDB.databases())
    await new Promise((done, failed) => {
      const request = indexedDB.deleteDatabase(name)
      request.addEventListener('success', done)
      request.addEventListener('error', failed)
    })
}

async function startedKeeper(): Promise<Kept> {
  const storage = createHistoryStorage()
  const writer = createStoredHistory({
    clock,
    storage,
    packer: browserPacker,
    pause,
    writer: `bench ${++writers}`,
    metrics: METRICS,
  })
  await writer.start(undefined)
  // The store checks for finished hours as soon as it starts; this check finds none.
  await new Promise((done) => setTimeout(done))
  await writer.maintain()
  return { ...writer, ...createCharts(writer.state) }
}

function kept(): Kept {
  if (ours?.state.status.get().state !== 'kept') throw new Error('the history is not kept')
  return ours
}

function opened(): Records {
  if (records === undefined) throw new Error('no records are open')
  return records
}

const bench = {
  /** Prepares one node's month, up to `endMs`. */
  loadMonth: async (startMs: number, endMs: number, json: string): Promise<void> => {
    month = inBatches(samplesOf(nodeName(1), startMs, statesIn(json)))
    nowMs = endMs
  },
  /** Prepares `count` minutes of many nodes. Polls are spread over the interval, and samples are in order of time. */
  loadMinutes: async (startMs: number, count: number, jsons: readonly string[]): Promise<void> => {
    const states = jsons.map(statesIn)
    minutes = Array.from({ length: count }, (_, later) =>
      states
        .flatMap((each, index) =>
          samplesOf(
            nodeName(index),
            startMs + later * MINUTE_MS + Math.round((index * EVERY_MS) / jsons.length),
            each,
          ),
        )
        .toSorted((a, b) => a.atMs - b.atMs),
    )
  },

  startOurs: async (): Promise<void> => {
    await clear()
    ours = await startedKeeper()
  },
  startRecords: async (): Promise<void> => {
    await clear()
    records = await openRecords()
  },

  /** Writes the month from memory to disk. */
  writeOurs: async (): Promise<void> => {
    const { head } = kept().state
    for (const samples of month) head.addSamples(samples)
    await kept().saved()
    kept()
  },
  writeRecords: async (): Promise<void> => {
    for (const samples of month) await opened().put(samples)
  },
  /** Merges samples into blocks and rollups of every resolution, which the product does later in the background. */
  settleOurs: async (): Promise<void> => {
    kept().configure(EMPTY_SETTINGS.history)
    await kept().maintain()
    kept()
  },

  /** Reads a range `times` times. Resolves to the number of samples behind it. */
  readOurs: async (rangeMs: number, times: number): Promise<number> => {
    let samples = 0
    for (let time = 0; time < times; time++) {
      const lanes = await kept().readSeriesData({
        node: nodeName(1),
        fromMs: nowMs - rangeMs,
        toMs: nowMs,
        columns: COLUMNS,
        barMs: rangeMs / 60,
        maxGapMs: EVERY_MS * 2.5,
      })
      samples = lanes.samples
    }
    return samples
  },
  /**
   * Opens a node's page at a range `times` times, each as after a start of the browser: opens the history again, then
   * reads everything that the page reads from it.
   */
  openOurs: async (rangeMs: number, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      ours?.dispose()
      ours = await startedKeeper()
      await bench.changeOurs(rangeMs, 1)
      const { state } = kept()
      const range = { nodeKey: nodeName(1), fromMs: nowMs - rangeMs, toMs: nowMs }
      await readEvents(state, { nodeKey: nodeName(1), limit: EVENTS })
      await readEvents(state, { ...range, areas: ['operator'], limit: EVENTS })
    }
  },
  /** Changes the range of an open page `times` times: reads the rows and the usual ranges, as the page does. */
  changeOurs: async (rangeMs: number, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      await bench.readOurs(rangeMs, 1)
      await kept().readUsual({ node: nodeName(1), toMs: nowMs, barMs: rangeMs / 60 })
    }
  },
  /** Simulates daily maintenance for both contenders: the browser frees space that it no longer needs. */
  tidy: async (): Promise<void> => {
    await createHistoryStorage().tidy()
  },
  close: async (): Promise<void> => close(),
  readRecords: async (rangeMs: number): Promise<number> => {
    const columns = await opened().columns(nodeName(1), nowMs - rangeMs, nowMs, COLUMNS)
    return columns.samples
  },

  /** Writes minutes `[from, to)` of the fleet, with one flush for each. */
  flushOurs: async (from: number, to: number): Promise<void> => {
    const { head } = kept().state
    for (const samples of minutes.slice(from, to)) {
      head.addSamples(samples)
      await kept().saved()
    }
    kept()
  },
  flushRecords: async (from: number, to: number): Promise<void> => {
    for (const samples of minutes.slice(from, to)) await opened().put(samples)
  },
}

export type HistoryBench = typeof bench
Comlink.expose(bench)
