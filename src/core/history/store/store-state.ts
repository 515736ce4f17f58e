import type { Clock } from '#base/clock.ts'
import { createStore, type Store } from '#base/store.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { createEventBuffer, type EventBuffer } from './event-buffer.ts'
import { FIRST_STATUS, type HistoryStatus, type Sentinel } from '#history/history-status.ts'
import { createCompactionGuard, type CompactionGuard } from './compaction-guard.ts'
import { createMemory, type Memory } from './recall.ts'
import type { KnownUsual } from './read-usual.ts'
import { RETENTION_DEFAULTS, type RetentionSettings } from './retention.ts'
import { createSegments, type SegmentMeta, type Segments } from './segments.ts'
import type { Packer, Storage } from '#history/storage.ts'
import { createHeadBlock, type HeadBlock } from './head-block.ts'

export type HistoryPorts = {
  readonly clock: Clock
  readonly storage: Storage
  readonly packer: Packer
  /** Resolves soon: other work of this thread comes first. */
  readonly pause: () => Promise<void>
  /** A name for this writer that no other has. */
  readonly writer: string
}

/** What the parts of one writer share. */
export type StoreState = {
  readonly clock: Clock
  readonly storage: Storage
  readonly segments: Segments
  readonly packer: Packer
  readonly status: Store<HistoryStatus>
  /** What new samples are compared with. */
  readonly memory: Memory
  /** Entries of the log that are not kept yet. */
  readonly events: EventBuffer
  /** What was usual, by node: another map once what is kept has become another. */
  usual: Map<string, KnownUsual>
  head: HeadBlock
  settings: RetentionSettings
  /** What the page remembered of the history. */
  known: Sentinel | undefined
  /** What was kept before was read back. */
  loaded: boolean
  /** Another tab keeps history, or nobody was asked to yet. */
  resting: boolean
  /** Key of the last wal: they only grow. */
  lastKey: number
  /** Set-backs of the clock that no write-ahead record tells of yet, in ms, each below 0. */
  shifts: number[]
  /** Names of segments that may hold write-ahead records. */
  readonly walSegments: Set<string>
  readonly compaction: CompactionGuard
  /** Up to here time is in the rollups; what is later is in the head block only. */
  readonly rolledToMs: { minute: number; coarse: number }
  /** What the segment that is written to says of itself, after the last write-ahead record. */
  lastMeta: { readonly name: string; readonly meta: SegmentMeta } | undefined
  /** Resolves soon: lets polls go on in the middle of long work. */
  readonly yieldToEventLoop: () => Promise<void>
  readonly onDamaged: () => void
  /** Runs one after another what must not be mixed with a flush. */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>
  /** A timer that ends with the writer. */
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

export function createStoreState({ clock, storage, packer, pause, writer }: HistoryPorts): StoreState {
  const status = createStore<HistoryStatus>(FIRST_STATUS)
  const newHead = () =>
    createHeadBlock((nodes) => (status.get().state === 'kept' ? Number.MAX_SAFE_INTEGER : fairShare(nodes)))
  const onVanished = (): void => {
    // Cleared under us: what is in memory is all that is left, and is kept anew.
    for (const node of state.head.nodes.values()) node.flushed = 0
    state.usual = new Map()
    noteLoss(state, status.get().savedToMs)
  }
  const timers = createTimers(clock)
  const segments = createSegments(storage, writer, onVanished)
  let breaths = 0
  const state: StoreState = {
    clock,
    storage,
    packer,
    status,
    segments,
    memory: createMemory(),
    events: createEventBuffer(),
    usual: new Map(),
    head: newHead(),
    settings: RETENTION_DEFAULTS,
    known: undefined,
    loaded: false,
    resting: true,
    lastKey: 0,
    shifts: [],
    walSegments: new Set(),
    compaction: createCompactionGuard(),
    rolledToMs: { minute: Number.NEGATIVE_INFINITY, coarse: Number.NEGATIVE_INFINITY },
    lastMeta: undefined,
    onDamaged: () => setStatus(state, { damaged: status.get().damaged + 1 }),
    yieldToEventLoop: async () => {
      // After every node a pause would take longer than what it lets through.
      if (++breaths % 8 === 0) await pause()
    },
    exclusive: oneAfterAnother(),
    after: timers.after,
    newHead,
    dispose: () => {
      timers.end()
      segments.close()
    },
  }
  return state
}

function oneAfterAnother(): StoreState['exclusive'] {
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

/** Where nothing is kept, memory is shared: the more nodes, the fewer samples each. */
const fairShare = (nodes: number): number =>
  Math.min(
    DEFAULTS.samplesPerNodeMax,
    Math.max(DEFAULTS.samplesPerNodeMin, Math.floor(DEFAULTS.samplesInMemoryMax / Math.max(1, nodes))),
  )
