import { createStore, type Store } from '#base/store.ts'
import { boundEntry, isBefore, type EventPlace, type LogEntry } from '#history/event-log.ts'

/** Entries in memory at most while nothing can be stored: then the oldest go. */
export const EVENTS_WAITING_MAX = 5_000

/** An entry and its place in the order of all. */
export type PlacedEntry = { readonly entry: LogEntry; readonly seq: number }

export const placeOf = ({ entry, seq }: PlacedEntry): EventPlace => ({ wallMs: entry.wallMs, seq })
export const byPlace = (a: PlacedEntry, b: PlacedEntry): number => (isBefore(placeOf(a), placeOf(b)) ? -1 : 1)

/** The log's part in memory. */
export class EventBuffer {
  /** What is not stored yet, in the order in which it came. */
  waiting: readonly PlacedEntry[] = []
  #lastSeq = 0
  #dropped = 0
  /** Grows with every entry that is added, and when those that were stored are found. */
  readonly revision: Store<number> = createStore(0)

  add(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return
    const all = [...this.waiting, ...entries.map((entry) => this.#placed(boundEntry(entry)))]
    const over = Math.max(0, all.length - EVENTS_WAITING_MAX)
    this.waiting = all.slice(over)
    this.#dropped += over
    this.found()
  }

  #placed(entry: LogEntry): PlacedEntry {
    return { entry, seq: ++this.#lastSeq }
  }

  /** These are stored. */
  stored(entries: readonly PlacedEntry[]): void {
    const gone = new Set(entries)
    this.waiting = this.waiting.filter((one) => !gone.has(one))
  }

  /** Numbers up to this one are in the store: what waits gets later ones. */
  numberFrom(lastSeq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq)
    if (lastSeq >= (this.waiting[0]?.seq ?? Number.POSITIVE_INFINITY))
      this.waiting = this.waiting.map(({ entry }) => this.#placed(entry))
  }

  /** Entries that gave way since this was last called. */
  takeDropped(): number {
    const count = this.#dropped
    this.#dropped = 0
    return count
  }

  /** What was stored can be read from now on: as good as new. */
  found(): void {
    this.revision.publish(this.revision.get() + 1)
  }
}
