import { useState, type ReactNode } from 'react'
import { parseSettings, type ValueProblem } from '#settings/documents.ts'
import type { Settings } from '#settings/schema.ts'
import { useDashboard } from '#react/dashboard.ts'
import { valueProblemText } from '#texts/en-field-problems.ts'
import { settingsTexts as words } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'

export type Saved =
  | { readonly kind: 'saved' }
  /** In effect, but lost on reload. */
  | { readonly kind: 'here-only' }
  | { readonly kind: 'invalid'; readonly problems: readonly ValueProblem[] }

/** Saved settings take effect at once. Settings that could not be read back are never stored. */
export function useSave() {
  const { configuration, saveSettings } = useDashboard()
  /** Result of the last save; undefined before it and after `edited`. */
  const [saved, setSaved] = useState<Saved>()
  /** Applies a change to the current settings, which another tab may have changed. */
  const save = (change: (settings: Settings) => Settings): boolean => {
    const parsed = parseSettings(change(configuration.get().settings))
    if (!parsed.ok) {
      setSaved({ kind: 'invalid', problems: parsed.error })
      return false
    }
    setSaved({ kind: saveSettings(parsed.value) ? 'saved' : 'here-only' })
    return true
  }
  return {
    saved,
    save,
    /** Clears the result of the last save. */
    edited: () => setSaved(undefined),
  }
}

/** The result of the last save, announced politely. Always in the page, so that screen readers announce it. */
export const SavedNote = ({ saved }: { readonly saved: Saved | undefined }) => (
  <output className="text-12 ink-3">{saved !== undefined && textOf(saved)}</output>
)

/** Why the last save had no effect or no lasting one; undefined if all is well. */
export const problemOf = (saved: Saved | undefined): string | undefined =>
  saved === undefined || saved.kind === 'saved' ? undefined : textOf(saved)

function textOf(saved: Saved): string {
  if (saved.kind === 'saved') return words.saved
  if (saved.kind === 'here-only') return words.savedHereOnly
  return [words.invalid, ...saved.problems.map(valueProblemText)].join(' ')
}

type SaveRowProps = {
  readonly label?: string
  /** Absent: the button submits its form. */
  readonly onSave?: () => void
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly onDiscard?: (() => void) | undefined
  readonly discardLabel?: string
  readonly onCancel?: (() => void) | undefined
  readonly saved?: Saved | undefined
  readonly children?: ReactNode
}

export function SaveRow({
  label = words.save,
  onSave,
  busy = false,
  disabled = false,
  onDiscard,
  discardLabel = words.discard,
  onCancel,
  saved,
  children,
}: SaveRowProps) {
  const leave = onCancel ?? onDiscard
  return (
    <div className="flow">
      <Button
        look="primary"
        busy={busy}
        disabled={disabled}
        {...(onSave === undefined ? { type: 'submit' } : { onClick: onSave })}
      >
        {label}
      </Button>
      {leave !== undefined && (
        <Button look="quiet" onClick={leave}>
          {onCancel === undefined ? discardLabel : words.cancel}
        </Button>
      )}
      {children}
      <SavedNote saved={saved} />
    </div>
  )
}
