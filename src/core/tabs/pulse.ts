import type { Clock } from '#base/clock.ts'

/** Calls `beat` every `beatMs` with how late that is. One timer, never a burst after a sleep. Returns the end. */
export function startPulse(clock: Clock, beatMs: number, beat: (lateMs: number) => void): () => void {
  let cancel = (): void => undefined
  const next = (): void => {
    const dueMs = clock.monotonicMs() + beatMs
    cancel = clock.after(beatMs, () => {
      next()
      beat(clock.monotonicMs() - dueMs)
    })
  }
  next()
  return () => cancel()
}
