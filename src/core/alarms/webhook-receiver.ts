import * as v from 'valibot'
import { storedList } from '#base/stored.ts'
import type { AlarmNotification, AlarmSeverity } from './alarm.ts'
import { reachesLevel } from './channels.ts'
import {
  type DeliveryFailure,
  type DeliveryPorts,
  type DeliveryQueue,
  type DeliveryStrategy,
  type Outgoing,
  type Persisted,
  createDeliveryQueue,
  createPersisted,
} from './delivery-queue.ts'
import type { WebhookMessage } from './webhook-payload.ts'

/** Statuses that condemn the message rather than the receiver. */
const OF_MESSAGE: ReadonlySet<number> = new Set([400, 413, 414, 415, 422])
/** After so many of them a message is set aside, so that it does not hold up the next. */
const REFUSALS_MAX = 3

/** Messages that wait for one receiver. Beyond it the oldest are dropped and counted. */
export const MESSAGES_MAX = 500
/** Problems whose recovery a receiver is owed; beyond it the oldest are forgotten. */
const OPEN_PROBLEMS_MAX = 2_000

const Waiting = v.object({
  messages: storedList(v.object({ id: v.string(), body: v.record(v.string(), v.unknown()) })),
  /** Dropped messages that the receiver does not know of yet. */
  lost: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  /** Alarms whose problem was sent, and whose recovery was not. */
  openProblems: storedList(v.string()),
})
type Waiting = v.InferOutput<typeof Waiting>

export type MessageQueue = DeliveryQueue & {
  /** Queues the message if it concerns this receiver. */
  readonly offer: (notification: AlarmNotification, message: WebhookMessage) => void
}

/**
 * Delivers messages to a webhook in order, each until it is accepted. A message whose answer was
 * lost is sent again with the same id.
 */
export function createMessageQueue({ id, postUrl, from }: Outgoing, ports: DeliveryPorts): MessageQueue {
  const waiting = createPersisted<Waiting>(
    id,
    ports.storage,
    Waiting,
    { messages: [], lost: 0, openProblems: [] },
    ({ messages, lost, openProblems }) => messages.length + lost + openProblems.length === 0,
  )
  const { update, state, now, end } = createDeliveryQueue(id, ports, inOrder(postUrl, waiting), waiting)

  return {
    offer: (notification, message) =>
      update(() => {
        const { messages, lost, openProblems } = waiting.get()
        const open = openProblemsAfter(notification, from, openProblems)
        if (open === undefined) return false
        const all = [...messages, message]
        waiting.set({
          messages: all.slice(-MESSAGES_MAX),
          lost: lost + Math.max(0, all.length - MESSAGES_MAX),
          openProblems: open,
        })
        return true
      }),
    state,
    now,
    end,
  }
}

function inOrder(url: string, { get, set }: Persisted<Waiting>): DeliveryStrategy {
  let refused = 0
  let lastRefusal: DeliveryFailure | undefined
  let refusals = 0
  const drop = (message: WebhookMessage, reported: number): void => {
    const { messages, lost, openProblems } = get()
    refusals = 0
    set({ messages: messages.filter((other) => other !== message), lost: lost - reported, openProblems })
  }
  return {
    next: () => {
      const { messages, lost } = get()
      const [message] = messages
      if (message === undefined) return undefined
      const body = lost === 0 ? message.body : { ...message.body, missed: lost }
      return {
        message: { url, body: JSON.stringify(body), blind: false },
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
    },
    state: () => ({ waiting: get().messages.length, lost: get().lost, refused, lastRefusal }),
  }
}

/**
 * The open problems once a notification was sent; undefined if this receiver is not sent it. A receiver of a
 * problem is sent its recovery, whatever its severity became, and no other receiver is.
 */
function openProblemsAfter(
  { kind, severity, alarms }: AlarmNotification,
  from: AlarmSeverity,
  before: readonly string[],
): readonly string[] | undefined {
  const ids = new Set(alarms.map(({ id }) => id))
  if (kind === 'recovery') {
    const open = before.filter((id) => !ids.has(id))
    return open.length === before.length ? undefined : open
  }
  if (!reachesLevel(severity, from)) return undefined
  return Array.from(new Set([...before, ...ids])).slice(-OPEN_PROBLEMS_MAX)
}
