import { createStore, type Store } from '#base/store.ts'
import { boundEntry, type LogEntry, type NumberedEntry } from '#history/event-log.ts'

/** While the store fails, the oldest entries beyond this are dropped. */
export const EVENTS_WAITING_MAX = 5_000

export class EventBuffer {
  /** Unstored entries, in order of arrival. */
  waiting: readonly NumberedEntry[] = []
  #lastSeq = 0
  #dropped = 0
  /** Increases with each change of the entries. */
  readonly revision: Store<number> = createStore(0)

  add(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return
    const all = [...this.waiting, ...entries.map((entry) => this.#numbered(boundEntry(entry)))]
    const over = Math.max(0, all.length - EVENTS_WAITING_MAX)
    this.waiting = all.slice(over)
    this.#dropped += over
    this.found()
  }

  #numbered(entry: LogEntry): NumberedEntry {
    return { ...entry, seq: ++this.#lastSeq }
  }

  /** Removes entries that are stored. */
  stored(entries: readonly NumberedEntry[]): void {
    const gone = new Set(entries)
    this.waiting = this.waiting.filter((one) => !gone.has(one))
  }

  /** Renumbers waiting entries after the last stored number. */
  numberFrom(lastSeq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq)
    if (lastSeq >= (this.waiting[0]?.seq ?? Number.POSITIVE_INFINITY))
      this.waiting = this.waiting.map((entry) => this.#numbered(entry))
  }

  /** Entries dropped since the last call. */
  takeDropped(): number {
    const count = this.#dropped
    this.#dropped = 0
    return count
  }

  /** Notifies readers that stored entries became readable. */
  found(): void {
    this.revision.publish(this.revision.get() + 1)
  }
}
