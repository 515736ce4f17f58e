/** Reads a stored text; null if there is none, undefined if site data is blocked, because reading then throws. */
export function readLocal(key: string): string | null | undefined {
  try {
    return localStorage.getItem(key)
  } catch {
    return undefined
  }
}

/** Like `readLocal`, parsed as JSON; undefined if missing or invalid. */
export const readLocalJson = (key: string): unknown => parseJson(readLocal(key))

export function parseJson(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Null removes the entry. Returns false if the browser refuses (full, blocked, private). */
export function writeLocal(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** Calls `changed` when another tab writes the entry. Returns a function that stops it. */
export function watchLocal(key: string, changed: () => void): () => void {
  const listener = (event: StorageEvent): void => {
    if (event.key === key) changed()
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}
