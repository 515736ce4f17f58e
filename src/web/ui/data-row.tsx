import {
  useLayoutEffect,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

/** A mark; beside it a title with a value at its end; below these what is said of them. */
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
  /** The heading's edge can be drawn; given the width that is wanted, in units of the reader's text size. */
  readonly onResize?: ((rem: number) => void) | undefined
  /** Where the cell stands on a phone, in a table that looks like cards. Absent: it is left out there. */
  readonly card?: CardPlace | undefined
}

export type ColumnSort = {
  /** Undefined: sorted by another one. */
  readonly direction: 'ascending' | 'descending' | undefined
  readonly onSort: () => void
}

type DataRowProps<R> = {
  readonly id: string
  /** Stands over the rows that follow, in place of cells. */
  readonly heading?: ReactNode
  /** A form in place of cells. */
  readonly editor?: ReactNode
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
  /** Delete. Undefined: it can't be removed. */
  readonly onDelete: (() => void) | undefined
  /** The space bar. Undefined: it can't be selected. */
  readonly onSelect: ((isRange: boolean) => void) | undefined
  /** The row has gone while focus was in it. */
  readonly onGone: () => void
}

export function DataRow<R>({
  id,
  columns,
  heading,
  editor,
  selected,
  row,
  place,
  level,
  current,
  style,
  onFocus,
  onOpen: openRow,
  onDelete,
  onSelect,
  onGone,
}: DataRowProps<R>) {
  const ref = useRef<HTMLDivElement>(null)
  const whole = heading ?? editor
  const onOpen = whole === undefined ? openRow : undefined
  useFocusLost(ref, onGone)
  return (
    <div
      ref={ref}
      id={id}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={whole === undefined ? selected : undefined}
      tabIndex={current ? 0 : -1}
      className={classNames(
        'tr',
        level,
        onOpen === undefined && 'still',
        heading !== undefined && 'grp',
        editor !== undefined && 'edit',
      )}
      style={style}
      onFocus={onFocus}
      onClick={onOpen && ((event) => openByPress(event, onOpen))}
      onKeyDown={(event) => {
        moveWithin(event)
        if (event.target !== event.currentTarget) return
        pressed(event, {
          Enter: onOpen,
          Delete: whole === undefined ? onDelete : undefined,
          ' ': whole === undefined ? onSelect && (() => onSelect(event.shiftKey)) : undefined,
        })
      }}
    >
      {whole === undefined ? (
        columns.map((column) => (
          <div key={column.id} role="gridcell" className={cellClass(column)}>
            {column.cell(row)}
          </div>
        ))
      ) : (
        <div role="gridcell" aria-colspan={columns.length}>
          {whole}
        </div>
      )}
    </div>
  )
}

export const cellClass = <R,>(column: DataColumn<R>) =>
  classNames(
    `c-${column.id}`,
    column.card && `at-${column.card}`,
    column.end === true && 'end',
    column.narrowTrack === null && 'wide-only',
  )

/** A press of a button or a link inside the row belongs to that. */
function openByPress({ target, currentTarget }: MouseEvent<HTMLElement>, open: () => void) {
  const control = target instanceof Element ? target.closest('a, button, label, input, [role="row"]') : null
  if (control === null || control === currentTarget) open()
}

/** Right and Left go through the links and buttons of the row, none of which is a tab stop of its own, and back to the row. */
function moveWithin(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget: row } = event
  if ((key !== 'ArrowRight' && key !== 'ArrowLeft') || event.ctrlKey || event.metaKey || event.altKey) return
  if (!(target instanceof HTMLElement) || !target.matches('a, button, [role="row"]')) return
  const stops = [row, ...row.querySelectorAll<HTMLElement>('a[href], button')]
  const step = key === 'ArrowRight' ? 1 : -1
  event.preventDefault()
  // One that is not drawn, as on a phone, takes no focus: the next one does.
  for (let at = stops.indexOf(target) + step; at in stops; at += step) {
    stops[at]?.focus()
    if (document.activeElement === stops[at]) return
  }
}

function pressed(event: KeyboardEvent, acts: Readonly<Record<string, (() => void) | undefined>>) {
  const act = acts[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
}

/** Tells when the element is taken away with the focus in it, of which the browser itself says nothing. */
function useFocusLost(ref: RefObject<HTMLElement | null>, onLost: () => void): void {
  const lost = useRef(onLost)
  useLayoutEffect(() => {
    lost.current = onLost
  })
  useLayoutEffect(() => {
    const { current } = ref
    return () => {
      if (current?.contains(document.activeElement) === true) lost.current()
    }
  }, [ref])
}
