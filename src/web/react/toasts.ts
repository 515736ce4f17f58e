import { useCallback } from 'react'
import { useDashboard, type Said } from './dashboard.ts'

/** Long enough to read a line and to reach for the button. */
const STAYS_MS = 8_000
const AT_ONCE_MAX = 3

/** Shows what was done for a while, with the way back. */
export function useSay(): (text: string, undo?: () => void) => void {
  const { toasts, nowMs } = useDashboard()
  return useCallback(
    (text, undo) => {
      const said: Said = { text, undo, untilMs: nowMs() + STAYS_MS }
      toasts.publish([...toasts.get(), said].slice(-AT_ONCE_MAX))
    },
    [toasts, nowMs],
  )
}
