import { useId, type ReactNode } from 'react'
import { Glyph } from './glyph.tsx'

export type FieldFrame = {
  readonly label: string
  /** Shows the label to screen readers only, where the visible context already names the field. */
  readonly hideLabel?: boolean
  readonly hint?: ReactNode
  readonly error?: ReactNode
}

const isGiven = (node: ReactNode) => node !== undefined && node !== null && node !== false && node !== ''

/** Ids and ARIA attributes that connect a native control to its label, hint and error. */
export function useFieldControl({ hint, error }: { readonly hint?: ReactNode; readonly error?: ReactNode }) {
  const id = useId()
  const described = [isGiven(hint) && `${id}-hint`, isGiven(error) && `${id}-error`].filter(Boolean).join(' ')
  return {
    id,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': isGiven(error) || undefined,
  }
}

type FieldProps = FieldFrame & { readonly id: string; readonly children: ReactNode }

/** The error is announced when it appears. */
export function Field({ id, label, hideLabel = false, hint, error, children }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children}
      {isGiven(hint) && (
        <div className="text-12 ink-3" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      <div id={`${id}-error`} role="status" className={isGiven(error) ? 'field-error' : undefined}>
        {isGiven(error) && (
          <>
            <Glyph kind="critical" />
            <span>{error}</span>
          </>
        )}
      </div>
    </div>
  )
}
