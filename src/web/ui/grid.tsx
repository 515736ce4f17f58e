import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type HTMLAttributes,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { useGridCursor, type Stops } from './grid-cursor.ts'

export type GridLines = {
  readonly count: number
  readonly keyOf: (line: number) => string
  readonly pxAt: (line: number) => number
}

export type GridCursor = {
  readonly at: number
  readonly set: (index: number) => void
  readonly idOf: (index: number) => string
  /** Call it when a stop leaves the page with the focus in it. */
  readonly onGone: () => void
}

type GridProps = {
  readonly label: string
  readonly className: string
  readonly style: CSSProperties
  readonly rowCount: number
  readonly columnCount: number
  /** Stays while the lines scroll under it. */
  readonly head?: ReactNode
  /** The same object while lines and their heights are the same: every line is measured again for a new one. */
  readonly lines: GridLines
  readonly stops: Stops & { readonly lineOf: (index: number) => number }
  readonly draw: (line: number, style: CSSProperties, cursor: GridCursor) => ReactNode
  /** Replaces the lines if there are none. */
  readonly empty?: ReactNode
  /** Called when the last lines come into view, for lists that load more. */
  readonly onNearEnd?: (() => void) | undefined
}

/** So few are all in the page: the browser's own search finds them, and a printer prints them. */
const ALL_DRAWN_MAX = 40

/** Lines beyond the edge of the window that exist already, so that scrolling shows no blank. */
const OVERSCAN_LINES = 6

const NEAR_END_LINES = 40

/** Lines of any number: only those in view exist. One tab stop; arrows, Home and End move it. */
export function Grid(props: GridProps) {
  const { label, className, style, rowCount, columnCount, head, lines, stops, draw, empty, onNearEnd } = props
  // State and not a ref: the virtualizer has to see it arrive.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const { cursor, onKeyDown } = useFocusCursor(stops, (index) => virtual.scrollToIndex(stops.lineOf(index)))
  const { count, pxAt, keyOf } = lines
  const current = stops.lineOf(cursor.at)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: pxAt,
    overscan: OVERSCAN_LINES,
    getItemKey: keyOf,
    rangeExtractor: (range) =>
      count <= ALL_DRAWN_MAX
        ? [...Array(count).keys()]
        : withLine(defaultRangeExtractor(range), current, count),
    // Sizes of a page that is not laid out yet (a hidden tab, a print) still give a first screenful.
    initialRect: { width: 800, height: pxAt(0) * 20 },
  })
  const drawAll = useMemo(() => drawnOnce((line, lineStyle) => draw(line, lineStyle, cursor)), [draw, cursor])
  const items = virtual.getVirtualItems()
  const last = items.reduce((far, { index }) => Math.max(far, index === current ? 0 : index), 0)
  const isNearEnd = last >= count - NEAR_END_LINES
  useEffect(() => {
    if (isNearEnd) onNearEnd?.()
  }, [isNearEnd, count, onNearEnd])
  return (
    <div
      ref={setScroller}
      className={className}
      role="grid"
      tabIndex={-1}
      aria-label={label}
      aria-rowcount={rowCount}
      aria-colcount={columnCount}
      style={style}
      onKeyDown={onKeyDown}
    >
      {head}
      {count > 0 ? (
        <div className="body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {drawAll(items)}
        </div>
      ) : (
        // A grid may hold only rows of cells, least of all a button.
        <div role="row">
          <div role="gridcell" aria-colspan={columnCount}>
            {empty}
          </div>
        </div>
      )}
    </div>
  )
}

/** The focus follows the cursor, also to a stop that the page does not have yet. */
function useFocusCursor(stops: Stops, onMove: (index: number) => void) {
  const prefix = useId()
  const wanted = useRef<number>(undefined)
  const isLost = useRef(false)
  const { at, set, onKeyDown } = useGridCursor(stops, (index) => {
    wanted.current = index
    onMove(index)
  })
  const { count, keyAt } = stops
  const cursor = useMemo(
    (): GridCursor => ({
      at,
      set,
      idOf: (index) => `${prefix}-${index}`,
      onGone: () => {
        isLost.current = true
      },
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `set` depends on the keys alone
    [at, keyAt, prefix],
  )
  // After each drawing: scrolling draws further lines.
  useEffect(() => {
    if (isLost.current) {
      isLost.current = false
      // Unless the focus is elsewhere by now.
      if (document.activeElement === document.body && count > 0) wanted.current = at
    }
    if (wanted.current === undefined) return
    const stop = document.getElementById(cursor.idOf(wanted.current))
    if (stop === null) return
    wanted.current = undefined
    stop.focus()
  })
  return { cursor, onKeyDown }
}

/** Draws each line once: while the list is the same, scrolling leaves lines alone that stay in view. */
function drawnOnce(draw: (line: number, style: CSSProperties) => ReactNode) {
  let drawn: ReadonlyMap<number, { readonly item: VirtualItem; readonly line: ReactNode }> = new Map()
  return (items: readonly VirtualItem[]): readonly ReactNode[] => {
    const before = drawn
    const lineOf = (item: VirtualItem): ReactNode => {
      const { index, size, start } = item
      const known = before.get(index)
      return known?.item.size === size && known.item.start === start
        ? known.line
        : draw(index, { height: size, transform: `translateY(${start}px)` })
    }
    drawn = new Map(items.map((item) => [item.index, { item, line: lineOf(item) }]))
    return Array.from(drawn.values(), ({ line }) => line)
  }
}

/** The line with the cursor exists wherever the window is, so that scrolling takes no focus away. */
const withLine = (lines: readonly number[], line: number, count: number): number[] =>
  line >= count || lines.includes(line) ? [...lines] : [...lines, line].toSorted((a, b) => a - b)

type GridStopProps = Omit<HTMLAttributes<HTMLDivElement>, 'onSelect'> & {
  readonly role: 'row' | 'gridcell'
  readonly cursor: GridCursor
  readonly index: number
  /** Enter or a click. Undefined: it can only be read. */
  readonly onOpen?: (() => void) | undefined
  /** Undefined: it can't be removed. */
  readonly onDelete?: (() => void) | undefined
  /** The space bar. Undefined: it can't be selected. */
  readonly onSelect?: ((isRange: boolean) => void) | undefined
}

/** A row or a card, which the cursor goes to. */
export function GridStop({ role, cursor, index, onOpen, onDelete, onSelect, ...attributes }: GridStopProps) {
  const ref = useRef<HTMLDivElement>(null)
  useFocusLost(ref, cursor.onGone)
  const acts: Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>> = {
    Enter: onOpen,
    Delete: onDelete,
    ' ': onSelect && ((event) => onSelect(event.shiftKey)),
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it has one of two roles
    <div
      ref={ref}
      id={cursor.idOf(index)}
      role={role}
      tabIndex={index === cursor.at ? 0 : -1}
      {...attributes}
      onFocus={() => cursor.set(index)}
      onClick={onOpen && ((event) => openByPress(event, onOpen))}
      onKeyDown={(event) => {
        if (role === 'row') moveWithin(event)
        const act = acts[event.key]
        if (act === undefined || event.target !== event.currentTarget) return
        event.preventDefault()
        act(event)
      }}
    />
  )
}

/** A press of a button or a link inside the stop belongs to that. */
function openByPress({ target }: MouseEvent<HTMLElement>, open: () => void): void {
  if (target instanceof Element && target.closest('a, button, label, input') === null) open()
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

/** Reports that the element left the page with the focus in it, of which the browser itself says nothing. */
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
