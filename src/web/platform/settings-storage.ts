import { EMPTY_SETTINGS, readPlainSettings } from '#settings/plain-settings.ts'
import type { Settings } from '#settings/settings.ts'
import { clearKept } from './kept-settings.ts'
import { parseJson, readLocal, watchLocal, writeLocal } from './local-storage.ts'

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
  const text = readLocal(KEY)
  if (text === undefined) return { settings: EMPTY_SETTINGS, problem: 'no-storage' }
  if (text === null) return { settings: EMPTY_SETTINGS }
  const settings = readPlainSettings(parseJson(text))
  return settings === undefined ? { settings: EMPTY_SETTINGS, original: text } : { settings }
}

/** Keeps the settings; false when the browser would not (full, blocked, private). */
export const saveSettings = (settings: Settings): boolean => writeLocal(KEY, JSON.stringify(settings))

/** Calls `changed` when another tab saved settings; returns the undo. */
export const watchSettings = (changed: (loaded: LoadedSettings) => void): (() => void) =>
  watchLocal(KEY, () => changed(loadSettings()))

/** Removes everything of ours from localStorage. */
export function clearSettings(): void {
  clearKept()
  writeLocal(KEY, null)
}
