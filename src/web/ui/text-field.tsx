import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { Field, useFieldControl, type FieldFrame } from './field.tsx'

type Native = Pick<
  ComponentProps<'input'>,
  'placeholder' | 'aria-keyshortcuts' | 'autoComplete' | 'inputMode' | 'maxLength' | 'disabled' | 'name'
>

type TextFieldProps = FieldFrame &
  Native & {
    readonly value: string
    readonly onChange: (value: string) => void
    readonly onBlur?: () => void
    readonly onFocus?: () => void
    readonly mono?: boolean
    /** Makes it a text area with this initial height in lines. */
    readonly rows?: number
    readonly type?: 'text' | 'url' | 'password' | 'number' | 'datetime-local'
  }

/** A native input or textarea. Never spell-checked, because some browsers send the text to a server. */
export function TextField(props: TextFieldProps) {
  const { label, hideLabel, hint, error, onChange, mono = false, rows, type = 'text', ...rest } = props
  const tied = useFieldControl({ hint, error })
  const shared = { ...rest, ...tied, spellCheck: false, className: classNames('field-input', mono && 'mono') }
  return (
    <Field id={tied.id} label={label} hideLabel={hideLabel ?? false} hint={hint} error={error}>
      {rows === undefined ? (
        <input {...shared} type={type} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  )
}
