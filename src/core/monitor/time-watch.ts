import type { SteadyClock } from '#base/steady.ts'
import { DEFAULTS } from '#base/defaults.ts'

/** However rare the polls, the engine wakes this often, so that a sleep is seen and dated. */
export const WAKE_EVERY_MS = 15_000
/** Not watching for longer than this is a gap, however long the intervals are; */
const GAP_MAX_MS = 60_000
/** and being late by less is a busy computer, however short they are. */
const GAP_MIN_MS = 5_000

export type TimeNotice = {
  readonly nowMs: number
  /** How long nobody watched, up to now; 0 when the engine was awake all along. */
  readonly unwatchedMs: number
  /** How far the computer's clock was set back. */
  readonly setBackMs: number
  /** The wall clock was set, or may have been: what was known of other clocks is void. */
  readonly stepped: boolean
}

/** Not watching for longer than this is a gap. */
export const unwatchedAfterMs = (shortestIntervalMs: number): number =>
  Math.max(GAP_MIN_MS, Math.min(DEFAULTS.gapAfterIntervals * shortestIntervalMs, GAP_MAX_MS))

/**
 * Reads the time, and says whether the engine slept or the clock was set since the last
 * reading. `wakeMs` is when the timer should have rung. On some systems both clocks go on in
 * sleep, so the lateness tells; on others the monotonic one stands still, so the step tells.
 */
export function readTime(
  steady: SteadyClock,
  wakeMs: number | undefined,
  shortestIntervalMs: number,
): TimeNotice {
  const nowMs = steady.nowMs()
  const steps = steady.takeSteps()
  const sum = (direction: 'forward' | 'backward'): number =>
    steps.reduce((byMs, step) => (step.direction === direction ? byMs + step.byMs : byMs), 0)
  const lateMs = wakeMs === undefined ? 0 : nowMs - wakeMs
  const awayMs = Math.max(sum('forward'), lateMs)
  return {
    nowMs,
    unwatchedMs: awayMs > unwatchedAfterMs(shortestIntervalMs) ? awayMs : 0,
    setBackMs: sum('backward'),
    stepped: steps.length > 0,
  }
}
