import { createStore, type Store } from '#base/store.ts'
import { boundEntry, type LogEntry } from '#history/event-log.ts'
import type { EventRow, PlacedEntry } from './event-rows.ts'
import type { SegmentStore } from './segments.ts'

/** Entries in memory at most while nothing can be kept: then the oldest go. */
export const EVENTS_WAITING_MAX = 5_000

/** A row with what it holds. */
export type OpenRow = {
  readonly row: EventRow
  readonly entries: readonly PlacedEntry[]
  readonly value: Uint8Array
}

/** Small rows that were written lately, by the segment's name: enough of them become one. */
type OpenRows = { readonly segment: string; readonly rows: readonly OpenRow[] }

/** The log's part in memory. */
export type EventBuffer = {
  /** What is not kept yet, in the order in which it came. */
  readonly waiting: () => readonly PlacedEntry[]
  readonly add: (entries: readonly LogEntry[]) => void
  /** These are kept. */
  readonly kept: (entries: readonly PlacedEntry[]) => void
  /** Numbers up to this one are taken in the store: what waits gets later ones. */
  readonly numberFrom: (lastSeq: number) => void
  readonly lastSeq: () => number
  /** Entries that gave way since this was last asked. */
  readonly takeDropped: () => number
  /** What was kept can be read from now on: as good as new. */
  readonly found: () => void
  /** Grows with every entry that is added, and when those that were kept are found. */
  readonly revision: Store<number>
  open: OpenRows | undefined
}

/** What the log is kept and read with. */
export type EventState = Pick<SegmentStore, 'clock' | 'segments' | 'packer' | 'onDamaged'> & {
  /** Entries that are not kept yet. */
  readonly events: EventBuffer
}

export function createEventBuffer(): EventBuffer {
  let waiting: readonly PlacedEntry[] = []
  let lastSeq = 0
  let dropped = 0
  const revision = createStore(0)
  const grow = (): void => revision.publish(revision.get() + 1)
  const bound = (): void => {
    const over = waiting.length - EVENTS_WAITING_MAX
    if (over <= 0) return
    waiting = waiting.slice(over)
    dropped += over
  }
  return {
    waiting: () => waiting,
    add: (entries) => {
      if (entries.length === 0) return
      waiting = [...waiting, ...entries.map((entry) => ({ entry: boundEntry(entry), seq: ++lastSeq }))]
      bound()
      grow()
    },
    kept: (entries) => {
      const gone = new Set(entries)
      waiting = waiting.filter((one) => !gone.has(one))
    },
    numberFrom: (seq) => {
      if (seq < (waiting[0]?.seq ?? lastSeq + 1)) {
        lastSeq = Math.max(lastSeq, seq)
        return
      }
      lastSeq = seq
      waiting = waiting.map(({ entry }) => ({ entry, seq: ++lastSeq }))
    },
    lastSeq: () => lastSeq,
    takeDropped: () => {
      const count = dropped
      dropped = 0
      return count
    },
    found: grow,
    revision,
    open: undefined,
  }
}
