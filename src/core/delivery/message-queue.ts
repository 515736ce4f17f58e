import * as v from 'valibot'
import { storedList } from '#base/stored.ts'
import type { AlarmNotification, AlarmView } from '#alarms/alarm.ts'
import { localOffsetMs } from '#alarms/maintenance-windows.ts'
import { isRouted, quietUntil } from '#receivers/routing.ts'
import { MINUTE_MS } from '#base/time.ts'
import { reachesReceiver } from '#alarms/channels.ts'
import {
  type Attempt,
  type DeliveryFailure,
  type DescribeAlarm,
  type MembersOf,
  type MessageDetails,
  type Outgoing,
  type ReceiverKind,
  createDeliveryQueue,
  createPersisted,
} from './delivery-queue.ts'
import { followUps, isFollowed } from './follow-ups.ts'

/** Statuses that reject the message rather than the sender. */
const OF_MESSAGE: ReadonlySet<number> = new Set([400, 413, 414, 415, 422])
/** A message is dropped after this many, so that it does not block the next. */
const REFUSALS_MAX = 3

/** The oldest beyond it are dropped and counted. */
export const MESSAGES_MAX = 500
/** Problems whose recovery a receiver still has to get; the oldest beyond it are dropped. */
const OPEN_PROBLEMS_MAX = 2_000

const MessageSchema = v.object({
  id: v.string(),
  body: v.record(v.string(), v.unknown()),
  /** Not sent before the end of quiet hours, Unix ms. */
  notBeforeMs: v.fallback(v.optional(v.pipe(v.number(), v.finite())), undefined),
  /** The alarms of a problem that waits for the end of quiet hours. */
  alarms: v.fallback(v.optional(v.array(v.string())), undefined),
})
const Waiting = v.object({
  messages: storedList(MessageSchema),
  /** Dropped messages that were not reported to the receiver yet. */
  lost: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  /** Alarms whose problem was sent, and whose recovery was not. */
  openProblems: storedList(v.string()),
  /** Those of them whose acknowledgement was sent. */
  acknowledged: storedList(v.string()),
  /** Time of the last message; 0 if nothing is repeated. */
  remindedMs: v.fallback(v.pipe(v.number(), v.finite()), 0),
})
type Waiting = v.InferOutput<typeof Waiting>

const NOTHING: Waiting = { messages: [], lost: 0, openProblems: [], acknowledged: [], remindedMs: 0 }

type Message = v.InferOutput<typeof MessageSchema>

/** Writes the messages of a kind that gets one request per notification. */
export type MessageFormat = {
  /** The request's body. It is stored until the receiver accepts it. */
  readonly body: (
    notification: AlarmNotification,
    describe: DescribeAlarm,
    summary: string,
    details: MessageDetails,
  ) => Message['body']
  readonly testBody: ReceiverKind['testBody']
  /** The same body, which also reports how many messages before it were dropped. */
  readonly withLost: (body: Message['body'], lost: number) => object
}

/**
 * Delivers messages in order, each until it is accepted. A message whose answer was lost is sent again with the
 * same id.
 */
