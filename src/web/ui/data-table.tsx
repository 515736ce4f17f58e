import {
  useCallback,
  useId,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  useSyncExternalStore,
} from 'react'
import { cellClass, DataRow, type DataColumn } from './data-row.tsx'
import type { Level } from './level.ts'
import { useRowCursor } from './row-cursor.ts'
import { classNames } from './class-names.ts'
import { late } from './late.tsx'
import type { RowsProps } from './virtual-rows.tsx'

type DataTableProps<R> = {
  readonly label: string
  readonly columns: readonly DataColumn<R>[]
  readonly rows: readonly R[]
  /** Stands outside the component that draws the table, so that it stays the same function. */
  readonly rowKey: (row: R) => string
  /** Marks the row at its left edge. */
  readonly rowLevel?: (row: R) => Level | undefined
  /** Enter or a click on a row. Absent: rows can only be read. */
  readonly onOpen?: (row: R) => void
  /** Stands in the place of the rows when there are none. */
  readonly empty: ReactNode
  /** CSS length; the table scrolls inside it. */
  readonly maxHeight?: string
  /** What stands in place of cells over the rows that follow; undefined for a row with cells. The same function while the rows are the same. */
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
  /** Called when the last rows come into view, for tables that are read on. */
  readonly onNearEnd?: (() => void) | undefined
}

type RowEditor = { readonly rowKey: string; readonly rem: RowRem; readonly form: ReactNode }

const HEADING: RowRem = { wide: 1.75, narrow: 2.25 }

/** A short table is drawn whole; a longer one starts with this many rows until what draws only the seen ones is here. */
const PLAIN_ROWS_MAX = 40

/** Not needed for a first screenful, so it is not among what is fetched first. */
const VirtualRows = late(async () => (await import('./virtual-rows.tsx')).VirtualRows, PlainRows)

/** A table of any length: only rows in view exist. One tab stop; arrows, Home, End and Enter move and open. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, rowKey, onOpen, onDelete, heading, editor } = props
  // State and not a ref: a ref would be set only after the rows inside have looked for it.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const reveal = useRef<(place: number) => void>(() => undefined)
  const rowPx = useRowPx(narrowOf(props), props.rowRem)
  const rowId = usePlaceId()
  const pxAt = usePxAt(props, rowPx)
  // The same function while rows and their heights are the same: a new one has every row measured anew.
  const keyOf = useMemo(() => keysOf(rows, rowKey, pxAt), [rows, rowKey, pxAt])
  const cursor = useRowCursor({ count: rows.length, keyAt: keyOf, onMove: (to) => reveal.current(to), rowId })
  const draw = (place: number, style: CSSProperties): ReactNode => {
    const row = rows[place]
    if (row === undefined) return null
    return (
      <DataRow
        key={rowKey(row)}
        id={rowId(place)}
        columns={columns}
        heading={heading?.(row)}
        editor={editor?.rowKey === rowKey(row) ? editor.form : undefined}
        selected={props.isSelected?.(row)}
        row={row}
        place={place}
        level={props.rowLevel?.(row)}
        current={place === cursor.place}
        style={style}
        onFocus={() => cursor.set(place)}
        onOpen={onOpen && (() => onOpen(row))}
        onDelete={onDelete && (() => onDelete(row))}
        onSelect={props.onSelect && ((isRange) => props.onSelect?.(row, isRange))}
        onGone={cursor.onGone}
      />
    )
  }
  const Rows = rows.length <= PLAIN_ROWS_MAX ? PlainRows : VirtualRows
  return (
    <div
      ref={setScroller}
      className={classNames('dt', props.look)}
      role="grid"
      tabIndex={-1}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      style={tableStyle(columns, props.maxHeight)}
      onKeyDown={cursor.onKeyDown}
    >
      <HeadRow columns={columns} />
      {rows.length === 0 ? (
        <NoRows columns={columns.length}>{props.empty}</NoRows>
      ) : (
        <Rows
          count={rows.length}
          pxAt={pxAt}
          onNearEnd={props.onNearEnd}
          current={cursor.place}
          keyOf={keyOf}
          draw={draw}
          scroller={scroller}
          reveal={reveal}
          onDrawn={cursor.focusWanted}
        />
      )}
    </div>
  )
}

const HeadRow = <R,>({ columns }: { readonly columns: readonly DataColumn<R>[] }) => (
  <div className="tr th" role="row" aria-rowindex={1}>
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
          <button type="button" className="sort" onClick={column.sort.onSort}>
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
    className="edge"
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

type NoRowsProps = { readonly columns: number; readonly children: ReactNode }

/** What stands in place of rows is in a cell: a grid may hold nothing else, least of all a button. */
const NoRows = ({ columns, children }: NoRowsProps) => (
  <div role="row">
    <div role="gridcell" aria-colspan={columns}>
      {children}
    </div>
  </div>
)

