import { X } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { completionsAt, type Completion } from '#fleet/complete-filter.ts'
import { OWN_FIELDS, parseFilter } from '#fleet/fleet-filter.ts'
import { labelOf } from './fleet-columns.tsx'
import { SHORTCUTS, useShortcuts } from '#parts/key-map.ts'
import { useDashboard } from '#react/dashboard.ts'
import { filterTexts as words } from '#texts/en-filter.ts'
import { IconButton } from '#ui/button.tsx'
import { ComboBox } from '#ui/combobox.tsx'
import { SingleKeyHint } from '#parts/single-key-hint.tsx'
import { QUERY_CHARS_MAX } from './view.ts'

type FilterBoxProps = {
  readonly text: string
  readonly onChange: (text: string) => void
}

export function FilterBox({ text: applied, onChange: apply }: FilterBoxProps) {
  const { fleet, metrics } = useDashboard()
  const input = useRef<HTMLInputElement>(null)
  const { text, onChange, setEditing } = useDraft(applied, apply)
  const [caret, setCaret] = useState<number>()
  const completions = useMemo(() => {
    if (caret === undefined) return []
    const { nodes, services } = fleet.get()
    const names = Array.from(services.values(), labelOf)
    return completionsAt(text, caret, { metrics, nodes: nodes.values(), services: names })
  }, [text, caret, fleet, metrics])
  const problems = useMemo(() => parseFilter(text, metrics).problems, [text, metrics])
  const close = (): void => setCaret(undefined)
  const take = (chosen: Completion | undefined): void => {
    if (chosen === undefined) return
    onChange(text.slice(0, chosen.from) + chosen.text + text.slice(chosen.to))
    const at = chosen.from + chosen.text.length
    // A chosen field name only begins a term, so suggestions for its values follow.
    setCaret(/[\w"]$/.test(chosen.text) ? undefined : at)
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at))
  }
  useShortcuts('page', { search: () => input.current?.focus() })
  return (
    <ComboBox
      ref={input}
      label={words.label}
      listLabel={words.suggestions}
      placeholder={words.placeholder}
      shortcut={SHORTCUTS.page.search[0]}
      charsMax={QUERY_CHARS_MAX}
      value={text}
      options={completions.map((each) => ({ text: each.text, note: noteOf(each) }))}
      idle="none"
      onType={(typed, at) => {
        onChange(typed)
        setCaret(at)
      }}
      onTake={(index) => take(completions[index])}
      onEnter={close}
      onEscape={completions.length > 0 ? close : () => onChange('')}
      onFocus={() => setEditing(true)}
      onBlur={() => {
        setEditing(false)
        close()
      }}
      isInvalid={problems.length > 0}
      problem={problems.map((problem) => (
        <span key={problem.from}>{words.problem(problem)}</span>
      ))}
      end={
        text === '' ? (
          <SingleKeyHint>{SHORTCUTS.page.search[0]}</SingleKeyHint>
        ) : (
          <IconButton
            small
            label={words.clear}
            icon={X}
            onClick={() => {
              input.current?.focus()
              onChange('')
            }}
          />
        )
      }
    />
  )
}

/** The URL follows the typed text with a delay, so the field shows its own text until the reader leaves it. */
function useDraft(applied: string, apply: (text: string) => void) {
  const [draft, setDraft] = useState(applied)
  const [isEditing, setEditing] = useState(false)
  return {
    text: isEditing ? draft : applied,
    onChange: (text: string): void => {
      setDraft(text)
      apply(text)
    },
    setEditing: (isOn: boolean): void => {
      if (isOn) setDraft(applied)
      setEditing(isOn)
    },
  }
}

function noteOf({ text, metric }: Completion): string | undefined {
  if (metric !== undefined) return metric.heading
  const field = OWN_FIELDS.find((each) => `${each}:` === text)
  return field && words.fields[field]
}
