import { createDueQueue } from './due-queue.ts'
import { createLimiter, type InFlightMax } from './limiter.ts'
import type { FleetState, TrackedNode } from './tracked.ts'

/** When each node is polled next, and which may start now. */
export type Schedule = ReturnType<typeof createSchedule>

export function createSchedule({ setLive }: Pick<FleetState, 'setLive'>, inFlightMax?: InFlightMax) {
  const due = createDueQueue<TrackedNode>()
  const limiter = createLimiter<TrackedNode>(inFlightMax)

  const show = (node: TrackedNode, nextPollMs: number | undefined): void => {
    if (node.live.nextPollMs !== nextPollMs) setLive(node, { ...node.live, nextPollMs })
  }
  /** At that very moment, on the grid or not. */
  const planAt = (node: TrackedNode, atMs: number): void => {
    limiter.remove(node)
    due.set(node, atMs)
    show(node, atMs)
  }
  /** Not by the clock; `shownMs` is when its service is asked for all of them. */
  const unplan = (node: TrackedNode, shownMs: number | undefined): void => {
    limiter.remove(node)
    due.delete(node)
    show(node, shownMs)
  }
  return {
    planAt,
    unplan,
    /** It is due, and waits for others of its host. */
    isQueued: limiter.has,
    queueDue: (nowMs: number): void => {
      for (let next = due.soonest(); next !== undefined && next.dueMs <= nowMs; next = due.soonest()) {
        due.delete(next.item)
        const { service, suspect, urgent } = next.item
        const { pace } = service.service
        const apartMs = pace && 1_000 / pace
        const key = { host: service.host, service: service.id, suspect, urgent, apartMs }
        limiter.enqueue(next.item, key, next.dueMs)
      }
    },
    take: limiter.take,
    /** When something is due next, or may start that its service's pace keeps waiting; infinite where nothing is. */
    soonestMs: (nowMs: number): number =>
      Math.min(due.soonest()?.dueMs ?? Number.POSITIVE_INFINITY, limiter.pacedUntilMs(nowMs)),
    setHosts: limiter.setHosts,
    oldestSlotMs: limiter.oldestSlotMs,
  }
}
