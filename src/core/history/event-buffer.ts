import { createStore, type Store } from '#base/store.ts'
import { boundEntry, type LogEntry } from './event-log.ts'
import type { EventRow, PlacedEntry } from './event-rows.ts'

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
  /** Grows with every entry that is added. */
  readonly revision: Store<number>
  open: OpenRows | undefined
}

export function createEventBuffer(): EventBuffer {
  let waiting: readonly PlacedEntry[] = []
  let lastSeq = 0
  let dropped = 0
  const revision = createStore(0)
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
      revision.publish(revision.get() + 1)
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
    revision,
    open: undefined,
  }
}
