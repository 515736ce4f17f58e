import { groupBy } from '#base/group-by.ts'
import { DEFAULTS } from '#base/defaults.ts'
import {
  isMoreSevere,
  isOn,
  worstOf,
  type AlarmId,
  type AlarmSeverity,
  type AlarmNotification,
  type ClosedReason,
  type NotificationReason,
} from './alarm.ts'
import { bySeverity, groupOf, viewOf, type RowContext } from './alarm-rows.ts'
import type { Instance } from './instance.ts'

const SHOWN_MAX = 20

/** How long a group waits for more alarms before its first notification, and between further ones. */
type GroupTiming = { readonly groupWaitMs: number; readonly groupIntervalMs: number }

export const groupTimingOf = ({ subject }: Instance, pollIntervalMs: number): GroupTiming => ({
  // An alarm of the screen itself has no others to wait for.
  groupWaitMs:
    subject.kind === 'screen'
      ? 0
      : Math.min(DEFAULTS.alarmGroupWaitMaxMs, DEFAULTS.alarmGroupWaitPolls * pollIntervalMs),
  groupIntervalMs: Math.min(
    DEFAULTS.alarmGroupIntervalMaxMs,
    DEFAULTS.alarmGroupIntervalPolls * pollIntervalMs,
  ),
})

/** One episode of a rule and service, from its first problem until none of its alarms is on. */
type Group = {
  problemMs: number | undefined
  recoveryMs: number | undefined
  notifiedMs: number
  worseMs: number
  remindedMs: number
}

/** `known`: already notified and still on. */
type Wants = Record<'problem' | 'recovery' | 'worse' | 'critical' | 'known', Instance[]>

/**
 * Notifies once of an alarm and once of its end; alarms of one group that come together share a notification. Skips inhibited,
 * shelved and acknowledged alarms and those in maintenance.
 */
export function createNotifier(groupTiming: (instance: Instance) => GroupTiming) {
  const groups = new Map<string, Group>()
  let wasQuiet: ReadonlySet<AlarmId> = new Set()
  let lastId = 0
  const notificationOf = (
    kind: AlarmNotification['kind'],
    reason: NotificationReason,
    group: string,
    members: readonly Instance[],
    context: RowContext,
  ): AlarmNotification => ({
    id: `${context.wallMs} ${++lastId}`,
    kind,
    reason,
    group,
    severity: worstOf(members) ?? 'info',
    count: members.length,
    alarms: members
      .toSorted(bySeverity)
      .slice(0, SHOWN_MAX)
      .flatMap((one) => viewOf(one.id, [one], context) ?? []),
    wallMs: context.wallMs,
  })

  return {
    /** `notified`: the last notified severity of each alarm. `isWaiting`: a group wait is running. */
    step: (instances: readonly Instance[], context: RowContext) => {
      const { awakeMs } = context
      // The wait began before a restart of the engine, but not while the alarm was inhibited or shelved.
      const waitsFromMs = ({ id, raisedAwakeMs = awakeMs }: Instance): number =>
        wasQuiet.has(id) ? awakeMs : raisedAwakeMs
      const wants = wantsOf(instances, context)
      for (const name of groups.keys()) if (!wants.has(name)) groups.delete(name)
      const notifications: AlarmNotification[] = []
      const notified = new Map<AlarmId, AlarmSeverity | undefined>()
      for (const [name, want] of wants) {
        const group = groups.get(name) ?? newGroup(want, awakeMs)
        groups.set(name, group)
        for (const due of dueNotifications(group, want, awakeMs, waitsFromMs, groupTiming)) {
          notifications.push(notificationOf(due.kind, due.reason, name, due.members, context))
          for (const { id, severity } of due.members)
            notified.set(id, due.kind === 'recovery' ? undefined : severity)
        }
      }
      wasQuiet = new Set(instances.filter((one) => isQuiet(one, context)).map(({ id }) => id))
      const isWaiting = Array.from(groups.values())
        .flatMap(({ problemMs, recoveryMs }) => [problemMs, recoveryMs])
        .some((sinceMs) => sinceMs !== undefined && awakeMs - sinceMs < DEFAULTS.alarmGroupWaitMaxMs)
      return { notifications, notified, isWaiting }
    },
    /** Notifies at once of the end of alarms whose problem was notified. */
    closed: (
      gone: readonly Instance[],
      reason: ClosedReason,
      context: RowContext,
    ): readonly AlarmNotification[] => {
      const notified = gone.filter(({ notifiedSeverity }) => notifiedSeverity !== undefined)
      return Array.from(groupBy(notified, groupOf), ([name, members]) =>
        notificationOf('recovery', reason, name, members, context),
      )
    },
  }
}

