import type { Clock } from '#base/clock.ts'
import { TAB_LIMITS } from './limits.ts'

/** Calls `beat` every `beatMs` with how late that is. One timer, never a burst after a sleep. Returns the end. */
export function startPulse(clock: Clock, beat: (lateMs: number) => void): () => void {
  let cancel = (): void => undefined
  const next = (): void => {
    const dueMs = clock.monotonicMs() + TAB_LIMITS.beatMs
    cancel = clock.after(TAB_LIMITS.beatMs, () => {
      next()
      beat(clock.monotonicMs() - dueMs)
    })
  }
  next()
  return () => cancel()
}
