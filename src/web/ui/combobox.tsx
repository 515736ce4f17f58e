import { Search } from 'lucide-react'
import { useId, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react'

type Options = {
  /** Number of options; 0 closes the list. */
  readonly count: number
  /** The option that Enter selects before any arrow key: the first one, or none. */
  readonly idle: 'first' | 'none'
  readonly onTake: (index: number) => void
  /** Called on an arrow key while the list is closed. */
  readonly onOpen?: (() => void) | undefined
  /** Called on Enter while no option is active. */
  readonly onEnter?: (() => void) | undefined
  readonly onEscape?: (() => void) | undefined
}

const PAGE_OPTIONS = 10

/** An editable combobox (ARIA APG). The text field keeps the focus and references the active option. */
export function useCombobox({ count, idle, onTake, onOpen, onEnter, onEscape }: Options) {
  const listId = useId()
  const start = idle === 'first' ? 0 : -1
  const [pointed, setPointed] = useState(start)
  const active = pointed < count ? pointed : start
  const isOpen = count > 0
  const reset = (): void => setPointed(start)
  const move = (to: number) => (isOpen ? () => setPointed(to) : undefined)
  const take = (index: number): void => {
    reset()
    onTake(index)
  }
  const hasActive = isOpen && active >= 0
  const acts: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: move(active >= count - 1 ? 0 : active + 1) ?? onOpen,
    ArrowUp: move(active <= 0 ? count - 1 : active - 1) ?? onOpen,
    PageDown: move(Math.min(count - 1, active + PAGE_OPTIONS)),
    PageUp: move(Math.max(0, active - PAGE_OPTIONS)),
    Enter: hasActive ? () => take(active) : onEnter,
    Escape: onEscape,
  }
  const optionId = (index: number): string => `${listId}-${index}`
  return {
    active,
    listId,
    optionId,
    point: setPointed,
    reset,
    take,
    field: {
      role: 'combobox',
      autoComplete: 'off',
      spellCheck: false,
      'aria-autocomplete': 'list',
      'aria-expanded': isOpen,
      'aria-controls': listId,
      'aria-activedescendant': hasActive ? optionId(active) : undefined,
      onKeyDown: (event: KeyboardEvent): void => {
        const act = acts[event.key]
        // Enter that ends an IME composition only commits the text.
        if (act === undefined || event.nativeEvent.isComposing) return
        event.preventDefault()
        act()
      },
    },
  } as const
}

type ComboBoxProps = Omit<Options, 'count'> & {
  readonly ref?: RefObject<HTMLInputElement | null>
  readonly label: string
  readonly listLabel: string
  readonly placeholder: string
  readonly shortcut?: string | undefined
  readonly value: string
  readonly charsMax: number
  readonly disabled?: boolean
  readonly options: readonly { readonly text: string; readonly note?: string | undefined }[]
  readonly onType: (text: string, caret: number) => void
  readonly onFocus: () => void
  readonly onBlur: () => void
  readonly end?: ReactNode
  readonly problem: ReactNode
  readonly isInvalid?: boolean
}

export function ComboBox(props: ComboBoxProps) {
  const { ref, label, value, disabled, options, onType, problem, isInvalid = false } = props
  const problemId = useId()
  const box = useCombobox({ ...props, count: options.length })
  return (
    <div className="combobox">
      <span className="field-input combobox-input row">
        <Search className="icon small" aria-hidden />
        <input
          {...box.field}
          ref={ref}
          className="frameless"
          type="text"
          aria-label={label}
          aria-keyshortcuts={props.shortcut}
          aria-describedby={problemId}
          aria-invalid={isInvalid || undefined}
          placeholder={props.placeholder}
          maxLength={props.charsMax}
          disabled={disabled}
          value={value}
          onChange={({ target }) => {
            box.reset()
            onType(target.value, target.selectionStart ?? target.value.length)
          }}
          onFocus={props.onFocus}
          onBlur={() => {
            box.reset()
            props.onBlur()
          }}
        />
        {props.end}
      </span>
      <div
        id={box.listId}
        role="listbox"
        aria-label={props.listLabel}
        className="combobox-list text-12"
        hidden={options.length === 0}
      >
        {options.map(({ text, note }, index) => (
          <div
            key={`${index} ${text}`}
            id={box.optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === box.active}
            onPointerDown={(event) => {
              // Keeps the focus in the field.
              event.preventDefault()
              box.take(index)
            }}
          >
            <span className="mono">{text}</span>
            {note !== undefined && <span className="ink-3">{note}</span>}
          </div>
        ))}
      </div>
      <output id={problemId} className="combobox-problems">
        {problem}
      </output>
    </div>
  )
}
