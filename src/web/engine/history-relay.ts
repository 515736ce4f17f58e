import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import { relayStore, type PageListener } from './page-relay.ts'

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
