import { siteName } from './site.ts'

/** Holds a lock as long as this page lives. Resolves to its name; undefined where there are no locks. */
export async function holdPage(): Promise<string | undefined> {
  if (!isSecureContext) return undefined
  const name = `immune-page ${crypto.randomUUID()}`
  await new Promise<void>((held) => {
    navigator.locks
      .request(name, () => {
        held()
        return new Promise<never>(() => undefined)
      })
      .catch(() => held())
  })
  return name
}

/** Calls when the Worker that holds this lock has ended, for whatever reason. Returns the end of it. */
export function watchLife(name: string, ended: () => void): () => void {
  const waiting = new AbortController()
  navigator.locks.request(name, { mode: 'shared', signal: waiting.signal }, ended).catch(() => undefined)
  return () => waiting.abort()
}

/** What each engine holds as long as it lives, as its lock names it. */
const ENGINE_ALIVE = siteName('immune-engine-of ')

/** Whether any engine lives in this browser; true where no lock can say so. */
export async function engineLives(): Promise<boolean> {
  if (!isSecureContext) return true
  try {
    const { held = [] } = await navigator.locks.query()
    return held.some(({ name }) => name?.startsWith(ENGINE_ALIVE))
  } catch {
    return true
  }
}

/** Calls before the page is left. */
export const watchLeaving = (leaving: () => void): void => addEventListener('pagehide', leaving)

/** Calls when the page is hidden or seen again. */
export const watchVisibility = (changed: () => void): void =>
  document.addEventListener('visibilitychange', changed)

export const isVisible = (): boolean => document.visibilityState === 'visible'

/**
 * Which Worker of several in turn this browser's pages share. A dead or hung one is followed by one
 * of the next number, never of the same: Firefox goes on handing out a dead one for seconds.
 */
export type Generation = {
  readonly now: () => number
  /** Follows the one of that number, unless another page did already. */
  readonly next: (after: number) => void
}

/** `moved`: another page went on to a newer one. `name` undefined: each page has a Worker of its own. */
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
        // As above.
      }
    },
  }
}
