import { DEFAULTS } from '#base/defaults.ts'
import type { MetricEvaluation, MetricLimit, MetricReason } from '#metrics/metric.ts'

/**
 * How sure we are that what a node said still holds. What it said is the other axis, and
 * the two are never mixed: a status is shown as live only when this is `live` or `late`.
 */
export type Link =
  /** The last poll succeeded, and not long ago. */
  | 'live'
  /** One poll is missing; within what the network may do. */
  | 'late'
  /** Nothing failed, but the reading is old: the computer slept, or requests queue up. */
  | 'stale'
  /** Polls fail: nothing is known about now. */
  | 'failing'
  /** Never asked, or not answered yet. */
  | 'never'
  /** Nothing can be asked: no key, a locked key, a page that may not. */
  | 'paused'

export const isCurrent = (link: Link): boolean => link === 'live' || link === 'late'

export type CheckReason =
  | MetricReason
  /** The service itself: see the node's episode. */
  | 'failing'
  /** Not known now, because the reading is old or there is none. */
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

/** How bad a node is. `no-data`: not known, and no alarm of its own is on. Whether its values are known is its link. */
export type NodeSeverity = 'critical' | 'warning' | 'info' | 'no-data' | 'ok'

/** What holds of a node from one moment to the next stage's. */
export type Stage = {
  /** It holds later than this, by the engine's steady clock. */
  readonly afterMs: number
  readonly link: Link
  readonly severity: NodeSeverity
  /** The service's, one of each metric that has one, and the record's. */
  readonly checks: readonly Check[]
}

/**
 * A value in the unit that is shown: the text exactly, and for charts and comparisons the nearest
 * double. A timestamp's is its age in ms when the request was made. Words and proofs have no number.
 */
export type ShownValue = { readonly text: string; readonly value?: number }
export type MetricShown = Readonly<Record<string, ShownValue>>

/**
 * What a node's state means now, and what it will mean while nothing new is heard: readings get
 * late and old, heartbeats cross their limits. Whoever shows it only compares clocks.
 */
export type Assessment = {
  /** In order of time; the first has no beginning. */
  readonly stages: readonly [Stage, ...Stage[]]
  /** What the last reading meant when it came, but for the service's own check; empty where there is none. */
  readonly atReading: readonly Check[]
  /** What the last reading says of each metric, by the metric's id; what can't be used is absent. */
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

/** Whether a reading that holds now should be there, and is not. A node that this engine never heard is given as long as a reading holds. */
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

/** The check that says most about the node; undefined where every one is within limits. */
export const worstCheck = ({ checks }: Stage): Check | undefined =>
  WORST_FIRST.flatMap((state) => checks.find((check) => check.state === state) ?? []).at(0)

export const checkOf = (checks: readonly Check[], id: string): Check | undefined =>
  checks.find((check) => check.id === id)
