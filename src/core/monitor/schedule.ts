import { createDueQueue } from './due-queue.ts'
import { createLimiter, type InFlightMax } from './limiter.ts'
import type { FleetState, TrackedNode } from './tracked.ts'

export type Schedule = ReturnType<typeof createSchedule>

export function createSchedule({ setLive }: Pick<FleetState, 'setLive'>, inFlightMax: InFlightMax) {
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
    /** Next due poll, or next start that only waits for its service's pace; infinite if there is none. */
    soonestMs: (nowMs: number): number =>
      Math.min(due.soonest()?.dueMs ?? Number.POSITIVE_INFINITY, limiter.pacedUntilMs(nowMs)),
    setHosts: limiter.setHosts,
    oldestSlotMs: limiter.oldestSlotMs,
  }
}
