import type { LogEntry } from '#history/event-log.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { HistoryBatch } from '#history/history.ts'
import { createStoreState, setStatus, type HistoryPorts, type StoreState } from './store-state.ts'
import { compare } from './recall.ts'
import type { RetentionSettings } from './retention.ts'
import { createPersistence } from './persistence.ts'
import { createMaintenance } from './maintenance.ts'

export type HistoryWriter = {
  readonly state: StoreState
  /** Adds to what is in memory at once, and sees to it that it is kept. */
  readonly take: (batch: HistoryBatch) => void
  /** The same for entries of the log. */
  readonly note: (entries: readonly LogEntry[]) => void
  /** Begins to keep. `known`: what the page remembered of the history. Resolves when it is kept, or can't be. */
  readonly start: (known: Sentinel | undefined) => Promise<void>
  /** Another tab keeps history from now on; this one only goes on remembering. */
  readonly rest: () => void
  /** Resolves when all that came so far is kept, or can't be. */
  readonly saved: () => Promise<void>
  readonly configure: (settings: RetentionSettings) => void
  /** Looks now whether an hour is over. */
  readonly look: () => Promise<void>
  readonly dispose: () => void
}

/** Keeps history: what comes is in memory at once, on disk within a second, and in records within the hour. */
export function createHistoryWriter(ports: HistoryPorts): HistoryWriter {
  const state = createStoreState(ports)
  const lookAgain = (): void => {
    maintenance.again()
    void maintenance.look()
  }
  const persistence = createPersistence(state, lookAgain)
  const maintenance = createMaintenance(state, persistence.trouble)
  let isTimed = false

  return {
    state,
    take: ({ samples, gaps }) => {
      for (const gap of gaps) {
        state.head.addGap(gap)
        if (gap.toMs >= gap.fromMs) continue
        state.shifts.push(Math.round(gap.toMs - gap.fromMs))
        state.usual = new Map()
      }
      for (const sample of samples) state.head.addSample(compare(state, sample))
      persistence.schedule()
    },
    note: (entries) => {
      state.events.add(entries)
      persistence.schedule()
    },
    start: async (known) => {
      state.known = known
      state.resting = false
      // Another tab may have written since this one last read.
      state.loaded = false
      state.memory.kept = undefined
      state.segments.close()
      await persistence.begin()
      if (!isTimed) {
        isTimed = true
        maintenance.keepLooking()
        persistence.keepAlive()
      }
      state.after(0, lookAgain)
    },
    rest: () => {
      state.resting = true
      state.loaded = false
      state.memory.kept = undefined
      state.segments.close()
      setStatus(state, { state: 'elsewhere', failure: undefined, notKeptSinceMs: undefined })
    },
    saved: persistence.now,
    configure: (settings) => {
      state.settings = settings
      maintenance.again()
    },
    look: maintenance.look,
    dispose: state.dispose,
  }
}
