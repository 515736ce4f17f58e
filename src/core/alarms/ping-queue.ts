import {
  type DeliveryPorts,
  type DeliveryQueue,
  type Outgoing,
  type Tried,
  createRetry,
  stateOf,
} from './delivery.ts'

export const PING_EVERY_MIN_MS = 60_000
export const PING_EVERY_MAX_MS = 86_400_000

type PingPorts = Omit<DeliveryPorts, 'storage'> & {
  /** Whether nodes are really polled and alarms evaluated. */
  readonly isWatching: () => boolean
}

/**
 * A dead-man's switch: a ping at the beginning and then every so often, but only while watching
 * works. Whoever receives them raises the alarm when they stop.
 */
export function createPingQueue(
  { id, postUrl, via, everyMs }: Outgoing,
  { clock, post, isWatching, changed }: PingPorts,
): DeliveryQueue {
  let isDue = true
  let cancel: () => void

  const ping = async (): Promise<Tried> => {
    if (!isDue || !isWatching()) return undefined
    const sent = await post({ url: postUrl, body: '{}', blind: via === 'direct' })
    if (sent.ok) isDue = false
    return sent
  }
  const retry = createRetry(clock, ping, changed)
  const everyOne = Math.min(Math.max(everyMs, PING_EVERY_MIN_MS), PING_EVERY_MAX_MS)
  const tick = (leftMs: number): void => {
    retry.wake()
    // It begins as soon as watching does, and not one period later.
    const waitMs = isDue ? Math.min(CHECK_EVERY_MS, leftMs) : leftMs
    cancel = clock.after(waitMs, () => {
      if (leftMs > waitMs) return tick(leftMs - waitMs)
      isDue = true
      tick(everyOne)
    })
  }
  tick(everyOne)

  return {
    state: () => stateOf(id, retry, isDue ? 1 : 0),
    now: retry.now,
    end: () => {
      cancel()
      retry.end()
    },
  }
}

const CHECK_EVERY_MS = 10_000
