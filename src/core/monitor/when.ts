import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import { intervalOf, type TrackedNode, type TrackedService } from './tracked.ts'

const GOLDEN_RATIO = 0.618_033_988_749_894_9

/**
 * Position in the interval at which the node with this index is polled, from 0 to 1. Multiples of the golden ratio stay evenly
 * spread in any number, so adding a node moves no other.
 */
export const phaseOf = (index: number): number => (index * GOLDEN_RATIO) % 1

/** The first slot of a node's grid at or after `notBeforeMs`. The slots are at (phase + k) intervals of the steady clock. */
export function nextSlotMs(phase: number, intervalMs: number, notBeforeMs: number): number {
  const offsetMs = phase * intervalMs
  return offsetMs + Math.ceil((notBeforeMs - offsetMs) / intervalMs) * intervalMs
}

export const slotMs = (node: TrackedNode, notBeforeMs: number): number =>
  nextSlotMs(node.phase, intervalOf(node), notBeforeMs)

/**
 * Combines the grid, the node's own back-off and its service's hold. `byAnother`: a different node polls for the whole service
 * and this one is not polled.
 */
export function nextPoll(
  node: TrackedNode,
  notBeforeMs: number,
): { readonly atMs: number | undefined; readonly byAnother?: true } {
  const { hold, probe } = node.service.asking
  if (hold?.reason === 'paused') return { atMs: undefined }
  const untilMs = hold?.untilMs ?? 0
  if (hold?.reason === 'refused') {
    if (probe !== node) return { atMs: untilMs, byAnother: true }
    if (untilMs > notBeforeMs) return { atMs: untilMs }
  }
  return { atMs: slotMs(node, Math.max(notBeforeMs, node.notBeforeMs, untilMs)) }
}

export type FailedPoll = {
  readonly startedMs: number
  readonly endedMs: number
  readonly intervalMs: number
  /** Failed polls in a row, including this one. */
  readonly misses: number
  /** The node's index, so that nodes that fail together do not wait equally long. */
  readonly index: number
}

/** Doubles after each miss: 1, 2, 4 intervals and so on up to the cap, which is never below one interval. */
const doubledMs = (intervalMs: number, misses: number, maxMs: number = DEFAULTS.backOffMaxMs): number =>
  Math.min(intervalMs * 2 ** Math.max(0, misses - 1), Math.max(maxMs, intervalMs))

/** Wait after this many refusals in a row: one interval at first, doubling once the refusals exceed `refusalsBeforeSlow`. */
export const refusedWaitMs = (intervalMs: number, refusals: number, maxMs?: number): number =>
  doubledMs(intervalMs, 1 + refusals - DEFAULTS.refusalsBeforeSlow, maxMs)

/**
 * A failing service takes all its nodes down in one round, and with equal waits they would all be polled again in one round. So
 * the first wait at the cap is shorter by a number of intervals that differs per node; from then on every round polls some
 * node.
 */
function backOffMs({ intervalMs, misses, index }: FailedPoll): number {
  const waitMs = doubledMs(intervalMs, misses)
  const isFirstAtCap =
    doubledMs(intervalMs, misses - 1) < waitMs && doubledMs(intervalMs, misses + 1) === waitMs
  const rounds = Math.floor(waitMs / intervalMs)
  return isFirstAtCap ? waitMs - (index % rounds) * intervalMs : waitMs
}

/**
 * Earliest time of the next poll, which then takes the next slot of the grid. Undefined: only after a key or a setting changes.
 */
export function askAgainMs(failure: PollFailure, poll: FailedPoll): number | undefined {
  const { startedMs, endedMs, intervalMs, misses } = poll
  // Half an interval early, because the intended slot may lie slightly before the full wait.
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
      // A rate limit is obeyed. The announced duration of an error is a guess, and the error may end long before.
      const maxMs = failure.kind === 'rate-limited' ? namedMs : DEFAULTS.backOffMaxMs
      return Math.max(endedMs + Math.min(namedMs, maxMs), after(intervalMs))
    }
    case 'wait':
      return undefined
  }
}

/** A service without a success for this many intervals is down; one good answer means that it is back. */
const DOWN_AFTER_INTERVALS = 1.5

export const silentFromMs = ({ asking, shortestMs }: Pick<TrackedService, 'asking' | 'shortestMs'>): number =>
  (asking.answeredMs ?? Number.NEGATIVE_INFINITY) + DOWN_AFTER_INTERVALS * shortestMs

export const isDown = (service: TrackedService, nowMs: number): boolean =>
  service.asking.failedScope !== undefined && nowMs > silentFromMs(service)
