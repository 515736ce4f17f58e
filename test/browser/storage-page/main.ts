import type { OutboxStorage } from '#delivery/delivery-queue.ts'
import type { KeyStore } from '#keys/key-store.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { EventLog } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { createCharts } from '#charts/read-charts.ts'
import { createStoredHistory, type StoredHistory } from '#history/store/stored-history.ts'
import type { TransferEnd } from '#history/transfer/transfer.ts'
import { createTransfers } from '#history/transfer/transfers.ts'
import { loadSentinel, saveSentinel } from '#platform/history-sentinel.ts'
import { askToPersist, isPersistent } from '#platform/storage-persistence.ts'
import { systemClock } from '#platform/system-clock.ts'
import { linesOf } from '#platform/worker-file-lines.ts'
import { createKeyStore } from '#platform/worker-key-store.ts'
import { createHistoryStorage } from '#platform/worker-history-storage.ts'
import { createOutboxStorage } from '#platform/worker-outbox-storage.ts'
import { browserPacker } from '#platform/worker-packer.ts'
import { pause } from '#platform/worker-pause.ts'

const DAY_MS = 86_400_000

export type StoragePage = {
  /** Starts the history like the engine. Resolves when it works or has failed. `version` simulates a later build. */
  readonly open: (writer: string, version?: number) => Promise<HistoryStatus>
  readonly status: () => HistoryStatus
  /** Adds `count` polls of a node, one per millisecond until now. `status` is the status of each. */
  readonly poll: (node: string, count: number, status?: string) => Promise<void>
  /** The number of polls of a node in history over the last `days` days. */
  readonly polls: (node: string, days: number) => Promise<number>
  /** Resolves when everything is saved or saving has failed. */
  readonly saved: () => Promise<void>
  readonly log: EventLog['append']
  readonly readLog: EventLog['read']
  readonly imports: (file: Blob) => Promise<TransferEnd>
  readonly exportCsv: (node: string) => Promise<string>
  /** The pending notifications of a receiver. */
  readonly loadOutbox: OutboxStorage['load']
  readonly saveOutbox: OutboxStorage['save']
  /** The keys in the store, and how many records were read for them. */
  readonly loadKeys: () => Promise<{ readonly labels: readonly string[]; readonly reads: number }>
  readonly putKey: (publicKey: string, label: string) => Promise<boolean>
  readonly removeKey: (publicKey: string) => Promise<boolean>
  readonly loadLockMinutes: KeyStore['loadLockMinutes']
  readonly putLockMinutes: (minutes: number) => Promise<boolean>
  /** The number of bytes decompressed, and of bytes consumed until the end. */
  readonly inflate: (
    packed: Blob,
    maxBytes: number,
  ) => Promise<{ readonly out: number | undefined; readonly in: number }>
  readonly askToPersist: typeof askToPersist
  readonly isPersistent: typeof isPersistent
}

declare global {
  var storagePage: StoragePage
}

let history: StoredHistory | undefined
const outbox = createOutboxStorage()
const keys = createKeyStore()

/** Reads of key records by any code in the page. */
let keyReads = 0
for (const name of ['get', 'getAll', 'openCursor'] as const) {
  const read = IDBObjectStore.prototype[name]
  Object.defineProperty(IDBObjectStore.prototype, name, {
    value(this: IDBObjectStore, ...given: Parameters<typeof read>) {
      if (this.name === 'keys') keyReads++
      return Reflect.apply(read, this, given)
    },
  })
}

const opened = (): StoredHistory => {
  if (history === undefined) throw new Error('no history is open')
  return history
}

globalThis.storagePage = {
  open: async (writer, version) => {
    const made = createStoredHistory({
      clock: systemClock,
      storage: createHistoryStorage(version),
      packer: browserPacker,
      pause,
      writer,
      metrics: METRICS,
    })
    history = made
    made.status.subscribe(() => {
      const { state, sentinel } = made.status.get()
      if (state === 'kept' && sentinel !== undefined) saveSentinel(sentinel)
    })
    await made.start(loadSentinel())
    return made.status.get()
  },
  status: () => opened().status.get(),
  poll: (node, count, status = 'ACTIVE') => {
    const nowMs = Date.now()
    const samples = Array.from({ length: count }, (_, place): Sample => ({
      node,
      atMs: nowMs - count + place + 1,
      everyMs: 1_000,
      latencyMs: 5,
      outcome: 'answered',
      status: `${status}${status === '' ? crypto.randomUUID() : ''}`,
    }))
    return opened().append({ samples, gaps: [] })
  },
  polls: async (node, days) => {
    const toMs = Date.now() + 1
    const lanes = await createCharts(opened().state).readSeriesData({
      node,
      fromMs: toMs - days * DAY_MS,
      toMs,
      columns: 100,
      barMs: DAY_MS,
      maxGapMs: 2_500,
    })
    return lanes.answered
  },
  saved: () => opened().saved(),
  log: (entries) => opened().log.append(entries),
  readLog: (query) => opened().log.read(query),
  imports: (file) =>
    createTransfers(opened())({ what: 'import', file: linesOf(file) }, () => Promise.resolve(true)),
  exportCsv: async (node) => {
    let text = ''
    await createTransfers(opened())(
      { what: 'export', query: { node, fromMs: 0, toMs: Date.now() + 1, tier: 'samples', form: 'csv' } },
      async (part) => {
        text += part
        return true
      },
    )
    return text
  },
  loadKeys: async () => {
    const before = keyReads
    const loaded = await keys.load()
    if (!loaded.ok) throw new Error(loaded.error)
    return { labels: loaded.value.map(({ label }) => label), reads: keyReads - before }
  },
  putKey: async (publicKey, label) => {
    const key = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    if (!('privateKey' in key)) throw new Error('not a key pair')
    return (await keys.put({ publicKey, createdMs: 1, label, key: key.privateKey })).ok
  },
  inflate: async (packed, maxBytes) => {
    const writers: { write: (chunk: Uint8Array) => Promise<void> } = WritableStreamDefaultWriter.prototype
    const { write } = writers
    let given = 0
    writers.write = function (chunk) {
      given += chunk.length
      return Reflect.apply(write, this, [chunk])
    }
    const whole = await browserPacker.inflate(new Uint8Array(await packed.arrayBuffer()), maxBytes)
    writers.write = write
    return { out: whole?.length, in: given }
  },
  removeKey: async (publicKey) => (await keys.remove(publicKey)).ok,
  loadLockMinutes: keys.loadLockMinutes,
  putLockMinutes: async (minutes) => (await keys.putLockMinutes(minutes)).ok,
  loadOutbox: outbox.load,
  saveOutbox: outbox.save,
  askToPersist,
  isPersistent,
}
