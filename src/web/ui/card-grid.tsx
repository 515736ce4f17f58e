import { useMemo, type CSSProperties, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Grid, GridStop, type GridCursor } from './grid.tsx'
import { remPx } from './rem.ts'
import type { Stops } from './grid-cursor.ts'
import type { Level } from './level.ts'

export type CardLine<R> =
  | { readonly id: string; readonly heading: ReactNode }
  | { readonly id: string; readonly cards: readonly R[] }

type CardGridProps<R> = {
  readonly label: string
  readonly lines: readonly CardLine<R>[]
  readonly columns: number
  readonly cardKey: (card: R) => string
  readonly cardLevel: (card: R) => Level | undefined
  readonly draw: (card: R) => ReactNode
  readonly onOpen: (card: R) => void
  /** Called on Space on a card; with Shift it selects the range up to this card. */
  readonly onSelect: (card: R, isRange: boolean) => void
  readonly isSelected: (card: R) => boolean
  /** CSS length; the cards scroll inside it. */
  readonly maxHeight: string
}

const CARD_REM = 5.75
const HEADING_REM = 2

/** One tab stop; arrows, Home and End move the focus, Enter opens a card. */
export function CardGrid<R>(props: CardGridProps<R>) {
  const { label, lines, columns, cardKey, onOpen, onSelect } = props
  const { sizes, stops, firstOf } = useMemo(() => layoutOf(lines, cardKey), [lines, cardKey])
  const draw = (place: number, style: CSSProperties, cursor: GridCursor): ReactNode => {
    const line = lines[place]
    if (line === undefined) return null
    return (
      <div
        key={line.id}
        role="row"
        aria-rowindex={place + 1}
        className={classNames('card-grid-line', 'heading' in line && 'grp')}
        style={style}
      >
        {'heading' in line ? (
          <div role="gridcell" aria-colspan={columns}>
            {line.heading}
          </div>
        ) : (
          line.cards.map((card, column) => (
            <GridStop
              key={cardKey(card)}
              cursor={cursor}
              index={firstOf(place) + column}
              role="gridcell"
              className={classNames('card-grid-card', props.cardLevel(card))}
              aria-selected={props.isSelected(card)}
              onOpen={() => onOpen(card)}
              onSelect={(isRange) => onSelect(card, isRange)}
            >
              {props.draw(card)}
            </GridStop>
          ))
        )}
      </div>
    )
  }
  const style: Record<`--${string}`, string> = {
    '--cards': String(columns),
    '--table-height': props.maxHeight,
  }
  return (
    <Grid
      label={label}
      className="card-grid text-12"
      style={style}
      rowCount={lines.length}
      columnCount={columns}
      lines={sizes}
      stops={stops}
      draw={draw}
    />
  )
}

const PAGE_LINES = 5

function layoutOf<R>(lines: readonly CardLine<R>[], cardKey: (card: R) => string) {
  const textPx = remPx()
  const cardsIn = (line: CardLine<R> | undefined): readonly R[] =>
    line !== undefined && 'cards' in line ? line.cards : []
  const stops = lines.flatMap((line, place) =>
    cardsIn(line).map((card, column) => ({ key: cardKey(card), place, column })),
  )
  const firsts: number[] = []
  for (const [index, { place, column }] of stops.entries()) if (column === 0) firsts[place] = index
  const filled = [...firsts.keys()].filter((place) => place in firsts)
  const firstOf = (place: number): number => firsts[place] ?? 0
  /** Same column in the line above or below, or the last card of a shorter line. */
  const vertical =
    (step: number) =>
    (index: number): number => {
      const { place = 0, column = 0 } = stops[index] ?? {}
      const to = Math.min(filled.length - 1, Math.max(0, filled.indexOf(place) + step))
      const line = filled[to] ?? 0
      return firstOf(line) + Math.min(column, cardsIn(lines[line]).length - 1)
    }
  const moves: Stops['moves'] = {
    ArrowLeft: (index) => index - 1,
    ArrowRight: (index) => index + 1,
    ArrowUp: vertical(-1),
    ArrowDown: vertical(1),
    PageUp: vertical(-PAGE_LINES),
    PageDown: vertical(PAGE_LINES),
  }
  return {
    firstOf,
    sizes: {
      count: lines.length,
      pxAt: (place: number): number =>
        Math.round((cardsIn(lines[place]).length > 0 ? CARD_REM : HEADING_REM) * textPx),
    },
    stops: {
      count: stops.length,
      keyAt: (index: number): string => stops[index]?.key ?? '',
      lineOf: (index: number): number => stops[index]?.place ?? 0,
      moves,
    },
  }
}
