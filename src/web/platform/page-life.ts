import { siteName } from './site.ts'
import { holdLock } from './worker-life.ts'

/** Holds a lock for the lifetime of this page. Resolves to its name; undefined if locks are unavailable. */
export const holdPage = (): Promise<string | undefined> => holdLock('immune-page')

/** Calls `ended` when the Worker that holds the lock ends for any reason. Returns a function that stops it. */
export function watchLife(name: string, ended: () => void): () => void {
  const waiting = new AbortController()
  navigator.locks.request(name, { mode: 'shared', signal: waiting.signal }, ended).catch(() => undefined)
  return () => waiting.abort()
}

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
 * number, because Firefox hands out a dead one for seconds.
 */
export type Generation = {
  readonly now: () => number
  /** Advances past `after`, unless another page already has. */
  readonly next: (after: number) => void
}

/** `moved` is called when another page has advanced. Without a `name`, each page has a Worker of its own. */
export function createGeneration(name: string | undefined, moved: () => void): Generation {
  const key = name === undefined ? undefined : siteName(name)
  const stored = (): number => {
    if (key === undefined) return 0
    try {
      const value = Number(localStorage.getItem(key))
      return Number.isSafeInteger(value) && value > 0 ? value : 0
    } catch {
      return 0 // blocked: then each page counts by itself, and comes to the same number
    }
  }
  let number = stored()
  addEventListener('storage', (event) => {
    if (key === undefined || event.key !== key || stored() <= number) return
    number = stored()
    moved()
  })
  return {
    now: () => number,
    next: (after) => {
      number = Math.max(number, stored(), after + 1)
      if (key === undefined) return
      try {
        localStorage.setItem(key, String(number))
      } catch {
        // Storage is blocked; each page counts on its own.
      }
    },
  }
}
