import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'

/** Called across a Worker boundary, so it may resolve once the page has accepted the value. */
export type PageListener<T> = (value: T) => void | Promise<void>

/**
 * Sends values one at a time. While the page is busy or frozen, only the newest value is retained, so that a page that sleeps
 * overnight does not wake to 100,000 messages. `combine` retains what matters of the values that it missed.
 */
export function createRelay<T>(
  listener: PageListener<T>,
  combine: (missed: T, next: T) => T = (_missed, next) => next,
) {
  let waiting: { readonly value: T } | undefined
  let isBusy = false
  let isEnded = false
  const pass = (value: T): void => {
    isBusy = true
    // A failing listener is the page's problem; the next value is still sent.
    void Promise.resolve(value).then(listener).then(taken, taken)
  }
  const taken = (): void => {
    isBusy = false
    const next = waiting
    waiting = undefined
    if (next !== undefined && !isEnded) pass(next.value)
  }
  return {
    send: (value: T): void => {
      if (!isBusy) pass(value)
      else waiting = { value: waiting === undefined ? value : combine(waiting.value, value) }
    },
    end: (): void => {
      isEnded = true
    },
  }
}

/**
 * Sends the current value and every change; with a `pace`, a change after `delayMs`. Returns a function that stops it.
 */
export function relayStore<T>(
  store: Pick<Store<T>, 'get' | 'subscribe'>,
  listener: PageListener<T>,
  pace?: { readonly clock: Clock; readonly delayMs: (sent: T, next: T) => number },
): () => void {
  const relay = createRelay(listener)
  let sent = store.get()
  let cancel: (() => void) | undefined
  const send = (): void => {
    cancel?.()
    cancel = undefined
    sent = store.get()
    relay.send(sent)
  }
  const end = store.subscribe(() => {
    const waitMs = pace?.delayMs(sent, store.get()) ?? 0
    if (waitMs === 0) send()
    else cancel ??= pace?.clock.after(waitMs, send)
  })
  send()
  return () => {
    end()
    cancel?.()
    relay.end()
  }
}
