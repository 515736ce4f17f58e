import { MINUTE_MS } from '#base/time.ts'
import type { Clock } from '#base/clock.ts'
import { orUndefined } from '#base/result.ts'
import { smallDatabase } from '#storage/small-database.ts'
import type { Change, Storage } from '#storage/storage.ts'
import type { Monitor } from '#monitor/monitor.ts'
import { parseKeptReading, WATCHED_EVERY_MS, type KeptReadings } from '#monitor/kept-readings.ts'

const DATABASE = 'immune-last-readings'
const WATCHED = ['watched']
/** How often every node's last reading is saved. Large fleets are saved less often: 1,000 nodes are about 700 kB. */
const KEPT_EVERY_MS = MINUTE_MS
const KEPT_EVERY_MAX_MS = 300_000
const KEPT_MS_PER_NODE = 60
/** Delay after nodes start or stop failing or the list of nodes changes, and after a node's first answer. */
const KEPT_SOON_MS = 2_000
const KEPT_FIRST_MS = 10_000
/** Polling starts after loading, so a store that hangs must not delay it longer than this. */
const LOADED_WITHIN_MS = 1_000
/** Readings per row. The browser ends the engine right after its last page, which leaves no time to write thousands of rows. */
const READINGS_IN_ROW = 256

/** Neither call throws: a failure shows only after a reload. */
export type ReadingStore = {
  readonly load: () => Promise<KeptReadings | undefined>
  /** Without readings the stored ones stay. */
  readonly save: (watchedMs: number, readings: KeptReadings['readings'] | undefined) => Promise<void>
}

export function createReadingStore(storage: Pick<Storage, 'open'>): ReadingStore {
  const database = smallDatabase(storage, DATABASE)
  return {
    load: async () => {
      const read = await database.read([
        { table: 'meta', from: WATCHED, to: [...WATCHED, 0], limit: 1 },
        { table: 'nodes', ...ALL },
      ])
      const rows = orUndefined(read)
      const watchedMs = rows?.[0]?.[0]?.value
      if (typeof watchedMs !== 'number' || !Number.isFinite(watchedMs)) return undefined
      const readings = (rows?.[1] ?? []).flatMap(({ value }) => (Array.isArray(value) ? value : []))
      return { watchedMs, readings: readings.flatMap((one) => parseKeptReading(one) ?? []) }
    },
    save: async (watchedMs, readings) => {
      const changes: Change[] = [{ kind: 'put', table: 'meta', key: WATCHED, value: watchedMs }]
      if (readings !== undefined)
        changes.push(
          { kind: 'delete', range: { table: 'nodes', ...ALL } },
          ...Array.from({ length: Math.ceil(readings.length / READINGS_IN_ROW) }, (_, row): Change => {
            const first = row * READINGS_IN_ROW
            return {
              kind: 'put',
              table: 'nodes',
              key: [`readings-${row}`],
              value: readings.slice(first, first + READINGS_IN_ROW),
            }
          }),
        )
      await database.write(changes)
    },
  }
}

const ALL = { from: [''], to: ['\uffff'] } as const

const keptEveryMs = (nodes: number): number =>
  Math.min(KEPT_EVERY_MAX_MS, Math.max(KEPT_EVERY_MS, nodes * KEPT_MS_PER_NODE))

export function createReadingKeeper(
  clock: Clock,
  store: ReadingStore,
  monitor: Pick<Monitor, 'readingsToKeep' | 'restoreReadings'>,
) {
  let isStopped = false
  let isLoaded = false
  let isSaving = false
  let dueMs = Number.POSITIVE_INFINITY
  let cancel = (): void => undefined

  const save = async (all: boolean): Promise<void> => {
    // Until the stored readings are loaded, they must not be overwritten.
    if (!isLoaded || (isSaving && !all)) return
    isSaving = true
    const { watchedMs, readings } = monitor.readingsToKeep()
    if (all) dueMs = clock.monotonicMs() + keptEveryMs(readings.length)
    await store.save(watchedMs, all ? readings : undefined).catch(() => undefined)
    isSaving = false
  }
  const wait = (): void => {
    cancel()
    const leftMs = dueMs - clock.monotonicMs()
    cancel = clock.after(Math.max(0, Math.min(leftMs, WATCHED_EVERY_MS)), () => {
      void save(clock.monotonicMs() >= dueMs)
      wait()
    })
  }
  const load = async (): Promise<void> => {
    const kept = await store.load().catch(() => undefined)
    if (isStopped) return
    if (kept !== undefined) monitor.restoreReadings(kept)
    isLoaded = true
    dueMs = clock.monotonicMs() + KEPT_EVERY_MS
    wait()
  }

  return {
    /**
     * Restores the stored readings, then starts to save. Calls `done` once: after restoring, or if nothing is stored, or if
     * loading takes too long.
     */
    start: (done: () => void): void => {
      let isDone = false
      const once = (): void => {
        giveUp()
        if (!isDone && !isStopped) done()
        isDone = true
      }
      const giveUp = clock.after(LOADED_WITHIN_MS, once)
      // Readings that load too late are still restored.
      void load().then(once)
    },
    /** `soon`: nodes started or stopped failing, or the list of nodes changed. `first`: a node answered for the first time. */
    turned: (due: 'soon' | 'first' | undefined): void => {
      if (due === undefined) return
      const soonMs = clock.monotonicMs() + (due === 'soon' ? KEPT_SOON_MS : KEPT_FIRST_MS)
      if (isStopped || !isLoaded || dueMs <= soonMs) return
      dueMs = soonMs
      wait()
    },
    /** Resolves once the readings are saved or saving failed. */
    save: (): Promise<void> => save(true),
    stop: (): void => {
      isStopped = true
      cancel()
    },
  }
}
