import { MINUTE_MS } from '#base/time.ts'
import * as v from 'valibot'
import type { Clock } from '#base/clock.ts'
import type { Result } from '#base/result.ts'
import { readStored } from '#base/stored.ts'
import type { ProxyFailure } from '#protocol/transport.ts'
import type { Message } from '#receivers/message.ts'
import type { AlarmId, AlarmMember, AlarmNotification, AlarmView } from '#alarms/alarm.ts'
import type { ChannelReceiver } from '#alarms/channels.ts'

export type Outgoing = Readonly<Omit<ChannelReceiver, 'name' | 'url'>> & {
  /** The relay's URL, or the receiver's own. */
  readonly postUrl: string
  /** This page sends it only tests, because the server's watch sends the alarms. */
  readonly isTestOnly?: true
}

export type OutgoingMessage = {
  readonly url: string
  readonly body: string
  /** The browser may not read the answer, so any answer counts as accepted. */
  readonly blind: boolean
}

/** `status`: the receiver answered but did not accept the message; `answer` is the start of its text. */
export type DeliveryFailure =
  | { readonly kind: 'unreachable' }
  /** The dashboard server, which relays the message, does not answer. */
  | { readonly kind: 'own-server' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'redirected' }
  | { readonly kind: 'relay'; readonly failure: ProxyFailure }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly answer: string
      readonly retryAfterMs?: number
    }
  | { readonly kind: 'defect'; readonly message: string }

/** `status` is undefined where the browser may not read the answer. */
export type Delivered = { readonly status: number | undefined; readonly answer: string }

/** Posts JSON within a time limit. Never rejects. */
export type Post = (message: OutgoingMessage) => Promise<Result<Delivered, DeliveryFailure>>

export type DeliveryState = {
  readonly id: string
  readonly waiting: number
  readonly lastDeliveredWallMs: number | undefined
  readonly failingSinceWallMs: number | undefined
  readonly failure: DeliveryFailure | undefined
  readonly nextTryWallMs: number | undefined
  readonly lost: number
  readonly refused: number
  readonly lastRefusal: DeliveryFailure | undefined
}

/** Where undelivered messages survive a reload. Neither call rejects. */
export type OutboxStorage = {
  readonly load: (id: string) => Promise<unknown>
  /** `undefined` removes it. */
  readonly save: (id: string, value: unknown) => Promise<void>
}

export type DeliveryPorts = {
  readonly clock: Clock
  readonly post: Post
  readonly storage: OutboxStorage
  readonly changed: () => void
}

export type AlarmFacts = {
  /** The problem in one line, with the node's name. */
  readonly title: string
  /** The meaning and the evidence; may be empty. */
  readonly text: string
  readonly service?: string
  readonly nodeId?: string
  readonly nodeName?: string
  /** The node's tags. */
  readonly tags?: readonly string[]
  readonly link: string
}
export type DescribeAlarm = (alarm: AlarmView) => AlarmFacts

/** The details of a message, in addition to its one-line title. */
export type MessageDetails = Pick<Message, 'facts' | 'nodes' | 'nodeCount'>

export type MembersOf = (id: AlarmId) => readonly AlarmMember[]

export type OutboxPorts = Omit<DeliveryPorts, 'changed'> & {
  readonly isWatching: () => boolean
  readonly describe: DescribeAlarm
  readonly summary: (notification: AlarmNotification) => string
  readonly details: (notification: AlarmNotification) => MessageDetails
  readonly test: { readonly text: string; readonly link: string }
}

export type Sender = DeliveryQueue & {
  readonly notify?: (notification: AlarmNotification) => void
  /** All alarms as they are now. */
  readonly sync: (alarms: readonly AlarmView[], membersOf: MembersOf, awaited?: readonly AlarmView[]) => void
}

/** How one kind of receiver differs from the others. */
export type ReceiverKind = {
  readonly open: (receiver: Outgoing, ports: OutboxPorts & Pick<DeliveryPorts, 'changed'>) => Sender
  readonly testBody: (wallMs: number, test: OutboxPorts['test']) => object
}

/** One request, and how its outcome changes the queue. */
export type Attempt = {
  readonly message: OutgoingMessage
  /** Returns a failure if this kind of receiver never gives such an answer. */
  readonly accepted: (delivered: Delivered) => DeliveryFailure | undefined
  /**
   * True: the request is dropped and the next one is sent at once. Without it a request is repeated until it is
   * accepted.
   */
  readonly refused?: (failure: DeliveryFailure) => boolean
}

type DeliveryStrategy = {
  readonly next: () => Attempt | undefined
  readonly state: () => Pick<DeliveryState, 'waiting'> &
    Partial<Pick<DeliveryState, 'lost' | 'refused' | 'lastRefusal'>>
}

export type DeliveryQueue = Omit<ReturnType<typeof createDeliveryQueue>, 'update'>

const RETRY_FIRST_MS = 5_000
const RETRY_MAX_MS = 5 * MINUTE_MS

