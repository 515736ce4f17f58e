import { createStore, type Store } from '#base/store.ts'
import { boundEntry, isBefore, type EventPlace, type LogEntry } from '#history/event-log.ts'

/** Entries in memory at most while nothing can be stored: then the oldest go. */
export const EVENTS_WAITING_MAX = 5_000

/** An entry and its place in the order of all. */
export type PlacedEntry = { readonly entry: LogEntry; readonly seq: number }

export const placeOf = ({ entry, seq }: PlacedEntry): EventPlace => ({ wallMs: entry.wallMs, seq })
export const byPlace = (a: PlacedEntry, b: PlacedEntry): number => (isBefore(placeOf(a), placeOf(b)) ? -1 : 1)

/** The log's part in memory. */
export type EventBuffer = {
  /** What is not stored yet, in the order in which it came. */
  readonly waiting: () => readonly PlacedEntry[]
  readonly add: (entries: readonly LogEntry[]) => void
  /** These are stored. */
  readonly stored: (entries: readonly PlacedEntry[]) => void
  /** Numbers up to this one are in the store: what waits gets later ones. */
  readonly numberFrom: (lastSeq: number) => void
  /** Entries that gave way since this was last called. */
  readonly takeDropped: () => number
  /** What was stored can be read from now on: as good as new. */
  readonly found: () => void
  /** Grows with every entry that is added, and when those that were stored are found. */
  readonly revision: Store<number>
}

export function createEventBuffer(): EventBuffer {
  let waiting: readonly PlacedEntry[] = []
  let lastSeq = 0
  let dropped = 0
  const revision = createStore(0)
  const grow = (): void => revision.publish(revision.get() + 1)
  return {
    waiting: () => waiting,
    add: (entries) => {
      if (entries.length === 0) return
      waiting = [...waiting, ...entries.map((entry) => ({ entry: boundEntry(entry), seq: ++lastSeq }))]
      const over = Math.max(0, waiting.length - EVENTS_WAITING_MAX)
      waiting = waiting.slice(over)
      dropped += over
      grow()
    },
    stored: (entries) => {
      const gone = new Set(entries)
      waiting = waiting.filter((one) => !gone.has(one))
    },
    numberFrom: (seq) => {
      lastSeq = Math.max(lastSeq, seq)
      if (seq >= (waiting[0]?.seq ?? lastSeq + 1))
        waiting = waiting.map(({ entry }) => ({ entry, seq: ++lastSeq }))
    },
    takeDropped: () => {
      const count = dropped
      dropped = 0
      return count
    },
    found: grow,
    revision,
  }
}
