import type { Result } from '#base/result.ts'
import { flush, noteAlive } from './wal.ts'
import { flushEvents } from './flush-events.ts'
import type { Sentinel } from '#history/history-status.ts'
import { giveRoom } from './maintenance.ts'
import { setStatus, type StoreState } from './store-state.ts'
import { ALIVE_EVERY_MS, loadHistory } from './load-history.ts'
import type { StorageFailure } from '#history/storage.ts'

/** Samples are kept this long after they came at the latest, all that came together. */
const FLUSH_EVERY_MS = 1_000
/** After a failure the store is tried again: soon, and then ever more rarely. */
const HEAL_AFTER_MS = [5_000, 30_000, 120_000, 600_000] as const

/** All is kept, and what was kept before can be read from now on. */
function sayKept(state: StoreState): void {
  const { sentinel, state: before } = state.status.get()
  setStatus(state, {
    state: 'kept',
    failure: undefined,
    notKeptSinceMs: undefined,
    savedToMs: state.clock.wallMs(),
    sentinel:
      state.lastMeta === undefined
        ? sentinel
        : sentinelWith(sentinel, state.lastMeta, state.storage.generation()),
  })
  if (before !== 'kept') state.events.found()
}

/** Brings what comes into the store, and heals. `onHealed`: it is kept again. */
export function createPersistence(state: StoreState, onHealed: () => void) {
  const { clock, status } = state
  let fails = 0
  let isHealing = false
  let isScheduled = false
  let lastFlushMs = Number.NEGATIVE_INFINITY

  const kept = (): void => {
    if (state.isEnded) return
    fails = 0
    lastFlushMs = clock.monotonicMs()
    sayKept(state)
  }

  const trouble = (failure: StorageFailure): void => {
    if (state.isEnded) return
    const { state: before, notKeptSinceMs, savedToMs } = status.get()
    state.segments.close()
    setStatus(state, {
      state: 'not-kept',
      failure,
      notKeptSinceMs: before === 'not-kept' ? notKeptSinceMs : (savedToMs ?? clock.wallMs()),
    })
    // A newer version writes there now: this one must not, until it is loaded anew.
    if (failure === 'newer') return
    // Another engine wrote meanwhile: what it kept is read before this one goes on.
    if (failure === 'taken') state.isLoaded = false
    if (isHealing) return
    isHealing = true
    state.after(HEAL_AFTER_MS[Math.min(fails++, HEAL_AFTER_MS.length - 1)] ?? 0, () => {
      isHealing = false
      void heal()
    })
  }

  const heal = async (): Promise<void> => {
    if (await begin()) onHealed()
  }

  const settled = (done: Result<unknown, StorageFailure>): boolean => {
    if (done.ok) kept()
    else trouble(done.error)
    return done.ok
  }

  const begin = async (): Promise<boolean> => {
    state.segments.tryAgain()
    if (!state.isLoaded) {
      // Not in the middle of a write: what it brings would be there twice.
      const loaded = await state.exclusive(() => loadHistory(state))
      if (!loaded.ok) return settled(loaded)
    }
    return settled(await flushAll(state))
  }

  return {
    /** Reads back what was kept and begins to keep. False: it can't be just now. */
    begin,
    /** There is something to keep. */
    schedule: (): void => {
      if (isScheduled || status.get().state !== 'kept') return
      isScheduled = true
      state.after(Math.max(0, lastFlushMs + FLUSH_EVERY_MS - clock.monotonicMs()), () => {
        isScheduled = false
        void flushAll(state).then(settled)
      })
    },
    /** Keeps what there is now. */
    now: async (): Promise<void> => {
      if (status.get().state === 'kept') await saveNow(state, settled)
    },
    /** Notes from time to time that somebody watches. */
    keepAlive: (): void => keepAlive(state, () => lastFlushMs, trouble),
    /** Something could not be kept: says so, and tries again by itself. */
    trouble,
  }
}

async function saveNow(
  state: StoreState,
  settled: (done: Result<unknown, StorageFailure>) => boolean,
): Promise<void> {
  const done = await flushAll(state)
  // What was written says by itself that somebody watches.
  if (settled(done) && done.ok && done.value === 0) await state.exclusive(() => noteAlive(state))
}

/** Keeps what is not kept; makes room where the disk is full. Resolves to how many rows there were. */
const flushAll = (state: StoreState): Promise<Result<number, StorageFailure>> =>
  state.exclusive(async () => {
    let done = await flushBoth(state)
    while (!done.ok && done.error === 'full' && (await giveRoom(state))) done = await flushBoth(state)
    return done
  })

async function flushBoth(state: StoreState): Promise<Result<number, StorageFailure>> {
  const samples = await flush(state)
  if (!samples.ok) return samples
  const events = await flushEvents(state)
  return events.ok ? samples : events
}

function keepAlive(
  state: StoreState,
  lastFlushMs: () => number,
  trouble: (failure: StorageFailure) => void,
): void {
  state.after(ALIVE_EVERY_MS, () => {
    keepAlive(state, lastFlushMs, trouble)
    if (state.status.get().state !== 'kept') return
    if (state.clock.monotonicMs() - lastFlushMs() < ALIVE_EVERY_MS) return
    void state.exclusive(() => noteAlive(state)).then((done) => done.ok || trouble(done.error))
  })
}

const sentinelWith = (
  before: Sentinel | undefined,
  { name, meta }: NonNullable<StoreState['lastMeta']>,
  generation: number,
): Sentinel => ({
  version: 1,
  generation,
  segments: { ...((before?.generation ?? 0) === generation && before?.segments), [name]: meta.samples },
  lastMs: Math.max(meta.lastMs ?? Number.NEGATIVE_INFINITY, before?.lastMs ?? Number.NEGATIVE_INFINITY),
})
