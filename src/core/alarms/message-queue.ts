import { reachesLevel } from './channels.ts'
import type { AlarmSeverity, AlarmNotification } from './alarm.ts'
import type { DeliveryFailure, DeliveryQueue, DeliveryPorts, Outgoing } from './delivery.ts'
import { createStoredMessages } from './stored-messages.ts'
import { createRetry, stateOf, type Tried } from './retry.ts'
import type { WebhookMessage } from './webhook-payload.ts'

/** What is wrong with a message itself does not get better; after so many tries the next one has its turn. */
const REFUSALS_MAX = 3
const OF_MESSAGE: ReadonlySet<number> = new Set([400, 413, 414, 415, 422])

export type MessageQueue = DeliveryQueue & {
  /** Sends the message, where this receiver is to hear of the notice. */
  readonly offer: (notice: AlarmNotification, message: WebhookMessage) => void
}

/** Problems that a receiver was told of; beyond it the oldest are forgotten. */
const TOLD_MAX = 2_000

/**
 * Delivers messages to a webhook one after the other, in order, each until it was taken. What waits
 * is kept before it is sent; a message whose answer got lost is sent again with the same id.
 */
export function createMessageQueue(
  { id, postUrl, from }: Outgoing,
  { clock, post, storage, changed }: DeliveryPorts,
): MessageQueue {
  const queue = createStoredMessages(id, storage)
  let refused = 0
  let lastRefusal: DeliveryFailure | undefined
  let refusals = 0
  let isOver = false

  const drop = (message: WebhookMessage): void => {
    refusals = 0
    queue.drop(message)
  }
  const sendNext = async (): Promise<Tried> => {
    await queue.settled()
    const message = queue.first()
    if (message === undefined || isOver) return undefined
    const missed = queue.lost()
    const body = missed === 0 ? message.body : { ...message.body, missed }
    const sent = await post({ url: postUrl, body: JSON.stringify(body), blind: false })
    if (isOver) return undefined
    if (sent.ok) {
      queue.toldLost(missed)
      drop(message)
      return sent
    }
    if (sent.error.kind !== 'status' || !OF_MESSAGE.has(sent.error.status) || ++refusals < REFUSALS_MAX)
      return sent
    refused++
    lastRefusal = sent.error
    drop(message)
    return 'set-aside'
  }
  const retry = createRetry(clock, sendNext, changed)
  const begin = async (): Promise<void> => {
    await queue.settled()
    changed()
    retry.wake()
  }
  void begin()
  const take = async (notice: AlarmNotification, message: WebhookMessage): Promise<void> => {
    // What it heard of before a reload is known only then.
    await queue.loaded
    if (!concerns(notice, from, queue.told)) return
    queue.add(message)
    changed()
    retry.wake()
  }

  return {
    offer: (notice, message) => void take(notice, message),
    state: () => ({ ...stateOf(id, retry, queue.size()), lost: queue.lost(), refused, lastRefusal }),
    now: retry.now,
    end: () => {
      isOver = true
      queue.end()
      retry.end()
    },
  }
}

/** Whether a receiver is told. Whoever heard of a problem hears of its end, however quiet it became, and nobody else does. */
function concerns(
  { kind, severity, alarms }: AlarmNotification,
  from: AlarmSeverity,
  told: Set<string>,
): boolean {
  if (kind === 'recovery') return alarms.filter(({ id }) => told.delete(id)).length > 0
  if (!reachesLevel(severity, from)) return false
  for (const { id } of alarms) told.add(id)
  for (const id of told) {
    if (told.size <= TOLD_MAX) break
    told.delete(id)
  }
  return true
}
