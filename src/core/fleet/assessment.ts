import { DEFAULTS } from '#base/defaults.ts'
import type { MetricEvaluation, MetricLimit, MetricReason } from '#metrics/metric.ts'

/**
 * How current a node's reading is. Its content is the other axis, and the two are never mixed: a status is shown
 * as live only when this is `live` or `late`.
 */
export type Link =
  | 'live'
  /** One poll is missing, which the network may cause. */
  | 'late'
  /** Nothing failed, but the reading is old: the computer slept, or requests queue up. */
  | 'stale'
  | 'failing'
  | 'never'
  /** Nothing can be polled: no key, a locked key, a page that may not. */
  | 'paused'

export const isCurrent = (link: Link): boolean => link === 'live' || link === 'late'

export type CheckReason =
  | MetricReason
  /** See the node's episode. */
  | 'failing'
  /** The reading is old, or there is none. */
  | 'not-known'
  | 'one-miss'
  | 'fields-missing'
  /** Within its limits, but an alarm is on: by a rule of the operator's, or until enough good answers have come. */
  | 'alarm'

export type Check = {
  /** A metric's id; or `service`, whether it answers; or `record`, whether it is complete. */
  readonly id: string
  readonly state: MetricEvaluation['state']
  readonly reason: CheckReason
  readonly limit?: MetricLimit
}

/** `no-data`: unknown, without an alarm of its own. Whether its values are current is its link. */
export type NodeSeverity = 'critical' | 'warning' | 'info' | 'no-data' | 'ok'

/** `shelved`: every alarm of it is shelved or in maintenance. */
export type NodeClass = NodeSeverity | 'shelved'

export type Stage = {
  /** It holds later than this, by the engine's steady clock. */
  readonly afterMs: number
  readonly link: Link
  readonly severity: NodeSeverity
  readonly checks: readonly Check[]
}

/**
 * A value in the unit that is shown: the text exactly, and for charts and comparisons the nearest
 * double. A timestamp's is its age in ms when the request was made. Words and proofs have no number.
 */
export type ShownValue = { readonly text: string; readonly value?: number }
export type MetricShown = Readonly<Record<string, ShownValue>>

/**
 * What a node's state means now, and later without a new answer: readings get old, heartbeats cross their limits.
 * A page only compares clocks.
 */
export type Assessment = {
  /** In order of time; the first has no beginning. */
  readonly stages: readonly [Stage, ...Stage[]]
  /** What the last reading meant when it came, without the service's own check; empty without a reading. */
  readonly atReading: readonly Check[]
  /** By the metric's id; unusable values are absent. */
  readonly values: MetricShown
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
 * In which class a node is shown and counted: exactly one. Without a current answer that is `no-data`, whatever alarm that
 * raises, since nobody knows how the node is.
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

/** How many nodes are in each class, which is every count of nodes on any screen. */
export function countClasses(classes: Iterable<NodeClass>): ClassCounts {
  const counts: { -readonly [K in keyof ClassCounts]: number } = { ...NO_COUNTS }
  for (const one of classes) {
    counts[one]++
    counts.all++
  }
  return counts
}

/**
 * Whether a current reading should exist and does not. A node that never answered this engine has as long as a
 * reading is current.
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
