import type { CSSProperties, KeyboardEvent, MouseEvent, ReactNode } from 'react'
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
  /** Stands over the rows that follow, in place of cells. */
  readonly heading?: ReactNode
  /** Shown beside the table. */
  readonly selected?: boolean | undefined
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
  heading,
  selected,
  row,
  place,
  level,
  current,
  style,
  onFocus,
  onOpen: openRow,
}: DataRowProps<R>) {
  const onOpen = heading === undefined ? openRow : undefined
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={heading === undefined ? selected : undefined}
      tabIndex={current ? 0 : -1}
      className={classNames('tr', level, onOpen === undefined && 'still', heading !== undefined && 'grp')}
      style={style}
      onFocus={onFocus}
      onClick={onOpen && ((event) => openByPress(event, onOpen))}
      onKeyDown={onOpen && ((event) => openByEnter(event, onOpen))}
    >
      {heading === undefined ? (
        columns.map((column) => (
          <div key={column.id} role="gridcell" className={cellClass(column)}>
            {column.cell(row)}
          </div>
        ))
      ) : (
        <div role="gridcell" aria-colspan={columns.length}>
          {heading}
        </div>
      )}
    </div>
  )
}

export const cellClass = <R,>(column: DataColumn<R>) =>
  classNames(`c-${column.id}`, column.end === true && 'end', column.narrowTrack === null && 'wide-only')

/** A press of a button or a link inside the row belongs to that. */
function openByPress({ target, currentTarget }: MouseEvent<HTMLElement>, open: () => void) {
  const control = target instanceof Element ? target.closest('a, button, [role="row"]') : null
  if (control === null || control === currentTarget) open()
}

/** Enter typed into a control inside the row belongs to that control. */
function openByEnter(event: KeyboardEvent<HTMLElement>, open: () => void) {
  if (event.key !== 'Enter' || event.target !== event.currentTarget) return
  event.preventDefault()
  open()
}