/** Reminders of an earlier session's alarms continue as if there had been no restart. */
const newGroup = ({ known }: Wants, awakeMs: number): Group => ({
  problemMs: undefined,
  recoveryMs: undefined,
  notifiedMs: Number.NEGATIVE_INFINITY,
  worseMs: Number.NEGATIVE_INFINITY,
  remindedMs: known.reduce(
    (lastMs, { notifiedAwakeMs = awakeMs }) => Math.max(lastMs, notifiedAwakeMs),
    known.length === 0 ? awakeMs : Number.NEGATIVE_INFINITY,
  ),
})

type DueNotification = Pick<AlarmNotification, 'kind' | 'reason'> & { readonly members: readonly Instance[] }

function dueNotifications(
  group: Group,
  { problem, recovery, worse, critical, known }: Wants,
  awakeMs: number,
  waitsFromMs: (instance: Instance) => number,
  groupTiming: (instance: Instance) => GroupTiming,
): readonly DueNotification[] {
  // A problem starts a new episode if no other alarm of the group is on.
  if (known.length === 0 && group.problemMs === undefined) group.notifiedMs = Number.NEGATIVE_INFINITY
  group.problemMs =
    problem.length === 0 ? undefined : (group.problemMs ?? Math.min(...problem.map(waitsFromMs)))
  const clearedMs = Math.min(...recovery.map(({ clearedAwakeMs = awakeMs }) => clearedAwakeMs))
  group.recoveryMs = recovery.length === 0 ? undefined : (group.recoveryMs ?? clearedMs)
  const [first] = [...problem, ...recovery, ...worse, ...critical]
  if (first === undefined) return []
  const { groupWaitMs, groupIntervalMs } = groupTiming(first)
  const due: DueNotification[] = []
  const isSince = (sinceMs: number | undefined): boolean =>
    sinceMs !== undefined && awakeMs - sinceMs >= groupWaitMs
  const members = problem.filter(isOn)
  if (members.length > 0 && isSince(group.problemMs) && awakeMs - group.notifiedMs >= groupIntervalMs) {
    const reason = members.every((one) => one.flapping) ? 'flapping' : 'raised'
    due.push({ kind: 'problem', reason, members })
    group.problemMs = undefined
    group.notifiedMs = awakeMs
  }
  if (isSince(group.recoveryMs)) {
    due.push({ kind: 'recovery', reason: 'cleared', members: recovery })
    group.recoveryMs = undefined
  }
  // In a partial outage the alarms get worse one after another, as the nodes are polled. One reminder covers several.
  if (worse.length > 0 && awakeMs - group.worseMs >= groupWaitMs) {
    due.push({ kind: 'reminder', reason: 'worse', members: worse })
    group.worseMs = awakeMs
  }
  if (critical.length > 0 && awakeMs - group.remindedMs >= DEFAULTS.alarmRepeatIntervalMs)
    due.push({ kind: 'reminder', reason: 'again', members: critical })
  if (due.length > 0) group.remindedMs = awakeMs
  return due
}

const isQuiet = (one: Instance, { inhibitedBy, inMaintenance }: RowContext): boolean =>
  one.shelved !== undefined || one.acknowledged !== undefined || inhibitedBy.has(one.id) || inMaintenance(one)

function wantsOf(instances: Iterable<Instance>, context: RowContext): ReadonlyMap<string, Wants> {
  const wants = new Map<string, Wants>()
  const of = (one: Instance): Wants => {
    const name = groupOf(one)
    const found = wants.get(name) ?? { problem: [], recovery: [], worse: [], critical: [], known: [] }
    wants.set(name, found)
    return found
  }
  for (const one of instances) {
    // While an alarm flaps, only its first problem is notified, and its end once it has settled.
    if (one.notifiedSeverity !== undefined && !isOn(one)) {
      if (!one.flapping && one.phase === 'normal') of(one).recovery.push(one)
      else of(one).known.push(one)
      continue
    }
    if (one.notifiedSeverity !== undefined) of(one).known.push(one)
    // The wait for a flapping alarm continues while it is cleared. A recovering alarm needs no reminder.
    const comesAndGoes =
      one.notifiedSeverity === undefined && one.flapping && (isOn(one) || one.awaitsAcknowledgement)
    if (!(one.phase === 'firing' || comesAndGoes) || isQuiet(one, context)) continue
    if (one.notifiedSeverity === undefined) of(one).problem.push(one)
    else if (isMoreSevere(one.severity, one.notifiedSeverity)) of(one).worse.push(one)
    else if (one.severity === 'critical') of(one).critical.push(one)
  }
  return wants
}
