import type * as v from 'valibot'
import type { Clock } from '#base/clock.ts'
import type { Result } from '#base/result.ts'
import { readStored } from '#base/stored.ts'
import type { ProxyFailure } from '#protocol/ports.ts'
import type { Receiver } from '#settings/schema.ts'
import type { AlarmSeverity } from './alarm.ts'

/** A receiver that this browser sends to. */
export type Outgoing = {
  readonly id: string
  readonly kind: Receiver['kind']
  /** The URL that messages are posted to: the relay's, or the receiver's own. */
  readonly postUrl: string
  readonly via: Receiver['via']
  /** The lowest severity that is sent; a ping ignores it. */
  readonly from: AlarmSeverity
  /** The interval of a ping. */
  readonly everyMs: number
  /** Of an Alertmanager: where silences are created, and the prefix of each silence's URL; `share`: whether acknowledgements become silences. */
  readonly silences?: { readonly share: boolean; readonly url: string; readonly each: string }
}

export type OutgoingMessage = {
  readonly url: string
  /** POST unless given. */
  readonly method?: 'DELETE'
  readonly body: string
  /** The browser may not read the answer, so any answer counts as accepted. */
  readonly blind: boolean
}

/** `status`: the receiver answered but did not accept the message; `answer` is the start of its text. */
export type DeliveryFailure =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'timeout' }
  /** Redirects are not followed. */
  | { readonly kind: 'redirected' }
  | { readonly kind: 'relay'; readonly failure: ProxyFailure }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly answer: string
      readonly retryAfterMs?: number
    }
  /** A defect of this dashboard. */
  | { readonly kind: 'defect'; readonly message: string }

/** `status` is undefined where the browser may not read the answer. */
export type Delivered = { readonly status: number | undefined; readonly answer: string }

/** Sends JSON within a time limit. Never rejects. */
export type Post = (message: OutgoingMessage) => Promise<Result<Delivered, DeliveryFailure>>

/** How a receiver is doing. Times are this computer's wall clock. */
export type DeliveryState = {
  readonly id: string
  /** Messages, or alerts, that the receiver has not accepted yet. */
  readonly waiting: number
  readonly lastDeliveredWallMs: number | undefined
  readonly failingSinceWallMs: number | undefined
  readonly failure: DeliveryFailure | undefined
  readonly nextTryWallMs: number | undefined
  /** Messages that did not fit into the queue. */
  readonly lost: number
  /** Messages that the receiver rejected for good, and its last rejection. */
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
  /** The state may have changed. */
  readonly changed: () => void
}

/** One request, and what its outcome means for the messages that wait. */
export type Attempt = {
  readonly message: OutgoingMessage
  /** Returns a failure if the answer is not one that this kind of receiver gives. */
  readonly accepted: (delivered: Delivered) => DeliveryFailure | undefined
  /** True: the request is dropped and the next one is sent at once. Without it a request is repeated until it is accepted. */
  readonly refused?: (failure: DeliveryFailure) => boolean
}

/** What one kind of receiver is sent. */
export type DeliveryStrategy = {
  /** The request to send now, if any. Called again after each one. */
  readonly next: () => Attempt | undefined
  readonly state: () => Pick<DeliveryState, 'waiting'> &
    Partial<Pick<DeliveryState, 'lost' | 'refused' | 'lastRefusal'>>
}

export type DeliveryQueue = {
  readonly state: () => DeliveryState
  /** Sends what waits without the delay of a retry. */
  readonly now: () => void
  readonly end: () => void
}

type StrategyQueue = DeliveryQueue & {
  /** Applies a change once the stored value is loaded, unless the queue has ended; then sends what is due. False: the state is as before. */
  readonly update: (change: () => boolean) => void
  /** The same, again and again. `work` returns when it is due next. */
  readonly repeat: (work: () => number) => void
}

const RETRY_FIRST_MS = 5_000
const RETRY_MAX_MS = 300_000

