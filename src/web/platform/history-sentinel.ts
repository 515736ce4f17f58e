import { readSentinel, type Sentinel } from '#history/history-status.ts'

const KEY = 'immune-history-known'

/**
 * What this browser remembers of its history outside of the database. Undefined where it
 * remembers nothing, which is a first run, or where nothing can be remembered.
 */
export function loadSentinel(): Sentinel | undefined {
  try {
    return readSentinel(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
  } catch {
    return undefined // blocked, or no JSON
  }
}

/** `undefined` forgets it. */
export function saveSentinel(sentinel: Sentinel | undefined): void {
  try {
    if (sentinel === undefined) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(sentinel))
  } catch {
    // Full or blocked: then a loss is not noticed, and all else goes on.
  }
}
