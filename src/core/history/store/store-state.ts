import { createSerial, type Serial } from '#base/serial.ts'
import type { Clock } from '#base/clock.ts'
import { createStore, type Store } from '#base/store.ts'
import { FIRST_STATUS, type CutOff, type HistoryStatus, type Sentinel } from '#history/history-status.ts'
import type { HistoryBatch } from '#history/history.ts'
import type { Packer, Storage } from '#history/storage.ts'
import type { KnownUsual } from '#history/usual.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { StoreDatabase } from './database.ts'
import { comparedOf, type LastValueMemory } from './derive-events.ts'
import { createEventBuffer, type EventBuffer } from './event-buffer.ts'
import { createHeadBlock, samplesOfEach, type HeadBlock } from './head-block.ts'
import { RETENTION_DEFAULTS, type RetentionSettings } from './retention.ts'

export type HistoryPorts = {
  readonly clock: Clock
  readonly storage: Storage
  readonly packer: Packer
  /** Resolves soon: other work of this thread comes first. */
  readonly pause: () => Promise<void>
  /** A name for this writer that no other has. */
  readonly writer: string
  /** Absent: those that come with the product. */
  readonly metrics?: MetricRegistry | undefined
}

/** All that one store remembers. */
export type StoreState = {
  readonly clock: Clock
  readonly storage: Storage
  readonly packer: Packer
  readonly metrics: MetricRegistry
  readonly database: StoreDatabase
  readonly status: Store<HistoryStatus>
  readonly events: EventBuffer
  readonly lastValues: LastValueMemory
  head: HeadBlock
  /** What came before it was tried to read back what was stored; undefined from then on. */
  early: HistoryBatch[] | undefined
  /** By how much the clock was set back since rows were last written, in ms, below 0. */
  shiftMs: number
  /** What was usual, by node: another map once what is stored has become another. */
  usual: Map<string, KnownUsual>
  settings: RetentionSettings
  /** What the page remembered of the history. */
  known: Sentinel | undefined
  /** What was stored before was read back, and nothing failed since. */
  isLoaded: boolean
  isEnded: boolean
  /** Called for each record that can't be read. */
  readonly onDamaged: () => void
  /** Resolves soon: lets polls go on in the middle of long work. */
  readonly yieldToEventLoop: () => Promise<void>
  /** Runs one after another what must not be mixed with a flush. */
  readonly exclusive: Serial
  /** The same for what takes long and must not be mixed with compaction. */
  readonly upkeep: Serial
  /** A timer that ends with the store. */
  readonly after: (delayMs: number, run: () => void) => void
  readonly newHead: () => HeadBlock
  readonly dispose: () => void
}

export const setStatus = (state: Pick<StoreState, 'status'>, changes: Partial<HistoryStatus>): void =>
  state.status.publish({ ...state.status.get(), ...changes })

/** History up to then is gone, by nobody's wish that this product knows of. */
export function noteLoss(state: StoreState, lastMs: number | undefined): void {
  const noticedMs = state.clock.wallMs()
  setStatus(state, { lost: { noticedMs, lastMs } })
  const facts = lastMs === undefined ? {} : { facts: { lastMs } }
  state.events.add([{ wallMs: noticedMs, area: 'watching', what: 'history-lost', ...facts }])
}

/** The browser was closed in the middle of it. */
export function noteCutOff(state: StoreState, what: CutOff): void {
  const noticedMs = state.clock.wallMs()
  setStatus(state, { cutOff: { noticedMs, what } })
  state.events.add([{ wallMs: noticedMs, area: 'watching', what: 'transfer-cut-off', facts: { task: what } }])
}

export function createStoreState({
  clock,
  storage,
  packer,
  pause,
  writer,
  metrics = METRICS,
}: HistoryPorts): StoreState {
  const status = createStore<HistoryStatus>(FIRST_STATUS)
  const newHead = () =>
    createHeadBlock(
      (nodes) => (status.get().state === 'kept' ? Number.MAX_SAFE_INTEGER : samplesOfEach(nodes)),
      metrics,
      (node) => database.nodes.get(node)?.untilMs,
    )
  const timers = createTimers(clock)
  const database = new StoreDatabase(storage, writer)
  let yields = 0
  const state: StoreState = {
    clock,
    storage,
    packer,
    metrics,
    database,
    status,
    events: createEventBuffer(),
    lastValues: { byNode: new Map(), fields: new Set(), metrics: comparedOf(metrics) },
    head: newHead(),
    early: [],
    shiftMs: 0,
    usual: new Map(),
    settings: RETENTION_DEFAULTS,
    known: undefined,
    isLoaded: false,
    isEnded: false,
    onDamaged: () => setStatus(state, { damaged: status.get().damaged + 1 }),
    yieldToEventLoop: async () => {
      // After every node a pause would take longer than what it lets through.
      if (++yields % 8 === 0) await pause()
    },
    exclusive: createSerial(),
    upkeep: createSerial(),
    after: timers.after,
    newHead,
    dispose: () => {
      state.isEnded = true
      timers.end()
      database.end()
    },
  }
  return state
}

function createTimers(clock: Clock) {
  const timers = new Set<() => void>()
  return {
    after: (delayMs: number, run: () => void): void => {
      const cancel = clock.after(delayMs, () => {
        timers.delete(cancel)
        run()
      })
      timers.add(cancel)
    },
    end: (): void => timers.forEach((cancel) => cancel()),
  }
}
