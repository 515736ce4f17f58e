import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmId, AlarmSeverity, AlarmNotification, NotificationReason } from './alarm.ts'
import { groupOf, viewOf, type RowContext } from './alarm-rows.ts'
import { isMoreSevere, type Instance } from './instance.ts'

const SHOWN_MAX = 20

/** How long a group waits for more of its kind, before people are notified first and again. */
type GroupTiming = { readonly groupWaitMs: number; readonly groupIntervalMs: number }

export const groupTimingOf = ({ subject }: Instance, pollIntervalMs: number): GroupTiming => ({
  // What is of the screen itself has nothing to wait for.
  groupWaitMs:
    subject.kind === 'screen'
      ? 0
      : Math.min(DEFAULTS.alarmGroupWaitMaxMs, DEFAULTS.alarmGroupWaitPolls * pollIntervalMs),
  groupIntervalMs: Math.min(
    DEFAULTS.alarmGroupIntervalMaxMs,
    DEFAULTS.alarmGroupIntervalPolls * pollIntervalMs,
  ),
})

/** What is on of one rule and service, from its first problem until nothing of it is on: one episode. */
type Group = {
  /** Since when something waits. */
  problemMs: number | undefined
  recoveryMs: number | undefined
  notifiedMs: number
  remindedMs: number
}

/** `known`: those that are on, and of which people were notified already. */
type Wants = Record<'problem' | 'recovery' | 'worse' | 'critical' | 'known', Instance[]>

/** `notified`: with which severity people now know each of the alarms. */
type Notified = {
  readonly notifications: readonly AlarmNotification[]
  readonly notified: ReadonlyMap<AlarmId, AlarmSeverity | undefined>
}

type Notifier = {
  readonly step: (instances: Iterable<Instance>, context: RowContext) => Notified
  /** The end of alarms whose node or rule is gone: notified at once, where its problem was. */
  readonly closed: (
    gone: readonly Instance[],
    reason: 'node-removed' | 'rule-removed',
    context: RowContext,
  ) => readonly AlarmNotification[]
}

/**
 * What people are notified of. Of an alarm once, and of its end once; of alarms of one group that come
 * together, together. Not of what is inhibited, shelved, in maintenance or acknowledged.
 */
export function createNotifier(groupTiming: (instance: Instance) => GroupTiming): Notifier {
  const groups = new Map<string, Group>()
  let lastId = 0
  const notificationOf: NotificationMaker = (kind, reason, group, members, context) => ({
    id: `${context.wallMs} ${++lastId}`,
    kind,
    reason,
    group,
    severity: members.reduce<AlarmSeverity>(
      (worst, one) => (isMoreSevere(one.severity, worst) ? one.severity : worst),
      'info',
    ),
    count: members.length,
    alarms: members.slice(0, SHOWN_MAX).flatMap((one) => viewOf(one.id, [one], context) ?? []),
    wallMs: context.wallMs,
  })

  return {
    step: (instances, context) => {
      const wants = wantsOf(instances, context)
      for (const name of groups.keys()) if (!wants.has(name)) groups.delete(name)
      const notifications: AlarmNotification[] = []
      const notified = new Map<AlarmId, AlarmSeverity | undefined>()
      for (const [name, want] of wants) {
        const group = groups.get(name) ?? newGroup(context.awakeMs)
        groups.set(name, group)
        for (const due of dueNotifications(group, want, context.awakeMs, groupTiming)) {
          notifications.push(notificationOf(due.kind, due.reason, name, due.members, context))
          for (const one of due.members) notified.set(one.id, due.as(one))
        }
      }
      return { notifications, notified }
    },
    closed: (gone, reason, context) => {
      const byGroup = new Map<string, Instance[]>()
      for (const one of gone)
        if (one.notifiedSeverity !== undefined)
          byGroup.set(groupOf(one), [...(byGroup.get(groupOf(one)) ?? []), one])
      return Array.from(byGroup, ([name, members]) =>
        notificationOf('recovery', reason, name, members, context),
      )
    },
  }
}

type NotificationMaker = (
  kind: AlarmNotification['kind'],
  reason: NotificationReason,
  group: string,
  members: readonly Instance[],
  context: RowContext,
) => AlarmNotification

