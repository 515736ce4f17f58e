import type { Check, NodeClass } from '#fleet/assessment.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { failureCode, FAILURES, isOwnServerSilent, type PollFailure } from '#protocol/failure.ts'
import { failureText } from './en-failure-names.ts'
import { capitalized } from './format.ts'

export const levelWords: Readonly<Record<NodeClass | Check['state'], string>> = {
  critical: 'critical',
  warning: 'warning',
  info: 'info',
  'no-data': 'no data',
  shelved: 'shelved',
  unknown: 'unknown',
  ok: 'within limits',
  'not-checked': 'not checked',
}

const OTHERS: Readonly<Record<string, { readonly heading: string; readonly ok: string }>> = {
  service: { heading: 'Service', ok: 'Service answers' },
  record: { heading: 'Record', ok: 'Record complete' },
}

/** A check in a few words. `failure` is the last poll's failure, if it failed. */
export function checkText(
  { id, reason }: Check,
  metrics: MetricRegistry,
  failure: PollFailure | undefined,
): string {
  const metric = metrics.find((each) => each.id === id)
  const { heading = metric?.heading ?? id, ok = heading } = metric?.check ?? OTHERS[id] ?? {}
  switch (reason) {
    case 'within-limits':
      return ok
    case 'no-limit':
      return `${heading}: no limit`
    case 'failing':
      if (failure === undefined) return heading
      if (failure.kind === 'server-error') return failureCode(failure).replace('service/', 'HTTP ')
      // The service is not to blame if this screen can't poll or the dashboard server does not answer, and may not be if it is
      // unreachable: the network may be down.
      return FAILURES[failure.kind].scope === 'screen' ||
        failure.kind === 'unreachable' ||
        isOwnServerSilent(failure)
        ? capitalized(failureText(failure))
        : `${heading}: ${failureText(failure)}`
    case 'not-known':
      // For a metric, the mark says enough. The poll may be under way, or a cache may have given an earlier answer.
      return id === 'service' ? `${heading}: no current answer` : heading
    case 'one-miss':
      return `${heading}: 1 poll failed`
    case 'unusable-field':
      return `${heading} not usable`
    case 'unknown-word':
      return `${heading} meaning not set`
    case 'too-old':
      return `${heading} too old`
    case 'clocks-disagree':
      return `${heading}: clocks disagree`
    case 'clock-uncertain':
      return `${heading}: age uncertain`
    case 'out-of-unit':
      return `${heading} out of range`
    case 'empty-proof':
      return 'Proof empty'
    case 'status-warning':
      return 'Status warning'
    case 'status-bad':
      return 'Status bad'
    case 'below-limit':
      return `${heading} too low`
    case 'above-limit':
      return `${heading} too high`
    case 'proof-verified':
      return 'Proof verified'
    case 'proof-not-checked':
      return 'Proof not checked'
    case 'proof-not-checkable':
      return 'Proof can’t be checked'
    case 'proof-wrong':
      return 'Proof wrong'
    case 'near-timeout':
      return `${heading} near the timeout`
    case 'fields-missing':
      return `${heading} incomplete`
    case 'alarm':
      return `${heading}: alarm`
  }
}
