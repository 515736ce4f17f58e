import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 640px)'
/** Rows are targets: 32 px with a pointer, 44 px for a thumb, both growing with the reader's text size. */
const ROW_REM = 2
const ROW_NARROW_REM = 2.75

/** How high a row is, in units of the reader's text size: where there is room, and on a phone. */
export type RowRem = { readonly wide: number; readonly narrow: number }

const ONE_LINE: RowRem = { wide: ROW_REM, narrow: ROW_NARROW_REM }

/** Height of one row in CSS pixels; the virtual list needs the number. */
export function useRowPx({ wide, narrow }: RowRem = ONE_LINE): number {
  const isNarrow = useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches)
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  return Math.round((isNarrow ? narrow : wide) * remPx)
}

function subscribe(listener: () => void) {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
