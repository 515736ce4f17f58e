import type { Clock } from '#base/clock.ts'
import { createAutoLock, LOCK_MINUTES_MAX } from '#keys/auto-lock.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import type { KeyStore } from '#keys/key-store.ts'

export function createIdleLock(clock: Clock, keyRing: Pick<KeyRing, 'lock'>, store: KeyStore | undefined) {
  const lock = createAutoLock(clock, keyRing.lock)
  const takeOver = async (): Promise<void> => {
    const minutes = await store?.loadLockMinutes()
    if (minutes !== undefined) lock.setMinutes(minutes)
  }
  void takeOver()
  return {
    touch: lock.touch,
    check: lock.check,
    leftMs: lock.leftMs,
    minutes: lock.minutes,
    /** `not-kept`: the browser could not store it. */
    choose: async (minutes: number): Promise<'kept' | 'not-kept'> => {
      if (!Number.isInteger(minutes) || minutes < 0 || minutes > LOCK_MINUTES_MAX)
        throw new TypeError('not a number of minutes')
      lock.setMinutes(minutes)
      return (await store?.putLockMinutes(minutes))?.ok === true ? 'kept' : 'not-kept'
    },
  }
}

export type IdleLock = ReturnType<typeof createIdleLock>
