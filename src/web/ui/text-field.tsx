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
    /** For addresses, ids and keys. */
    readonly mono?: boolean
    /** More than one line: so many are shown at first. */
    readonly rows?: number
    readonly type?: 'text' | 'url' | 'password' | 'number' | 'datetime-local'
  }

/** Native input or textarea. Never spell-checked: some browsers send what they check to a server. */
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
