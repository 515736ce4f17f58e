import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { clearKept } from './kept-settings.ts'
import { knownDocument } from './known-documents.ts'
import { clearChoices } from './recent-choices.ts'
import { readLocal, watchLocal, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-settings')
const known = knownDocument<Settings>(siteName('immune-settings-known'))

export type LoadedSettings = {
  readonly settings: Settings
  /** Nothing is kept in this browser. */
  readonly problem?: 'no-storage'
  /** The stored text, where `settings` stands in for it until `salvageSettings` has read it. */
  readonly original?: string
}

/** Reads this browser's settings. Never throws: a broken document must not lock anyone out. */
export function loadSettings(): LoadedSettings {
  const text = readLocal(KEY)
  if (text === undefined) return { settings: EMPTY_SETTINGS, problem: 'no-storage' }
  if (text === null) return { settings: EMPTY_SETTINGS }
  const settings = known.read(text)
  return settings === undefined ? { settings: EMPTY_SETTINGS, original: text } : { settings }
}

/** Keeps the settings; false when the browser would not (full, blocked, private). */
export const saveSettings = (settings: Settings): boolean => writeLocal(KEY, JSON.stringify(settings))

/** The schema has read a stored text whole: the next page needs none for it. */
export const noteSettings = (text: string, settings: Settings): void => known.note(text, settings)

/** Calls `changed` when another tab saved settings; returns the undo. */
export const watchSettings = (changed: (loaded: LoadedSettings) => void): (() => void) =>
  watchLocal(KEY, () => changed(loadSettings()))

/** Removes everything of ours from localStorage. */
export function clearSettings(): void {
  clearKept()
  clearChoices()
  known.forget()
  writeLocal(KEY, null)
}
