import { useMemo, type CSSProperties, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Grid, GridStop, type GridCursor, type GridLines } from './grid.tsx'
import { ROW_MOVES } from './grid-cursor.ts'
import type { Level } from './level.ts'
import { useMedia } from './use-media.ts'

/** In a card: a mark; beside it a title with a value at its end; a second line and a note below these. */
export type CardPlace = 'mark' | 'title' | 'value' | 'under' | 'note'

export type DataColumn<R> = {
  readonly id: string
  readonly header: ReactNode
  readonly cell: (row: R) => ReactNode
  /** A CSS grid track, e.g. "minmax(10rem, 1fr)" or "7rem". */
  readonly track: string
  /** The track below 640 px; `null` leaves the column out there. Absent: the same. */
  readonly narrowTrack?: string | null
  /** Figures end at the right. */
  readonly end?: boolean
  /** The heading is a button that sorts by the column. */
  readonly sort?: ColumnSort | undefined
  /** Called with the width that the reader draws the heading's edge to. */
  readonly onResize?: ((rem: number) => void) | undefined
  /** Where the cell stands on a phone, in a table that looks like cards. Absent: it is left out there. */
  readonly card?: CardPlace | undefined
}

export type ColumnSort = {
  /** Undefined: sorted by another one. */
  readonly direction: 'ascending' | 'descending' | undefined
  readonly onSort: () => void
}

/** How high a row is, in units of the reader's text size: where there is room, and on a phone. */
type RowRem = { readonly wide: number; readonly narrow: number }

type RowEditor = { readonly rowKey: string; readonly rem: RowRem; readonly form: ReactNode }

type DataTableProps<R> = {
  readonly label: string
  readonly columns: readonly DataColumn<R>[]
  readonly rows: readonly R[]
  /** The same function for every drawing. */
  readonly rowKey: (row: R) => string
  /** Marks the row at its left edge. */
  readonly rowLevel?: (row: R) => Level | undefined
  /** Enter or a click on a row. Absent: rows can only be read. */
  readonly onOpen?: (row: R) => void
  /** Replaces the rows if there are none. */
  readonly empty: ReactNode
  /** CSS length; the table scrolls inside it. */
  readonly maxHeight?: string
  /** Replaces the cells of a row that heads those below it; undefined for a row with cells. The same function while the rows are the same. */
  readonly heading?: (row: R) => ReactNode
  /** The row that is being edited, drawn as one cell. */
  readonly editor?: RowEditor | undefined
  /** Delete pressed on a row. Absent: rows can't be removed. */
  readonly onDelete?: (row: R) => void
  /** The space bar on a row. Absent: rows can't be selected. */
  readonly onSelect?: (row: R, isRange: boolean) => void
  /** The row that is shown beside the table, or each that is selected. */
  readonly isSelected?: (row: R) => boolean
  /** Absent: one line. */
  readonly rowRem?: RowRem
  /** On a phone and at a zoom of 200 % each row is a small card: of `pairs`, two lines; of `cards`, placed by the style sheet. */
  readonly look?: 'lines' | 'pairs' | 'cards'
  /** Called when the last rows come into view, for tables that load more. */
  readonly onNearEnd?: (() => void) | undefined
}

/** Rows are targets: 32 px with a pointer, 44 px for a thumb, both growing with the reader's text size. */
const ONE_LINE: RowRem = { wide: 2, narrow: 2.75 }
const HEADING: RowRem = { wide: 1.75, narrow: 2.25 }

