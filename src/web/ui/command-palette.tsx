import { Search } from 'lucide-react'
import { useEffect, useRef, type ReactNode, type RefObject } from 'react'
import { useCombobox } from './combobox.tsx'
import { Glyph, type GlyphKind } from './glyph.tsx'
import { KeyHint } from './key-hint.tsx'
import { VisibleText } from './visible-text.tsx'

export type Command = {
  readonly id: string
  /** May be external text with any characters. */
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
  readonly none: ReactNode
  /** The number of results; announced to screen readers. */
  readonly status: string
  readonly foot: ReactNode
  readonly onChoose: (command: C) => void
  readonly onClose: () => void
}

const QUERY_CHARS_MAX = 200

export function CommandPalette<C extends Command>(props: CommandPaletteProps<C>) {
  const { ref, title, closeLabel, listLabel, query, onQuery, sections, none, onChoose, onClose } = props
  const rows = sections.flatMap((section) => section.commands)
  const choose = (index: number): void => {
    const command = rows[index]
    if (command !== undefined) onChoose(command)
  }
  const box = useCombobox({ count: rows.length, idle: 'first', onTake: choose })
  useEffect(() => {
    // Also after a simulated unmount (React Strict Mode).
    if (ref.current?.open === false) ref.current.showModal()
  }, [ref])
  return (
    <dialog
      ref={ref}
      className="dialog command-palette"
      aria-label={title}
      onCancel={onClose}
      onClose={onClose}
    >
      <div className="command-palette-input row">
        <Search className="icon" aria-hidden />
        <input
          {...box.field}
          className="frameless"
          aria-label={title}
          placeholder={title}
          maxLength={QUERY_CHARS_MAX}
          autoCapitalize="off"
          enterKeyHint="go"
          value={query}
          onChange={({ target }) => {
            box.reset()
            onQuery(target.value)
          }}
        />
        <button type="button" onClick={onClose}>
          <span className="visually-hidden">{closeLabel}</span>
          <KeyHint>Escape</KeyHint>
        </button>
      </div>
      <div id={box.listId} role="listbox" aria-label={listLabel} className="command-palette-list">
        {sections.map(({ id, label, commands }) => (
          <div key={id} role="group" aria-labelledby={`${box.listId}-of-${id}`}>
            <div id={`${box.listId}-of-${id}`} className="command-palette-group text-11 ink-3">
              {label}
            </div>
            {commands.map((command) => {
              const index = rows.indexOf(command)
              return (
                <Row
                  key={command.id}
                  id={box.optionId(index)}
                  command={command}
                  isActive={index === box.active}
                  onPoint={() => box.point(index)}
                  onChoose={() => box.take(index)}
                />
              )
            })}
          </div>
        ))}
      </div>
      {rows.length === 0 && <p className="command-palette-none">{none}</p>}
      <p className="visually-hidden" role="status">
        {props.status}
      </p>
      <div className="command-palette-foot row text-11 ink-3">{props.foot}</div>
    </dialog>
  )
}

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
    // The text field handles the keyboard and keeps the focus.
    <button
      ref={row}
      id={id}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className="command-palette-option row"
      onPointerDown={(event) => event.preventDefault()}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      {mark !== undefined && <Glyph kind={mark.glyph} label={mark.label} />}
      <span className="ink-1 truncate">
        <VisibleText text={label} />
      </span>
      {detail !== '' && (
        <span className="ink-3 truncate">
          <VisibleText text={detail} charsMax={120} />
        </span>
      )}
    </button>
  )
}