const newGroup = (awakeMs: number): Group => ({
  problemMs: undefined,
  recoveryMs: undefined,
  notifiedMs: Number.NEGATIVE_INFINITY,
  remindedMs: awakeMs,
})

/** One notification, and with which severity people know each of its alarms from then on. */
type DueNotification = {
  readonly kind: AlarmNotification['kind']
  readonly reason: NotificationReason
  readonly members: readonly Instance[]
  readonly as: (one: Instance) => AlarmSeverity | undefined
}

/** What is due for one group; its waits go on or begin anew. */
function dueNotifications(
  group: Group,
  { problem, recovery, worse, critical, known }: Wants,
  awakeMs: number,
  groupTiming: (instance: Instance) => GroupTiming,
): readonly DueNotification[] {
  const [first] = [...problem, ...recovery, ...worse, ...critical]
  if (first === undefined) return []
  const { groupWaitMs, groupIntervalMs } = groupTiming(first)
  const due: DueNotification[] = []
  const isSince = (sinceMs: number | undefined): boolean =>
    sinceMs !== undefined && awakeMs - sinceMs >= groupWaitMs
  // What begins when nothing else is on adds to nothing: it is another episode.
  if (known.length === 0 && group.problemMs === undefined) group.notifiedMs = Number.NEGATIVE_INFINITY
  group.problemMs = problem.length === 0 ? undefined : (group.problemMs ?? awakeMs)
  group.recoveryMs = recovery.length === 0 ? undefined : (group.recoveryMs ?? awakeMs)
  if (isSince(group.problemMs) && awakeMs - group.notifiedMs >= groupIntervalMs) {
    const reason = problem.every((one) => one.flapping) ? 'flapping' : 'raised'
    due.push({ kind: 'problem', reason, members: problem, as: ({ severity }) => severity })
    group.problemMs = undefined
    group.notifiedMs = awakeMs
  }
  if (isSince(group.recoveryMs)) {
    due.push({ kind: 'recovery', reason: 'cleared', members: recovery, as: () => undefined })
    group.recoveryMs = undefined
  }
  if (worse.length > 0)
    due.push({ kind: 'reminder', reason: 'worse', members: worse, as: ({ severity }) => severity })
  if (critical.length > 0 && awakeMs - group.remindedMs >= DEFAULTS.alarmRepeatIntervalMs)
    due.push({
      kind: 'reminder',
      reason: 'again',
      members: critical,
      as: ({ notifiedSeverity }) => notifiedSeverity,
    })
  if (due.length > 0) group.remindedMs = awakeMs
  return due
}

function wantsOf(instances: Iterable<Instance>, context: RowContext): ReadonlyMap<string, Wants> {
  const wants = new Map<string, Wants>()
  const of = (one: Instance): Wants => {
    const name = groupOf(one)
    const found = wants.get(name) ?? { problem: [], recovery: [], worse: [], critical: [], known: [] }
    wants.set(name, found)
    return found
  }
  for (const one of instances) {
    const isOn = one.phase === 'firing' || one.phase === 'recovering'
    // While it comes and goes, people are notified of its first problem only, and of its end when it has settled.
    if (one.notifiedSeverity !== undefined && !isOn) {
      if (!one.flapping && one.phase === 'normal') of(one).recovery.push(one)
      else of(one).known.push(one)
      continue
    }
    if (one.notifiedSeverity !== undefined) of(one).known.push(one)
    const isQuiet =
      one.shelved !== undefined ||
      one.acknowledged !== undefined ||
      context.inhibitedBy.has(one.id) ||
      context.inMaintenance(one)
    // What comes and goes too fast for a notification each time gets one as that, also while it is just gone.
    const comesAndGoes = one.flapping && one.awaitsAcknowledgement
    if (!(isOn || comesAndGoes) || isQuiet) continue
    if (one.notifiedSeverity === undefined) {
      if (one.phase === 'firing' || one.flapping) of(one).problem.push(one)
    } else if (isMoreSevere(one.severity, one.notifiedSeverity)) of(one).worse.push(one)
    else if (one.severity === 'critical') of(one).critical.push(one)
  }
  return wants
}
