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

/** Whether the last reading may still be shown as what holds now. */
export const isCurrent = (link: Link): boolean => link === 'live' || link === 'late'

export const CHECK_NAMES = [
  'service',
  'status',
  'heartbeat',
  'participation',
  'stake',
  'proof',
  'latency',
  'record',
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

/** Why a check is in its state; the page has the words. */
export type CheckReason =
  | 'within-limits'
  /** Usable, and nobody set a limit. */
  | 'no-limit'
  /** The service itself: see the node's episode. */
  | 'failing'
  /** Not known now, because the reading is old or there is none. */
  | 'not-known'
  | 'one-miss'
  | 'unusable-field'
  | 'unknown-word'
  | 'heartbeat-old'
  | 'clocks-disagree'
  /** The clocks are not compared closely enough to tell how old the heartbeat is. */
  | 'clock-uncertain'
  | 'out-of-unit'
  | 'empty-proof'
  /** Present, and checked: it fits. */
  | 'proof-verified'
  /** Present; nobody asked for it to be checked, or this browser is not fast enough to check each. */
  | 'proof-not-checked'
  /** It should have been checked and could not be. */
  | 'proof-not-checkable'
  | 'proof-wrong'
  | 'near-timeout'
  /** What the operator said of the status word, */
  | 'status-warning'
  | 'status-bad'
  /** and beyond a limit that the operator set. */
  | 'below-limit'
  | 'above-limit'
  | 'slow-answer'
  | 'fields-missing'

/** A limit in the metric's own unit: a number, or a decimal text where doubles are not exact enough. */
export type Limit = {
  readonly value: number | string
  readonly side: 'above' | 'below'
  readonly severity: 'warning' | 'critical'
}

export type Check = {
  readonly name: CheckName
  readonly state: 'ok' | 'info' | 'warning' | 'critical' | 'unknown' | 'not-checked'
  readonly reason: CheckReason
  /** The limit that made it so. */
  readonly limit?: Limit
}

/** How bad a node is. `no-data`: not known, which is neither good nor bad. */
export type NodeSeverity = 'critical' | 'warning' | 'info' | 'no-data' | 'ok'

/** What holds of a node from one moment to the next stage's. */
export type Stage = {
  /** It holds later than this, by the engine's steady clock. */
  readonly afterMs: number
  readonly link: Link
  readonly severity: NodeSeverity
  /** One of each name, in the order of CHECK_NAMES. */
  readonly checks: readonly Check[]
}

/**
 * What a node's state means now, and what it will mean while nothing new is heard: readings get
 * late and old, heartbeats cross their limits. Whoever shows it only compares clocks.
 */
export type Assessment = {
  /** In order of time; the first has no beginning. */
  readonly stages: readonly [Stage, ...Stage[]]
  /** What the last reading meant when it came, but for the service's own check; empty where there is none. */
  readonly atReading: readonly Check[]
}

/** The stage that holds at a moment of the engine's steady clock. */
export function stageAt({ stages }: Pick<Assessment, 'stages'>, nowMs: number): Stage {
  let [stage] = stages
  for (const next of stages) if (nowMs > next.afterMs) stage = next
  return stage
}

/** Whether what a node said last may be shown as what holds at that moment. */
export const isCurrentAt = ({ assessment }: { readonly assessment: Assessment }, nowMs: number): boolean =>
  isCurrent(stageAt(assessment, nowMs).link)

const WORST_FIRST = ['critical', 'warning', 'info', 'unknown'] as const

/** The check that says most about the node; undefined where every one is within limits. */
export const worstCheck = ({ checks }: Stage): Check | undefined =>
  WORST_FIRST.flatMap((state) => checks.find((check) => check.state === state) ?? []).at(0)

export const checkOf = (checks: readonly Check[], name: CheckName): Check | undefined =>
  checks.find((check) => check.name === name)
