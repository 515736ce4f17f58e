import * as v from 'valibot'
import { createDeliveryQueue, createPersisted, type Attempt, type ReceiverKind } from './delivery-queue.ts'

/**
 * A dead-man's switch: pings at the start and at an interval, but only while watching works. The receiver raises
 * an alarm when pings stop.
 */
export const PING: ReceiverKind = {
  open: ({ id, postUrl, via, everyMs }, { isWatching, ...ports }) => {
    const nowMs = (): number => ports.clock.monotonicMs()
    let dueMs = nowMs()
    const next = (): Attempt | undefined =>
      nowMs() >= dueMs && isWatching()
        ? {
            message: { url: postUrl, body: '{}', blind: via === 'direct' },
            accepted: () => {
              dueMs += everyMs * (1 + Math.floor((nowMs() - dueMs) / everyMs))
              return undefined
            },
          }
        : undefined
    const state = () => ({ waiting: nowMs() >= dueMs ? 1 : 0 })
    const nothing = createPersisted(id, ports.storage, v.object({}))
    const { update, ...queue } = createDeliveryQueue(id, ports, { next, state }, nothing)
    return { ...queue, sync: () => update(() => false) }
  },
  testBody: () => ({}),
}
