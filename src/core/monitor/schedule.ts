import { BATCH_MAX } from '#protocol/batch.ts'
import { createDueQueue } from './due-queue.ts'
import { createLimiter, type InFlightMax } from './limiter.ts'
import { intervalOf, type FleetState, type TrackedNode, type TrackedService } from './tracked.ts'
import { slotMs } from './when.ts'

/**
 * Polls that are due within `ms`, or a share of the interval, start together, because waking the engine, the signer and the
 * page costs as much as a poll. Their number is small, so that the service of a large fleet sees no bursts.
 */
const TOGETHER = { max: 4, ms: 750, share: 0.1 }
/** A batch costs hardly more than one request. */
const BATCHED = { max: BATCH_MAX, ms: 1_500, share: 0.2 }

/** Only a poll in the node's own slot may start early, and never one that waits because of a failure. */
function mayJoin(node: TrackedNode, { ms, share }: typeof TOGETHER, dueMs: number, nowMs: number): boolean {
  const earlyMs = Math.min(ms, share * intervalOf(node))
  const isWaiting = node.notBeforeMs > nowMs || node.service.asking.hold !== undefined
  return dueMs - nowMs <= earlyMs && !isWaiting && dueMs === slotMs(node, nowMs)
}

export type Schedule = ReturnType<typeof createSchedule>

export function createSchedule(
  { setLive }: Pick<FleetState, 'setLive'>,
  inFlightMax: InFlightMax,
  isBatched: (service: TrackedService) => boolean,
) {
  const due = createDueQueue<TrackedNode>()
  const limiter = createLimiter<TrackedNode>(inFlightMax)

  const show = (node: TrackedNode, nextPollMs: number | undefined): void => {
    if (node.live.nextPollMs !== nextPollMs) setLive(node, { ...node.live, nextPollMs })
  }
  /** At exactly this time, on the grid or not. */
  const planAt = (node: TrackedNode, atMs: number): void => {
    limiter.remove(node)
    due.set(node, atMs)
    show(node, atMs)
  }
  /** Removes the node from the schedule. `shownMs`: when another node polls for the service. */
  const unplan = (node: TrackedNode, shownMs: number | undefined): void => {
    limiter.remove(node)
    due.delete(node)
    show(node, shownMs)
  }
  return {
    planAt,
    unplan,
    /** The node is due and waits for a connection slot. */
    isQueued: limiter.has,
    isWaiting: limiter.isWaiting,
    queueDue: (nowMs: number): void => {
      let starting = 0
      for (let next = due.soonest(); next !== undefined; next = due.soonest()) {
        const { service, suspect, urgent } = next.item
        const batched = isBatched(service)
        const together = batched ? BATCHED : TOGETHER
        const joins =
          starting > 0 && starting < together.max && mayJoin(next.item, together, next.dueMs, nowMs)
        if (next.dueMs > nowMs && !joins) return
        starting++
        due.delete(next.item)
        const { pace } = service.service
        const apartMs = pace && 1_000 / pace
        const key = { host: service.host, service: service.id, suspect, urgent, batched, apartMs }
        limiter.enqueue(next.item, key, next.dueMs)
      }
    },
    take: limiter.take,
    isBatched,
    /** Next due poll, or next start that only waits for its service's pace; infinite if there is none. */
    soonestMs: (nowMs: number): number =>
      Math.min(due.soonest()?.dueMs ?? Number.POSITIVE_INFINITY, limiter.pacedUntilMs(nowMs)),
    setHosts: limiter.setHosts,
    oldestSlotMs: limiter.oldestSlotMs,
  }
}
