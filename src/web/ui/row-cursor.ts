import { useEffect, useRef, useState, type KeyboardEvent } from 'react'

type RowCursorOptions = {
  readonly count: number
  /** Names the row at a place: the cursor goes with its row when the order changes. */
  readonly keyAt: (place: number) => string
  /** Brings a row into view, so that it exists. */
  readonly onMove: (place: number) => void
  /** The DOM id of the row at a place. */
  readonly rowId: (place: number) => string
}

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 10

type Move = (place: number, last: number) => number

const MOVES: Readonly<Partial<Record<string, Move>>> = {
  ArrowUp: (place) => place - 1,
  ArrowDown: (place) => place + 1,
  PageUp: (place) => place - PAGE_ROWS,
  PageDown: (place) => place + PAGE_ROWS,
  Home: () => 0,
  End: (_place, last) => last,
}

/** Keys that move the cursor. */
export const ROW_KEYS: readonly string[] = Object.keys(MOVES)

/** Where a key leads; undefined for keys that are not the table's. */
function target(key: string, place: number, last: number): number | undefined {
  const to = MOVES[key]?.(place, last)
  return to === undefined ? undefined : Math.min(last, Math.max(0, to))
}

/**
 * One row of the table is in the tab order, and stays the same row when the order changes; keys
 * move it, also to rows that do not exist in the page yet: whoever draws rows calls
 * `focusWanted` after it has drawn some.
 */
export function useRowCursor({ count, keyAt, onMove, rowId }: RowCursorOptions) {
  const [chosen, setChosen] = useState<Chosen>({ place: 0, key: undefined })
  const wanted = useRef<number>(undefined)
  const isLost = useRef(false)
  const place = placeOf(chosen, count, keyAt)
  const set = (to: number): void => setChosen({ place: to, key: keyAt(to) })

  const focusWanted = (): void => {
    if (isLost.current) {
      isLost.current = false
      // Only where nobody has put the focus elsewhere meanwhile.
      if (document.activeElement === document.body && count > 0) wanted.current = place
    }
    if (wanted.current === undefined) return
    const row = document.getElementById(rowId(wanted.current))
    if (row === null) return
    wanted.current = undefined
    row.focus()
  }
  useEffect(focusWanted)

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Arrows typed into a control inside a row belong to that control.
    if (event.target instanceof HTMLInputElement) return
    const to = target(event.key, place, count - 1)
    if (to === undefined || count === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    wanted.current = to
    set(to)
    onMove(to)
  }
  /** The row with the focus has gone: the one in its place gets it. */
  const onGone = (): void => {
    isLost.current = true
  }
  return { place, set, onKeyDown, focusWanted, onGone }
}

/** `key` undefined: nobody has chosen a row yet. */
type Chosen = { readonly place: number; readonly key: string | undefined }

/** Where the chosen row is now; where it is gone, the row that took its place. */
function placeOf({ place, key }: Chosen, count: number, keyAt: (place: number) => string): number {
  const near = Math.min(place, Math.max(0, count - 1))
  if (key === undefined || count === 0 || keyAt(near) === key) return near
  for (let at = 0; at < count; at++) if (keyAt(at) === key) return at
  return near
}
