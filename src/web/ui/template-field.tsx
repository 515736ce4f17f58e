import { useRef, useState, useId, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Field, useFieldControl, type FieldFrame } from './field.tsx'

type PlaceholderFieldProps = FieldFrame & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rows: number
  readonly placeholders: readonly string[]
  readonly placeholdersLabel: string
  readonly insertLabel: (placeholder: string) => string
  /** Whether a name between braces is a known placeholder; such a part is highlighted. */
  readonly isKnown: (name: string) => boolean
}

/** A text with placeholders. A button inserts its placeholder at the caret and moves the caret after it. */
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
    // React writes the new value later; the caret is set after that.
    queueMicrotask(() => current.setSelectionRange(from + text.length, from + text.length))
  }
  return (
    <Field {...frame} id={tied.id}>
      <span className="template-field wraps">
        <span className="template-field-filled" aria-hidden style={{ top: -scrollPx }}>
          {partsOf(value).map(({ at, text, name }) =>
            name !== undefined && isKnown(name) ? <mark key={at}>{text}</mark> : text,
          )}
        </span>
        <textarea
          {...tied}
          ref={area}
          className="field-input mono"
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
            <span className="mono text-11">{placeholder}</span>
          </Button>
        ))}
      </div>
    </Field>
  )
}

type TextPart = { readonly at: number; readonly text: string; readonly name?: string }

/** Splits the text at placeholders; a doubled brace is a literal brace. */
function partsOf(value: string): readonly TextPart[] {
  let at = 0
  return value.split(/(\{\{|\}\}|\{[^{}\n]+\})/).map((text, place) => {
    const part = { at, text, ...(place % 2 === 1 && text.length > 2 && { name: text.slice(1, -1) }) }
    at += text.length
    return part
  })
}

type LineMark = {
  /** Counted from 1. */
  readonly line: number
  readonly lineLabel: string
  readonly text: ReactNode
}

type MarkedTextAreaProps = Omit<FieldFrame, 'error'> & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rows: number
  readonly placeholder?: string
  readonly marks: readonly LineMark[]
  /** Total of wrong lines; `marks` may hold fewer. */
  readonly wrongCount: number
  readonly marksTitle: string
  readonly moreText: (count: number) => string
}

/** Maximum number of listed marks; the rest are counted. */
const SHOWN_MAX = 8

/**
 * A list to type, one entry a line. Wrong lines are highlighted in place; the list below gives each problem and links to its
 * line. Lines do not wrap, so a mark's position follows from its line number.
 */
export function MarkedTextArea(props: MarkedTextAreaProps) {
  const { value, onChange, rows, placeholder, marks, wrongCount, marksTitle, moreText, ...frame } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const [scrollPx, setScrollPx] = useState(0)
  const shown = marks.slice(0, SHOWN_MAX)
  const tied = useFieldControl({ hint: frame.hint, error: undefined })
  const described = [tied['aria-describedby'], marks.length > 0 && listId].filter(Boolean).join(' ')
  return (
    <div className="field">
      <Field id={tied.id} {...frame}>
        <span className="template-field">
          <span className="template-field-marks" aria-hidden>
            {marks.map(({ line }) => (
              <i key={line} style={{ top: `calc(0.5rem + ${line - 1} * var(--line) - ${scrollPx}px)` }} />
            ))}
          </span>
          <textarea
            ref={area}
            id={tied.id}
            className="field-input mono"
            wrap="off"
            spellCheck={false}
            rows={rows}
            value={value}
            placeholder={placeholder}
            aria-invalid={marks.length > 0 || undefined}
            aria-describedby={described === '' ? undefined : described}
            onScroll={(event) => setScrollPx(event.currentTarget.scrollTop)}
            onChange={(event) => onChange(event.target.value)}
          />
        </span>
      </Field>
      <div id={listId} role="status" className={marks.length > 0 ? 'template-field-list text-12' : undefined}>
        {marks.length > 0 && (
          <>
            <p>{marksTitle}</p>
            <ul>
              {shown.map((mark) => (
                <li key={mark.line}>
                  <button type="button" className="link" onClick={() => selectLine(area.current, mark.line)}>
                    {mark.lineLabel}
                  </button>{' '}
                  {mark.text}
                </li>
              ))}
            </ul>
            {wrongCount > shown.length && <p>{moreText(wrongCount - shown.length)}</p>}
          </>
        )}
      </div>
    </div>
  )
}

function selectLine(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return
  const lines = area.value.split('\n')
  const from = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
  area.focus()
  area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0))
}
