import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import type { Engine } from '#pipeline/engine.ts'

/** Called across a Worker boundary, so it may resolve once the page has accepted the value. */
type PageListener<T> = (value: T) => void | Promise<void>

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

/** Status changes that affect only counters are sent at this interval; all others at once. */
const COUNTS_EVERY_MS = 10_000

/** Sends the history status at once and on changes. Returns a function that stops it. */
export const relayHistory = (
  clock: Clock,
  status: Store<HistoryStatus>,
  listener: PageListener<HistoryStatus>,
): (() => void) =>
  relayStore(status, listener, {
    clock,
    delayMs: (sent, next) => (isNews(sent, next) ? 0 : COUNTS_EVERY_MS),
  })

const NEWS = ['state', 'failure', 'lost', 'damaged', 'reach', 'removed', 'budgetBytes', 'hasOlder'] as const

const isNews = (before: HistoryStatus, now: HistoryStatus): boolean =>
  NEWS.some((name) => before[name] !== now[name]) ||
  // A new sentinel is sent at once, so that the page stores it before the data could be lost.
  (before.sentinel === undefined) !== (now.sentinel === undefined)

/** Sends updates one at a time, and combines those that a busy page missed. Returns a function that stops it. */
export function relayUpdates(
  subscribe: Engine['subscribe'],
  listener: PageListener<FleetUpdate>,
): () => void {
  const relay = createRelay(listener, combined)
  const end = subscribe(relay.send)
  return () => {
    end()
    relay.end()
  }
}

/** A removed node may be among the changed ones; the order leaves it out. */
const combined = (missed: FleetUpdate, next: FleetUpdate): FleetUpdate => ({
  ...missed,
  ...next,
  changed: Array.from(
    new Map([...missed.changed, ...next.changed].map((node) => [node.key, node] as const)).values(),
  ),
})

/** Minimum time between announcements of new journal entries. */
const ANNOUNCED_EVERY_MS = 500

export function relayEvents(clock: Clock, { log }: Engine['history'], listener: () => void): () => void {
  let cancel: (() => void) | undefined
  const relay = createRelay(listener)
  const end = log?.watch(() => {
    cancel ??= clock.after(ANNOUNCED_EVERY_MS, () => {
      cancel = undefined
      relay.send(undefined)
    })
  })
  return () => {
    end?.()
    cancel?.()
    relay.end()
  }
}