/** Sends one request at a time and retries it with growing delays. A request leaves only after what waits is stored. */
export function createDeliveryQueue(
  id: string,
  ports: Omit<DeliveryPorts, 'storage'>,
  { next, state }: DeliveryStrategy,
  stored?: Pick<Persisted<unknown>, 'loaded' | 'saved' | 'end'>,
): StrategyQueue {
  const { clock, changed } = ports
  let hasEnded = false
  let cancelRepeat: (() => void) | undefined
  const nextStored = async (): Promise<Attempt | undefined> => {
    await stored?.loaded
    await stored?.saved()
    return hasEnded ? undefined : next()
  }
  const sender = createSender(ports, nextStored)
  /** Changes that came before the stored value was there. */
  let early: (() => boolean)[] | undefined = []
  const update = (change: () => boolean): void => {
    if (hasEnded) return
    if (early !== undefined) return void early.push(change)
    if (change()) changed()
    sender.wake()
  }
  const start = async (): Promise<void> => {
    await stored?.loaded
    const changes = early ?? []
    early = undefined
    for (const change of [...changes, () => true]) update(change)
  }
  const repeat = (work: () => number): void =>
    update(() => {
      cancelRepeat = clock.after(work(), () => repeat(work))
      return false
    })
  if (stored === undefined) early = undefined
  else void start()

  return {
    update,
    repeat,
    state: () => ({ id, lost: 0, refused: 0, lastRefusal: undefined, ...sender.state(), ...state() }),
    now: sender.now,
    end: () => {
      hasEnded = true
      sender.end()
      cancelRepeat?.()
      stored?.end()
    },
  }
}

type Trouble = Pick<DeliveryState, 'failingSinceWallMs' | 'failure' | 'nextTryWallMs'>
const NO_TROUBLE: Trouble = { failingSinceWallMs: undefined, failure: undefined, nextTryWallMs: undefined }

/** Sends until nothing is due, and waits longer after each failure. */
function createSender(
  { clock, post, changed }: Omit<DeliveryPorts, 'storage'>,
  next: () => Promise<Attempt | undefined>,
) {
  let failures = 0
  let isSending = false
  let hasEnded = false
  let cancelRetry: (() => void) | undefined
  let lastDeliveredWallMs: number | undefined
  let trouble = NO_TROUBLE

  /** False: nothing is due. */
  const sendOne = async (): Promise<DeliveryFailure | boolean> => {
    const attempt = await next()
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
      // A defect of ours must not silence the receiver: it is shown, and the request is tried again.
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
  const now = (): void => {
    cancelRetry?.()
    cancelRetry = undefined
    wake()
  }
  const retryAfter = (failure: DeliveryFailure): void => {
    const waitMs = retryDelayMs(failure, ++failures)
    const wallMs = clock.wallMs()
    const failingSinceWallMs = trouble.failingSinceWallMs ?? wallMs
    trouble = { failingSinceWallMs, failure, nextTryWallMs: wallMs + waitMs }
    cancelRetry = clock.after(waitMs, now)
    changed()
  }
  return {
    wake,
    now,
    state: () => ({ lastDeliveredWallMs, ...trouble }),
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

/** A value that survives reloads. */
export type Persisted<T> = {
  readonly get: () => T
  /** Stores it too. Only after `loaded`: earlier the stored value would be lost. */
  readonly set: (next: T) => void
  /** Changes details that are stored with the next `set` only. */
  readonly revise: (next: T) => void
  /** Resolves once the stored value is here. */
  readonly loaded: Promise<void>
  /** Resolves once the current value is stored. */
  readonly saved: () => Promise<void>
  /** Nothing is stored from now on: another tab may have taken over. */
  readonly end: () => void
}

/** Reads the value stored under `id`, or starts with `empty` where there is none of that shape. An empty value is removed. */
export function createPersisted<T>(
  id: string,
  storage: OutboxStorage,
  schema: v.GenericSchema<unknown, T>,
  empty: T,
  isEmpty: (value: T) => boolean,
): Persisted<T> {
  let current = empty
  let saved = Promise.resolve()
  let hasEnded = false
  const load = async (): Promise<void> => {
    current = readStored(schema, await storage.load(id)) ?? empty
  }
  return {
    get: () => current,
    set: (next) => {
      if (hasEnded) return
      current = next
      saved = saved.then(() => storage.save(id, isEmpty(next) ? undefined : next))
    },
    revise: (next) => {
      if (!hasEnded) current = next
    },
    loaded: load(),
    saved: () => saved,
    end: () => {
      hasEnded = true
    },
  }
}
