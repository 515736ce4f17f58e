import { createSerial } from '#base/serial.ts'
import type { Clock } from '#base/clock.ts'
import { createStore } from '#base/store.ts'
import { FIRST_STATUS, type CutOff, type HistoryStatus, type Sentinel } from '#history/history-status.ts'
import type { HistoryBatch } from '#history/history.ts'
import type { Packer, Storage } from '#history/storage.ts'
import type { KnownUsual } from '#history/usual.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { StoreDatabase } from './database.ts'
import { comparedOf, type LastValueMemory } from './derive-events.ts'
import { EventBuffer } from './event-buffer.ts'
import { HeadBlock, samplesOfEach } from './head-block.ts'
import { RETENTION_DEFAULTS, type RetentionSettings } from './retention.ts'

export type HistoryPorts = {
  readonly clock: Clock
  readonly storage: Storage
  readonly packer: Packer
  /** Resolves soon: other work of this thread comes first. */
  readonly pause: () => Promise<void>
  /** A name for this writer that no other has. */
  readonly writer: string
  readonly metrics: MetricRegistry
}

/** All that one store remembers. */
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
  /** What came before what was stored was read back, in order; undefined from then on. */
  early: HistoryBatch[] | undefined = []
  /** By how much the clock was set back since rows were last written, in ms, below 0. */
  shiftMs = 0
  /** What was usual, by node: another map once what is stored has become another. */
  usual = new Map<string, KnownUsual>()
  settings: RetentionSettings = RETENTION_DEFAULTS
  /** What the page remembered of the history. */
  known: Sentinel | undefined
  /** What was stored before was read back, and nothing failed since. */
  isLoaded = false
  isEnded = false
  /** Runs one after another what must not be mixed with a flush. */
  readonly exclusive = createSerial()
  /** The same for what takes long and must not be mixed with compaction. */
  readonly upkeep = createSerial()
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

  /** History up to then is gone, by nobody's wish that this product knows of. */
  noteLoss(lastMs: number | undefined): void {
    const noticedMs = this.clock.wallMs()
    this.setStatus({ lost: { noticedMs, lastMs } })
    const facts = lastMs === undefined ? {} : { facts: { lastMs } }
    this.events.add([{ wallMs: noticedMs, area: 'watching', what: 'history-lost', ...facts }])
  }

  /** The browser was closed in the middle of it. */
  noteCutOff(what: CutOff): void {
    const noticedMs = this.clock.wallMs()
    this.setStatus({ cutOff: { noticedMs, what } })
    this.events.add([
      { wallMs: noticedMs, area: 'watching', what: 'transfer-cut-off', facts: { task: what } },
    ])
  }

  /** A record can't be read. */
  noteDamaged(): void {
    this.setStatus({ damaged: this.status.get().damaged + 1 })
  }

  /** Resolves soon: lets polls go on in the middle of long work. */
  async yieldToEventLoop(): Promise<void> {
    // After every node a pause would take longer than what it lets through.
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

  dispose(): void {
    this.isEnded = true
    for (const cancel of this.#timers) cancel()
    this.database.end()
  }
}
