const PLACES = { browser: 'localStorage', tab: 'sessionStorage' } as const

/** An entry of `tab` survives a reload, and no other tab sees it. */
type Place = keyof typeof PLACES

/** Reads a stored text; null if there is none, undefined if site data is blocked, because reading then throws. */
export function readLocal(key: string, place: Place = 'browser'): string | null | undefined {
  try {
    return globalThis[PLACES[place]].getItem(key)
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
export function writeLocal(key: string, text: string | null, place: Place = 'browser'): boolean {
  try {
    if (text === null) globalThis[PLACES[place]].removeItem(key)
    else globalThis[PLACES[place]].setItem(key, text)
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
