import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 640px)'
/** Rows are targets: 32 px with a pointer, 44 px for a thumb, both growing with the reader's text size. */
const ROW_REM = 2
const ROW_NARROW_REM = 2.75

/** Height of one row in CSS pixels; the virtual list needs the number. */
export function useRowPx(): number {
  const narrow = useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches)
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  return Math.round((narrow ? ROW_NARROW_REM : ROW_REM) * remPx)
}

function subscribe(listener: () => void) {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
