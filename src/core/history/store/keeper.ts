import type { LogEntry } from '#history/event-log.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { HistoryBatch } from '#history/history.ts'
import { createRoom, setStatus, type KeeperPorts, type KeeperRoom } from './keeper-room.ts'
import { compare } from './recall.ts'
import type { RetentionSettings } from './retention.ts'
import { createSaving } from './saving.ts'
import { createUpkeep } from './upkeep.ts'

export type Keeper = {
  readonly room: KeeperRoom
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
export function createKeeper(ports: KeeperPorts): Keeper {
  const room = createRoom(ports)
  const lookAgain = (): void => {
    upkeep.again()
    void upkeep.look()
  }
  const saving = createSaving(room, lookAgain)
  const upkeep = createUpkeep(room, saving.trouble)
  let isTimed = false

  return {
    room,
    take: ({ samples, gaps }) => {
      for (const gap of gaps) {
        room.tail.addGap(gap)
        if (gap.toMs >= gap.fromMs) continue
        room.shifts.push(Math.round(gap.toMs - gap.fromMs))
        room.usual = new Map()
      }
      for (const sample of samples) room.tail.addSample(compare(room, sample))
      saving.schedule()
    },
    note: (entries) => {
      room.events.add(entries)
      saving.schedule()
    },
    start: async (known) => {
      room.known = known
      room.resting = false
      // Another tab may have written since this one last read.
      room.loaded = false
      room.memory.kept = undefined
      room.segments.close()
      await saving.begin()
      if (!isTimed) {
        isTimed = true
        upkeep.keepLooking()
        saving.keepAlive()
      }
      room.after(0, lookAgain)
    },
    rest: () => {
      room.resting = true
      room.loaded = false
      room.memory.kept = undefined
      room.segments.close()
      setStatus(room, { state: 'elsewhere', failure: undefined, notKeptSinceMs: undefined })
    },
    saved: saving.now,
    configure: (settings) => {
      room.settings = settings
      upkeep.again()
    },
    look: upkeep.look,
    dispose: room.dispose,
  }
}
