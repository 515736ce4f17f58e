import { EMPTY_SETTINGS, parseSettings, type Settings } from '#protocol/settings.ts'

const KEY = 'immune-settings'
/** Where a document that could not be read is kept, so that nothing is lost. */
const KEPT_COPY_KEY = 'immune-settings-unreadable'

export type LoadedSettings = {
  readonly settings: Settings
  /** `unreadable`: safe defaults are used and a copy of the document is kept. `no-storage`: nothing is kept in this browser. */
  readonly problem?: 'unreadable' | 'no-storage'
}

/** Reads this browser's settings. Never throws: a broken document must not lock anyone out. */
export function loadSettings(): LoadedSettings {
  let text: string | null
  try {
    text = localStorage.getItem(KEY)
  } catch {
    return { settings: EMPTY_SETTINGS, problem: 'no-storage' } // reading throws where site data is blocked
  }
  if (text === null) return { settings: EMPTY_SETTINGS }
  const parsed = parseSettings(parseJson(text))
  if (parsed.ok) return { settings: parsed.value }
  try {
    localStorage.setItem(KEPT_COPY_KEY, text)
  } catch {
    // A full storage keeps the original under its own key; only the copy is missing.
  }
  return { settings: EMPTY_SETTINGS, problem: 'unreadable' }
}

/** Keeps the settings; false when the browser would not (full, blocked, private). */
export function saveSettings(settings: Settings): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings))
    return true
  } catch {
    return false // quota or blocked site data; the caller says that nothing is kept
  }
}

/** Calls `changed` when another tab saved settings; returns the undo. */
export function watchSettings(changed: (settings: Settings) => void): () => void {
  const listener = (event: StorageEvent): void => {
    if (event.key === KEY) changed(loadSettings().settings)
  }
  window.addEventListener('storage', listener)
  return () => window.removeEventListener('storage', listener)
}

/** Removes everything of ours from localStorage. */
export function clearSettings(): void {
  try {
    localStorage.removeItem(KEY)
    localStorage.removeItem(KEPT_COPY_KEY)
  } catch {
    // Blocked site data: there is nothing to remove.
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // parseSettings reports it as no document
  }
}
