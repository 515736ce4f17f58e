import { useState, type ReactNode } from 'react'
import { parseSettings, type ValueProblem } from '#settings/documents.ts'
import type { Settings } from '#settings/schema.ts'
import { useDashboard } from '#react/dashboard.ts'
import { valueProblemText } from '#texts/en-field-problems.ts'
import { settingsTexts as words } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'

export type Saved =
  | { readonly kind: 'saved' }
  /** In force, but a reload forgets it. */
  | { readonly kind: 'here-only' }
  | { readonly kind: 'invalid'; readonly problems: readonly ValueProblem[] }

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

/** What the last save came to, said politely. Stands in the page from the start, so that it is read out. */
export const SavedNote = ({ saved }: { readonly saved: Saved | undefined }) => (
  <output className="text-12 ink-3">{saved !== undefined && textOf(saved)}</output>
)

function textOf(saved: Saved): string {
  if (saved.kind === 'saved') return words.saved
  if (saved.kind === 'here-only') return words.savedHereOnly
  return [words.invalid, ...saved.problems.map(valueProblemText)].join(' ')
}

type SaveRowProps = {
  readonly label?: string
  /** Absent: the button submits the form that it stands in. */
  readonly onSave?: () => void
  readonly busy?: boolean
  readonly disabled?: boolean
  /** Absent: nothing was edited. */
  readonly onDiscard?: (() => void) | undefined
  readonly discardLabel?: string
  readonly saved?: Saved | undefined
  readonly children?: ReactNode
}

/** The end of a form: what saves it, what throws away what was typed, and what the last save came to. */
export function SaveRow({
  label = words.save,
  onSave,
  busy = false,
  disabled = false,
  onDiscard,
  discardLabel = words.discard,
  saved,
  children,
}: SaveRowProps) {
  return (
    <Flow>
      <Button
        look="primary"
        busy={busy}
        disabled={disabled}
        {...(onSave === undefined ? { type: 'submit' } : { onClick: onSave })}
      >
        {label}
      </Button>
      {onDiscard !== undefined && (
        <Button look="quiet" onClick={onDiscard}>
          {discardLabel}
        </Button>
      )}
      {children}
      <SavedNote saved={saved} />
    </Flow>
  )
}
