import type { Clock } from '#base/clock.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createStore, type Store } from '#base/store.ts'
import { FIRST_STATUS, type CutOff, type HistoryStatus, type Sentinel } from '#history/history-status.ts'
import type { Packer, Storage } from '#history/storage.ts'
import { createCompactionGuard } from './compaction-guard.ts'
import { createEventBuffer, type EventState } from './event-buffer.ts'
import { createGenerations } from './generations.ts'
import { createHeadBlock, samplesOfEach, type HeadBlock } from './head-block.ts'
import { createLastValues, type LastValuesState } from './last-values.ts'
import type { ReadState } from './read-history.ts'
import { RETENTION_DEFAULTS, type RetentionSettings } from './retention.ts'
import { createSegments, type SegmentStore } from './segments.ts'
import type { WalState } from './wal.ts'

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

/** All that one store remembers; each of its parts says what it needs of that. */
export type StoreState = EventState &
  WalState &
  ReadState &
  LastValuesState & {
    head: HeadBlock
    usual: ReadState['usual']
    readonly status: Store<HistoryStatus>
    settings: RetentionSettings
    /** What the page remembered of the history. */
    known: Sentinel | undefined
    /** What was kept before was read back. */
    isLoaded: boolean
    /** Nothing is written any more. */
    isEnded: boolean
    /** A timer that ends with the store. */
    readonly after: (delayMs: number, run: () => void) => void
    readonly newHead: () => HeadBlock
    readonly dispose: () => void
  }

export const setStatus = (state: StoreState, changes: Partial<HistoryStatus>): void =>
  state.status.publish({ ...state.status.get(), ...changes })

/** History up to then is gone, by nobody's wish that this product knows of. */
export function noteLoss(state: StoreState, lastMs: number | undefined): void {
  const noticedMs = state.clock.wallMs()
  setStatus(state, { lost: { noticedMs, lastMs } })
  state.events.open = undefined
  state.events.add([
    {
      wallMs: noticedMs,
      area: 'watching',
      what: 'history-lost',
      ...(lastMs !== undefined && { facts: { lastMs } }),
    },
  ])
}

/** The browser was closed in the middle of it. */
export function noteCutOff(state: Pick<StoreState, 'clock' | 'status' | 'events'>, what: CutOff): void {
  const noticedMs = state.clock.wallMs()
  state.status.publish({ ...state.status.get(), cutOff: { noticedMs, what } })
  state.events.add([{ wallMs: noticedMs, area: 'watching', what: 'transfer-cut-off', facts: { task: what } }])
}

export function createStoreState({
  clock,
  storage: databases,
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
    )
  const timers = createTimers(clock)
  const storage = createGenerations(databases)
  const segments = createSegments(storage, writer, () => {
    // Cleared under us: what is in memory is all that is left, and is kept anew.
    for (const node of state.head.nodes.values()) node.flushed = 0
    state.usual = new Map()
    noteLoss(state, status.get().savedToMs)
  })
  let yields = 0
  const state: StoreState = {
    clock,
    storage,
    packer,
    metrics,
    status,
    segments,
    lastValues: createLastValues(metrics),
    events: createEventBuffer(),
    usual: new Map(),
    head: newHead(),
    settings: RETENTION_DEFAULTS,
    known: undefined,
    isLoaded: false,
    isEnded: false,
    lastKey: 0,
    shifts: [],
    walSegments: new Set(),
    compaction: createCompactionGuard(),
    rolledToMs: { minute: Number.NEGATIVE_INFINITY, coarse: Number.NEGATIVE_INFINITY },
    lastMeta: undefined,
    onDamaged: () => setStatus(state, { damaged: status.get().damaged + 1 }),
    yieldToEventLoop: async () => {
      // After every node a pause would take longer than what it lets through.
      if (++yields % 8 === 0) await pause()
    },
    exclusive: oneAfterAnother(),
    after: timers.after,
    newHead,
    dispose: () => {
      state.isEnded = true
      timers.end()
      segments.end()
    },
  }
  return state
}

function oneAfterAnother(): SegmentStore['exclusive'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }
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
