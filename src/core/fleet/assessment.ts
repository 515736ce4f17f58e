import { DEFAULTS } from '#base/defaults.ts'
import type { MetricEvaluation, MetricLimit, MetricReason } from '#metrics/metric.ts'

/** How current a node's reading is, independent of its content. A status is shown as live only if this is `live` or `late`. */
export type Link =
  | 'live'
  /** One poll is missing, possibly because of the network. */
  | 'late'
  /** Nothing failed, but the reading is old: the computer slept, or requests queue up. */
  | 'stale'
  | 'failing'
  | 'never'
  /** Nothing can be polled: no key, a locked key, or a page that must not send requests. */
  | 'paused'

export const isCurrent = (link: Link): boolean => link === 'live' || link === 'late'

export type CheckReason =
  | MetricReason
  /** See the node's episode. */
  | 'failing'
  /** The reading is old or missing. */
  | 'not-known'
  | 'one-miss'
  | 'fields-missing'
  /** Within its limits, but an alarm is on: by an operator's rule, or until enough good answers have arrived. */
  | 'alarm'

export type Check = {
  /** A metric's id, `service` (whether it answers) or `record` (whether it is complete). */
  readonly id: string
  readonly state: MetricEvaluation['state']
  readonly reason: CheckReason
  readonly limit?: MetricLimit
}

/** `no-data`: unknown, without an alarm of its own. Whether the values are current is the node's link. */
export type NodeSeverity = 'critical' | 'warning' | 'info' | 'no-data' | 'ok'

/** `shelved`: every alarm of the node is shelved or in maintenance. */
export type NodeClass = NodeSeverity | 'shelved'

export type Stage = {
  /** Start of the stage (exclusive), on the engine's steady clock. */
  readonly afterMs: number
  readonly link: Link
  readonly severity: NodeSeverity
  readonly checks: readonly Check[]
}

/**
 * A value in the displayed unit: the exact text, and the nearest double for charts and comparisons. For a timestamp, its age in
 * ms when the request was sent. Statuses and proofs have no number.
 */
export type ShownValue = { readonly text: string; readonly value?: number }

/**
 * A node's assessment now and at later times without a new answer, because readings age and heartbeats cross their limits. The
 * page only compares times.
 */
export type Assessment = {
  /** In order of time; the first has no beginning. */
  readonly stages: readonly [Stage, ...Stage[]]
  /** The checks at the time of the last reading, without the service's own check; empty without a reading. */
  readonly atReading: readonly Check[]
  /** By metric id; unusable values are absent. */
  readonly values: Readonly<Record<string, ShownValue>>
}

export type RaisedAlarm = {
  readonly check: string
  readonly severity: Exclude<NodeSeverity, 'no-data' | 'ok'>
}

export function stageAt({ stages }: Pick<Assessment, 'stages'>, nowMs: number): Stage {
  let [stage] = stages
  for (const next of stages) if (nowMs > next.afterMs) stage = next
  return stage
}

export const isCurrentAt = ({ assessment }: { readonly assessment: Assessment }, nowMs: number): boolean =>
  isCurrent(stageAt(assessment, nowMs).link)

/**
 * The one class in which a node is shown and counted. Without a current answer that is `no-data`, whatever alarms are on,
 * because the node's state is unknown.
 */
export function classOf(stage: Stage | undefined, isShelved: boolean): NodeClass {
  if (stage === undefined || !isCurrent(stage.link)) return 'no-data'
  return isShelved && stage.severity !== 'ok' ? 'shelved' : stage.severity
}

export type ClassCounts = Readonly<Record<NodeClass | 'all', number>>

export const NO_COUNTS: ClassCounts = {
  critical: 0,
  warning: 0,
  info: 0,
  'no-data': 0,
  shelved: 0,
  ok: 0,
  all: 0,
}

/** Every count of nodes on any screen comes from here. */
export function countClasses(classes: Iterable<NodeClass>): ClassCounts {
  const counts: { -readonly [K in keyof ClassCounts]: number } = { ...NO_COUNTS }
  for (const one of classes) {
    counts[one]++
    counts.all++
  }
  return counts
}

/**
 * Whether a current reading is missing although one should exist. A node that never answered this engine is given as long as a
 * reading stays current.
 */
export function isOverdue(
  node: {
    readonly assessment: Assessment
    readonly reading: object | undefined
    readonly episode: object | undefined
    readonly answered: number
    readonly nextPollMs: number | undefined
  },
  intervalMs: number,
  nowMs: number,
): boolean {
  if (isCurrentAt(node, nowMs)) return false
  if ((node.reading !== undefined && node.answered > 0) || node.episode !== undefined) return true
  return nowMs - (node.nextPollMs ?? nowMs) > DEFAULTS.staleAfterIntervals * intervalMs
}

const WORST_FIRST = ['critical', 'warning', 'info', 'unknown'] as const

export const worstCheck = ({ checks }: Stage): Check | undefined =>
  WORST_FIRST.flatMap((state) => checks.find((check) => check.state === state) ?? []).at(0)

export const checkOf = (checks: readonly Check[], id: string): Check | undefined =>
  checks.find((check) => check.id === id)
