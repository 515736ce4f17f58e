import type { NodeKey } from '#fleet/live.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { ServiceId } from '#record/service.ts'
import type { AlarmCondition } from '#settings/schema.ts'

/** `critical`: act now. `warning`: act today. `info`: no action needed. */
export const ALARM_SEVERITIES = ['critical', 'warning', 'info'] as const
export type AlarmSeverity = (typeof ALARM_SEVERITIES)[number]
type WithSeverity = { readonly severity: AlarmSeverity }

export const isMoreSevere = (a: AlarmSeverity, b: AlarmSeverity): boolean =>
  ALARM_SEVERITIES.indexOf(a) < ALARM_SEVERITIES.indexOf(b)

export const mostSevereFirst = (a: WithSeverity, b: WithSeverity): number =>
  ALARM_SEVERITIES.indexOf(a.severity) - ALARM_SEVERITIES.indexOf(b.severity)

export const worstOf = (all: readonly WithSeverity[]): AlarmSeverity | undefined =>
  ALARM_SEVERITIES.find((each) => all.some(({ severity }) => severity === each))

export const FAILURE_KINDS = ['unreachable', 'rejected', 'key-rejected'] as const
/**
 * `unreachable` and `key-rejected` may also concern a whole service or key. `paused`: nothing can be polled. `network`: the
 * network of this computer or of the dashboard server. `round-too-long`: polling every node of a service once does not fit into
 * the interval.
 */
export const SHARED_KINDS = [
  'unreachable',
  'key-rejected',
  'paused',
  'network',
  'clock-skew',
  'round-too-long',
] as const
/**
 * `blind`: nodes of a service have not answered for too long. `gap`: this computer slept, or its clock was set.
 * `page-blocked`: a visible page does not respond. `engine-lost`: the engine was restarted. `page-errors`: uncaught
 * errors of a page. `rule-failed`: a defect stops a rule from being evaluated.
 */
export const SELF_KINDS = [
  'blind',
  'throttled',
  'gap',
  'page-blocked',
  'engine-lost',
  'not-saving',
  'sound-blocked',
  'memory-high',
  'old-version',
  'page-errors',
  'rule-failed',
] as const
/** `left`: the status is not good. `differs`: two services disagree. */
export type MetricTest = AlarmCondition['test'] | 'left' | 'differs'
/** Problems of the browser that shows them, as opposed to problems of the fleet or of alarm delivery. */
export const SCREEN_ONLY_KINDS: ReadonlySet<string> = new Set(
  SELF_KINDS.filter((kind) => kind !== 'blind' && kind !== 'rule-failed'),
)
export type MetricAlarmKind = `${string}-${MetricTest}`
export type FailureKind = (typeof FAILURE_KINDS)[number]
export type SharedKind = (typeof SHARED_KINDS)[number]
export type SelfKind = (typeof SELF_KINDS)[number]
export type FixedKind = FailureKind | SharedKind | SelfKind
export type AlarmKind = FixedKind | MetricAlarmKind

export type AlarmSubject =
  | { readonly kind: 'node'; readonly node: NodeKey; readonly serviceId: ServiceId }
  | { readonly kind: 'service'; readonly serviceId: ServiceId }
  | { readonly kind: 'key'; readonly serviceId: ServiceId }
  | { readonly kind: 'screen' }

export type AlarmId = string & { readonly __alarm?: never }

export type AlarmValue =
  | { readonly unit: 'ms' | 'ratio' | 'per-hour' | 'count'; readonly value: number }
  /** A decimal in the displayed unit. */
  | { readonly unit: 'stake'; readonly text: string; readonly before?: string }
  /** `status`: as the service wrote it. */
  | { readonly unit: 'status' | 'reason'; readonly text: string }
  | { readonly unit: 'failure'; readonly code: string; readonly failure?: PollFailure }
  | { readonly unit: 'nodes'; readonly value: number; readonly ofMs: number }

/** `pending`: bad, but not for long enough. `cleared`: over and unacknowledged. `normal` is not published. */
export type AlarmPhase = 'pending' | 'firing' | 'recovering' | 'cleared'

/** `old`: no new evidence for `ageMs` of watched time; the alarm neither clears nor resets. */
type AlarmEvidence = { readonly state: 'fresh' | 'old'; readonly ageMs: number }

