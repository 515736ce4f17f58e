import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES, type FailureKind, type PollFailure, type Severity } from '#protocol/failure.ts'
import { OFFSET_WARNING_MS } from '#record/clock-offset.ts'

export type Condition = {
  readonly subject: 'node' | 'service' | 'key' | 'screen'
  readonly severity: Exclude<Severity, 'none'>
  /**
   * Bad polls in a row before it is raised: usually two, since one may be lost. Absent for conditions that are not based on
   * polls; these are raised at once.
   */
  readonly polls?: number
  /** Minimum duration in ms, or in intervals if that is longer. */
  readonly overMs?: number
  readonly overIntervals?: number
  /** How long a momentary condition is reported. */
  readonly reportedForMs?: number
}

/**
 * The only table of conditions: subject, severity, duration and limit. Causes, alarms and the Prometheus rules use it. The
 * severity of a single failure is in `failureSteps`; a metric's limits are settings.
 */
export const CONDITIONS = {
  unreachable: { subject: 'node', severity: 'critical', polls: 2 },
  // A refusal is not a lost packet, and the next poll may be minutes away.
  rejected: { subject: 'node', severity: 'warning', polls: 1 },
  'key-rejected': { subject: 'key', severity: 'critical', polls: 2 },
  paused: { subject: 'service', severity: 'critical', polls: 2 },
  network: { subject: 'screen', severity: 'critical' },
  blind: {
    subject: 'service',
    severity: 'critical',
    polls: 1,
    overMs: DEFAULTS.blindAfterMinMs,
    overIntervals: DEFAULTS.blindAfterIntervals,
  },
  'clock-skew': { subject: 'service', severity: 'warning', polls: 2, overMs: OFFSET_WARNING_MS },
  'round-too-long': { subject: 'service', severity: 'warning', polls: 2, overIntervals: 1 },
  // Timers this late mean that the computer gives the engine too little time. Requests later than an interval can also
  // mean too many nodes, or nodes that hang.
  throttled: { subject: 'screen', severity: 'warning', polls: 2, overMs: 5_000, overIntervals: 1 },
  gap: { subject: 'screen', severity: 'info', reportedForMs: 600_000 },
  'not-saving': { subject: 'screen', severity: 'warning' },
  'sound-blocked': { subject: 'screen', severity: 'warning' },
  'page-blocked': { subject: 'screen', severity: 'warning' },
  'engine-lost': { subject: 'screen', severity: 'warning' },
  'memory-high': { subject: 'screen', severity: 'warning' },
  'old-version': { subject: 'screen', severity: 'info' },
  'page-errors': { subject: 'screen', severity: 'warning' },
  'rule-failed': { subject: 'screen', severity: 'critical' },
  // Good but odd answers. They raise no alarm of their own; the rule of a metric may.
  'data/field': { subject: 'node', severity: 'warning' },
  'data/record-odd': { subject: 'node', severity: 'warning' },
  'data/clock': { subject: 'node', severity: 'warning' },
  'data/proof': { subject: 'node', severity: 'critical' },
  // Becomes more severe if the cache stores the answer for too long.
  'data/cached': { subject: 'node', severity: 'info' },
  'data/unit': { subject: 'node', severity: 'info' },
  'data/status': { subject: 'node', severity: 'info' },
  'data/counter': { subject: 'node', severity: 'info', reportedForMs: 600_000 },
} as const satisfies Readonly<Record<string, Condition>>

export function conditionOf(kind: FailureKind): 'unreachable' | 'rejected' | 'key-rejected' | 'paused' {
  const { scope, again, code } = FAILURES[kind]
  if (scope === 'key') return 'key-rejected'
  if (code.startsWith('node/')) return 'rejected'
  return scope === 'screen' || again === 'wait' ? 'paused' : 'unreachable'
}

type Lasting = {
  readonly first: Severity
  /** Severity once the last reading is no longer current. */
  readonly whenOld?: Severity
  /** Critical from this many polls in a row, or after this time. */
  readonly polls?: number
  readonly afterMs?: number
}

/** Failures that may pass, and become more severe if they last. */
const LASTING: Readonly<Partial<Record<FailureKind, Lasting>>> = {
  unreachable: { first: 'warning', polls: 3 },
  'server-error': { first: 'warning', afterMs: CONDITIONS.blind.overMs },
  // Fewer requests are harmless until values become too old.
  'rate-limited': { first: 'info', whenOld: 'warning', afterMs: CONDITIONS.blind.overMs },
}

/** Severities of a failure in order, each from a number of polls in a row or after a time. */
export function failureSteps(
  kind: FailureKind,
): readonly { readonly severity: Severity; readonly polls: number; readonly afterMs: number }[] {
  const { polls } = CONDITIONS[conditionOf(kind)]
  const lasting = LASTING[kind]
  if (lasting === undefined) return [{ severity: FAILURES[kind].severity, polls, afterMs: 0 }]
  return [
    { severity: lasting.first, polls, afterMs: 0 },
    { severity: 'critical', polls: lasting.polls ?? polls, afterMs: lasting.afterMs ?? 0 },
  ]
}

/** `isCurrent`: the last reading is still current. */
export function severityOf(
  { kind }: PollFailure,
  misses: number,
  lastedMs: number,
  isCurrent: boolean,
): Severity {
  const lasting = LASTING[kind]
  if (lasting === undefined) return FAILURES[kind].severity
  const { first, whenOld = first, polls = Number.POSITIVE_INFINITY } = lasting
  if (isCurrent && lasting.whenOld !== undefined) return first
  return misses >= polls || lastedMs >= criticalAfterMs(kind) ? 'critical' : whenOld
}

/** When a lasting failure becomes critical without further polls. */
export const criticalAfterMs = (kind: FailureKind): number =>
  LASTING[kind]?.afterMs ?? Number.POSITIVE_INFINITY

/** How long a node must be silent for its service to be blind. */
export const blindAfterMs = (pollIntervalMs: number): number =>
  Math.max(CONDITIONS.blind.overIntervals * pollIntervalMs, CONDITIONS.blind.overMs)
