import { reachesLevel } from './channels.ts'
import type { AlarmNotification, AlarmSeverity } from './alarm.ts'
import {
  type DeliveryFailure,
  type DeliveryPorts,
  type DeliveryQueue,
  type OutboxStorage,
  type Outgoing,
  type Tried,
  createRetry,
  stateOf,
} from './delivery.ts'
import type { WebhookMessage } from './webhook-payload.ts'

/** What is wrong with a message itself does not get better; after so many tries the next one has its turn. */
const REFUSALS_MAX = 3
const OF_MESSAGE: ReadonlySet<number> = new Set([400, 413, 414, 415, 422])

export type MessageQueue = DeliveryQueue & {
  /** Sends the message, where it concerns this receiver. */
  readonly offer: (notification: AlarmNotification, message: WebhookMessage) => void
}

/** Problems that a receiver was sent; beyond it the oldest are forgotten. */
const OPEN_PROBLEMS_MAX = 2_000

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
      queue.deliveredLost(missed)
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
  const take = async (notification: AlarmNotification, message: WebhookMessage): Promise<void> => {
    // What it was sent before a reload is known only then.
    await queue.loaded
    if (!concerns(notification, from, queue.openProblems)) return
    queue.add(message)
    changed()
    retry.wake()
  }

  return {
    offer: (notification, message) => void take(notification, message),
    state: () => ({ ...stateOf(id, retry, queue.size()), lost: queue.lost(), refused, lastRefusal }),
    now: retry.now,
    end: () => {
      isOver = true
      queue.end()
      retry.end()
    },
  }
}

/** Whoever was sent a problem is sent its end, whatever its severity became, and nobody else is. */
function concerns(
  { kind, severity, alarms }: AlarmNotification,
  from: AlarmSeverity,
  openProblems: Set<string>,
): boolean {
  if (kind === 'recovery') return alarms.filter(({ id }) => openProblems.delete(id)).length > 0
  if (!reachesLevel(severity, from)) return false
  for (const { id } of alarms) openProblems.add(id)
  for (const id of openProblems) {
    if (openProblems.size <= OPEN_PROBLEMS_MAX) break
    openProblems.delete(id)
  }
  return true
}

/** Messages that wait for one receiver. Beyond it the oldest go, and it is said how many. */
export const MESSAGES_MAX = 500

/** What waits for one receiver, in order, kept over reloads. */
function createStoredMessages(id: string, storage: OutboxStorage) {
  let queue: readonly WebhookMessage[] = []
  let lost = 0
  const openProblems = new Set<string>()
  let isOver = false
  let saved: Promise<void> = Promise.resolve()

  const hold = (messages: readonly WebhookMessage[]): void => {
    lost += Math.max(0, messages.length - MESSAGES_MAX)
    queue = messages.slice(-MESSAGES_MAX)
  }
  const save = (): void => {
    if (isOver) return
    const isEmpty = queue.length + lost + openProblems.size === 0
    const kept = isEmpty ? undefined : { messages: queue, lost, openProblems: Array.from(openProblems) }
    saved = saved.then(() => storage.save(id, kept))
  }
  const load = async (): Promise<void> => {
    const before = readKept(await storage.load(id))
    lost += before.lost
    for (const alarm of before.openProblems) openProblems.add(alarm)
    // What came in meanwhile is younger than what was kept.
    hold([...before.messages, ...queue])
  }
  const loaded = load()

  return {
    add: (message: WebhookMessage): void => {
      hold([...queue, message])
      // Before it is known what was kept, a save would be the end of that.
      void loaded.then(save)
    },
    drop: (message: WebhookMessage): void => {
      queue = queue.filter((other) => other !== message)
      save()
    },
    /** Alarms that the receiver was sent, and not yet that they are over. */
    openProblems,
    /** Resolves when what was kept before is here. */
    loaded,
    first: (): WebhookMessage | undefined => queue[0],
    size: (): number => queue.length,
    /** Messages that no longer fitted, and of which the receiver does not know yet. */
    lost: (): number => lost,
    deliveredLost: (count: number): void => {
      lost -= count
    },
    /** Resolves when everything is as it is kept, what was kept before included. */
    settled: async (): Promise<void> => {
      await loaded
      await saved
    },
    end: (): void => {
      isOver = true
    },
  }
}

type Kept = {
  readonly messages: readonly WebhookMessage[]
  readonly lost: number
  readonly openProblems: readonly string[]
}

function readKept(kept: unknown): Kept {
  if (typeof kept !== 'object' || kept === null) return { messages: [], lost: 0, openProblems: [] }
  const messages: unknown = Reflect.get(kept, 'messages')
  const lost: unknown = Reflect.get(kept, 'lost')
  const openProblems: unknown = Reflect.get(kept, 'openProblems')
  return {
    messages: Array.isArray(messages) ? messages.filter(isMessage) : [],
    lost: typeof lost === 'number' && Number.isInteger(lost) && lost > 0 ? lost : 0,
    openProblems: Array.isArray(openProblems) ? openProblems.filter((id) => typeof id === 'string') : [],
  }
}

const isMessage = (value: unknown): value is WebhookMessage =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'body' in value &&
  typeof value.body === 'object' &&
  value.body !== null
