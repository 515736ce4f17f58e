import { useMemo, type CSSProperties, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Grid, GridStop, type GridCursor, type GridLines } from './grid.tsx'
import { ROW_MOVES } from './grid-cursor.ts'
import type { Level } from './level.ts'
import { remPx } from './rem.ts'

/** Position in a card: a mark, then a title with a value at its end; below them a second line and a note; then actions. */
export type CardPlace = 'mark' | 'title' | 'value' | 'under' | 'note' | 'acts'

export type DataColumn<R> = {
  readonly id: string
  readonly header: ReactNode
  readonly cell: (row: R) => ReactNode
  /** A CSS grid track, e.g. "minmax(10rem, 1fr)" or "7rem". */
  readonly track: string
  /** The track in a narrow table; `null` hides the column there. Absent: the same track. */
  readonly narrowTrack?: string | null
  /** Aligned right, for numbers. */
  readonly end?: boolean
  readonly sort?: ColumnSort | undefined
  /** Called with the new width when the heading's edge is dragged. */
  readonly onResize?: ((rem: number) => void) | undefined
  /** The cell's position in the card layout. Absent: hidden there. */
  readonly card?: CardPlace | undefined
}

export type ColumnSort = {
  /** Undefined: another column sorts the table. */
  readonly direction: 'ascending' | 'descending' | undefined
  readonly onSort: () => void
}

/** Row height in rem, in wide and in narrow tables. */
type RowRem = { readonly wide: number; readonly narrow: number }

type RowEditor = { readonly rowKey: string; readonly rem: RowRem; readonly form: ReactNode }

type DataTableProps<R> = {
  readonly label: string
  readonly columns: readonly DataColumn<R>[]
  readonly rows: readonly R[]
  /** Must be the same function on every render. */
  readonly rowKey: (row: R) => string
  readonly rowLevel?: (row: R) => Level | undefined
  /** Called on Enter or a click on a row. Absent: rows are read-only. */
  readonly onOpen?: (row: R) => void
  readonly empty: ReactNode
  /** CSS length; the table scrolls inside it. */
  readonly maxHeight?: string
  /**
   * Replaces the cells of a row that heads a group; undefined for a normal row. Must be the same function while the rows are
   * unchanged.
   */
  readonly heading?: (row: R) => ReactNode
  readonly editor?: RowEditor | undefined
  /** Called on Delete on a row. Absent: rows cannot be removed. */
  readonly onDelete?: (row: R) => void
  /** Called on Space on a row. Absent: rows cannot be selected. */
  readonly onSelect?: (row: R, isRange: boolean) => void
  /** The row that is open beside the table, or each selected row. */
  readonly isSelected?: (row: R) => boolean
  /** Absent: one line. */
  readonly rowRem?: RowRem
  /** Shows each row as a small card where the table is too narrow for its columns. */
  readonly isCards?: boolean
  /** Called when the last rows come into view, to load more. */
  readonly onNearEnd?: (() => void) | undefined
}

/** Rows are targets: 32 px for a pointer, 44 px for touch; both scale with the text size. */
const ONE_LINE: RowRem = { wide: 2, narrow: 2.75 }
const HEADING: RowRem = { wide: 1.75, narrow: 2.25 }

/** One tab stop; arrows, Home and End move the focus, Enter opens a row. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, isCards = false } = props
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
      className={classNames('data-table', isCards && 'cards')}
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
          <div
            key={column.id}
            role="gridcell"
            className={cellClass(column)}
            data-heading={typeof column.header === 'string' ? column.header : undefined}
          >
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
  <div className="data-table-row data-table-head text-11 ink-3" role="row" aria-rowindex={1}>
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
          <button type="button" className="data-table-sort truncate" onClick={column.sort.onSort}>
            {column.header}
          </button>
        )}
        {column.onResize && <ColumnEdge onResize={column.onResize} />}
      </div>
    ))}
  </div>
)

/** Resizes a column by dragging. Without a pointer, the width is set among the column's options. */
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

function useLines<R>(props: DataTableProps<R>): GridLines & { readonly keyOf: (place: number) => string } {
  const { rows, rowKey, heading, editor, rowRem = ONE_LINE } = props
  const textPx = remPx()
  return useMemo(() => {
    const remOf = (place: number): RowRem => {
      const row = rows[place]
      if (row === undefined) return rowRem
      if (editor?.rowKey === rowKey(row)) return editor.rem
      return heading?.(row) === undefined ? rowRem : HEADING
    }
    return {
      count: rows.length,
      keyOf: (place) => {
        const row = rows[place]
        return row === undefined ? String(place) : rowKey(row)
      },
      pxAt: (place, isNarrow) => Math.round(remOf(place)[isNarrow ? 'narrow' : 'wide'] * textPx),
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the editor's form changes with each key
  }, [rows, rowKey, heading, editor?.rowKey, editor?.rem, rowRem, textPx])
}

/** Passed as custom properties, so that the style sheet controls the narrow layout. */
function tableStyle<R>(columns: readonly DataColumn<R>[], maxHeight: string | undefined): CSSProperties {
  const narrow = columns.map(({ track, narrowTrack }) => (narrowTrack === undefined ? track : narrowTrack))
  const style: Record<`--${string}`, string> = {
    '--tracks-wide': columns.map((column) => column.track).join(' '),
    '--tracks-narrow': narrow.filter((track) => track !== null).join(' '),
  }
  if (maxHeight !== undefined) style['--table-height'] = maxHeight
  return style
}
