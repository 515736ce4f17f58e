import {
  mostSevereFirst,
  isActive,
  isOn,
  worstOf,
  type AlarmNotification,
  type AlarmView,
  type AlarmsView,
} from '#alarms/alarm.ts'
import { isGroup } from '#alarms/announcements.ts'
import { localOffsetMs } from '#alarms/maintenance-windows.ts'
import { isQuiet } from '#receivers/routing.ts'
import { receiverTraits } from '#settings/receiver-traits.ts'
import type { MembersOf, Outgoing } from './delivery-queue.ts'
import type { Message, Waiting } from './waiting-messages.ts'

/** Alarms of one message; further acknowledged ones are in the next. */
const ALARMS_MAX = 20

type FollowUp = AlarmNotification & { readonly kind: 'acknowledged' | 'problem' | 'reminder' }

/** Whether the receiver gets messages that the engine does not send to all. */
const isFollowed = ({ kind, routing }: Outgoing): boolean =>
  receiverTraits(kind).hasAcknowledgements || routing?.repeatMs !== undefined || routing?.quiet !== undefined

export const isQuietFor = ({ routing }: Outgoing, nowMs: number): boolean =>
  isQuiet(routing?.quiet, nowMs, localOffsetMs)

/** Whether a message waits for the end of quiet hours. */
export const isHeldBack = ({ body }: Message, receiver: Outgoing, nowMs: number): boolean =>
  body['severity'] !== 'critical' && isQuietFor(receiver, nowMs)

type FollowUps = { readonly due: readonly FollowUp[]; readonly held: readonly string[] }

/** Messages that a receiver gets in addition to the engine's notifications, by the state of its problems. */
export function followUps(
  receiver: Outgoing,
  waiting: Waiting,
  on: AlarmsView['alarms'],
  membersOf: MembersOf,
  nowMs: number,
): FollowUps {
  const { messages, held } = waiting
  // A receiver that is down gets them once it answers again.
  const isDown = messages.some((one) => !isHeldBack(one, receiver, nowMs))
  // The receiver may no longer have quiet hours.
  if (isDown || (held.length === 0 && !isFollowed(receiver))) return { due: [], held }
  const singles = on.flatMap((row) => singlesOf(row, membersOf))
  if (held.length > 0 && !isQuietFor(receiver, nowMs)) return released(waiting, singles, nowMs)
  return { due: newsOf(receiver, waiting, singles, nowMs), held }
}

/** Reports the current alarms: nobody needs to hear of one that has cleared or is acknowledged. */
function released({ held, openProblems }: Waiting, singles: readonly AlarmView[], nowMs: number): FollowUps {
  const ids = new Set(held)
  const open = singles.filter((one) => ids.has(one.id) && isOn(one) && one.acknowledged === undefined)
  const active = open.filter(isActive).slice(0, ALARMS_MAX)
  const kind = active.every(({ id }) => openProblems.includes(id)) ? 'reminder' : 'problem'
  return {
    due: active.length > 0 ? [notificationOf(kind, active, nowMs)] : [],
    held: open.map(({ id }) => id),
  }
}

function newsOf(
  { kind, routing }: Outgoing,
  { openProblems, acknowledged, remindedMs }: Waiting,
  singles: readonly AlarmView[],
  nowMs: number,
): readonly FollowUp[] {
  const ids = new Set(openProblems)
  const known = new Set(acknowledged)
  const open = singles.filter(({ id }) => ids.has(id))
  const news = receiverTraits(kind).hasAcknowledgements
    ? open.filter((alarm) => alarm.acknowledged !== undefined && !known.has(alarm.id))
    : []
  const sinceMs = nowMs - remindedMs
  // A clock that was set back must not end the reminders.
  const isDue = routing?.repeatMs !== undefined && (sinceMs >= routing.repeatMs || sinceMs < 0)
  const again = isDue ? open.filter((alarm) => isActive(alarm) && alarm.acknowledged === undefined) : []
  return [
    ...(news.length > 0 ? [notificationOf('acknowledged', news.slice(0, ALARMS_MAX), nowMs)] : []),
    ...(again.length > 0 ? [notificationOf('reminder', again, nowMs)] : []),
  ]
}

/** The problems that receivers know and that nobody has acknowledged, one message per row. */
export const knownProblems = (
  alarms: AlarmsView['alarms'],
  membersOf: MembersOf,
  nowMs: number,
): readonly AlarmNotification[] =>
  alarms
    .filter((row) => row.notified && isActive(row) && row.acknowledged === undefined)
    .map((row) => ({
      ...notificationOf('problem', singlesOf(row, membersOf).filter(isOn), nowMs),
      id: `${nowMs} ${row.id}`,
    }))

/** Problems are sent for single alarms, even while the screen shows them as a group. */
const singlesOf = (row: AlarmView, membersOf: MembersOf): readonly AlarmView[] =>
  !isGroup(row) || row.subject.kind !== 'node'
    ? [row]
    : membersOf(row.id).map(({ node, ...member }) => ({
        ...row,
        ...member,
        subject: { ...row.subject, node },
        memberCount: 1,
        members: [],
      }))

const REASONS = { reminder: 'again', acknowledged: 'acknowledged', problem: 'raised' } as const

function notificationOf(kind: FollowUp['kind'], alarms: readonly AlarmView[], wallMs: number): FollowUp {
  return {
    id: `${wallMs} ${kind}`,
    kind,
    reason: REASONS[kind],
    group: kind,
    severity: worstOf(alarms) ?? 'info',
    count: alarms.length,
    alarms: alarms.toSorted(mostSevereFirst).slice(0, ALARMS_MAX),
    wallMs,
  }
}
