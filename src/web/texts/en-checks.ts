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
  if (reason === 'within-limits') return ok
  // For a metric, the mark says enough. The poll may be under way, or a cache may have given an earlier answer.
  if (reason === 'not-known') return id === 'service' ? `${heading}: no current answer` : heading
  if (reason !== 'failing') return SAID[reason](heading)
  if (failure === undefined) return heading
  if (failure.kind === 'server-error') return failureCode(failure).replace('service/', 'HTTP ')
  // The service is not to blame if this screen can't poll or the dashboard server does not answer, and may not be if it is
  // unreachable: the network may be down.
  return FAILURES[failure.kind].scope === 'screen' ||
    failure.kind === 'unreachable' ||
    isOwnServerSilent(failure)
    ? capitalized(failureText(failure))
    : `${heading}: ${failureText(failure)}`
}

type Reason = Exclude<Check['reason'], 'within-limits' | 'not-known' | 'failing'>

const SAID: Readonly<Record<Reason, (heading: string) => string>> = {
  'no-limit': (heading) => `${heading}: no limit`,
  'one-miss': (heading) => `${heading}: 1 poll failed`,
  'unusable-field': (heading) => `${heading} not usable`,
  'unknown-word': (heading) => `${heading} meaning not set`,
  'too-old': (heading) => `${heading} too old`,
  'clocks-disagree': (heading) => `${heading}: clocks disagree`,
  'clock-uncertain': (heading) => `${heading}: age uncertain`,
  'out-of-unit': (heading) => `${heading} out of range`,
  'empty-proof': () => 'Proof empty',
  'status-warning': () => 'Status warning',
  'status-bad': () => 'Status bad',
  'below-limit': (heading) => `${heading} too low`,
  'above-limit': (heading) => `${heading} too high`,
  'proof-verified': () => 'Proof verified',
  'proof-not-checked': () => 'Proof not checked',
  'proof-not-checkable': () => 'Proof can’t be checked',
  'proof-wrong': () => 'Proof wrong',
  'near-timeout': (heading) => `${heading} near the timeout`,
  'fields-missing': (heading) => `${heading} has unusable fields`,
  alarm: (heading) => `${heading}: alarm active`,
}