/** The DOM id of the row at a place. */
function usePlaceId(): (place: number) => string {
  const prefix = useId()
  return (place) => `${prefix}-${place}`
}

/** How high the row at a place is: a heading is lower than the rows under it, a form higher. */
function usePxAt<R>(props: DataTableProps<R>, rowPx: number): (place: number) => number {
  const { rows, rowKey, heading, editor } = props
  const headingPx = useRowPx(narrowOf(props), HEADING)
  const editorPx = useRowPx(narrowOf(props), editor?.rem)
  const edited = editor?.rowKey
  return useCallback(
    (place) => {
      const row = rows[place]
      if (row === undefined) return rowPx
      if (edited === rowKey(row)) return editorPx
      return heading?.(row) === undefined ? rowPx : headingPx
    },
    [rows, rowKey, heading, edited, headingPx, editorPx, rowPx],
  )
}

function PlainRows({ count, pxAt, draw }: RowsProps) {
  const drawn: ReactNode[] = []
  let topPx = 0
  for (let place = 0; place < Math.min(count, PLAIN_ROWS_MAX); place++) {
    drawn.push(draw(place, { height: pxAt(place), transform: `translateY(${topPx}px)` }))
    topPx += pxAt(place)
  }
  return (
    <div className="body" role="rowgroup" style={{ height: topPx }}>
      {drawn}
    </div>
  )
}

const keysOf =
  <R,>(rows: readonly R[], rowKey: (row: R) => string, _pxAt: (place: number) => number) =>
  (place: number): string => {
    const row = rows[place]
    return row === undefined ? String(place) : rowKey(row)
  }

/** Custom properties, so that the narrow layout is the style sheet's decision. */
function tableStyle<R>(columns: readonly DataColumn<R>[], maxHeight: string | undefined): CSSProperties {
  const narrow = columns.map((column) =>
    column.narrowTrack === undefined ? column.track : column.narrowTrack,
  )
  const style: Record<`--${string}`, string> = {
    '--tracks-wide': columns.map((column) => column.track).join(' '),
    '--tracks-narrow': narrow.filter((track) => track !== null).join(' '),
  }
  if (maxHeight !== undefined) style['--table-height'] = maxHeight
  return style
}

/** As in the style sheet. Cards need no more room than a phone has, and use it up to where every column fits. */
const NARROW = { lines: '(max-width: 640px)', cards: '(max-width: 900px)' } as const

type Narrow = (typeof NARROW)[keyof typeof NARROW]

const narrowOf = <R,>({ look = 'lines' }: DataTableProps<R>): Narrow =>
  NARROW[look === 'lines' ? 'lines' : 'cards']

/** Rows are targets: 32 px with a pointer, 44 px for a thumb, both growing with the reader's text size. */
const ROW_REM = 2
const ROW_NARROW_REM = 2.75

/** How high a row is, in units of the reader's text size: where there is room, and on a phone. */
type RowRem = { readonly wide: number; readonly narrow: number }

const ONE_LINE: RowRem = { wide: ROW_REM, narrow: ROW_NARROW_REM }

/** Height of one row in CSS pixels; the virtual list needs the number. */
function useRowPx(query: Narrow, { wide, narrow }: RowRem = ONE_LINE): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  const isNarrow = useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
  return Math.round((isNarrow ? narrow : wide) * remPx())
}
