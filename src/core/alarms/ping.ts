import { PING_EVERY_MAX_MS, PING_EVERY_MIN_MS } from './channels.ts'
import {
  type Attempt,
  type DeliveryPorts,
  type DeliveryQueue,
  type OutboxPorts,
  type Outgoing,
  type SenderKind,
  createDeliveryQueue,
} from './delivery-queue.ts'

type PingPorts = Omit<DeliveryPorts, 'storage'> & Pick<OutboxPorts, 'isWatching'>

export const PING: SenderKind = { open: createPingQueue, testBody: () => ({}), isBlind: true }

/** How soon the first ping follows once watching works again. */
const CHECK_EVERY_MS = 10_000

/**
 * A dead-man's switch: pings at the start and at an interval, but only while watching works. The receiver raises
 * an alarm when pings stop.
 */
export function createPingQueue(
  { id, postUrl, via, everyMs }: Outgoing,
  { isWatching, ...ports }: PingPorts,
): DeliveryQueue {
  const intervalMs = Math.min(Math.max(everyMs, PING_EVERY_MIN_MS), PING_EVERY_MAX_MS)
  let isDue = true
  let leftMs = intervalMs
  let waitMs = 0
  const next = (): Attempt | undefined =>
    isDue && isWatching()
      ? {
          message: { url: postUrl, body: '{}', blind: via === 'direct' },
          accepted: () => {
            isDue = false
            return undefined
          },
        }
      : undefined
  const state = () => ({ waiting: isDue ? 1 : 0 })
  const { update: _, repeat, ...queue } = createDeliveryQueue(id, ports, { next, state })
  repeat(() => {
    leftMs -= waitMs
    if (leftMs <= 0) {
      isDue = true
      leftMs = intervalMs
    }
    waitMs = isDue ? Math.min(CHECK_EVERY_MS, leftMs) : leftMs
    return waitMs
  })
  return queue
}
