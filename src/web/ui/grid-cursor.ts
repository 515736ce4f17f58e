import { useMemo, useState, type KeyboardEvent } from 'react'

/** Where a key leads from a stop; past an end means the end. */
type Move = (index: number) => number

export type Stops = {
  readonly count: number
  /** The cursor stays with its stop when the order changes. */
  readonly keyAt: (index: number) => string
  /** By key, besides Home and End. */
  readonly moves: Readonly<Partial<Record<string, Move>>>
}

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 10

const by =
  (step: number): Move =>
  (index) =>
    index + step

/** Stops below each other. */
export const ROW_MOVES: Stops['moves'] = {
  ArrowUp: by(-1),
  ArrowDown: by(1),
  PageUp: by(-PAGE_ROWS),
  PageDown: by(PAGE_ROWS),
}

/** Keys that move the cursor of a table. */
export const ROW_KEYS: readonly string[] = [...Object.keys(ROW_MOVES), 'Home', 'End']

/** Stops below each other, with the next column so many further on. */
export const columnMoves = (rows: number): Stops['moves'] => ({
  ArrowUp: by(-1),
  ArrowDown: by(1),
  ArrowLeft: by(-rows),
  ArrowRight: by(rows),
})

/** `key` undefined: nobody has moved the cursor yet. */
type Chosen = { readonly index: number; readonly key: string | undefined }

/** One cursor for rows, cards and cells. */
export function useGridCursor({ count, keyAt, moves }: Stops, onMove?: (index: number) => void) {
  const [chosen, setChosen] = useState<Chosen>({ index: 0, key: undefined })
  const at = useMemo(() => indexOf(chosen, count, keyAt), [chosen, count, keyAt])
  const set = (index: number): void => setChosen({ index, key: keyAt(index) })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const { key, target } = event
    // Keys typed into a control inside a row belong to that control.
    if (target instanceof Element && target.matches(TYPED_INTO)) return
    if (count === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    const to = key === 'Home' ? 0 : key === 'End' ? count - 1 : moves[key]?.(at)
    if (to === undefined) return
    event.preventDefault()
    const index = Math.min(count - 1, Math.max(0, to))
    set(index)
    onMove?.(index)
  }
  return { at, isChosen: chosen.key !== undefined, set, onKeyDown }
}

const TYPED_INTO = 'input:not([type=checkbox]), select, textarea'

/** Where the chosen stop is now; if it is gone, the one that took its place. */
function indexOf({ index, key }: Chosen, count: number, keyAt: Stops['keyAt']): number {
  const near = Math.min(index, Math.max(0, count - 1))
  if (key === undefined || count === 0 || keyAt(near) === key) return near
  for (let at = 0; at < count; at++) if (keyAt(at) === key) return at
  return near
}
