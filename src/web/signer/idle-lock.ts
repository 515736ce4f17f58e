import type { Clock } from '#base/clock.ts'
import { createAutoLock, LOCK_MINUTES_MAX, type AutoLock } from '#keys/auto-lock.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import type { KeyStore } from '#keys/key-store.ts'

export type IdleLock = Pick<AutoLock, 'touch' | 'check' | 'leftMs' | 'minutes'> & {
  /** `not-kept`: the browser could not store it. */
  readonly choose: (minutes: number) => Promise<'kept' | 'not-kept'>
}

export function createIdleLock(
  clock: Clock,
  keyRing: Pick<KeyRing, 'lock'>,
  store: KeyStore | undefined,
): IdleLock {
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
    choose: async (minutes) => {
      if (!Number.isInteger(minutes) || minutes < 0 || minutes > LOCK_MINUTES_MAX)
        throw new TypeError('not a number of minutes')
      lock.setMinutes(minutes)
      return (await store?.putLockMinutes(minutes))?.ok === true ? 'kept' : 'not-kept'
    },
  }
}
