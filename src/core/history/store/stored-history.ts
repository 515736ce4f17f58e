import type { EventLog } from '#history/event-log.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { History } from '#history/history.ts'
import { readEvents } from './events.ts'
import { createMaintenance, survey } from './maintenance.ts'
import { createPersistence, receive } from './persistence.ts'
import type { RetentionSettings } from './retention.ts'
import { StoreState, type HistoryPorts } from './store-state.ts'

/** History that outlives the tab. While the store fails, it serves reads from memory. */
export type StoredHistory = History & {
  readonly state: StoreState
  readonly status: StoreState['status']
  readonly log: EventLog
  /**
   * Starts to store. `known`: the page's memory of the history. Resolves when everything is stored or the
   * store failed.
   */
  readonly start: (known: Sentinel | undefined) => Promise<void>
  /** Resolves when everything so far is stored or the store failed. */
  readonly saved: () => Promise<void>
  readonly configure: (settings: RetentionSettings) => void
  /** Runs the hourly tasks now. */
  readonly maintain: () => Promise<void>
  /** Stops writing for good. */
  readonly dispose: () => void
}

/** New samples are in memory at once, on disk within a second, and in blocks within the hour. */
export function createStoredHistory(ports: HistoryPorts): StoredHistory {
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
    append: async (batch) => {
      receive(state, batch)
      persistence.schedule()
    },
    // Stored rows stay. Without a store, the rows in memory are dropped.
    forget: async (nodes) => {
      if (state.status.get().state !== 'kept') for (const node of nodes) state.head.forget(node)
    },
    log: {
      append: async (entries) => {
        state.events.add(entries)
        persistence.schedule()
      },
      read: (query) => readEvents(state, query),
      watch: state.events.revision.subscribe,
    },
    start: async (known) => {
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
    saved: persistence.now,
    configure: (settings) => {
      state.settings = settings
      maintenance.again()
    },
    maintain: maintenance.run,
    dispose: () => state.dispose(),
  }
}
