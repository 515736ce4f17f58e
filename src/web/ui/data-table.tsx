import { useVirtualizer } from '@tanstack/react-virtual'
import { useId, useRef, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'
import { useRowCursor } from './row-cursor.ts'
import { useRowPx } from './row-px.ts'

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
}

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

/** Rows beyond the edge of the window that exist already, so that scrolling shows no blank. */
const OVERSCAN_ROWS = 6

/** A table of any length: only rows in view exist. One tab stop; arrows, Home, End and Enter move and open. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, rowKey, rowLevel, onOpen, empty, maxHeight } = props
  const scroller = useRef<HTMLDivElement>(null)
  const rowPx = useRowPx()
  const idPrefix = useId()
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    getItemKey: (place) => keyAt(rows, rowKey, place),
    // Sizes of a page that is not laid out yet (a hidden tab, a print) still give a first screenful.
    initialRect: { width: 800, height: rowPx * 20 },
  })
  const cursor = useRowCursor({
    count: rows.length,
    onMove: (place) => virtual.scrollToIndex(place),
    rowId: (place) => `${idPrefix}-${place}`,
  })
  return (
    <div
      ref={scroller}
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
      <div className="body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          return (
            <div
              key={item.key}
              id={`${idPrefix}-${item.index}`}
              role="row"
              aria-rowindex={item.index + 2}
              tabIndex={item.index === cursor.place ? 0 : -1}
              className={classNames('tr', rowLevel?.(row), onOpen === undefined && 'still')}
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
              onFocus={() => cursor.set(item.index)}
              onClick={onOpen && (() => onOpen(row))}
              onKeyDown={onOpen && ((event) => openByEnter(event, () => onOpen(row)))}
            >
              {columns.map((column) => (
                <div key={column.id} role="gridcell" className={cellClass(column)}>
                  {column.cell(row)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

const cellClass = <R,>(column: DataColumn<R>) =>
  classNames(column.end === true && 'end', column.narrowTrack === null && 'wide-only')

const keyAt = <R,>(rows: readonly R[], rowKey: (row: R) => string, place: number) => {
  const row = rows[place]
  return row === undefined ? place : rowKey(row)
}

/** Enter typed into a control inside the row belongs to that control. */
function openByEnter(event: KeyboardEvent<HTMLElement>, open: () => void) {
  if (event.key !== 'Enter' || event.target !== event.currentTarget) return
  event.preventDefault()
  open()
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
