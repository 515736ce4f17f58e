import type { Clock } from './clock.ts'

/** A larger jump between the two clocks within one reading is a sleep or a clock step, not drift. */
export const CLOCK_STEP_MS = 2_000

export type ClockStep = {
  /** `forward`: the computer slept or its clock was set ahead; `backward`: its clock was set back. */
  readonly direction: 'forward' | 'backward'
  /** How far wall time moved beyond the monotonic clock, in ms; always positive. */
  readonly byMs: number
}

export type SteadyClock = ReturnType<typeof createSteadyClock>

const STEPS_MAX = 16

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
  let steps: ClockStep[] = []

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
      if (steps.length < STEPS_MAX)
        steps.push({ direction: stepMs > 0 ? 'forward' : 'backward', byMs: Math.abs(stepMs) })
      anchor = { wallMs, monotonicMs, elapsedMs: lastMs }
      lastLeadMs = 0
    }
    return lastMs
  }

  return {
    nowMs,
    /** The clock steps since the last call, oldest first; at most 16. */
    takeSteps: (): readonly ClockStep[] => {
      nowMs()
      const taken = steps
      steps = []
      return taken
    },
  }
}
