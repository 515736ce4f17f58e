import { Search, X } from 'lucide-react'
import { useId, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { completionsAt, type Completion } from '#fleet/complete-filter.ts'
import { OWN_FIELDS, parseFilter } from '#fleet/fleet-filter.ts'
import { labelOf } from './fleet-columns.tsx'
import { SHORTCUTS, useShortcuts } from '#parts/key-map.ts'
import { useDashboard } from '#react/dashboard.ts'
import { filterTexts as words } from '#texts/en-filter.ts'
import { IconButton } from '#ui/button.tsx'
import { SingleKeyHint } from '#parts/single-key-hint.tsx'
import { Suggestions } from '#ui/suggestions.tsx'
import { QUERY_CHARS_MAX } from './view.ts'

type FilterBoxProps = {
  readonly text: string
  readonly onChange: (text: string) => void
}

const NONE = -1

/** Filters while it is typed; suggests what a term may go on as. What can't be applied is said under it. */
export function FilterBox({ text: applied, onChange: apply }: FilterBoxProps) {
  const { metrics } = useDashboard()
  const input = useRef<HTMLInputElement>(null)
  const { text, onChange, setEditing } = useDraft(applied, apply)
  const listId = useId()
  const problemId = useId()
  const { completions, active, take, typed, onKeyDown, close } = useCompletions({ text, onChange, input })
  const problems = useMemo(() => parseFilter(text, metrics).problems, [text, metrics])
  useShortcuts('page', { search: () => input.current?.focus() })
  const isOpen = completions.length > 0
  const hasProblem = problems.length > 0
  return (
    <div className="filter-box">
      <span className="in with-mark">
        <Search className="i s" aria-hidden />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={words.label}
          aria-keyshortcuts={SHORTCUTS.page.search[0]}
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-activedescendant={isOpen && active !== NONE ? `${listId}-${active}` : undefined}
          aria-describedby={hasProblem ? problemId : undefined}
          aria-invalid={hasProblem || undefined}
          placeholder={words.placeholder}
          autoComplete="off"
          spellCheck={false}
          maxLength={QUERY_CHARS_MAX}
          value={text}
          onChange={({ target }) => typed(target)}
          onKeyDown={onKeyDown}
          onFocus={() => setEditing(true)}
          onBlur={() => {
            setEditing(false)
            close()
          }}
        />
        {text === '' ? (
          <SingleKeyHint>{SHORTCUTS.page.search[0]}</SingleKeyHint>
        ) : (
          <IconButton
            small
            label={words.clear}
            icon={<X className="i s" aria-hidden />}
            onClick={() => {
              input.current?.focus()
              onChange('')
            }}
          />
        )}
      </span>
      <Suggestions
        id={listId}
        label={words.suggestions}
        active={active}
        items={completions.map((each) => ({ text: each.text, note: noteOf(each) }))}
        onTake={(place) => take(completions[place])}
      />
      <output id={problemId} className="problems">
        {problems.map((problem) => (
          <span key={problem.from}>{words.problem(problem)}</span>
        ))}
      </output>
    </div>
  )
}

/** The address follows what is typed a little later: while somebody types, the field has the say. */
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

type Completing = FilterBoxProps & { readonly input: RefObject<HTMLInputElement | null> }

/** What is suggested at the caret, and the keys that choose among it. */
function useCompletions({ text, onChange, input }: Completing) {
  const { fleet, metrics } = useDashboard()
  const [caret, setCaret] = useState<number>()
  const [active, setActive] = useState(NONE)
  const completions = useMemo(() => {
    if (caret === undefined) return []
    const { nodes, services } = fleet.get()
    const names = Array.from(services.values(), labelOf)
    return completionsAt(text, caret, { metrics, nodes: nodes.values(), services: names })
  }, [text, caret, fleet, metrics])
  const last = completions.length - 1
  const close = (): void => {
    setCaret(undefined)
    setActive(NONE)
  }
  const take = (chosen: Completion | undefined): void => {
    if (chosen === undefined) return
    onChange(text.slice(0, chosen.from) + chosen.text + text.slice(chosen.to))
    const at = chosen.from + chosen.text.length
    setActive(NONE)
    // A field is only the beginning of a term: its values come next.
    setCaret(/[\w"]$/.test(chosen.text) ? undefined : at)
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at))
  }
  const acts: Readonly<Record<string, (() => void) | undefined>> = {
    Escape: last >= 0 ? close : () => onChange(''),
    ArrowDown: last >= 0 ? () => setActive(active >= last ? 0 : active + 1) : undefined,
    ArrowUp: last >= 0 ? () => setActive(active <= 0 ? last : active - 1) : undefined,
    Enter: active === NONE ? close : () => take(completions[active]),
  }
  return {
    completions,
    active,
    take,
    close,
    typed: ({ value, selectionStart }: HTMLInputElement): void => {
      onChange(value)
      setCaret(selectionStart ?? value.length)
      setActive(NONE)
    },
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>): void => {
      const act = acts[event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    },
  }
}

function noteOf({ text, metric }: Completion): string | undefined {
  if (metric !== undefined) return metric.heading
  const field = OWN_FIELDS.find((each) => `${each}:` === text)
  return field && words.fields[field]
}
