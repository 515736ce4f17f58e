import { PING_EVERY_MAX_MS, PING_EVERY_MIN_MS } from '#alarms/channels.ts'
import {
  type Attempt,
  type DeliveryQueue,
  type Outgoing,
  type ReceiverKind,
  createDeliveryQueue,
} from './delivery-queue.ts'

/**
 * A dead-man's switch: pings at the start and at an interval, but only while watching works. The receiver raises
 * an alarm when pings stop.
 */
export const PING: ReceiverKind = { open, testBody: () => ({}), isBlind: true }

/** How soon the first ping follows once watching works again. */
const CHECK_EVERY_MS = 10_000

function open(
  { id, postUrl, via, everyMs }: Outgoing,
  { isWatching, ...ports }: Parameters<ReceiverKind['open']>[1],
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
