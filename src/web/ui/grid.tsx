import {
  useEffect,
  useEffectEvent,
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
  readonly pxAt: (line: number, isNarrow: boolean) => number
}

export type GridCursor = {
  readonly at: number
  readonly set: (index: number) => void
  readonly idOf: (index: number) => string
  /** Call this when a stop leaves the page while it has the focus. */
  readonly onGone: () => void
}

type GridProps = {
  readonly label: string
  readonly className: string
  readonly style: CSSProperties
  readonly rowCount: number
  readonly columnCount: number
  readonly head?: ReactNode
  /** Must be the same object while the lines and their heights are unchanged. */
  readonly lines: GridLines
  readonly stops: Stops & { readonly lineOf: (index: number) => number }
  readonly draw: (line: number, style: CSSProperties, cursor: GridCursor) => ReactNode
  readonly empty?: ReactNode
  readonly onNearEnd?: (() => void) | undefined
}

/** Up to this many lines, all are rendered, so that the browser's search and printing cover them. */
const ALL_DRAWN_MAX = 40

/** Lines rendered beyond the visible window, so that scrolling shows no blank area. */
const OVERSCAN_LINES = 6

const NEAR_END_LINES = 40

const UNSEEN_LINES = 20

/** A virtualized list of any length. One tab stop; arrows, Home and End move the focus. */
export function Grid(props: GridProps) {
  const { label, className, style, rowCount, columnCount, head, lines, stops, draw, empty, onNearEnd } = props
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const { cursor, onKeyDown } = useFocusCursor(stops)
  const { count } = lines
  const { tops, first, last } = useLinesInView(lines, scroller)
  const drawAll = useMemo(() => drawnOnce((line, lineStyle) => draw(line, lineStyle, cursor)), [draw, cursor])
  // The line with the cursor is always rendered, so that scrolling does not remove the focus.
  const current = stops.lineOf(cursor.at)
  const drawn = new Set([...(current < first ? [current] : []), ...range(first, last), current])
  // Fires once for each length, because a longer list may still end in view.
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
        // An ARIA grid may contain only rows of cells.
        <div role="row">
          <div role="gridcell" aria-colspan={columnCount}>
            {empty}
          </div>
        </div>
      )}
    </div>
  )
}

/** Focuses the cursor's stop, even if that stop is not rendered yet. */
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
  // Runs after each render, because scrolling renders more lines.
  useEffect(() => {
    if (isLost.current) {
      isLost.current = false
      // Skipped if the focus has already moved elsewhere.
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

/** The top of each line, the end of the last line, and the lines in view. Heights are known, so nothing is measured. */
function useLinesInView({ count, pxAt }: GridLines, scroller: HTMLElement | null) {
  // A page without layout (a hidden tab, a print) still renders a first screenful.
  const [view, setView] = useState({ first: 0, last: UNSEEN_LINES, isNarrow: false })
  const { isNarrow } = view
  const tops = useMemo(() => {
    const all = [0]
    for (let line = 0; line < count; line++) all.push((all[line] ?? 0) + pxAt(line, isNarrow))
    return all
  }, [count, pxAt, isNarrow])
  useLayoutEffect(() => {
    if (scroller === null) return undefined
    const read = (): void => {
      const { scrollTop, clientHeight, lastElementChild } = scroller
      const first = lineAt(tops, scrollTop)
      const last = clientHeight === 0 ? first + UNSEEN_LINES : lineAt(tops, scrollTop + clientHeight)
      const next = { first, last, isNarrow: isDrawnNarrow(lastElementChild) }
      setView((now) =>
        now.first === first && now.last === last && now.isNarrow === next.isNarrow ? now : next,
      )
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

/** Set by the style sheet, because script reads a width only rounded, and with other rules for scroll bars. */
const isDrawnNarrow = (body: Element | null): boolean =>
  body !== null && getComputedStyle(body).getPropertyValue('--narrow') !== ''

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

/** Renders each line once: while the list is unchanged, scrolling does not re-render the lines that stay in view. */
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
  readonly onOpen?: (() => void) | undefined
  readonly onDelete?: (() => void) | undefined
  readonly onSelect?: ((isRange: boolean) => void) | undefined
}

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

/** Ignores clicks on a button or a link inside the stop. */
function openByPress({ target }: MouseEvent<HTMLElement>, open: () => void): void {
  if (target instanceof Element && target.closest('a, button, label, input') === null) open()
}

/** Right and Left move through the row's links and buttons, which are not tab stops, and back to the row. */
function moveWithin(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget: row } = event
  if ((key !== 'ArrowRight' && key !== 'ArrowLeft') || event.ctrlKey || event.metaKey || event.altKey) return
  if (!(target instanceof HTMLElement) || !target.matches('a, button, [role="row"]')) return
  const stops = [row, ...row.querySelectorAll<HTMLElement>('a[href], button')]
  const step = key === 'ArrowRight' ? 1 : -1
  event.preventDefault()
  // Skips controls that are hidden, e.g. on a phone, because they take no focus.
  for (let at = stops.indexOf(target) + step; at in stops; at += step) {
    stops[at]?.focus()
    if (document.activeElement === stops[at]) return
  }
}

/** Reports that the element was removed while it had the focus. The browser fires no event for this. */
function useFocusLost(ref: RefObject<HTMLElement | null>, onLost: () => void): void {
  const lost = useEffectEvent(onLost)
  useLayoutEffect(() => {
    const { current } = ref
    return () => {
      if (current?.contains(document.activeElement) === true) lost()
    }
  }, [ref])
}
