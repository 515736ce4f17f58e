import type { Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { giveRoom, keepRetention } from './housekeeping.ts'
import type { KeeperRoom } from './keeper-room.ts'
import { mergeBlocks } from './merge-blocks.ts'
import { runCompaction } from './run-compaction.ts'
import type { StorageFailure } from '#history/storage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** An hour is over when no answer to a request of it can come any more. */
const GRACE_MS = DEFAULTS.timeoutMaxMs + 30_000
/** Rows in memory beyond which they go into records before their hour is over. */
const TAIL_MAX = DEFAULTS.samplesInMemoryMax * 0.75

export type Upkeep = {
  /** Looks whether an hour is over; resolves when what follows from it is done. */
  readonly look: () => Promise<void>
  /** Looks every minute from now on. */
  readonly keepLooking: () => void
  /** What was done last no longer counts. */
  readonly again: () => void
}

/** Once an hour: rows into records, and retention; once a day: records into blocks. */
export function createUpkeep(room: KeeperRoom, trouble: (failure: StorageFailure) => void): Upkeep {
  let doneToMs = Number.NEGATIVE_INFINITY
  let mergedMs = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  const run = async (cutMs: number): Promise<Result<unknown, StorageFailure>> => {
    const compacted = await runCompaction(room, cutMs)
    if (!compacted.ok) return compacted
    const completeMs = Math.floor(cutMs / DAY_MS) * DAY_MS
    if (completeMs !== mergedMs) {
      let blocks = 0
      for (const id of room.segments.ids().toSorted((a, b) => b.index - a.index)) {
        const merged = await room.exclusive(() => mergeBlocks(room, id, completeMs))
        if (!merged.ok) return merged
        blocks += merged.value
      }
      mergedMs = completeMs
      // A day's slabs and parts are gone, and would take more room than all that is kept of them. Where it can't be, it waits.
      if (blocks > 0) await room.storage.tidy()
    }
    return keepRetention(room)
  }

  const lookNow = async (): Promise<void> => {
    if (room.status.get().state !== 'kept') return
    const overMs = room.clock.wallMs() - GRACE_MS
    const stepMs = room.tail.size() > TAIL_MAX ? MINUTE_MS : HOUR_MS
    const cutMs = Math.floor(overMs / stepMs) * stepMs
    if (cutMs === doneToMs) return
    const done = await run(cutMs)
    if (done.ok) doneToMs = cutMs
    else if (done.error !== 'full' || !(await giveRoom(room))) trouble(done.error)
  }

  const look = (): Promise<void> => {
    looking ??= lookNow().finally(() => {
      looking = undefined
    })
    return looking
  }
  const keepLooking = (): void =>
    room.after(MINUTE_MS, () => {
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
