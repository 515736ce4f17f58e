import { Search } from 'lucide-react'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { Glyph, type GlyphKind } from './glyph.tsx'
import { KeyHint } from './key-hint.tsx'
import { VisibleText } from './visible-text.tsx'

export type Command = {
  readonly id: string
  /** Another's text, which may hold anything. */
  readonly label: string
  readonly detail?: string
  readonly mark?: { readonly glyph: GlyphKind; readonly label: string }
}

export type CommandSection<C extends Command> = {
  readonly id: string
  readonly label: string
  readonly commands: readonly C[]
}

type CommandPaletteProps<C extends Command> = {
  readonly ref: RefObject<HTMLDialogElement | null>
  readonly title: string
  readonly closeLabel: string
  readonly listLabel: string
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly sections: readonly CommandSection<C>[]
  /** Stands in the place of the list where there is nothing in it. */
  readonly none: ReactNode
  /** How much was found; read out. */
  readonly status: string
  readonly foot: ReactNode
  readonly onChoose: (command: C) => void
  readonly onClose: () => void
}

const QUERY_CHARS_MAX = 200
const PAGE_ROWS = 10

/**
 * An editable combobox whose list is always there (ARIA APG), in the browser's own modal: the text field keeps the
 * focus, and names the row that Enter chooses.
 */
export function CommandPalette<C extends Command>(props: CommandPaletteProps<C>) {
  const { ref, title, closeLabel, listLabel, query, onQuery, sections, none, onChoose, onClose } = props
  const [place, setPlace] = useState(0)
  const id = useId()
  const rows = sections.flatMap((section) => section.commands)
  const active = rows[place]
  useEffect(() => {
    // Also after React has only pretended to take it away.
    if (ref.current?.open === false) ref.current.showModal()
  }, [ref])
  const point = (command: C): void => setPlace(rows.indexOf(command))
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter that ends a composition chooses a character.
    if (event.nativeEvent.isComposing) return
    const to = moved(event.key, place, rows.length)
    if (event.key === 'Enter' && active !== undefined) onChoose(active)
    if (event.key !== 'Enter' && to === undefined) return
    event.preventDefault()
    if (to !== undefined) setPlace(to)
  }
  return (
    <dialog ref={ref} className="dlg palette" aria-label={title} onClose={onClose}>
      <div className="pin">
        <Search className="i" aria-hidden />
        <input
          role="combobox"
          aria-label={title}
          aria-expanded={rows.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active && `${id}-${active.id}`}
          placeholder={title}
          maxLength={QUERY_CHARS_MAX}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          value={query}
          onChange={({ target }) => {
            onQuery(target.value)
            setPlace(0)
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" onClick={() => ref.current?.close()}>
          <span className="sr">{closeLabel}</span>
          <KeyHint>Escape</KeyHint>
        </button>
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={listLabel} className="plist">
        {sections.map((section) => (
          <Section
            key={section.id}
            id={id}
            section={section}
            active={active}
            onChoose={onChoose}
            onPoint={point}
          />
        ))}
      </div>
      {rows.length === 0 && <p className="pnone">{none}</p>}
      <p className="sr" role="status">
        {props.status}
      </p>
      <div className="pfoot">{props.foot}</div>
    </dialog>
  )
}

type SectionProps<C extends Command> = {
  readonly id: string
  readonly section: CommandSection<C>
  readonly active: C | undefined
  readonly onPoint: (command: C) => void
  readonly onChoose: (command: C) => void
}

const Section = <C extends Command>({ id, section, active, onPoint, onChoose }: SectionProps<C>) => (
  <div role="group" aria-labelledby={`${id}-of-${section.id}`}>
    <div id={`${id}-of-${section.id}`} className="pgrp">
      {section.label}
    </div>
    {section.commands.map((command) => (
      <Row
        key={command.id}
        id={`${id}-${command.id}`}
        command={command}
        isActive={command === active}
        onPoint={() => onPoint(command)}
        onChoose={() => onChoose(command)}
      />
    ))}
  </div>
)

type RowProps = {
  readonly id: string
  readonly command: Command
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
}

function Row({ id, command: { label, detail = '', mark }, isActive, onPoint, onChoose }: RowProps) {
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    // Worked by the keys of the text field, which keeps the focus.
    <button
      ref={row}
      id={id}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className="po"
      onPointerDown={(event) => event.preventDefault()}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      {mark !== undefined && <Glyph kind={mark.glyph} label={mark.label} />}
      <span className="ink1 trunc">
        <VisibleText text={label} />
      </span>
      {detail !== '' && (
        <span className="ink3 trunc">
          <VisibleText text={detail} charsMax={120} />
        </span>
      )}
    </button>
  )
}

/** Round and round by one; by ten up to an end. */
function moved(key: string, place: number, count: number): number | undefined {
  if (count === 0) return undefined
  switch (key) {
    case 'ArrowDown':
      return (place + 1) % count
    case 'ArrowUp':
      return (place - 1 + count) % count
    case 'PageDown':
      return Math.min(count - 1, place + PAGE_ROWS)
    case 'PageUp':
      return Math.max(0, place - PAGE_ROWS)
    default:
      return undefined
  }
}
