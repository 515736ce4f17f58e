import { useCallback } from 'react'
import type { Store } from '#base/store.ts'
import { useDashboard, type Said } from './dashboard.ts'

/** Enough time to read a line and reach the button. */
const STAYS_MS = 8_000
const AT_ONCE_MAX = 3

export function addToast(toasts: Store<readonly Said[]>, said: Omit<Said, 'id'>): void {
  const shown = toasts.get()
  toasts.publish([...shown, { ...said, id: (shown.at(-1)?.id ?? 0) + 1 }].slice(-AT_ONCE_MAX))
}

/** Returns a function that shows a confirmation with an optional undo. */
export function useSay(): (text: string, undo?: () => void) => void {
  const { toasts, nowMs } = useDashboard()
  return useCallback(
    (text, undo) => addToast(toasts, { text, undo, untilMs: nowMs() + STAYS_MS }),
    [toasts, nowMs],
  )
}
