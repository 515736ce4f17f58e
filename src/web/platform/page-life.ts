import { readLocal, watchLocal, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'
import { holdLock } from './worker-life.ts'

/** Holds a lock for the lifetime of this page. Resolves to its name; undefined if locks are unavailable. */
export const holdPage = (): Promise<string | undefined> => holdLock('immune-page')

/** Prefix of the lock that each engine holds for its lifetime. */
const ENGINE_ALIVE = siteName('immune-engine-of ')

/** Whether any engine runs in this browser; true if locks are unavailable. */
export async function engineLives(): Promise<boolean> {
  if (!isSecureContext) return true
  try {
    const { held = [] } = await navigator.locks.query()
    return held.some(({ name }) => name?.startsWith(ENGINE_ALIVE))
  } catch {
    return true
  }
}

export const watchLeaving = (leaving: () => void): void => addEventListener('pagehide', leaving)

export const watchVisibility = (changed: () => void): void =>
  document.addEventListener('visibilitychange', changed)

export const isVisible = (): boolean => document.visibilityState === 'visible'

/**
 * The current number of the Worker that this browser's pages share. A dead or hung Worker is replaced by one with the next
 * number, because Firefox hands out a dead one for seconds. `moved` is called when another page has advanced. Without a `name`,
 * each page has a Worker of its own.
 */
export function createGeneration(name: string | undefined, moved: () => void) {
  const key = name === undefined ? undefined : siteName(name)
  const stored = (): number => {
    // If storage is blocked, each page counts on its own and reaches the same number.
    const value = Number(key === undefined ? 0 : readLocal(key))
    return Number.isSafeInteger(value) && value > 0 ? value : 0
  }
  let number = stored()
  if (key !== undefined)
    watchLocal(key, () => {
      if (stored() <= number) return
      number = stored()
      moved()
    })
  return {
    now: (): number => number,
    /** Advances past `after`, unless another page already has. */
    next: (after: number): void => {
      number = Math.max(number, stored(), after + 1)
      if (key !== undefined) writeLocal(key, String(number))
    },
  }
}
