import type { NodeKey } from '#fleet/live.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { ServiceId } from '#record/service.ts'
import type { AlarmCondition } from '#settings/schema.ts'

/** Act now, act today, know it. */
export const ALARM_SEVERITIES = ['critical', 'warning', 'info'] as const
export type AlarmSeverity = (typeof ALARM_SEVERITIES)[number]

/** A node's polls that fail, whatever its metrics say. */
export const FAILURE_KINDS = ['unreachable', 'rejected', 'key-rejected'] as const
/** `unreachable` and `key-rejected` are also of a whole service or key. `paused`: nothing can be asked. `network`: this computer's own. `round-too-long`: asking every node of a service once does not fit into the interval. */
export const SHARED_KINDS = [
  'unreachable',
  'key-rejected',
  'paused',
  'network',
  'clock-skew',
  'round-too-long',
] as const
/**
 * `blind`: no answer for too long, of a service's nodes. `gap`: this computer slept, or its clock was set. `page-blocked`: a
 * page that is seen does not react. `engine-lost`: it had to be started anew. `page-errors`: defects of a page that nothing
 * caught. `rule-failed`: a defect of this screen's own keeps a rule from being evaluated.
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
/** What is tested of a metric. `left`: a word that is not good. `differs`: two services disagree about it. */
export type MetricTest = AlarmCondition['test'] | 'left' | 'differs'
/** A metric's id and what is tested, whether by a limit that is set for it or by an operator's own rule. */
export type MetricAlarmKind = `${string}-${MetricTest}`
export type FailureKind = (typeof FAILURE_KINDS)[number]
export type SharedKind = (typeof SHARED_KINDS)[number]
export type SelfKind = (typeof SELF_KINDS)[number]
export type FixedKind = FailureKind | SharedKind | SelfKind
export type AlarmKind = FixedKind | MetricAlarmKind

/** What an alarm is about. A `key` is the one that signs for this service. */
export type AlarmSubject =
  | { readonly kind: 'node'; readonly node: NodeKey; readonly serviceId: ServiceId }
  | { readonly kind: 'service'; readonly serviceId: ServiceId }
  | { readonly kind: 'key'; readonly serviceId: ServiceId }
  | { readonly kind: 'screen' }

/** Rule and subject; the same after a reload. */
export type AlarmId = string & { readonly __alarm?: never }

/** A value with its unit; the page has the words. */
export type AlarmValue =
  | { readonly unit: 'ms'; readonly value: number }
  | { readonly unit: 'ratio'; readonly value: number }
  | { readonly unit: 'per-hour'; readonly value: number }
  | { readonly unit: 'count'; readonly value: number }
  /** A plain decimal, in the unit that is shown. */
  | { readonly unit: 'stake'; readonly text: string; readonly before?: string }
  /** The status word as the service wrote it. */
  | { readonly unit: 'status'; readonly text: string }
  | { readonly unit: 'failure'; readonly code: string; readonly failure?: PollFailure }
  | { readonly unit: 'nodes'; readonly value: number; readonly ofMs: number }
  | { readonly unit: 'reason'; readonly text: string }

/** `pending`: bad, but not for long enough. `cleared`: over, and nobody has seen it. `normal` is not published. */
export type AlarmPhase = 'pending' | 'firing' | 'recovering' | 'cleared'

/** `held`: nothing new is known about it, `ageMs` of watched time; it neither resolves nor resets. */
type AlarmEvidence = { readonly state: 'fresh' | 'held'; readonly ageMs: number }

export type Acknowledged = { readonly wallMs: number; readonly note?: string }
export type Shelved = { readonly untilWallMs: number; readonly reason: string }

export type AlarmMember = {
  readonly id: AlarmId
  readonly node: NodeKey
  readonly phase: AlarmPhase
  readonly severity: AlarmSeverity
  readonly acknowledged: Acknowledged | undefined
  readonly sinceWallMs: number
  readonly raisedWallMs: number | undefined
  readonly value: AlarmValue | undefined
  readonly limit: AlarmValue | undefined
}

