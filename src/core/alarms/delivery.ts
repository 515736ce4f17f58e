import type { Clock } from '#base/clock.ts'
import type { Result } from '#base/result.ts'
import type { ProxyFailure } from '#protocol/ports.ts'
import type { Receiver } from '#settings/receiver.ts'
import type { AlarmSeverity } from './alarm.ts'

/** A receiver that this browser sends to. */
export type Outgoing = {
  readonly id: string
  readonly kind: Receiver['kind']
  /** Where the message is posted to: the relay's address, or the receiver's own. */
  readonly postUrl: string
  readonly via: Receiver['via']
  /** The least severity that is sent; not for a ping. */
  readonly from: AlarmSeverity
  /** How often a ping is sent. */
  readonly everyMs: number
  /** Of an Alertmanager: where silences are made, and what each one's address begins with; `share`: whether acknowledgements become silences. */
  readonly silences?: { readonly share: boolean; readonly url: string; readonly each: string }
}

/** One message on its way out. */
export type OutgoingMessage = {
  readonly url: string
  /** POST where nothing is said. */
  readonly method?: 'DELETE'
  readonly body: string
  /** The answer may not be read, so any answer counts as taken. */
  readonly blind: boolean
}

/** `status`: the receiver answered, but did not take it. `answer`: the beginning of its words. */
export type DeliveryFailure =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'timeout' }
  /** It answered with another address, which is not followed. */
  | { readonly kind: 'redirected' }
  | { readonly kind: 'relay'; readonly failure: ProxyFailure }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly answer: string
      readonly retryAfterMs?: number
    }

/** `status` undefined: it answered, and nobody may know what. */
export type Delivered = { readonly status: number | undefined; readonly answer: string }

/** Sends JSON. Never rejects; ends by itself. */
export type Post = (message: OutgoingMessage) => Promise<Result<Delivered, DeliveryFailure>>

/** How a receiver is doing, in times of this computer's clock. */
export type DeliveryState = {
  readonly id: string
  /** Messages, or alerts, that it has not taken yet. */
  readonly waiting: number
  readonly lastDeliveredWallMs: number | undefined
  readonly failingSinceWallMs: number | undefined
  readonly failure: DeliveryFailure | undefined
  readonly nextTryWallMs: number | undefined
  /** Messages that no longer fitted into the queue. */
  readonly lost: number
  /** Messages that the receiver would not take, whatever happens, and the last of its words. */
  readonly refused: number
  readonly lastRefusal: DeliveryFailure | undefined
}

/** A receiver's messages, kept over reloads. Anything that is not of this shape counts as nothing kept. */
type KeptOutbox = Readonly<Record<string, unknown>>

/** Where they are kept. Neither ever rejects; what can't be kept is held in memory. */
export type OutboxStorage = {
  readonly load: (receiverId: string) => Promise<unknown>
  /** `undefined` removes it. */
  readonly save: (receiverId: string, kept: KeptOutbox | undefined) => Promise<void>
}

/** What every line needs. */
export type DeliveryPorts = {
  readonly clock: Clock
  readonly post: Post
  readonly storage: OutboxStorage
  /** Its state is, or may be, another one. */
  readonly changed: () => void
}

/** What delivers to one receiver, or a part of that. */
export type DeliveryQueue = {
  readonly state: () => DeliveryState
  /** Tries at once what waits for its next try. */
  readonly now: () => void
  readonly end: () => void
}

const RETRY_FIRST_MS = 5_000
const RETRY_MAX_MS = 300_000

/** How one try went. `undefined`: there was nothing to do. `set-aside`: what could not be delivered is out of the way. */
export type Tried = Result<unknown, DeliveryFailure> | 'set-aside' | undefined

export type Trouble = {
  readonly sinceWallMs: number
  readonly failure: DeliveryFailure
  readonly nextTryWallMs: number
}

type Retry = ReturnType<typeof createRetry>

/** One try after the other until there is nothing to do, with ever longer waits while they fail. */
export function createRetry(clock: Clock, work: () => Promise<Tried>, changed: () => void) {
  let failures = 0
  let isBusy = false
  let isOver = false
  let cancel: (() => void) | undefined
  let deliveredWallMs: number | undefined
  let trouble: Trouble | undefined

  const wake = (): void => {
    if (isBusy || isOver || cancel !== undefined) return
    isBusy = true
    void work().then(took)
  }
  const took = (tried: Tried): void => {
    isBusy = false
    if (isOver || tried === undefined) return
    if (tried === 'set-aside' || tried.ok) {
      failures = 0
      trouble = undefined
      if (tried !== 'set-aside') deliveredWallMs = clock.wallMs()
      changed()
      return wake()
    }
    const waitMs = waitAfter(tried.error, ++failures)
    const wallMs = clock.wallMs()
    trouble = {
      sinceWallMs: trouble?.sinceWallMs ?? wallMs,
      failure: tried.error,
      nextTryWallMs: wallMs + waitMs,
    }
    cancel = clock.after(waitMs, () => {
      cancel = undefined
      wake()
    })
    changed()
  }
  const stopWaiting = (): void => {
    cancel?.()
    cancel = undefined
  }

  return {
    /** There is something to do, or may be. While a try is under way or waited for, that one does it. */
    wake,
    /** The same, without the wait. */
    now: (): void => {
      stopWaiting()
      wake()
    },
    lastDeliveredWallMs: (): number | undefined => deliveredWallMs,
    /** Undefined while all goes well. */
    trouble: (): Trouble | undefined => trouble,
    end: (): void => {
      isOver = true
      stopWaiting()
    },
  }
}

/** 5 s, then twice as long each time up to 5 minutes; longer where the receiver asks for it. */
function waitAfter(failure: DeliveryFailure, failures: number): number {
  const doubledMs = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS)
  const askedMs = failure.kind === 'status' ? (failure.retryAfterMs ?? 0) : 0
  return Math.max(doubledMs, askedMs)
}

/** The state of a receiver whose messages are never dropped or refused. */
export const stateOf = (id: string, retry: Retry, waiting: number): DeliveryState => ({
  id,
  waiting,
  lastDeliveredWallMs: retry.lastDeliveredWallMs(),
  failingSinceWallMs: retry.trouble()?.sinceWallMs,
  failure: retry.trouble()?.failure,
  nextTryWallMs: retry.trouble()?.nextTryWallMs,
  lost: 0,
  refused: 0,
  lastRefusal: undefined,
})