export const messageKind = ({ body, testBody, withLost }: MessageFormat): ReceiverKind => ({
  open: (receiver, ports) => {
    const { id, postUrl } = receiver
    const stored = createPersisted<Waiting>(id, ports.storage, Waiting, NOTHING)
    const { get, set } = stored
    let refused = 0
    let lastRefusal: DeliveryFailure | undefined
    let refusals = 0
    const drop = (message: Message, reported: number): void => {
      const before = get()
      refusals = 0
      set({
        ...before,
        messages: before.messages.filter((other) => other !== message),
        lost: before.lost - reported,
        remindedMs: remindedAt(receiver, before.openProblems, ports.clock.wallMs()),
      })
    }
    const next = (): Attempt | undefined => {
      const { messages, lost } = get()
      const message = messages.find(({ notBeforeMs = 0 }) => notBeforeMs <= ports.clock.wallMs())
      if (message === undefined) return undefined
      const sent = lost === 0 ? message.body : withLost(message.body, lost)
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
    const state = () => ({ waiting: get().messages.length, lost: get().lost, refused, lastRefusal })
    const { update, repeat, ...queue } = createDeliveryQueue(id, ports, { next, state }, stored)
    // Wakes the queue when quiet hours end.
    if (receiver.routing?.quiet !== undefined) repeat(() => MINUTE_MS)
    const messageOf = (notification: AlarmNotification): Message => ({
      id: notification.id,
      body: body(notification, ports.describe, ports.summary(notification), ports.details(notification)),
      ...quietPart(receiver, notification, ports.clock.wallMs()),
    })
    const add = (notification: AlarmNotification, message = messageOf(notification)): boolean => {
      const after = waitingAfter(get(), notification, message, receiver, ports.clock.wallMs())
      if (after !== undefined) set(after)
      return after !== undefined
    }
    return {
      ...queue,
      notify: (notification) => {
        if (!isFor(receiver, notification, ports.describe)) return
        const message = messageOf(notification)
        update(() => add(notification, message))
      },
      ...(isFollowed(receiver) && {
        sync: (on: readonly AlarmView[], membersOf: MembersOf) =>
          update(() => {
            const due = followUps(receiver, get(), on, membersOf, ports.clock.wallMs())
            return due.map((notification) => add(notification)).includes(true)
          }),
      }),
    }
  },
  testBody,
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

/** Time of the last message, if it counts. */
const remindedAt = ({ routing }: Outgoing, openProblems: readonly string[], nowMs: number): number =>
  routing?.repeatMs === undefined || openProblems.length === 0 ? 0 : nowMs

/** The queue with a notification's message; undefined if this receiver does not get it. */
function waitingAfter(
  { messages, lost, openProblems: open, acknowledged }: Waiting,
  notification: AlarmNotification,
  message: Message,
  receiver: Outgoing,
  nowMs: number,
): Waiting | undefined {
  const openProblems = openProblemsAfter(notification, receiver, open)
  if (openProblems === undefined) return undefined
  const all = messagesAfter(notification, messages, message, nowMs)
  const { kind, alarms } = notification
  const known = kind === 'acknowledged' ? [...acknowledged, ...alarms.map(({ id }) => id)] : acknowledged
  return {
    messages: all.slice(-MESSAGES_MAX),
    lost: lost + Math.max(0, all.length - MESSAGES_MAX),
    openProblems,
    acknowledged: known.filter((id) => openProblems.includes(id)),
    remindedMs: remindedAt(receiver, openProblems, nowMs),
  }
}

/** Below critical, a message waits for the end of quiet hours. */
function quietPart(
  { routing }: Outgoing,
  { kind, severity, alarms }: AlarmNotification,
  nowMs: number,
): Pick<Message, 'notBeforeMs' | 'alarms'> {
  const notBeforeMs = severity === 'critical' ? undefined : quietUntil(routing?.quiet, nowMs, localOffsetMs)
  if (notBeforeMs === undefined) return {}
  return kind === 'recovery' ? { notBeforeMs } : { notBeforeMs, alarms: alarms.map(({ id }) => id) }
}

/**
 * A newer message about the same alarms replaces one that quiet hours delayed. If the problem clears first, neither is sent.
 */
function messagesAfter(
  { kind, alarms }: AlarmNotification,
  messages: readonly Message[],
  message: Message,
  nowMs: number,
): readonly Message[] {
  const ids = alarms.map(({ id }) => id)
  const isReplaced = ({ notBeforeMs = 0, alarms: waiting }: Message): boolean =>
    notBeforeMs > nowMs && waiting?.every((alarm) => ids.includes(alarm)) === true
  const replaced = messages.filter(isReplaced).flatMap((one) => one.alarms ?? [])
  const others = messages.filter((one) => !isReplaced(one))
  const isNeverSent = kind === 'recovery' && ids.every((alarm) => replaced.includes(alarm))
  return isNeverSent ? others : [...others, message]
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
