import type { AlarmNotification } from '#alarms/alarm.ts'
import { isRouted } from '#receivers/routing.ts'
import { reachesReceiver } from '#alarms/channels.ts'
import {
  type Attempt,
  type DeliveryFailure,
  type DescribeAlarm,
  type Outgoing,
  type ReceiverKind,
  createDeliveryQueue,
  createPersisted,
} from './delivery-queue.ts'
import { followUps, isHeldBack, isQuietFor } from './follow-ups.ts'
import { Waiting, type Message } from './waiting-messages.ts'
import { testBody, webhookBody } from './webhook.ts'

/** Statuses that reject the message rather than the sender. */
export const OF_MESSAGE: ReadonlySet<number> = new Set([400, 413, 414, 415, 422])
/** A message is dropped after this many, so that it does not block the next. */
const REFUSALS_MAX = 3

/** Maximum number of queued messages; beyond it, the oldest are dropped and counted. */
export const MESSAGES_MAX = 500
/** Maximum number of problems whose recovery a receiver still has to get; beyond it, the oldest are dropped. */
const OPEN_PROBLEMS_MAX = 2_000

/**
 * The kinds that get one request per notification. Delivers messages in order, each until it is accepted. A message whose
 * answer was lost is sent again with the same id.
 */
export const MESSAGES: ReceiverKind = {
  open: (receiver, ports) => {
    const { id, postUrl } = receiver
    const { clock, storage, describe, summary, details } = ports
    const stored = createPersisted(id, storage, Waiting)
    const { get, set } = stored
    let refused = 0
    let lastRefusal: DeliveryFailure | undefined
    let refusals = 0
    const drop = (message: Message, reported: number): void => {
      refusals = 0
      const { messages, lost, openProblems, ...others } = get()
      const remindedMs = openProblems.length === 0 ? 0 : clock.wallMs()
      const left = messages.filter((other) => other !== message)
      set({ ...others, messages: left, lost: lost - reported, openProblems, remindedMs })
    }
    const next = (): Attempt | undefined => {
      const { messages, lost } = get()
      const message = messages.find((one) => !isHeldBack(one, receiver, clock.wallMs()))
      if (message === undefined) return undefined
      const sent = lost === 0 ? message.body : { ...message.body, missed: lost }
      return {
        message: { url: postUrl, body: JSON.stringify(sent), blind: false },
        accepted: () => {
          drop(message, lost)
          return undefined
        },
        refused: (failure) => {
          if (failure.kind !== 'status' || !OF_MESSAGE.has(failure.status)) return false
          if (++refusals < REFUSALS_MAX) return false
          refused++
          lastRefusal = failure
          drop(message, 0)
          return true
        },
      }
    }
    const state = () => ({ ...waitingIn(get()), refused, lastRefusal })
    const { update, ...queue } = createDeliveryQueue(id, ports, { next, state }, stored)
    const messageOf = (one: AlarmNotification): Message => ({
      id: one.id,
      body: webhookBody(one, describe, summary(one), details(one)),
    })
    const add = (notification: AlarmNotification): void => {
      const after = waitingAfter(get(), notification, messageOf, receiver, clock.wallMs())
      if (after !== get()) set(after)
    }
    const change = (work: () => void): void =>
      update(() => {
        const before = get()
        work()
        return get() !== before
      })
    return {
      ...queue,
      notify: (notification) => {
        if (isFor(receiver, notification, describe)) change(() => add(notification))
      },
      sync: (on, membersOf) =>
        change(() => {
          const { held, due } = followUps(receiver, get(), on, membersOf, clock.wallMs())
          if (held.length !== get().held.length) set({ ...get(), held })
          due.forEach(add)
        }),
    }
  },
  testBody,
}

/** The problems that quiet hours hold back count as one message, because they are sent as one. */
const waitingIn = ({ messages, held, lost }: Waiting) => ({
  waiting: messages.length + Math.sign(held.length),
  lost,
})

const isFor = (
  { routing }: Outgoing,
  { kind, reason, alarms }: AlarmNotification,
  describe: DescribeAlarm,
): boolean =>
  kind === 'recovery' ||
  routing === undefined ||
  // A receiver with its own interval gets reminders from `followUps` instead.
  ((reason !== 'again' || routing.repeatMs === undefined) &&
    alarms.some((alarm) => isRouted(describe(alarm), routing)))

/** With the message of a notification; the same object if nothing changes for this receiver. */
function waitingAfter(
  before: Waiting,
  notification: AlarmNotification,
  messageOf: (notification: AlarmNotification) => Message,
  receiver: Outgoing,
  nowMs: number,
): Waiting {
  const { kind, severity, alarms } = notification
  const ids = alarms.map(({ id }) => id)
  const openProblems = openProblemsAfter(notification, receiver, before.openProblems)
  const isProblem = kind === 'problem' || kind === 'reminder'
  if (isProblem && severity !== 'critical' && isQuietFor(receiver, nowMs))
    return openProblems === undefined ? before : withHeld(before, [...before.held, ...ids])
  const unheld = withHeld(
    before,
    before.held.filter((id) => !ids.includes(id)),
  )
  if (openProblems === undefined) return kind === 'recovery' ? unheld : before
  // The receiver does not know of a problem that quiet hours held back.
  const known = kind === 'recovery' ? only(notification, before.openProblems) : notification
  const messages = [...before.messages, messageOf(known)]
  const acknowledged = kind === 'acknowledged' ? [...before.acknowledged, ...ids] : before.acknowledged
  return {
    messages: messages.slice(-MESSAGES_MAX),
    lost: before.lost + Math.max(0, messages.length - MESSAGES_MAX),
    openProblems,
    acknowledged: acknowledged.filter((id) => openProblems.includes(id)),
    held: unheld.held,
    remindedMs: openProblems.length === 0 ? 0 : nowMs,
  }
}

/** The same object if these alarms are already held back. */
function withHeld(before: Waiting, ids: readonly string[]): Waiting {
  const held = Array.from(new Set(ids)).slice(-OPEN_PROBLEMS_MAX)
  return held.length === before.held.length ? before : { ...before, held }
}

/** The part of a notification that concerns these alarms. */
function only(notification: AlarmNotification, ids: readonly string[]): AlarmNotification {
  const alarms = notification.alarms.filter(({ id }) => ids.includes(id))
  return alarms.length === notification.alarms.length
    ? notification
    : { ...notification, alarms, count: alarms.length }
}

/**
 * The open problems after a notification; undefined if this receiver does not get it. A recovery goes to the receivers of its
 * problem and to no others, regardless of severity.
 */
function openProblemsAfter(
  { kind, severity, alarms }: AlarmNotification,
  receiver: Outgoing,
  before: readonly string[],
): readonly string[] | undefined {
  const ids = new Set(alarms.map(({ id }) => id))
  if (kind === 'recovery') {
    const open = before.filter((id) => !ids.has(id))
    return open.length === before.length ? undefined : open
  }
  if (kind === 'acknowledged') return before
  if (!reachesReceiver(severity, alarms[0]?.kind, receiver)) return undefined
  return Array.from(new Set([...before, ...ids])).slice(-OPEN_PROBLEMS_MAX)
}
