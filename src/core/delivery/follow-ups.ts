import {
  ALARM_SEVERITIES,
  isActive,
  type AlarmNotification,
  type AlarmView,
  type AlarmsView,
} from '#alarms/alarm.ts'
import { isGroup } from '#alarms/announcements.ts'
import { receiverTraits } from '#settings/receiver-traits.ts'
import type { MembersOf, Outgoing } from './delivery-queue.ts'

/** Alarms of one message; further acknowledged ones are in the next. */
const ALARMS_MAX = 20

type Followed = {
  readonly messages: readonly { readonly notBeforeMs?: number | undefined }[]
  /** Alarms whose problem was sent, and whose recovery was not. */
  readonly openProblems: readonly string[]
  /** Those whose acknowledgement was sent. */
  readonly acknowledged: readonly string[]
  /** Time of the last message, Unix ms; 0 if nothing is repeated. */
  readonly remindedMs: number
}

type FollowUp = AlarmNotification & { readonly kind: 'acknowledged' | 'reminder' }

/** Whether the receiver gets messages that the engine does not send to all. */
export const isFollowed = ({ kind, routing }: Outgoing): boolean =>
  receiverTraits(kind).hasAcknowledgements || routing?.repeatMs !== undefined

/** Messages that a receiver gets in addition to the engine's notifications, by the state of its problems. */
export function followUps(
  { kind, routing }: Outgoing,
  { messages, openProblems, acknowledged, remindedMs }: Followed,
  on: AlarmsView['alarms'],
  membersOf: MembersOf,
  nowMs: number,
): readonly FollowUp[] {
  // A receiver that is down gets them once it answers again.
  if (messages.some(({ notBeforeMs = 0 }) => notBeforeMs <= nowMs)) return []
  const ids = new Set(openProblems)
  const known = new Set(acknowledged)
  const open = on.flatMap((row) => singlesOf(row, membersOf)).filter(({ id }) => ids.has(id))
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

/** Problems are sent for single alarms, also while the screen shows them as a group. */
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

function notificationOf(kind: FollowUp['kind'], alarms: readonly AlarmView[], wallMs: number): FollowUp {
  const severity = ALARM_SEVERITIES.find((one) => alarms.some((alarm) => alarm.severity === one)) ?? 'info'
  return {
    id: `${wallMs} ${kind}`,
    kind,
    reason: kind === 'reminder' ? 'again' : kind,
    group: kind,
    severity,
    count: alarms.length,
    alarms: alarms
      .toSorted((a, b) => ALARM_SEVERITIES.indexOf(a.severity) - ALARM_SEVERITIES.indexOf(b.severity))
      .slice(0, ALARMS_MAX),
    wallMs,
  }
}
