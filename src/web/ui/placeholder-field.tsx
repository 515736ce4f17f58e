import { useRef, useState } from 'react'
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
  /** Whether a name between braces stands for something here; such a place is marked. */
  readonly isKnown: (name: string) => boolean
}

/** A text with placeholders: a button puts its placeholder where the caret was, and the caret behind it. */
export function PlaceholderField(props: PlaceholderFieldProps) {
  const { value, onChange, rows, placeholders, placeholdersLabel, insertLabel, isKnown, ...frame } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const tied = useFieldControl(frame)
  const [scrollPx, setScrollPx] = useState(0)
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
      <span className="marked wraps">
        <span className="filled" aria-hidden style={{ top: -scrollPx }}>
          {partsOf(value).map(({ at, text, name }) =>
            name !== undefined && isKnown(name) ? <mark key={at}>{text}</mark> : text,
          )}
        </span>
        <textarea
          {...tied}
          ref={area}
          className="in mono"
          rows={rows}
          value={value}
          spellCheck={false}
          onScroll={(event) => setScrollPx(event.currentTarget.scrollTop)}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
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

type TextPart = { readonly at: number; readonly text: string; readonly name?: string }

/** The text cut where a placeholder begins or ends; a doubled brace is one that is meant as such. */
function partsOf(value: string): readonly TextPart[] {
  let at = 0
  return value.split(/(\{\{|\}\}|\{[^{}\n]+\})/).map((text, place) => {
    const part = { at, text, ...(place % 2 === 1 && text.length > 2 && { name: text.slice(1, -1) }) }
    at += text.length
    return part
  })
}
