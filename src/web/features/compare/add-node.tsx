import { Search } from 'lucide-react'
import { useId, useMemo, useState, type KeyboardEvent } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import { COMPARE_MAX } from '#parts/compare-address.ts'
import { useDashboard } from '#react/dashboard.ts'
import { compareTexts } from '#texts/en-compare.ts'
import { idName } from '#texts/names.ts'
import { Suggestions } from '#ui/suggestions.tsx'

const words = compareTexts.add

/** More are found by typing more. */
const SHOWN_MAX = 8
const CHARS_MAX = 200

type AddNodeProps = { readonly keys: readonly NodeKey[]; readonly onAdd: (key: NodeKey) => void }

/** Finds a watched node by its name or id, and adds it to the comparison. */
export function AddNode({ keys, onAdd }: AddNodeProps) {
  const listId = useId()
  const noteId = useId()
  const isFull = keys.length >= COMPARE_MAX
  const { text, found, active, take, type, close, onKeyDown } = useFinder(keys, onAdd)
  const note = isFull
    ? words.full(COMPARE_MAX)
    : text !== undefined && found.length === 0
      ? words.noMatch
      : ''
  return (
    <div className="filter-box cmp-add">
      <span className="in with-mark">
        <Search className="i s" aria-hidden />
        <input
          type="text"
          role="combobox"
          aria-label={words.label}
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={listId}
          aria-activedescendant={found.length > 0 ? `${listId}-${active}` : undefined}
          aria-describedby={noteId}
          placeholder={isFull ? words.full(COMPARE_MAX) : words.placeholder}
          autoComplete="off"
          spellCheck={false}
          maxLength={CHARS_MAX}
          disabled={isFull}
          value={text ?? ''}
          onChange={({ target }) => type(target.value)}
          onFocus={() => type('')}
          onKeyDown={onKeyDown}
          onBlur={close}
        />
      </span>
      <Suggestions
        id={listId}
        label={words.suggestions}
        active={active}
        items={found.map(suggestionOf)}
        onTake={take}
      />
      <output id={noteId} className={isFull ? 'sr' : 'problems'}>
        {note}
      </output>
    </div>
  )
}

/** What is typed, what it finds, and the keys that choose among that. `text` is undefined while nobody looks for one. */
function useFinder(keys: AddNodeProps['keys'], onAdd: AddNodeProps['onAdd']) {
  const [text, setText] = useState<string>()
  const [active, setActive] = useState(0)
  const { fleet } = useDashboard()
  const found = useMemo(() => {
    if (text === undefined) return []
    const typed = text.trim().toLowerCase()
    const isMeant = ({ key, name = '', nodeId = '' }: AssessedNode): boolean =>
      !keys.includes(key) && (name.toLowerCase().includes(typed) || nodeId.toLowerCase().includes(typed))
    return Array.from(fleet.get().nodes.values()).filter(isMeant).slice(0, SHOWN_MAX)
  }, [text, keys, fleet])
  const close = (): void => setText(undefined)
  const take = (place: number): void => {
    const node = found[place]
    if (node === undefined) return
    close()
    onAdd(node.key)
  }
  const move = (by: number) => (): void => {
    setText(text ?? '')
    setActive((active + by + found.length) % Math.max(1, found.length))
  }
  const acts: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: text === undefined ? move(0) : move(1),
    ArrowUp: move(-1),
    Enter: () => take(active),
    Escape: text === undefined ? undefined : close,
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  const type = (typed: string): void => {
    setText(typed)
    setActive(0)
  }
  return { text, found, active, take, type, close, onKeyDown }
}

function suggestionOf({ name, nodeId }: AssessedNode): {
  readonly text: string
  readonly note: string | undefined
} {
  const id = idName(nodeId)
  return name === undefined ? { text: id, note: undefined } : { text: toVisibleText(name), note: id }
}
