import type { Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { giveRoom, keepRetention } from './housekeeping.ts'
import type { StoreState } from './store-state.ts'
import { mergeBlocks } from './merge-blocks.ts'
import { runCompaction } from './run-compaction.ts'
import type { StorageFailure } from '#history/storage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** An hour is over when no answer to a request of it can come any more. */
const GRACE_MS = DEFAULTS.timeoutMaxMs + 30_000
/** Rows in memory beyond which they go into records before their hour is over. */
const HEAD_MAX = DEFAULTS.samplesInMemoryMax * 0.75

export type Maintenance = {
  /** Looks whether an hour is over; resolves when what follows from it is done. */
  readonly look: () => Promise<void>
  /** Looks every minute from now on. */
  readonly keepLooking: () => void
  /** What was done last no longer counts. */
  readonly again: () => void
}

/** Once an hour: rows into records, and retention; once a day: records into blocks. */
export function createMaintenance(
  state: StoreState,
  trouble: (failure: StorageFailure) => void,
): Maintenance {
  let doneToMs = Number.NEGATIVE_INFINITY
  let mergedMs = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  const run = async (cutMs: number): Promise<Result<unknown, StorageFailure>> => {
    const compacted = await runCompaction(state, cutMs)
    if (!compacted.ok) return compacted
    const completeMs = Math.floor(cutMs / DAY_MS) * DAY_MS
    if (completeMs !== mergedMs) {
      let blocks = 0
      for (const id of state.segments.ids().toSorted((a, b) => b.index - a.index)) {
        const merged = await state.exclusive(() => mergeBlocks(state, id, completeMs))
        if (!merged.ok) return merged
        blocks += merged.value
      }
      mergedMs = completeMs
      // A day's write-ahead records and parts are gone, and would take more room than all that is kept of them. Where it can't be, it waits.
      if (blocks > 0) await state.storage.tidy()
    }
    return keepRetention(state)
  }

  const lookNow = async (): Promise<void> => {
    if (state.status.get().state !== 'kept') return
    const overMs = state.clock.wallMs() - GRACE_MS
    const stepMs = state.head.size() > HEAD_MAX ? MINUTE_MS : HOUR_MS
    const cutMs = Math.floor(overMs / stepMs) * stepMs
    if (cutMs === doneToMs) return
    const done = await run(cutMs)
    if (done.ok) doneToMs = cutMs
    else if (done.error !== 'full' || !(await giveRoom(state))) trouble(done.error)
  }

  const look = (): Promise<void> => {
    looking ??= lookNow().finally(() => {
      looking = undefined
    })
    return looking
  }
  const keepLooking = (): void =>
    state.after(MINUTE_MS, () => {
      keepLooking()
      void look()
    })

  return {
    look,
    keepLooking,
    again: () => {
      doneToMs = Number.NEGATIVE_INFINITY
      // What was brought in late, as by a restore, is of days that are long over.
      mergedMs = Number.NEGATIVE_INFINITY
    },
  }
}
