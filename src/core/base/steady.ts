import type { Clock } from './clock.ts'

/** A larger jump between the two clocks within one reading is a sleep or a clock step, not drift. */
export const CLOCK_STEP_MS = 2_000

export type SteadyClock = ReturnType<typeof createSteadyClock>

/**
 * A clock for ages that can only err towards "too old". It advances by the larger of the wall clock's and the monotonic clock's
 * progress, because the monotonic clock stops during sleep on some systems, and a person can set the wall clock back.
 */
export function createSteadyClock(clock: Pick<Clock, 'wallMs' | 'monotonicMs'>) {
  // Measured from a fixed anchor. Adding up the larger of two small differences would accumulate rounding errors, minutes in a
  // week.
  let anchor = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs(), elapsedMs: 0 }
  let lastLeadMs = 0
  let lastMs = 0
  let steps = { forwardMs: 0, backwardMs: 0 }

  const nowMs = (): number => {
    const wallMs = clock.wallMs()
    const monotonicMs = clock.monotonicMs()
    const wallSinceMs = wallMs - anchor.wallMs
    const monotonicSinceMs = monotonicMs - anchor.monotonicMs
    const leadMs = wallSinceMs - monotonicSinceMs
    const stepMs = leadMs - lastLeadMs
    lastMs = Math.max(lastMs, anchor.elapsedMs + Math.max(wallSinceMs, monotonicSinceMs))
    lastLeadMs = leadMs
    if (Math.abs(stepMs) > CLOCK_STEP_MS) {
      if (stepMs > 0) steps.forwardMs += stepMs
      else steps.backwardMs -= stepMs
      anchor = { wallMs, monotonicMs, elapsedMs: lastMs }
      lastLeadMs = 0
    }
    return lastMs
  }

  return {
    nowMs,
    /**
     * How far wall time has moved beyond the monotonic clock in steps since the last call, in ms. `forwardMs`: the computer slept
     * or its clock was set ahead. `backwardMs`: its clock was set back.
     */
    takeSteps: () => {
      nowMs()
      const taken = steps
      steps = { forwardMs: 0, backwardMs: 0 }
      return taken
    },
  }
}
