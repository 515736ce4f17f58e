import { useMemo, useState, type KeyboardEvent } from 'react'

/** Maps an index to a key's target; the caller clamps it to the list. */
type Move = (index: number) => number

export type Stops = {
  readonly count: number
  /** Stable key of a stop; the cursor follows it when the order changes. */
  readonly keyAt: (index: number) => string
  /** Moves by `KeyboardEvent.key`; Home and End are built in. */
  readonly moves: Readonly<Partial<Record<string, Move>>>
}

const PAGE_ROWS = 10

const by =
  (step: number): Move =>
  (index) =>
    index + step

export const ROW_MOVES: Stops['moves'] = {
  ArrowUp: by(-1),
  ArrowDown: by(1),
  PageUp: by(-PAGE_ROWS),
  PageDown: by(PAGE_ROWS),
}

export const ROW_KEYS: readonly string[] = [...Object.keys(ROW_MOVES), 'Home', 'End']

/** For stops that fill columns of `rows` each. */
export const columnMoves = (rows: number): Stops['moves'] => ({
  ArrowUp: by(-1),
  ArrowDown: by(1),
  ArrowLeft: by(-rows),
  ArrowRight: by(rows),
})

/** `key` is undefined until the cursor is moved. */
type Chosen = { readonly index: number; readonly key: string | undefined }

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

/** The chosen stop's current index; if it is gone, the index of the stop that replaced it. */
function indexOf({ index, key }: Chosen, count: number, keyAt: Stops['keyAt']): number {
  const near = Math.min(index, Math.max(0, count - 1))
  if (key === undefined || count === 0 || keyAt(near) === key) return near
  for (let at = 0; at < count; at++) if (keyAt(at) === key) return at
  return near
}
