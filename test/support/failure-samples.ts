import { FAILURES, type FailureKind, type PollFailure } from '#protocol/failure.ts'

export const FAILURE_KINDS = Object.keys(FAILURES) as readonly FailureKind[]

/** A service failure of this kind with every optional member. `given` overrides any part. */
export const sampleOf = (kind: FailureKind, given: object = {}): PollFailure => ({
  kind,
  hop: 'service',
  status: 500,
  afterMs: 800,
  limitBytes: 65_536,
  problem: 'web-page',
  fields: [],
  asked: 'a',
  answered: 'b',
  reason: 'error',
  ...given,
})
