import { useRef } from 'react'
import { Button } from './button.tsx'
import { Field, useFieldControl, type FieldFrame } from './field.tsx'

type PlaceholderFieldProps = FieldFrame & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rows: number
  /** What can be inserted, as it is written. */
  readonly placeholders: readonly string[]
  /** Names the row of buttons. */
  readonly placeholdersLabel: string
  readonly insertLabel: (placeholder: string) => string
}

/** A text with placeholders: a button puts its placeholder where the caret was, and the caret behind it. */
export function PlaceholderField(props: PlaceholderFieldProps) {
  const { value, onChange, rows, placeholders, placeholdersLabel, insertLabel, ...frame } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const tied = useFieldControl(frame)
  const insert = (text: string): void => {
    const { current } = area
    const from = current?.selectionStart ?? value.length
    const to = current?.selectionEnd ?? value.length
    onChange(value.slice(0, from) + text + value.slice(to))
    if (current === null) return
    current.focus()
    // React writes the new value after this; the caret is put there once it has.
    queueMicrotask(() => current.setSelectionRange(from + text.length, from + text.length))
  }
  return (
    <Field {...frame} id={tied.id}>
      <textarea
        {...tied}
        ref={area}
        className="in mono"
        rows={rows}
        value={value}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="flow" role="group" aria-label={placeholdersLabel}>
        {placeholders.map((placeholder) => (
          <Button
            key={placeholder}
            size="small"
            look="subtle"
            aria-label={insertLabel(placeholder)}
            onClick={() => insert(placeholder)}
          >
            <span className="mono t11">{placeholder}</span>
          </Button>
        ))}
      </div>
    </Field>
  )
}
