import { useCallback } from 'react'
import { useDashboard, type Said } from './dashboard.ts'

/** Enough time to read a line and reach the button. */
const STAYS_MS = 8_000
const AT_ONCE_MAX = 3

/** Returns a function that shows a confirmation with an optional undo. */
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
