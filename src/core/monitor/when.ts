import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import { intervalOf, type TrackedNode, type TrackedService } from './tracked.ts'

const GOLDEN_RATIO = 0.618_033_988_749_894_9

/**
 * Where in the interval the node with this index is asked, from 0 to 1. Multiples of the
 * golden ratio stay evenly spread however many there are, so a node that is added later
 * moves nobody else.
 */
export const phaseOf = (index: number): number => (index * GOLDEN_RATIO) % 1

/** The first slot of a node's grid that is not before `notBeforeMs`. Its slots lie at (phase + k) intervals of the steady clock. */
export function nextSlotMs(phase: number, intervalMs: number, notBeforeMs: number): number {
  const offsetMs = phase * intervalMs
  return offsetMs + Math.ceil((notBeforeMs - offsetMs) / intervalMs) * intervalMs
}

export const slotMs = (node: TrackedNode, notBeforeMs: number): number =>
  nextSlotMs(node.phase, intervalOf(node), notBeforeMs)

/** `by`: who decides it; `another` node asks for the whole service then, and this one is not asked. */
export type NextPoll = {
  readonly atMs: number | undefined
  readonly by: 'grid' | 'paused' | 'rate-limited' | 'refused' | 'another'
}

/** When a node is asked next, and why: the one answer for its own wishes, its service's word and the grid. */
export function nextPoll(node: TrackedNode, notBeforeMs: number): NextPoll {
  const { hold, probe } = node.service.asking
  const untilMs = hold?.untilMs ?? 0
  const onGridMs = slotMs(node, Math.max(notBeforeMs, node.notBeforeMs, untilMs))
  switch (hold?.reason) {
    case 'paused':
      return { atMs: undefined, by: 'paused' }
    case 'refused':
      if (probe !== node) return { atMs: untilMs, by: 'another' }
      return { atMs: untilMs > notBeforeMs ? untilMs : onGridMs, by: 'refused' }
    default:
      return { atMs: onGridMs, by: hold?.reason ?? 'grid' }
  }
}

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

/** A service that brought nothing for this many intervals was down, and one good answer means that it is back. */
const DOWN_AFTER_INTERVALS = 1.5

export const silentFromMs = ({ asking, shortestMs }: TrackedService): number =>
  (asking.answeredMs ?? Number.NEGATIVE_INFINITY) + DOWN_AFTER_INTERVALS * shortestMs

/** Nothing but failures came for so long. */
export const isDown = (service: TrackedService, nowMs: number): boolean =>
  service.asking.failedScope !== undefined && nowMs > silentFromMs(service)
