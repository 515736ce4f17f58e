import { ChevronsUpDown } from 'lucide-react'
import { Field, useFieldControl, type FieldFrame } from './field.tsx'

type SelectFieldProps<V extends string> = FieldFrame & {
  readonly value: V
  readonly options: readonly { readonly value: V; readonly label: string }[]
  readonly onChange: (value: V) => void
  readonly disabled?: boolean
}

/** A native select, for its keyboard support, type-ahead and phone picker. */
export function SelectField<V extends string>(props: SelectFieldProps<V>) {
  const { value, options, onChange, disabled = false, ...frame } = props
  const tied = useFieldControl(frame)
  return (
    <Field {...frame} id={tied.id}>
      <span className="select-field">
        <select
          {...tied}
          className="field-input"
          value={value}
          disabled={disabled}
          onChange={(event) => {
            const chosen = options[event.target.selectedIndex]
            if (chosen !== undefined) onChange(chosen.value)
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronsUpDown className="icon small ink-3" aria-hidden />
      </span>
    </Field>
  )
}
