import { useState } from 'react'
import { parseSettings, type DocumentProblem, type Settings } from '#settings/settings.ts'
import { useDashboard } from '#react/dashboard.ts'

export type Saved =
  | { readonly kind: 'saved' }
  /** In force, but a reload forgets it. */
  | { readonly kind: 'here-only' }
  | { readonly kind: 'invalid'; readonly problems: readonly DocumentProblem[] }

type UseSave = {
  /** What the last save came to; undefined before it and after `edited`. */
  readonly saved: Saved | undefined
  /** Applies a change to the settings as they are now, which another tab may have changed meanwhile. */
  readonly save: (change: (settings: Settings) => Settings) => boolean
  /** Something was edited again: what was said about the last save is no longer of interest. */
  readonly edited: () => void
}

/** Settings are in force at once when they are saved. What could not be read back is never stored. */
export function useSave(): UseSave {
  const { configuration, saveSettings } = useDashboard()
  const [saved, setSaved] = useState<Saved>()
  const save = (change: (settings: Settings) => Settings): boolean => {
    const parsed = parseSettings(change(configuration.get().settings))
    if (!parsed.ok) {
      setSaved({ kind: 'invalid', problems: parsed.error })
      return false
    }
    setSaved({ kind: saveSettings(parsed.value) ? 'saved' : 'here-only' })
    return true
  }
  return { saved, save, edited: () => setSaved(undefined) }
}
