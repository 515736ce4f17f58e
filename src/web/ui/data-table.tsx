import { lazy, Suspense, useId, useRef, useState, type CSSProperties, type ReactNode } from 'react'
import { cellClass, DataRow, type DataColumn } from './data-row.tsx'
import type { Level } from './level.ts'
import { useRowCursor } from './row-cursor.ts'
import { useRowPx } from './row-px.ts'

type DataTableProps<R> = {
  readonly label: string
  readonly columns: readonly DataColumn<R>[]
  readonly rows: readonly R[]
  readonly rowKey: (row: R) => string
  /** Marks the row at its left edge. */
  readonly rowLevel?: (row: R) => Level | undefined
  /** Enter or a click on a row. Absent: rows can only be read. */
  readonly onOpen?: (row: R) => void
  /** Stands in the place of the rows when there are none. */
  readonly empty: ReactNode
  /** CSS length; the table scrolls inside it. */
  readonly maxHeight?: string
}

/** A short table is drawn whole; a longer one starts with this many rows until what draws only the seen ones is here. */
const PLAIN_ROWS_MAX = 40

/** Not needed for a first screenful, so it is not among what is fetched first. */
const VirtualRows = lazy(async () => ({ default: (await import('./virtual-rows.tsx')).VirtualRows }))

/** A table of any length: only rows in view exist. One tab stop; arrows, Home, End and Enter move and open. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, rowKey, rowLevel, onOpen, empty, maxHeight } = props
  // State and not a ref: a ref would be set only after the rows inside have looked for it.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const reveal = useRef<(place: number) => void>(() => undefined)
  const rowPx = useRowPx()
  const idPrefix = useId()
  const rowId = (place: number) => `${idPrefix}-${place}`
  const cursor = useRowCursor({ count: rows.length, onMove: (place) => reveal.current(place), rowId })
  const draw = (place: number, style: CSSProperties): ReactNode => {
    const row = rows[place]
    if (row === undefined) return null
    return (
      <DataRow
        key={rowKey(row)}
        id={rowId(place)}
        columns={columns}
        row={row}
        place={place}
        level={rowLevel?.(row)}
        current={place === cursor.place}
        style={style}
        onFocus={() => cursor.set(place)}
        onOpen={onOpen && (() => onOpen(row))}
      />
    )
  }
  const plain = <PlainRows count={Math.min(rows.length, PLAIN_ROWS_MAX)} rowPx={rowPx} draw={draw} />
  return (
    <div
      ref={setScroller}
      className="dt"
      role="grid"
      tabIndex={-1}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      style={tableStyle(columns, maxHeight)}
      onKeyDown={cursor.onKeyDown}
    >
      <div className="tr th" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <div key={column.id} role="columnheader" className={cellClass(column)}>
            {column.header}
          </div>
        ))}
      </div>
      {rows.length === 0 && empty}
      {rows.length <= PLAIN_ROWS_MAX ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <VirtualRows
            count={rows.length}
            rowPx={rowPx}
            keyOf={(place) => keyAt(rows, rowKey, place)}
            draw={draw}
            scroller={scroller}
            reveal={reveal}
            onDrawn={cursor.focusWanted}
          />
        </Suspense>
      )}
    </div>
  )
}

type PlainRowsProps = {
  readonly count: number
  readonly rowPx: number
  readonly draw: (place: number, style: CSSProperties) => ReactNode
}

const PlainRows = ({ count, rowPx, draw }: PlainRowsProps) => (
  <div className="body" role="rowgroup" style={{ height: count * rowPx }}>
    {Array.from({ length: count }, (_, place) =>
      draw(place, { height: rowPx, transform: `translateY(${place * rowPx}px)` }),
    )}
  </div>
)

const keyAt = <R,>(rows: readonly R[], rowKey: (row: R) => string, place: number) => {
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
