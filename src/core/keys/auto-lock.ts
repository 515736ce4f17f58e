import { DAY_MINUTES, MINUTE_MS } from '#base/time.ts'
import type { Clock } from '#base/clock.ts'
import { createSteadyClock } from '#base/steady.ts'
import type { KeyStore } from './key-store.ts'

export const LOCK_MINUTES_DEFAULT = 15
export const LOCK_MINUTES_MAX = DAY_MINUTES

/** How long before the lock the screen warns. */
export const LOCK_WARNING_MS = 2 * MINUTE_MS

export type AutoLock = ReturnType<typeof createAutoLock>

/** Locks after some minutes without input. Runs in the signer, because browsers slow down the timers of background tabs. */
export function createAutoLock(
  clock: Clock,
  lock: () => void,
  store?: Pick<KeyStore, 'loadLockMinutes' | 'putLockMinutes'>,
) {
  const steady = createSteadyClock(clock)
  let minutes = LOCK_MINUTES_DEFAULT
  let sinceMs = steady.nowMs()
  let cancel = (): void => undefined

  const leftMs = (): number | undefined =>
    minutes === 0 ? undefined : Math.max(0, sinceMs + minutes * MINUTE_MS - steady.nowMs())

  const check = (): void => {
    if (leftMs() === 0) lock()
  }
  const plan = (): void => {
    cancel()
    check()
    const left = leftMs()
    // Checks at least once a minute, because after a sleep a single long timer would fire late by the length of the sleep.
    if (left !== undefined && left > 0) cancel = clock.after(Math.min(left, MINUTE_MS), plan)
  }
  const restart = (next = minutes): void => {
    minutes = next
    sinceMs = steady.nowMs()
    plan()
  }
  plan()
  void store?.loadLockMinutes().then(restart)

  return {
    /** Locks if the time is up. Call this before a key is used, because timers stop while a computer sleeps. */
    check,
    leftMs,
    minutes: (): number => minutes,
    /** Restarts the time on user activity. */
    touch: (): void => {
      check()
      restart()
    },
    /**
     * Sets the idle time in whole minutes; 0 disables the automatic lock. Restarts the timer. `not-kept`: the browser could not store it.
     */
    choose: async (next: number): Promise<'kept' | 'not-kept'> => {
      if (!Number.isInteger(next) || next < 0 || next > LOCK_MINUTES_MAX)
        throw new TypeError('not a number of minutes')
      restart(next)
      return (await store?.putLockMinutes(next))?.ok === true ? 'kept' : 'not-kept'
    },
  }
}
