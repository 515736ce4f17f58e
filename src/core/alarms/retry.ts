import type { Clock } from '#base/clock.ts'
import type { Result } from '#base/result.ts'
import type { DeliveryFailure, DeliveryState } from './delivery.ts'

export const RETRY_FIRST_MS = 5_000
export const RETRY_MAX_MS = 300_000

/** How one try went. `undefined`: there was nothing to do. `set-aside`: what could not be delivered is out of the way. */
export type Tried = Result<unknown, DeliveryFailure> | 'set-aside' | undefined

export type Trouble = {
  readonly sinceWallMs: number
  readonly failure: DeliveryFailure
  readonly nextTryWallMs: number
}

/** One try after the other until there is nothing to do. */
export type Retry = {
  /** There is something to do, or may be. While a try is under way or waited for, that one does it. */
  readonly wake: () => void
  /** The same, without the wait. */
  readonly now: () => void
  readonly lastDeliveredWallMs: () => number | undefined
  /** Undefined while all goes well. */
  readonly trouble: () => Trouble | undefined
  readonly end: () => void
}

/** One try after the other until there is nothing to do, with ever longer waits while they fail. */
export function createRetry(clock: Clock, work: () => Promise<Tried>, changed: () => void): Retry {
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
    wake,
    now: () => {
      stopWaiting()
      wake()
    },
    lastDeliveredWallMs: () => deliveredWallMs,
    trouble: () => trouble,
    end: () => {
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

/** What is told of a receiver whose messages are never dropped or refused. */
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
