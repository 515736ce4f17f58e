import type { OutboxStorage } from './delivery.ts'
import type { WebhookMessage } from './webhook-payload.ts'

/** Messages that wait for one receiver. Beyond it the oldest go, and it is said how many. */
export const MESSAGES_MAX = 500

/** What waits for one receiver, in order, kept over reloads. */
export type StoredMessages = {
  readonly add: (message: WebhookMessage) => void
  readonly drop: (message: WebhookMessage) => void
  readonly first: () => WebhookMessage | undefined
  readonly size: () => number
  /** Messages that no longer fitted, and of which the receiver does not know yet. */
  readonly lost: () => number
  readonly toldLost: (count: number) => void
  /** Alarms of which the receiver heard, and not yet that they are over. */
  readonly told: Set<string>
  /** Resolves when what was kept before is here. */
  readonly loaded: Promise<void>
  /** Resolves when everything is as it is kept, what was kept before included. */
  readonly settled: () => Promise<void>
  readonly end: () => void
}

export function createStoredMessages(id: string, storage: OutboxStorage): StoredMessages {
  let queue: readonly WebhookMessage[] = []
  let lost = 0
  const told = new Set<string>()
  let isOver = false
  let saved: Promise<void> = Promise.resolve()

  const hold = (messages: readonly WebhookMessage[]): void => {
    lost += Math.max(0, messages.length - MESSAGES_MAX)
    queue = messages.slice(-MESSAGES_MAX)
  }
  const save = (): void => {
    if (isOver) return
    const isEmpty = queue.length + lost + told.size === 0
    const kept = isEmpty ? undefined : { messages: queue, lost, told: Array.from(told) }
    saved = saved.then(() => storage.save(id, kept))
  }
  const load = async (): Promise<void> => {
    const before = readKept(await storage.load(id))
    lost += before.lost
    for (const alarm of before.told) told.add(alarm)
    // What came in meanwhile is younger than what was kept.
    hold([...before.messages, ...queue])
  }
  const loaded = load()

  return {
    add: (message) => {
      hold([...queue, message])
      // Before it is known what was kept, a save would be the end of that.
      void loaded.then(save)
    },
    drop: (message) => {
      queue = queue.filter((other) => other !== message)
      save()
    },
    told,
    loaded,
    first: () => queue[0],
    size: () => queue.length,
    lost: () => lost,
    toldLost: (count) => {
      lost -= count
    },
    settled: async () => {
      await loaded
      await saved
    },
    end: () => {
      isOver = true
    },
  }
}

type Kept = {
  readonly messages: readonly WebhookMessage[]
  readonly lost: number
  readonly told: readonly string[]
}

function readKept(kept: unknown): Kept {
  if (typeof kept !== 'object' || kept === null) return { messages: [], lost: 0, told: [] }
  const messages: unknown = Reflect.get(kept, 'messages')
  const lost: unknown = Reflect.get(kept, 'lost')
  const told: unknown = Reflect.get(kept, 'told')
  return {
    messages: Array.isArray(messages) ? messages.filter(isMessage) : [],
    lost: typeof lost === 'number' && Number.isInteger(lost) && lost > 0 ? lost : 0,
    told: Array.isArray(told) ? told.filter((id) => typeof id === 'string') : [],
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