/** `by`: the name of the person, where visitors have names. */
export type Acknowledged = { readonly wallMs: number; readonly note?: string; readonly by?: string }
export type Shelved = { readonly untilWallMs: number; readonly reason: string; readonly by?: string }

export type AlarmMember = Pick<
  AlarmView,
  'id' | 'phase' | 'severity' | 'acknowledged' | 'sinceWallMs' | 'raisedWallMs' | 'value' | 'limit'
> & { readonly node: NodeKey }

export type AlarmView = {
  readonly id: AlarmId
  /** The id of a built-in rule is its kind. */
  readonly ruleId: string
  readonly kind: AlarmKind
  readonly severity: AlarmSeverity
  readonly subject: AlarmSubject
  readonly phase: AlarmPhase
  /** For a group: set once all of its active alarms are acknowledged. */
  readonly acknowledged: Acknowledged | undefined
  readonly shelved: Shelved | undefined
  readonly maintenance: boolean
  readonly inhibitedBy: AlarmId | undefined
  readonly flapping: boolean
  readonly evidence: AlarmEvidence
  /** Time of the first bad evidence, by this computer's clock. */
  readonly sinceWallMs: number
  readonly raisedWallMs: number | undefined
  /** Time of the first good evidence that ended it. */
  readonly clearedWallMs: number | undefined
  /** For a group: the largest count. */
  readonly raised24h: number
  readonly value: AlarmValue | undefined
  readonly limit: AlarmValue | undefined
  readonly notified: boolean
  /** For a group: the number of its alarms, and the 20 most severe. For a service or key: its nodes. */
  readonly memberCount: number
  readonly members: readonly AlarmMember[]
  /** Nodes that an alarm of a service, key or screen affects, at most 20. */
  readonly nodes: readonly NodeKey[]
  readonly nodeCount: number
  readonly todo: string | undefined
}

/**
 * Counts by severity include only rows that need a person: firing or recovering, and not shelved, inhibited or in maintenance.
 */
export type AlarmCounts = {
  readonly critical: number
  readonly warning: number
  readonly info: number
  readonly unacknowledged: number
  readonly unacknowledgedCritical: number
  readonly cleared: number
}

export type AlarmsView = {
  /** Increases; restarts with another `writer`. */
  readonly revision: number
  readonly writer: string
  readonly wallMs: number
  /** Unacknowledged first, then by severity, then newest first. At most 2,000. */
  readonly alarms: readonly AlarmView[]
  readonly counts: AlarmCounts
  readonly oldestUnacknowledgedWallMs: number | undefined
  readonly mutedUntilWallMs: number | undefined
  readonly persisted: boolean
}

/** Why an alarm is no longer evaluated. `rule-off`: an operator disabled a built-in rule. */
export type ClosedReason = 'node-removed' | 'rule-removed' | 'rule-off'

/**
 * `again`: still on and unacknowledged. `worse`: more severe than before. `flapping`: notified once while it keeps changing.
 */
export type NotificationReason =
  | 'raised'
  | 'worse'
  | 'again'
  | 'acknowledged'
  | 'flapping'
  | 'cleared'
  | 'settled'
  | ClosedReason

/**
 * Problem and recovery of one alarm alternate; reminders are extra. Each notification covers one group: one rule and one
 * service.
 */
export type AlarmNotification = {
  readonly id: string
  /** `acknowledged` only for receivers that can use it. */
  readonly kind: 'problem' | 'recovery' | 'reminder' | 'acknowledged'
  readonly reason: NotificationReason
  readonly group: string
  readonly severity: AlarmSeverity
  readonly count: number
  readonly alarms: readonly AlarmView[]
  readonly wallMs: number
}

/** Raised and not cleared yet. */
export const isOn = ({ phase }: { readonly phase: AlarmPhase | 'normal' }): boolean =>
  phase === 'firing' || phase === 'recovering'

/** Whether it needs a person now: on, and neither shelved, inhibited nor in maintenance. */
export const isActive = ({
  phase,
  shelved,
  maintenance,
  inhibitedBy,
}: Pick<AlarmView, 'phase' | 'shelved' | 'maintenance' | 'inhibitedBy'>): boolean =>
  isOn({ phase }) && shelved === undefined && !maintenance && inhibitedBy === undefined