/** One row of the alarm list: one alarm, or many of one rule and service with one cause, shown as one. */
export type AlarmView = {
  readonly id: AlarmId
  /** A default rule's id is its kind. */
  readonly ruleId: string
  readonly kind: AlarmKind
  readonly severity: AlarmSeverity
  readonly subject: AlarmSubject
  readonly phase: AlarmPhase
  /** Of a group: of all of its alarms that are still on. */
  readonly acknowledged: Acknowledged | undefined
  readonly shelved: Shelved | undefined
  readonly maintenance: boolean
  readonly inhibitedBy: AlarmId | undefined
  readonly flapping: boolean
  readonly evidence: AlarmEvidence
  /** The first bad evidence, by this computer's clock. */
  readonly sinceWallMs: number
  /** Undefined while pending. */
  readonly raisedWallMs: number | undefined
  /** The first good evidence of its end. */
  readonly clearedWallMs: number | undefined
  /** How often it was raised in the last ten minutes; all of a row together. */
  readonly raised10Min: number
  /** In the last 24 hours; of a row of several, the one that was raised most often. */
  readonly raised24h: number
  readonly value: AlarmValue | undefined
  readonly limit: AlarmValue | undefined
  readonly notified: boolean
  /** Of a group: how many alarms it has, and the worst 20 of them; of a service's or key's: its nodes. */
  readonly memberCount: number
  readonly members: readonly AlarmMember[]
  /** Nodes that a service's, key's or screen's alarm touches; empty for one node's. At most 20. */
  readonly nodes: readonly NodeKey[]
  readonly nodeCount: number
  readonly todo: string | undefined
}

/** Rows by severity count what asks for a person: firing or recovering, not shelved, not inhibited, not in maintenance. */
export type AlarmCounts = {
  readonly critical: number
  readonly warning: number
  readonly info: number
  /** Of these three. */
  readonly unacknowledged: number
  readonly unacknowledgedCritical: number
  readonly cleared: number
  readonly pending: number
  readonly shelved: number
  readonly inhibited: number
  readonly maintenance: number
  readonly flapping: number
  /** Single alarms raised in the last ten minutes, and whether that is a flood. */
  readonly raised10Min: number
  readonly flood: boolean
}

export type AlarmsView = {
  /** Grows; another `writer` counts anew. */
  readonly revision: number
  /** The engine that evaluates; changes when another takes over. */
  readonly writer: string
  readonly wallMs: number
  /** Unacknowledged first, then the worst, then the newest. At most 2,000. */
  readonly alarms: readonly AlarmView[]
  readonly counts: AlarmCounts
  readonly oldestUnacknowledgedWallMs: number | undefined
  /** Sound is off until then, by a person. */
  readonly mutedUntilWallMs: number | undefined
  /** Whether states are kept in this browser, so that they outlive a reload. */
  readonly persisted: boolean
}

/** What a person does. Ids of groups stand for all of their alarms. */
export type AlarmAct =
  | { readonly act: 'acknowledge'; readonly ids: readonly AlarmId[]; readonly note?: string }
  | { readonly act: 'unacknowledge'; readonly ids: readonly AlarmId[] }
  /** Everything that is shown, at this revision or before. */
  | { readonly act: 'acknowledge-all'; readonly note?: string }
  /** Takes what is over off the list. */
  | { readonly act: 'acknowledge-end'; readonly ids: readonly AlarmId[] }
  | {
      readonly act: 'shelve'
      readonly ids: readonly AlarmId[]
      readonly untilWallMs: number
      readonly reason: string
    }
  | { readonly act: 'unshelve'; readonly ids: readonly AlarmId[] }
  | { readonly act: 'mute'; readonly untilWallMs: number }
  | { readonly act: 'unmute' }

/** `again`: still on and nobody has acknowledged it. `worse`: a warning became critical. `flapping`: it comes and goes, and is notified once. */
export type NotificationReason =
  | 'raised'
  | 'worse'
  | 'again'
  | 'flapping'
  | 'cleared'
  | 'settled'
  | 'node-removed'
  | 'rule-removed'

/**
 * What people are notified of. Of one alarm, problem and recovery alternate strictly; reminders stand apart.
 * Every notification is of one group: one rule, one service.
 */
export type AlarmNotification = {
  readonly id: string
  readonly kind: 'problem' | 'recovery' | 'reminder'
  readonly reason: NotificationReason
  readonly group: string
  readonly severity: AlarmSeverity
  /** How many alarms, and the first 20 of them. */
  readonly count: number
  readonly alarms: readonly AlarmView[]
  readonly wallMs: number
}
