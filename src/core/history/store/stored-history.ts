import type { EventLog } from '#history/event-log.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { History } from '#history/history.ts'
import { readEvents } from './events.ts'
import { createMaintenance, survey } from './maintenance.ts'
import { createPersistence, receive } from './persistence.ts'
import { readSeriesData, readUsual } from './read-history.ts'
import type { RetentionSettings } from './retention.ts'
import { StoreState, type HistoryPorts } from './store-state.ts'

/** History that outlives the tab. Reading works from memory alone where the store does not. */
export type StoredHistory = History & {
  readonly state: StoreState
  readonly status: StoreState['status']
  readonly log: EventLog
  /** Begins to store. `known`: what the page remembered of the history. Resolves when all is stored, or can't be. */
  readonly start: (known: Sentinel | undefined) => Promise<void>
  /** Resolves when all that came so far is stored, or can't be. */
  readonly saved: () => Promise<void>
  readonly configure: (settings: RetentionSettings) => void
  /** Does now what is due once an hour. */
  readonly maintain: () => Promise<void>
  /** Nothing is written from then on. */
  readonly dispose: () => void
}

/** Stores history: what comes is in memory at once, on disk within a second, and in blocks within the hour. */
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
    readSeriesData: (query) => readSeriesData(state, query),
    readUsual: (query) => readUsual(state, query),
    // What is stored stays: only what lies in memory goes where nothing is stored.
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
