import { createSerial } from '#base/serial.ts'
import type { Clock } from '#base/clock.ts'
import { createStore } from '#base/store.ts'
import type { EventFacts } from '#history/event-log.ts'
import { FIRST_STATUS, type HistoryStatus, type Sentinel } from '#history/history-status.ts'
import type { HistoryBatch } from '#history/history.ts'
import type { Packer, Storage } from '#storage/storage.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { StoreDatabase } from './database.ts'
import { comparedOf, type LastValueMemory } from './derive-events.ts'
import { EventBuffer } from './event-buffer.ts'
import { HeadBlock, samplesOfEach } from './head-block.ts'
import type { RetentionSettings } from './retention.ts'

export type HistoryPorts = {
  readonly clock: Clock
  readonly storage: Storage
  readonly packer: Packer
  /** Yields to other work of this thread. */
  readonly pause: () => Promise<void>
  /** Unique to this writer. */
  readonly writer: string
  readonly metrics: MetricRegistry
}

export class StoreState {
  readonly clock: Clock
  readonly storage: Storage
  readonly packer: Packer
  readonly metrics: MetricRegistry
  readonly database: StoreDatabase
  readonly status = createStore<HistoryStatus>(FIRST_STATUS)
  readonly events = new EventBuffer()
  readonly lastValues: LastValueMemory
  head: HeadBlock
  /** Batches that came before the stored history was read; undefined from then on. */
  early: HistoryBatch[] | undefined = []
  /** How far the clock was set back since the last write, ms; zero or negative. */
  shiftMs = 0
  /** Increases when rows change for any reason but new samples. */
  revision = 0
  settings: RetentionSettings = EMPTY_SETTINGS.history
  /** The page's memory of the history. */
  known: Sentinel | undefined
  /** The stored history is read, and nothing has failed since. */
  isLoaded = false
  isEnded = false
  /** Serializes work that must not overlap with a flush. */
  readonly exclusive = createSerial()
  /** Serializes long work that must not overlap with compaction. */
  readonly maintenance = createSerial()
  readonly #pause: () => Promise<void>
  readonly #timers = new Set<() => void>()
  #yields = 0

  constructor({ clock, storage, packer, pause, writer, metrics }: HistoryPorts) {
    this.clock = clock
    this.storage = storage
    this.packer = packer
    this.metrics = metrics
    this.database = new StoreDatabase(storage, writer)
    this.lastValues = { byNode: new Map(), fields: new Set(), metrics: comparedOf(metrics) }
    this.head = this.newHead()
    this.#pause = pause
  }

  newHead(): HeadBlock {
    return new HeadBlock(
      (nodes) => (this.status.get().state === 'kept' ? Number.MAX_SAFE_INTEGER : samplesOfEach(nodes)),
      this.metrics,
      (node) => this.database.nodes.get(node)?.untilMs,
    )
  }

  setStatus(changes: Partial<HistoryStatus>): void {
    this.status.publish({ ...this.status.get(), ...changes })
  }

  /** Adds an entry about the watching itself. Returns its time. */
  note(what: string, facts: EventFacts): number {
    const wallMs = this.clock.wallMs()
    this.events.add([{ wallMs, area: 'watching', what, facts }])
    return wallMs
  }

  noteDamaged(): void {
    this.setStatus({ damaged: this.status.get().damaged + 1 })
  }

  /** Lets polls run in the middle of long work. */
  async yieldToEventLoop(): Promise<void> {
    // Skips most pauses, because a pause after every node would take longer than the other work.
    if (++this.#yields % 8 === 0) await this.#pause()
  }

  /** A timer that ends with the store. */
  after(delayMs: number, run: () => void): void {
    const cancel = this.clock.after(delayMs, () => {
      this.#timers.delete(cancel)
      run()
    })
    this.#timers.add(cancel)
  }

  /** Runs again and again until the store ends. */
  every(delayMs: number, run: () => void): void {
    this.after(delayMs, () => {
      this.every(delayMs, run)
      run()
    })
  }

  dispose(): void {
    this.isEnded = true
    for (const cancel of this.#timers) cancel()
    this.database.end()
  }
}