/** Sends one request at a time and retries with growing delays. A request is sent only after its queue is stored. */
export function createDeliveryQueue(
  id: string,
  ports: Omit<DeliveryPorts, 'storage'>,
  strategy: DeliveryStrategy,
  stored: Pick<Persisted<object>, 'loaded' | 'flushed'>,
) {
  const sender = createSender(ports, stored.flushed, strategy.next)
  let isLoaded = false
  const start = async (): Promise<void> => {
    await stored.loaded
    isLoaded = true
    update(() => true)
  }
  const started = start()
  /**
   * Applies a change once the stored value is loaded, unless the queue has ended; then sends what is due. False:
   * nothing changed.
   */
  const update = (change: () => boolean): void => {
    if (!isLoaded) return void started.then(() => update(change))
    if (sender.hasEnded()) return
    if (change()) ports.changed()
    sender.wake()
  }

  return {
    update,
    state: (): DeliveryState => ({
      id,
      lost: 0,
      refused: 0,
      lastRefusal: undefined,
      ...sender.state(),
      ...strategy.state(),
    }),
    /** Sends the queued messages without waiting for the next retry; `isReached`: the receiver has just accepted a test. */
    now: sender.now,
    end: sender.end,
  }
}

type Trouble = Pick<DeliveryState, 'failingSinceWallMs' | 'failure' | 'nextTryWallMs'>
const NO_TROUBLE: Trouble = { failingSinceWallMs: undefined, failure: undefined, nextTryWallMs: undefined }

function createSender(
  { clock, post, changed }: Omit<DeliveryPorts, 'storage'>,
  flushed: () => Promise<void>,
  next: () => Attempt | undefined,
) {
  let failures = 0
  let isSending = false
  let hasEnded = false
  let cancelRetry: (() => void) | undefined
  let lastDeliveredWallMs: number | undefined
  let trouble = NO_TROUBLE

  /** False: nothing is due. */
  const sendOne = async (): Promise<DeliveryFailure | boolean> => {
    await flushed()
    const attempt = hasEnded ? undefined : next()
    if (attempt === undefined) return false
    const sent = await post(attempt.message)
    if (hasEnded) return false
    const failure = sent.ok ? attempt.accepted(sent.value) : sent.error
    if (failure !== undefined && attempt.refused?.(failure) !== true) return failure
    failures = 0
    trouble = NO_TROUBLE
    if (failure === undefined) lastDeliveredWallMs = clock.wallMs()
    changed()
    return true
  }
  const send = async (): Promise<void> => {
    let sent: DeliveryFailure | boolean = true
    try {
      while (sent === true) sent = await sendOne()
    } catch (error) {
      // A defect here must not silence the receiver, so it is shown and the request is retried.
      sent = { kind: 'defect', message: String(error) }
    }
    isSending = false
    if (typeof sent === 'object' && !hasEnded) retryAfter(sent)
  }
  const wake = (): void => {
    if (isSending || hasEnded || cancelRetry !== undefined) return
    isSending = true
    void send()
  }
  const now = (isReached = false): void => {
    if (isReached) {
      lastDeliveredWallMs = clock.wallMs()
      changed()
    }
    cancelRetry?.()
    cancelRetry = undefined
    wake()
  }
  const retryAfter = (failure: DeliveryFailure): void => {
    const waitMs = retryDelayMs(failure, ++failures)
    const wallMs = clock.wallMs()
    const failingSinceWallMs = trouble.failingSinceWallMs ?? wallMs
    trouble = { failingSinceWallMs, failure, nextTryWallMs: wallMs + waitMs }
    cancelRetry = clock.after(waitMs, () => now())
    changed()
  }
  return {
    wake,
    now,
    state: () => ({ lastDeliveredWallMs, ...trouble }),
    hasEnded: () => hasEnded,
    end: (): void => {
      hasEnded = true
      cancelRetry?.()
    },
  }
}

/** 5 s, doubled up to 5 minutes; longer if the receiver asks for it. */
function retryDelayMs(failure: DeliveryFailure, failures: number): number {
  const doubledMs = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS)
  const askedMs = failure.kind === 'status' ? (failure.retryAfterMs ?? 0) : 0
  return Math.max(doubledMs, askedMs)
}

export type Persisted<T extends object> = ReturnType<typeof createPersisted<T>>

/** Starts with the fallbacks of the schema if nothing of that shape is stored. A value without entries is removed. */
export function createPersisted<T extends object>(
  id: string,
  storage: OutboxStorage,
  schema: v.GenericSchema<unknown, T>,
) {
  let current = v.parse(schema, {})
  let saved = Promise.resolve()
  const load = async (): Promise<void> => {
    current = readStored(schema, await storage.load(id)) ?? current
  }
  const loaded = load()
  return {
    loaded,
    /** Resolves once everything is stored, including what changes in the meantime. */
    flushed: async (): Promise<void> => {
      let written: Promise<void> = loaded
      await written
      while (written !== saved) await (written = saved)
    },
    get: () => current,
    /** Changes details that are stored with the next `set`. */
    revise: (next: T): void => {
      current = next
    },
    /** Sets and stores the value. Call this only after `loaded`; otherwise the stored value is lost. */
    set: (next: T): void => {
      current = next
      const isEmpty = Object.values(next).every(
        (part) => part === 0 || (Array.isArray(part) && part.length === 0),
      )
      saved = saved.then(() => storage.save(id, isEmpty ? undefined : next))
    },
  }
}