/** Rows of cells under headings. One tab stop; arrows, Home, End and Enter move and open. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, look = 'lines' } = props
  const lines = useLines(props)
  const draw = (place: number, style: CSSProperties, cursor: GridCursor): ReactNode => {
    const row = rows[place]
    return row === undefined ? null : (
      <Row key={lines.keyOf(place)} table={props} row={row} place={place} style={style} cursor={cursor} />
    )
  }
  return (
    <Grid
      label={label}
      className={classNames('data-table', look === 'lines' ? undefined : look)}
      style={tableStyle(columns, props.maxHeight)}
      rowCount={rows.length + 1}
      columnCount={columns.length}
      head={<HeadRow columns={columns} />}
      lines={lines}
      stops={{ count: rows.length, keyAt: lines.keyOf, moves: ROW_MOVES, lineOf: (place) => place }}
      draw={draw}
      empty={props.empty}
      onNearEnd={props.onNearEnd}
    />
  )
}

type RowProps<R> = {
  readonly table: DataTableProps<R>
  readonly row: R
  readonly place: number
  readonly style: CSSProperties
  readonly cursor: GridCursor
}

function Row<R>({ table, row, place, style, cursor }: RowProps<R>) {
  const { columns, onOpen, onDelete, onSelect } = table
  const heading = table.heading?.(row)
  const form = table.editor?.rowKey === table.rowKey(row) ? table.editor.form : undefined
  const whole = heading ?? form
  const isWhole = whole !== undefined
  return (
    <GridStop
      cursor={cursor}
      index={place}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={isWhole ? undefined : table.isSelected?.(row)}
      className={classNames(
        'data-table-row',
        table.rowLevel?.(row),
        (isWhole || onOpen === undefined) && 'still',
        heading !== undefined && 'grp',
        form !== undefined && 'edit',
      )}
      style={style}
      onOpen={isWhole ? undefined : onOpen && (() => onOpen(row))}
      onDelete={isWhole ? undefined : onDelete && (() => onDelete(row))}
      onSelect={isWhole ? undefined : onSelect && ((isRange) => onSelect(row, isRange))}
    >
      {isWhole ? (
        <div role="gridcell" aria-colspan={columns.length}>
          {whole}
        </div>
      ) : (
        columns.map((column) => (
          <div key={column.id} role="gridcell" className={cellClass(column)}>
            {column.cell(row)}
          </div>
        ))
      )}
    </GridStop>
  )
}

const cellClass = <R,>(column: DataColumn<R>) =>
  classNames(
    `data-table-column-${column.id}`,
    column.card && `data-table-at-${column.card}`,
    column.end === true && 'end',
    column.narrowTrack === null && 'data-table-wide',
  )

const HeadRow = <R,>({ columns }: { readonly columns: readonly DataColumn<R>[] }) => (
  <div className="data-table-row data-table-head" role="row" aria-rowindex={1}>
    {columns.map((column) => (
      <div
        key={column.id}
        role="columnheader"
        className={cellClass(column)}
        aria-sort={column.sort && (column.sort.direction ?? 'none')}
      >
        {column.sort === undefined ? (
          column.header
        ) : (
          <button type="button" className="data-table-sort" onClick={column.sort.onSort}>
            {column.header}
          </button>
        )}
        {column.onResize && <ColumnEdge onResize={column.onResize} />}
      </div>
    ))}
  </div>
)

/** Drawn with a pointer; whoever has none finds the width among the column's choices. */
const ColumnEdge = ({ onResize }: { readonly onResize: (rem: number) => void }) => (
  <span
    className="data-table-edge"
    aria-hidden
    onPointerDown={(event) => {
      event.preventDefault()
      event.currentTarget.setPointerCapture(event.pointerId)
    }}
    onPointerMove={({ buttons, clientX, currentTarget }) => {
      const heading = currentTarget.parentElement
      if (buttons !== 1 || heading === null || !currentTarget.matches(':active')) return
      onResize((clientX - heading.getBoundingClientRect().left) / remPx())
    }}
  />
)

const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16

/** As in the style sheet. Cards need no more room than a phone has, and use it up to where every column fits. */
const NARROW = {
  lines: '(max-width: 640px)',
  pairs: '(max-width: 900px)',
  cards: '(max-width: 900px)',
} as const

/** The rows and their heights: a heading is lower than the rows under it, a form higher. */
function useLines<R>(props: DataTableProps<R>): GridLines & { readonly keyOf: (place: number) => string } {
  const { rows, rowKey, heading, editor, rowRem = ONE_LINE, look = 'lines' } = props
  const isNarrow = useMedia(NARROW[look])
  const textPx = remPx()
  return useMemo(() => {
    const pxOf = ({ wide, narrow }: RowRem): number => Math.round((isNarrow ? narrow : wide) * textPx)
    return {
      count: rows.length,
      keyOf: (place) => {
        const row = rows[place]
        return row === undefined ? String(place) : rowKey(row)
      },
      pxAt: (place) => {
        const row = rows[place]
        if (row === undefined) return pxOf(rowRem)
        if (editor?.rowKey === rowKey(row)) return pxOf(editor.rem)
        return pxOf(heading?.(row) === undefined ? rowRem : HEADING)
      },
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the editor's form changes with each key
  }, [rows, rowKey, heading, editor?.rowKey, editor?.rem, rowRem, isNarrow, textPx])
}

/** Custom properties, so that the narrow layout is the style sheet's decision. */
function tableStyle<R>(columns: readonly DataColumn<R>[], maxHeight: string | undefined): CSSProperties {
  const narrow = columns.map(({ track, narrowTrack }) => (narrowTrack === undefined ? track : narrowTrack))
  const style: Record<`--${string}`, string> = {
    '--tracks-wide': columns.map((column) => column.track).join(' '),
    '--tracks-narrow': narrow.filter((track) => track !== null).join(' '),
  }
  if (maxHeight !== undefined) style['--table-height'] = maxHeight
  return style
}
