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
  /** The same object while lines and their heights are the same. */
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

/** Lines of a list that has no height yet. */
const UNSEEN_LINES = 20

/** Lines of any number: only those in view exist. One tab stop; arrows, Home and End move it. */
export function Grid(props: GridProps) {
  const { label, className, style, rowCount, columnCount, head, lines, stops, draw, empty, onNearEnd } = props
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const { cursor, onKeyDown } = useFocusCursor(stops)
  const { count } = lines
  const { tops, first, last } = useLinesInView(lines, scroller)
  const drawAll = useMemo(() => drawnOnce((line, lineStyle) => draw(line, lineStyle, cursor)), [draw, cursor])
  // The line with the cursor exists wherever the window is, so that scrolling takes no focus away.
  const current = stops.lineOf(cursor.at)
  const drawn = new Set([...(current < first ? [current] : []), ...range(first, last), current])
  // Once for each length: a list that got longer may still end in view.
  const endsNear = last >= count - NEAR_END_LINES ? count : undefined
  useEffect(() => {
    if (endsNear !== undefined) onNearEnd?.()
  }, [endsNear, onNearEnd])
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
        <div className="grid-body" role="rowgroup" style={{ height: tops.at(-1) }}>
          {drawAll(Array.from(drawn), tops)}
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
function useFocusCursor(stops: Stops) {
  const prefix = useId()
  const wanted = useRef<number>(undefined)
  const isLost = useRef(false)
  const { at, set, onKeyDown } = useGridCursor(stops, (index) => {
    wanted.current = index
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
    stop.focus({ preventScroll: true })
    stop.scrollIntoView({ block: 'nearest' })
  })
  return { cursor, onKeyDown }
}

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Where each line begins, the end of the last one after them, and which lines are in view. Heights are known, so nothing is measured. */
function useLinesInView({ count, pxAt }: GridLines, scroller: HTMLElement | null) {
  const tops = useMemo(() => {
    const all = [0]
    for (let line = 0; line < count; line++) all.push((all[line] ?? 0) + pxAt(line))
    return all
  }, [count, pxAt])
  // A page that is not laid out yet (a hidden tab, a print) still gets a first screenful.
  const [view, setView] = useState({ first: 0, last: UNSEEN_LINES })
  useLayoutEffect(() => {
    if (scroller === null) return undefined
    const read = (): void => {
      const { scrollTop, clientHeight } = scroller
      const first = lineAt(tops, scrollTop)
      const last = clientHeight === 0 ? first + UNSEEN_LINES : lineAt(tops, scrollTop + clientHeight)
      setView((now) => (now.first === first && now.last === last ? now : { first, last }))
    }
    read()
    scroller.addEventListener('scroll', read, { passive: true })
    const observer = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(read)
    observer?.observe(scroller)
    return () => {
      scroller.removeEventListener('scroll', read)
      observer?.disconnect()
    }
  }, [scroller, tops])
  const isShort = count <= ALL_DRAWN_MAX
  return {
    tops,
    first: isShort ? 0 : Math.max(0, Math.min(view.first, count - 1) - OVERSCAN_LINES),
    last: isShort ? count - 1 : Math.min(count - 1, view.last + OVERSCAN_LINES),
  }
}

/** The line at a distance from the top, by halves. */
function lineAt(tops: readonly number[], px: number): number {
  let low = 0
  let high = tops.length - 1
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if ((tops[middle] ?? 0) <= px) low = middle
    else high = middle
  }
  return low
}

type Drawn = { readonly top: number; readonly height: number; readonly line: ReactNode }

/** Draws each line once: while the list is the same, scrolling leaves lines alone that stay in view. */
function drawnOnce(draw: (line: number, style: CSSProperties) => ReactNode) {
  let drawn: ReadonlyMap<number, Drawn> = new Map()
  return (lines: readonly number[], tops: readonly number[]): readonly ReactNode[] => {
    const before = drawn
    const lineOf = (index: number): Drawn => {
      const top = tops[index] ?? 0
      const height = (tops[index + 1] ?? top) - top
      const known = before.get(index)
      if (known?.top === top && known.height === height) return known
      return { top, height, line: draw(index, { height, transform: `translateY(${top}px)` }) }
    }
    drawn = new Map(lines.map((index) => [index, lineOf(index)]))
    return Array.from(drawn.values(), ({ line }) => line)
  }
}

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
