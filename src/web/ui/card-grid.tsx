import {
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import './css/card-grid.css'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'
import { VirtualRows } from './virtual-rows.tsx'

/** A heading over the cards that follow it, or cards side by side. */
export type CardLine<R> =
  | { readonly id: string; readonly heading: ReactNode }
  | { readonly id: string; readonly cards: readonly R[] }

type CardGridProps<R> = {
  readonly label: string
  readonly lines: readonly CardLine<R>[]
  /** Most cards of a line. */
  readonly columns: number
  readonly cardKey: (card: R) => string
  readonly cardLevel: (card: R) => Level | undefined
  readonly draw: (card: R) => ReactNode
  /** Enter, or a press. */
  readonly onOpen: (card: R) => void
  /** The space bar on a card; with Shift every one up to it. */
  readonly onSelect: (card: R, isRange: boolean) => void
  readonly isSelected: (card: R) => boolean
  /** CSS length; the cards scroll inside it. */
  readonly maxHeight: string
}

const CARD_REM = 5.75
const HEADING_REM = 2

/** Cards of any number: only those in view exist. One tab stop; arrows, Home, End and Enter move and open. */
export function CardGrid<R>(props: CardGridProps<R>) {
  const { label, lines, columns, cardKey, cardLevel, draw, onOpen, maxHeight, isSelected } = props
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const reveal = useRef<(line: number) => void>(() => undefined)
  const prefix = useId()
  const idOf = (key: string): string => `${prefix}-${key}`
  const cursor = useCardCursor({ lines, cardKey, idOf, onMove: (line) => reveal.current(line) })
  const { keyOf, pxAt } = useMemo(() => sizesOf(lines), [lines])
  const drawLine = (place: number, style: CSSProperties): ReactNode => {
    const line = lines[place]
    if (line === undefined) return null
    return (
      <div
        key={line.id}
        role="row"
        aria-rowindex={place + 1}
        className={classNames('line', 'heading' in line && 'grp')}
        style={style}
      >
        {'heading' in line ? (
          <div role="gridcell" aria-colspan={columns}>
            {line.heading}
          </div>
        ) : (
          line.cards.map((card) => (
            <div
              key={cardKey(card)}
              id={idOf(cardKey(card))}
              role="gridcell"
              tabIndex={cardKey(card) === cursor.current ? 0 : -1}
              className={classNames('card', cardLevel(card))}
              onFocus={() => cursor.set(cardKey(card))}
              onClick={(event) => openByPress(event.target, () => onOpen(card))}
              aria-selected={isSelected(card)}
              onKeyDown={(event) => pressed(event, card, props)}
            >
              {draw(card)}
            </div>
          ))
        )}
      </div>
    )
  }
  return (
    <div
      ref={setScroller}
      className="card-grid"
      role="grid"
      tabIndex={-1}
      aria-label={label}
      aria-rowcount={lines.length}
      aria-colcount={columns}
      style={styleOf(columns, maxHeight)}
      onKeyDown={cursor.onKeyDown}
    >
      <VirtualRows
        count={lines.length}
        pxAt={pxAt}
        current={cursor.line}
        keyOf={keyOf}
        draw={drawLine}
        scroller={scroller}
        reveal={reveal}
        onDrawn={cursor.focusWanted}
      />
    </div>
  )
}

function styleOf(columns: number, maxHeight: string): CSSProperties {
  const style: Record<`--${string}`, string> = { '--cards': String(columns), '--table-height': maxHeight }
  return style
}

/** Keys of the card itself; those of what stands in it are its own. */
function pressed<R>(
  event: KeyboardEvent,
  card: R,
  { onOpen, onSelect }: Pick<CardGridProps<R>, 'onOpen' | 'onSelect'>,
): void {
  if (event.target !== event.currentTarget) return
  if (event.key === 'Enter') onOpen(card)
  if (event.key !== ' ') return
  event.preventDefault()
  onSelect(card, event.shiftKey)
}

/** A press of a link or a box inside the card belongs to that. */
function openByPress(target: EventTarget, open: () => void): void {
  if (target instanceof Element && target.closest('a, button, label') === null) open()
}

function sizesOf<R>(lines: readonly CardLine<R>[]) {
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  const rowPx = Math.round(CARD_REM * remPx)
  const headingPx = Math.round(HEADING_REM * remPx)
  return {
    keyOf: (place: number): string => lines[place]?.id ?? String(place),
    pxAt: (place: number): number => {
      const line = lines[place]
      return line !== undefined && 'heading' in line ? headingPx : rowPx
    },
  }
}

type CardCursorOptions<R> = {
  readonly lines: readonly CardLine<R>[]
  readonly cardKey: (card: R) => string
  readonly idOf: (key: string) => string
  /** Brings a line into view, so that it exists. */
  readonly onMove: (line: number) => void
}

/** Lines that Page Up and Page Down move by. */
const PAGE_LINES = 5

/** One card is in the tab order, and stays the same card when the order changes. */
function useCardCursor<R>({ lines, cardKey, idOf, onMove }: CardCursorOptions<R>) {
  const [chosen, setChosen] = useState<string>()
  const wanted = useRef<string>(undefined)
  const rows = useMemo(
    () =>
      lines.flatMap((line, place) =>
        'cards' in line ? [{ place, keys: line.cards.map((card) => cardKey(card)) }] : [],
      ),
    [lines, cardKey],
  )
  const found = rows.findIndex(({ keys }) => chosen !== undefined && keys.includes(chosen))
  const row = Math.max(0, found)
  const current = found === -1 ? rows[0]?.keys[0] : chosen
  const column = Math.max(0, rows[row]?.keys.indexOf(current ?? '') ?? 0)

  const focusWanted = (): void => {
    if (wanted.current === undefined) return
    const card = document.getElementById(idOf(wanted.current))
    if (card === null) return
    wanted.current = undefined
    card.focus()
  }
  useEffect(focusWanted)

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const to = leadsTo(event.key, { row, column }, rows)
    const next = to && rows[to.row]
    if (next === undefined) return
    const key = next.keys[Math.min(to?.column ?? 0, next.keys.length - 1)]
    if (key === undefined) return
    event.preventDefault()
    wanted.current = key
    setChosen(key)
    onMove(next.place)
  }
  return { current, line: rows[row]?.place ?? 0, set: setChosen, onKeyDown, focusWanted }
}

type Place = { readonly row: number; readonly column: number }

/** Where a key leads; undefined for keys that are not the grid's. */
function leadsTo(
  key: string,
  { row, column }: Place,
  rows: readonly { readonly keys: readonly string[] }[],
): Place | undefined {
  const last = rows.length - 1
  const lastOf = (at: number): number => (rows[at]?.keys.length ?? 1) - 1
  const to = (at: number): Place => ({ row: Math.min(last, Math.max(0, at)), column })
  switch (key) {
    case 'ArrowRight':
      return column < lastOf(row)
        ? { row, column: column + 1 }
        : row < last
          ? { row: row + 1, column: 0 }
          : { row, column }
    case 'ArrowLeft':
      return column > 0
        ? { row, column: column - 1 }
        : row > 0
          ? { row: row - 1, column: lastOf(row - 1) }
          : { row, column }
    case 'ArrowDown':
      return to(row + 1)
    case 'ArrowUp':
      return to(row - 1)
    case 'PageDown':
      return to(row + PAGE_LINES)
    case 'PageUp':
      return to(row - PAGE_LINES)
    case 'Home':
      return { row: 0, column: 0 }
    case 'End':
      return { row: last, column: lastOf(last) }
    default:
      return undefined
  }
}
