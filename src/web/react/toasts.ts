import { useCallback } from 'react'
import { useDashboard } from './dashboard.ts'

/** Something that a person just did. */
export type Said = {
  readonly text: string
  /** The steady time until which it stays. */
  readonly untilMs: number
  /** Absent where there is no way back. */
  readonly undo?: (() => void) | undefined
}

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
