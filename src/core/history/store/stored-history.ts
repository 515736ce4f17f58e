import type { EventQuery, LogEntry } from '#history/event-log.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { HistoryBatch } from '#history/history.ts'
import { readEvents } from './events.ts'
import { createMaintenance, survey } from './maintenance.ts'
import { createPersistence, receive } from './persistence.ts'
import type { RetentionSettings } from './retention.ts'
import { StoreState, type HistoryPorts } from './store-state.ts'

export type StoredHistory = ReturnType<typeof createStoredHistory>

/**
 * History that outlives the tab. While the store fails, it serves reads from memory. New samples are in memory at once, on
 * disk within two seconds, and in blocks within the hour.
 */
export function createStoredHistory(ports: HistoryPorts) {
  const state = new StoreState(ports)
  const maintainAnew = (): void => {
    maintenance.again()
    void maintenance.run()
  }
  const persistence = createPersistence(state, maintainAnew)
  const maintenance = createMaintenance(state, persistence.trouble)
  let isTimed = false
  return {
    state,
    status: state.status,
    append: async (batch: HistoryBatch): Promise<void> => {
      receive(state, batch)
      persistence.schedule()
    },
    // Stored rows stay. Without a store, the rows in memory are dropped.
    forget: async (nodes: readonly string[]): Promise<void> => {
      if (state.status.get().state !== 'kept') for (const node of nodes) state.head.forget(node)
    },
    log: {
      append: async (entries: readonly LogEntry[]): Promise<void> => {
        state.events.add(entries)
        persistence.schedule()
      },
      read: (query: EventQuery) => readEvents(state, query),
      watch: state.events.revision.subscribe,
    },
    /**
     * Starts to store. `known`: the page's memory of the history. Resolves when everything is stored or the store failed.
     */
    start: async (known: Sentinel | undefined): Promise<void> => {
      state.known = known
      state.isLoaded = false
      await persistence.begin()
      await survey(state)
      if (!isTimed) {
        isTimed = true
        maintenance.keepRunning()
        persistence.keepAlive()
      }
      state.after(0, maintainAnew)
    },
    /** Resolves when everything so far is stored or the store failed. */
    saved: persistence.now,
    configure: (settings: RetentionSettings): void => {
      state.settings = settings
      maintenance.again()
    },
    /** Runs the hourly tasks now. */
    maintain: maintenance.run,
    /** Stops writing for good. */
    dispose: (): void => state.dispose(),
  }
}
