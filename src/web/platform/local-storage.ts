/** A text that this browser keeps; null where there is none, undefined where site data is blocked: reading throws then. */
export function readLocal(key: string): string | null | undefined {
  try {
    return localStorage.getItem(key)
  } catch {
    return undefined
  }
}

/** The same as JSON; undefined where there is none, or it can't be read. */
export const readLocalJson = (key: string): unknown => parseJson(readLocal(key))

export function parseJson(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Null removes it. False when the browser would not: full, blocked, private. */
export function writeLocal(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** Calls when another tab wrote it. Returns the end of that. */
export function watchLocal(key: string, changed: () => void): () => void {
  const listener = (event: StorageEvent): void => {
    if (event.key === key) changed()
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}
