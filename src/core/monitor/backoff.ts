import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'

export type FailedPoll = {
  readonly startedMs: number
  readonly endedMs: number
  readonly intervalMs: number
  /** Failed polls in a row, this one included. */
  readonly misses: number
  /** The node's index: nodes that fail together do not go on waiting together. */
  readonly index: number
}

/** Twice as long after each miss: one interval, two, four, up to the cap, which is never below one interval. */
export const doubledMs = (
  intervalMs: number,
  misses: number,
  maxMs: number = DEFAULTS.backOffMaxMs,
): number => Math.min(intervalMs * 2 ** Math.max(0, misses - 1), Math.max(maxMs, intervalMs))

/** After this many refusals in a row: an interval at first, and from the last one that is borne twice as long each time. */
export const refusedWaitMs = (intervalMs: number, refusals: number): number =>
  doubledMs(intervalMs, 1 + refusals - DEFAULTS.refusalsBeforeSlow, DEFAULTS.slowAfterRefusalMs)

/**
 * A service that goes down takes its nodes with it in one round, and with equal waits they
 * would all ask again in one round, with nothing between. So the first wait at the cap is
 * shorter by some intervals, other ones for each node: from then on somebody asks in every round.
 */
function backOffMs({ intervalMs, misses, index }: FailedPoll): number {
  const waitMs = doubledMs(intervalMs, misses)
  const isFirstAtCap =
    doubledMs(intervalMs, misses - 1) < waitMs && doubledMs(intervalMs, misses + 1) === waitMs
  const rounds = Math.floor(waitMs / intervalMs)
  return isFirstAtCap ? waitMs - (index % rounds) * intervalMs : waitMs
}

/**
 * The earliest moment to ask again; the poll then takes the next slot of its grid. Undefined:
 * not by the clock, but when a key or a setting changes.
 */
export function askAgainMs(failure: PollFailure, poll: FailedPoll): number | undefined {
  const { startedMs, endedMs, intervalMs, misses } = poll
  // Half an interval early, since the slot that is meant may lie a little before the full wait.
  const after = (waitMs: number): number => startedMs + Math.max(waitMs, intervalMs) - intervalMs / 2
  switch (FAILURES[failure.kind].again) {
    case 'grid':
      return after(intervalMs)
    case 'double':
      return after(backOffMs(poll))
    case 'refusal':
      return after(refusedWaitMs(intervalMs, misses))
    case 'named': {
      const namedMs = 'retryAfterMs' in failure ? failure.retryAfterMs : undefined
      if (namedMs === undefined) return after(backOffMs(poll))
      // A limit is obeyed; how long an error lasts is a guess, and it may be over long before.
      const maxMs = failure.kind === 'rate-limited' ? namedMs : DEFAULTS.backOffMaxMs
      return Math.max(endedMs + Math.min(namedMs, maxMs), after(intervalMs))
    }
    case 'wait':
      return undefined
  }
}
