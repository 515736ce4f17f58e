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
  /** This browser stores nothing. */
  readonly problem?: 'no-storage'
  /** The stored text, set while `settings` is a placeholder until `salvageSettings` has read it. */
  readonly original?: string
}

/** Loads this browser's settings. Never throws, because a broken document must not lock anyone out. */
export function loadSettings(): LoadedSettings {
  const text = readLocal(KEY)
  if (text === undefined) return { settings: EMPTY_SETTINGS, problem: 'no-storage' }
  if (text === null) return { settings: EMPTY_SETTINGS }
  const settings = known.read(text)
  return settings === undefined ? { settings: EMPTY_SETTINGS, original: text } : { settings }
}

/** Returns false if the browser could not store them (full, blocked, private). */
export const saveSettings = (settings: Settings): boolean => writeLocal(KEY, JSON.stringify(settings))

/** Notes that the schema accepted the stored text in full, so that the next page can skip the schema. */
export const noteSettings = (text: string, settings: Settings): void => known.note(text, settings)

/** Calls `changed` when another tab saves settings. Returns a function that stops it. */
export const watchSettings = (changed: (loaded: LoadedSettings) => void): (() => void) =>
  watchLocal(KEY, () => changed(loadSettings()))

export function clearSettings(): void {
  clearKept()
  clearChoices()
  known.forget()
  writeLocal(KEY, null)
}
