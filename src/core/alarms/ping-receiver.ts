import { PING_EVERY_MAX_MS, PING_EVERY_MIN_MS } from './channels.ts'
import {
  type DeliveryPorts,
  type DeliveryQueue,
  type Outgoing,
  createDeliveryQueue,
} from './delivery-queue.ts'

type PingPorts = Omit<DeliveryPorts, 'storage'> & {
  /** Whether nodes are polled and alarms evaluated. */
  readonly isWatching: () => boolean
}

/** How soon the first ping follows once watching works again. */
const CHECK_EVERY_MS = 10_000

/**
 * A dead-man's switch: a ping at the start and then at an interval, but only while watching works.
 * The receiver raises the alarm when pings stop.
 */
export function createPingQueue(
  { id, postUrl, via, everyMs }: Outgoing,
  { isWatching, ...ports }: PingPorts,
): DeliveryQueue {
  const intervalMs = Math.min(Math.max(everyMs, PING_EVERY_MIN_MS), PING_EVERY_MAX_MS)
  let isDue = true
  let leftMs = intervalMs
  let waitMs = 0
  const { repeat, state, now, end } = createDeliveryQueue(id, ports, {
    next: () =>
      isDue && isWatching()
        ? {
            message: { url: postUrl, body: '{}', blind: via === 'direct' },
            accepted: () => {
              isDue = false
              return undefined
            },
          }
        : undefined,
    state: () => ({ waiting: isDue ? 1 : 0 }),
  })
  repeat(() => {
    leftMs -= waitMs
    if (leftMs <= 0) {
      isDue = true
      leftMs = intervalMs
    }
    waitMs = isDue ? Math.min(CHECK_EVERY_MS, leftMs) : leftMs
    return waitMs
  })
  return { state, now, end }
}
