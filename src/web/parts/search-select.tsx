import { useState } from 'react'
import { NO_MATCH } from '#texts/en-field-problems.ts'
import { ComboBox } from '#ui/combobox.tsx'
import type { FieldFrame } from '#ui/field.tsx'
import { SelectField } from '#ui/select-field.tsx'

/** With more options, a search field replaces the list. */
const SELECT_OPTIONS_MAX = 20
/** Typing more shows other options. */
const SHOWN_MAX = 8
const CHARS_MAX = 200

type SearchSelectProps<V extends string> = Pick<FieldFrame, 'hideLabel'> & {
  readonly label: string
  readonly value: V
  readonly options: readonly { readonly value: V; readonly label: string }[]
  readonly onChange: (value: V) => void
}

/** A select; with more than 20 options, a field that searches them. */
export function SearchSelect<V extends string>(props: SearchSelectProps<V>) {
  const { label, hideLabel = false, value, options, onChange } = props
  // Undefined while nobody searches.
  const [text, setText] = useState<string>()
  if (options.length <= SELECT_OPTIONS_MAX) return <SelectField {...props} />
  const chosen = options.find((option) => option.value === value)?.label ?? ''
  const typed = text?.trim().toLowerCase()
  const found =
    typed === undefined
      ? []
      : options.filter((option) => option.label.toLowerCase().includes(typed)).slice(0, SHOWN_MAX)
  const close = (): void => setText(undefined)
  const open = (): void => setText((now) => now ?? '')
  return (
    <div className="field">
      {!hideLabel && (
        <span className="field-label" aria-hidden>
          {label}
        </span>
      )}
      <ComboBox
        label={label}
        listLabel={label}
        placeholder={chosen}
        charsMax={CHARS_MAX}
        value={text ?? chosen}
        options={found.map((option) => ({ text: option.label }))}
        idle="first"
        onType={setText}
        onTake={(index) => {
          const option = found[index]
          close()
          if (option !== undefined) onChange(option.value)
        }}
        onOpen={open}
        onEscape={text === undefined ? undefined : close}
        onFocus={open}
        onBlur={close}
        problem={text !== undefined && found.length === 0 && NO_MATCH}
      />
    </div>
  )
}
