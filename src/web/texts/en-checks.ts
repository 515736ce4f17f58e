import type { Check, CheckName, NodeSeverity } from '#fleet/assessment.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import { failureShort } from './en-failure-names.ts'

/** What a shape says, for those who do not see it. */
export const levelWords: Readonly<Record<NodeSeverity | Check['state'], string>> = {
  critical: 'critical',
  warning: 'warning',
  info: 'info',
  'no-data': 'no data',
  unknown: 'not known',
  ok: 'within limits',
  'not-checked': 'not checked',
}

type Words = {
  /** While all is well, while nothing is known, */
  readonly ok: string
  readonly unknown: string
  /** and while its field can't be used. */
  readonly unusable: string
}

const CHECKS: Readonly<Record<CheckName, Words>> = {
  service: { ok: 'Service answers', unknown: 'Service', unusable: 'Service' },
  status: { ok: 'Status known', unknown: 'Status', unusable: 'Status not usable' },
  heartbeat: { ok: 'Heartbeat fresh', unknown: 'Heartbeat', unusable: 'Heartbeat not usable' },
  participation: { ok: 'Participation', unknown: 'Participation', unusable: 'Participation not usable' },
  stake: { ok: 'Stake readable', unknown: 'Stake', unusable: 'Stake not usable' },
  proof: { ok: 'Proof present', unknown: 'Proof', unusable: 'Proof not usable' },
  latency: { ok: 'Answer time', unknown: 'Answer time', unusable: 'Answer time' },
  record: { ok: 'Record complete', unknown: 'Record', unusable: 'Record' },
}

/** One check in a few words. `failure` is that of the last poll, where it failed. */
export function checkText({ name, reason }: Check, failure: PollFailure | undefined): string {
  switch (reason) {
    case 'within-limits':
    case 'no-limit':
      return CHECKS[name].ok
    case 'failing':
      return failure === undefined ? CHECKS[name].unknown : `Service: ${failureBrief(failure)}`
    case 'not-known':
      return CHECKS[name].unknown
    case 'one-miss':
      return 'Service: one answer missing'
    case 'unusable-field':
      return CHECKS[name].unusable
    case 'unknown-word':
      return 'Status word is new'
    case 'heartbeat-old':
      return 'Heartbeat too old'
    case 'clocks-disagree':
      return 'Heartbeat: clocks disagree'
    case 'clock-uncertain':
      return 'Heartbeat: age not known closely'
    case 'out-of-unit':
      return 'Participation beyond its unit'
    case 'empty-proof':
      return 'Proof is empty'
    case 'status-warning':
      return 'Status is a warning'
    case 'status-bad':
      return 'Status is bad'
    case 'below-limit':
      return `${CHECKS[name].unknown} too low`
    case 'above-limit':
      return `${CHECKS[name].unknown} too high`
    case 'slow-answer':
      return 'Answer too slow'
    case 'proof-verified':
      return 'Proof verified'
    case 'proof-not-checked':
      return 'Proof not checked'
    case 'proof-not-checkable':
      return 'Proof can’t be checked'
    case 'proof-wrong':
      return 'Proof wrong'
    case 'near-timeout':
      return 'Answer time near its limit'
    case 'fields-missing':
      return 'Record incomplete'
  }
}

/** A server's error by its number, which operators know; anything else in words. */
const failureBrief = (failure: PollFailure): string =>
  failure.kind === 'server-error' ? failureCode(failure).replace('service/', '') : failureShort[failure.kind]
