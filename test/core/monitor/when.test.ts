import { describe, expect, it } from 'vitest'
import { newAsking } from '#monitor/asking.ts'
import type { Hold, TrackedNode, TrackedService } from '#monitor/tracked.ts'
import { askAgainMs, doubledMs, nextPoll, type FailedPoll } from '#monitor/when.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { PollFailure } from '#protocol/failure.ts'

const INTERVAL_MS = 15_000
const HALF_MS = INTERVAL_MS / 2
const poll = (given: Partial<FailedPoll> = {}): FailedPoll => ({
  startedMs: 100_000,
  endedMs: 100_500,
  intervalMs: INTERVAL_MS,
  misses: 1,
  index: 0,
  ...given,
})
/** Wait from the start of the failed request to the slot, which lies half an interval after `askAgainMs`. */
const waitMs = (failure: PollFailure, given: Partial<FailedPoll> = {}) => {
  const againMs = askAgainMs(failure, poll(given))
  return againMs === undefined ? undefined : againMs - 100_000 + HALF_MS
}
const timeout: PollFailure = { kind: 'timeout', afterMs: 10_000, hop: 'service' }

describe('the wait after misses in a row', () => {
  it.each([
    [15_000, 1, 15_000],
    [15_000, 2, 30_000],
    [15_000, 3, 60_000],
    [1_000, 6, 32_000],
    [1_000, 7, 60_000],
    [90_000, 1, 90_000],
    [90_000, 5, 90_000],
  ])('with an interval of %d ms and %d misses is %d ms', (intervalMs, misses, expected) => {
    expect(doubledMs(intervalMs, misses)).toBe(expected)
  })

  it.each([
    [1, 3, 15_000],
    [2, 3, 30_000],
    [3, 0, 60_000],
    [3, 1, 45_000],
    [3, 3, 15_000],
    [4, 1, 60_000],
  ])(
    'after %d misses of node %d is %d ms, so that nodes that fail together spread out at the cap',
    (misses, index, expected) => {
      expect(waitMs(timeout, { misses, index })).toBe(expected)
    },
  )
})

it.each<[string, PollFailure, Partial<FailedPoll>, number | undefined]>([
  ['offline: at its next slot', { kind: 'offline' }, { misses: 9 }, INTERVAL_MS],
  ['forbidden: within 5 minutes', { kind: 'forbidden' }, { misses: 40 }, DEFAULTS.slowAfterRefusalMs],
  ['an unknown id: as after any miss', { kind: 'node-unknown' }, { misses: 2 }, 30_000],
  [
    'an error with a long Retry-After: within the cap',
    { kind: 'server-error', status: 503, retryAfterMs: 3_600_000 },
    {},
    500 + DEFAULTS.backOffMaxMs + HALF_MS,
  ],
  ['no key: not scheduled', { kind: 'no-key' }, {}, undefined],
  ['a rate limit without Retry-After: as after any miss', { kind: 'rate-limited' }, { misses: 2 }, 30_000],
  [
    'an error without Retry-After: as after any miss',
    { kind: 'server-error', status: 500 },
    { misses: 2 },
    30_000,
  ],
  [
    'a rate limit with Retry-After: that long after the answer',
    { kind: 'rate-limited', retryAfterMs: 40_000 },
    {},
    500 + 40_000 + HALF_MS,
  ],
  [
    'a rate limit with a short Retry-After: not before its slot',
    { kind: 'rate-limited', retryAfterMs: 0 },
    {},
    INTERVAL_MS,
  ],
])('the next poll after a failure %s', (_what, failure, given, expected) => {
  expect(waitMs(failure, given)).toBe(expected)
})

describe('the next poll of a node', () => {
  const at = (notBeforeMs: number, namedMs: number, hold?: Hold) => {
    const service = { service: { pollIntervalMs: INTERVAL_MS }, asking: newAsking() } as TrackedService
    const node = { service, live: {}, phase: 0, notBeforeMs: namedMs } as TrackedNode
    Object.assign(service.asking, { hold, probe: node })
    return nextPoll(node, notBeforeMs).atMs
  }

  it('is at its slot, but not before its Retry-After', () => {
    expect(at(16_000, 31_000)).toBe(45_000)
  })

  it('is at its slot if the hold for a refusal has expired', () => {
    const failure: PollFailure = { kind: 'unauthorized' }
    expect(at(46_000, 0, { reason: 'refused', sinceMs: 0, untilMs: 40_000, failure })).toBe(60_000)
  })
})
