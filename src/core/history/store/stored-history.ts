import type { EventLog, LogEntry } from '#history/event-log.ts'
import type { CutOff, Sentinel } from '#history/history-status.ts'
import type { History, HistoryBatch } from '#history/history.ts'
import type { Rollup } from '#history/rollup.ts'
import type { Series } from '#history/series.ts'
import type { TierName } from '#history/tiers.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { compare } from './last-values.ts'
import { createMaintenance, survey } from './maintenance.ts'
import { createPersistence } from './persistence.ts'
import { readEvents } from './read-events.ts'
import { readSeriesData, readRollups, readSamples, readUsual, type NodeRange } from './read-history.ts'
import type { RetentionSettings } from './retention.ts'
import type { SegmentStore } from './segments.ts'
import { createStoreState, noteCutOff, type HistoryPorts, type StoreState } from './store-state.ts'

export type HistoryWriter = {
  readonly state: StoreState
  /** Adds to what is in memory at once, and sees to it that it is kept. */
  readonly append: (batch: HistoryBatch) => void
  /** The same for entries of the log. */
  readonly log: (entries: readonly LogEntry[]) => void
  /** Begins to keep. `known`: what the page remembered of the history. Resolves when it is kept, or can't be. */
  readonly start: (known: Sentinel | undefined) => Promise<void>
  /** Resolves when all that came so far is kept, or can't be. */
  readonly saved: () => Promise<void>
  readonly configure: (settings: RetentionSettings) => void
  /** Does now what is due once an hour is over. */
  readonly maintain: () => Promise<void>
  /** Nothing is written from then on. */
  readonly dispose: () => void
}

/** Keeps history: what comes is in memory at once, on disk within a second, and in records within the hour. */
export function createHistoryWriter(ports: HistoryPorts): HistoryWriter {
  const state = createStoreState(ports)
  const maintainAnew = (): void => {
    maintenance.again()
    void maintenance.run()
  }
  const persistence = createPersistence(state, maintainAnew)
  const maintenance = createMaintenance(state, persistence.trouble)
  let isTimed = false

  return {
    state,
    append: ({ samples, gaps }) => {
      for (const gap of gaps) {
        state.head.addGap(gap)
        if (gap.toMs >= gap.fromMs) continue
        state.shifts.push(Math.round(gap.toMs - gap.fromMs))
        state.usual = new Map()
      }
      state.head.addSamples(samples.map((sample) => compare(state, sample)))
      persistence.schedule()
    },
    log: (entries) => {
      state.events.add(entries)
      persistence.schedule()
    },
    start: async (known) => {
      state.known = known
      state.isLoaded = false
      state.lastValues.byNode = undefined
      state.segments.close()
      await persistence.begin()
      if (!isTimed) {
        isTimed = true
        maintenance.keepRunning()
        persistence.keepAlive()
      }
      state.after(0, maintainAnew)
    },
    saved: persistence.now,
    configure: (settings) => {
      state.settings = settings
      maintenance.again()
    },
    maintain: maintenance.run,
    dispose: state.dispose,
  }
}

/** What exports, imports and backups are made with. */
export type TransferStore = Pick<
  SegmentStore,
  'clock' | 'storage' | 'segments' | 'packer' | 'yieldToEventLoop' | 'exclusive'
> & {
  readonly metrics: MetricRegistry
  readonly readSamples: (range: NodeRange) => Promise<Series>
  readonly readRollups: (tier: Exclude<TierName, 'samples'>, range: NodeRange) => Promise<Rollup>
  /** Before this there is nothing of a node. */
  readonly firstMs: (node: string, tier: TierName) => number
  readonly log: (entries: readonly LogEntry[]) => void
  /** Drops what memory holds of a node. */
  readonly forget: (node: string) => void
  /** Once what was kept before can be read. */
  readonly whenKept: (run: () => void) => void
  /** Says what was cut off when the browser was closed. */
  readonly noteCutOff: (what: CutOff) => void
  /** Counts anew what there is. */
  readonly survey: () => Promise<void>
  readonly saved: () => Promise<void>
  /** What was read before may be another by now. */
  readonly changed: () => void
  /** Databases were replaced: what was read of them is of no more use, until it is read anew. */
  readonly unload: () => void
  readonly reload: () => Promise<void>
}

/** History that outlives the tab. Reading works from memory alone where the store does not. */
export type StoredHistory = History &
  Pick<HistoryWriter, 'start' | 'saved' | 'configure' | 'maintain' | 'dispose'> & {
    readonly status: StoreState['status']
    readonly log: EventLog
    readonly store: TransferStore
  }

export function createStoredHistory(ports: HistoryPorts): StoredHistory {
  const writer = createHistoryWriter(ports)
  const { state, start, saved, configure, maintain, dispose } = writer
  return {
    append: async (batch) => writer.append(batch),
    readSeriesData: (query) => readSeriesData(state, query),
    readUsual: (query) => readUsual(state, query),
    // What was kept stays: only what lies in memory goes where nothing is kept.
    forget: async (nodes) => {
      if (state.status.get().state !== 'kept') for (const node of nodes) state.head.forget(node)
    },
    status: state.status,
    log: {
      append: async (entries) => writer.log(entries),
      read: (query) => readEvents(state, query),
      watch: state.events.revision.subscribe,
    },
    store: transferStoreOf(writer),
    start,
    saved,
    configure,
    maintain,
    dispose,
  }
}

function transferStoreOf({ state, saved, start }: HistoryWriter): TransferStore {
  const { clock, storage, segments, packer, yieldToEventLoop, exclusive, metrics } = state
  return {
    metrics,
    clock,
    storage,
    segments,
    packer,
    yieldToEventLoop,
    exclusive,
    readSamples: (range) => readSamples(state, range),
    readRollups: (tier, range) => readRollups(state, tier, range),
    firstMs: (node, tier) =>
      Math.min(
        state.status.get().reach[tier] ?? Number.POSITIVE_INFINITY,
        state.head.nodes.get(node)?.series.columns.atMs[0] ?? clock.wallMs(),
      ),
    log: state.events.add,
    forget: (node) => {
      state.head.forget(node)
      state.lastValues.byNode?.delete(node)
    },
    whenKept: (run) => {
      const stop = state.status.subscribe(() => {
        if (state.status.get().state !== 'kept') return
        stop()
        run()
      })
    },
    noteCutOff: (what) => noteCutOff(state, what),
    survey: async () => void (await survey(state)),
    saved,
    changed: () => {
      state.usual = new Map()
    },
    unload: () => {
      segments.close()
      state.walSegments.clear()
      state.known = undefined
      state.isLoaded = false
      state.lastValues.byNode = undefined
    },
    reload: () => start(undefined),
  }
}
