import type { CSSProperties, KeyboardEvent, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

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

type DataRowProps<R> = {
  readonly id: string
  readonly columns: readonly DataColumn<R>[]
  readonly row: R
  /** From 0; the header is the row before. */
  readonly place: number
  readonly level: Level | undefined
  /** In the tab order. */
  readonly current: boolean
  readonly style: CSSProperties
  readonly onFocus: () => void
  /** Enter or a click. Undefined: the row can only be read. */
  readonly onOpen: (() => void) | undefined
}

export function DataRow<R>({
  id,
  columns,
  row,
  place,
  level,
  current,
  style,
  onFocus,
  onOpen,
}: DataRowProps<R>) {
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={place + 2}
      tabIndex={current ? 0 : -1}
      className={classNames('tr', level, onOpen === undefined && 'still')}
      style={style}
      onFocus={onFocus}
      onClick={onOpen}
      onKeyDown={onOpen && ((event) => openByEnter(event, onOpen))}
    >
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={cellClass(column)}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
}

export const cellClass = <R,>(column: DataColumn<R>) =>
  classNames(column.end === true && 'end', column.narrowTrack === null && 'wide-only')

/** Enter typed into a control inside the row belongs to that control. */
function openByEnter(event: KeyboardEvent<HTMLElement>, open: () => void) {
  if (event.key !== 'Enter' || event.target !== event.currentTarget) return
  event.preventDefault()
  open()
}
