import type { Result } from '#base/result.ts'
import { flush, noteAlive } from './flush.ts'
import { flushEvents } from './flush-events.ts'
import type { Sentinel } from '#history/history-status.ts'
import { giveRoom } from './housekeeping.ts'
import { setStatus, type KeeperRoom } from './keeper-room.ts'
import { ALIVE_EVERY_MS, loadHistory } from './load-history.ts'
import type { StorageFailure } from '#history/storage.ts'

/** Samples are kept this long after they came at the latest, all that came together. */
const FLUSH_EVERY_MS = 1_000
/** After a failure the store is tried again: soon, and then ever more rarely. */
const HEAL_AFTER_MS = [5_000, 30_000, 120_000, 600_000] as const

export type Saving = {
  /** Reads back what was kept and begins to keep. False: it can't be just now. */
  readonly begin: () => Promise<boolean>
  /** There is something to keep. */
  readonly schedule: () => void
  /** Keeps what there is now. */
  readonly now: () => Promise<void>
  /** Notes from time to time that somebody watches. */
  readonly keepAlive: () => void
  /** Something could not be kept: says so, and tries again by itself. */
  readonly trouble: (failure: StorageFailure) => void
}

/** All is kept, and what was kept before can be read from now on. */
function sayKept(room: KeeperRoom): void {
  const { sentinel, state: before } = room.status.get()
  setStatus(room, {
    state: 'kept',
    failure: undefined,
    notKeptSinceMs: undefined,
    savedToMs: room.clock.wallMs(),
    sentinel: room.lastHead === undefined ? sentinel : sentinelWith(sentinel, room.lastHead),
  })
  if (before !== 'kept') room.events.found()
}

/** Brings what comes into the store, and heals. `onHealed`: it is kept again. */
export function createSaving(room: KeeperRoom, onHealed: () => void): Saving {
  const { clock, status } = room
  let fails = 0
  let isHealing = false
  let isScheduled = false
  let lastFlushMs = Number.NEGATIVE_INFINITY

  const kept = (): void => {
    if (room.resting) return
    fails = 0
    lastFlushMs = clock.monotonicMs()
    sayKept(room)
  }

  const trouble = (failure: StorageFailure): void => {
    if (room.resting) return
    const { state, notKeptSinceMs, savedToMs } = status.get()
    room.segments.close()
    setStatus(room, {
      state: 'not-kept',
      failure,
      notKeptSinceMs: state === 'not-kept' ? notKeptSinceMs : (savedToMs ?? clock.wallMs()),
    })
    // A newer version writes there now: this tab must not, until it is loaded anew.
    if (failure === 'newer') return
    // Another tab wrote meanwhile: what it kept is read before this one goes on.
    if (failure === 'taken') room.loaded = false
    if (isHealing) return
    isHealing = true
    room.after(HEAL_AFTER_MS[Math.min(fails++, HEAL_AFTER_MS.length - 1)] ?? 0, () => {
      isHealing = false
      void heal()
    })
  }

  const heal = async (): Promise<void> => {
    if (!room.resting && (await begin())) onHealed()
  }

  const settled = (done: Result<unknown, StorageFailure>): boolean => {
    if (done.ok) kept()
    else trouble(done.error)
    return done.ok
  }

  const begin = async (): Promise<boolean> => {
    room.segments.tryAgain()
    if (!room.loaded) {
      // Not in the middle of a write: what it brings would be there twice.
      const loaded = await room.exclusive(() => loadHistory(room))
      if (!loaded.ok) return settled(loaded)
    }
    return settled(await flushAll(room))
  }

  return {
    begin,
    schedule: () => {
      if (isScheduled || status.get().state !== 'kept') return
      isScheduled = true
      room.after(Math.max(0, lastFlushMs + FLUSH_EVERY_MS - clock.monotonicMs()), () => {
        isScheduled = false
        void flushAll(room).then(settled)
      })
    },
    now: async () => {
      if (status.get().state === 'kept') await saveNow(room, settled)
    },
    keepAlive: () => keepAlive(room, () => lastFlushMs, trouble),
    trouble,
  }
}

async function saveNow(
  room: KeeperRoom,
  settled: (done: Result<unknown, StorageFailure>) => boolean,
): Promise<void> {
  const done = await flushAll(room)
  // What was written says by itself that somebody watches.
  if (settled(done) && done.ok && done.value === 0) await room.exclusive(() => noteAlive(room))
}

/** Keeps what is not kept; makes room where the disk is full. Resolves to how many rows there were. */
const flushAll = (room: KeeperRoom): Promise<Result<number, StorageFailure>> =>
  room.exclusive(async () => {
    let done = await flushBoth(room)
    while (!done.ok && done.error === 'full' && (await giveRoom(room))) done = await flushBoth(room)
    return done
  })

async function flushBoth(room: KeeperRoom): Promise<Result<number, StorageFailure>> {
  const samples = await flush(room)
  if (!samples.ok) return samples
  const events = await flushEvents(room)
  return events.ok ? samples : events
}

function keepAlive(
  room: KeeperRoom,
  lastFlushMs: () => number,
  trouble: (failure: StorageFailure) => void,
): void {
  room.after(ALIVE_EVERY_MS, () => {
    keepAlive(room, lastFlushMs, trouble)
    if (room.status.get().state !== 'kept') return
    if (room.clock.monotonicMs() - lastFlushMs() < ALIVE_EVERY_MS) return
    void room.exclusive(() => noteAlive(room)).then((done) => done.ok || trouble(done.error))
  })
}

const sentinelWith = (
  before: Sentinel | undefined,
  { name, head }: NonNullable<KeeperRoom['lastHead']>,
): Sentinel => ({
  version: 1,
  segments: { ...before?.segments, [name]: head.samples },
  lastMs: Math.max(head.lastMs ?? Number.NEGATIVE_INFINITY, before?.lastMs ?? Number.NEGATIVE_INFINITY),
})
