import { EMPTY_SETTINGS, readPlainSettings } from '#settings/plain-settings.ts'
import type { Settings } from '#settings/settings.ts'
import { clearKept } from './kept-settings.ts'

const KEY = 'immune-settings'

export type LoadedSettings = {
  readonly settings: Settings
  /** Nothing is kept in this browser. */
  readonly problem?: 'no-storage'
  /** The stored text, where `settings` stands in for it: `salvageSettings` knows more. */
  readonly original?: string
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
  const settings = readPlainSettings(parseJson(text))
  return settings === undefined ? { settings: EMPTY_SETTINGS, original: text } : { settings }
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
export function watchSettings(changed: (loaded: LoadedSettings) => void): () => void {
  const listener = (event: StorageEvent): void => {
    if (event.key === KEY) changed(loadSettings())
  }
  window.addEventListener('storage', listener)
  return () => window.removeEventListener('storage', listener)
}

/** Removes everything of ours from localStorage. */
export function clearSettings(): void {
  clearKept()
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Blocked site data: there is nothing to remove.
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // which is no document either
  }
}
