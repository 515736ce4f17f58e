import { createDueQueue } from './due-queue.ts'
import { createLimiter, type InFlightMax, type Limiter, type Ticket } from './limiter.ts'
import type { FleetState, TrackedNode } from './tracked.ts'

/** When each node is polled next, and which may start now. */
export type Schedule = Pick<Limiter<TrackedNode>, 'setHosts' | 'oldestSlotMs'> & {
  /** At that very moment, on the grid or not. */
  readonly planAt: (node: TrackedNode, atMs: number) => void
  /** Not by the clock; `shownMs` is when its service is asked for all of them. */
  readonly unplan: (node: TrackedNode, shownMs: number | undefined) => void
  /** It is due, and waits for others of its host. */
  readonly isQueued: (node: TrackedNode) => boolean
  /** Queues what is due by now. */
  readonly queueDue: (nowMs: number) => void
  readonly take: (nowMs: number) => Ticket<TrackedNode> | undefined
  /** When something is due next, or may start that its service's pace keeps waiting. */
  readonly soonestMs: (nowMs: number) => number | undefined
}

export function createSchedule(
  { setLive }: Pick<FleetState, 'setLive'>,
  inFlightMax?: InFlightMax,
): Schedule {
  const due = createDueQueue<TrackedNode>()
  const limiter = createLimiter<TrackedNode>(inFlightMax)

  const show = (node: TrackedNode, nextPollMs: number | undefined): void => {
    if (node.live.nextPollMs !== nextPollMs) setLive(node, { ...node.live, nextPollMs })
  }
  const planAt = (node: TrackedNode, atMs: number): void => {
    limiter.remove(node)
    due.set(node, atMs)
    show(node, atMs)
  }
  const unplan = (node: TrackedNode, shownMs: number | undefined): void => {
    limiter.remove(node)
    due.delete(node)
    show(node, shownMs)
  }
  return {
    planAt,
    unplan,
    isQueued: limiter.has,
    queueDue: (nowMs) => {
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
    soonestMs: (nowMs) => {
      const dueMs = due.soonest()?.dueMs
      const pacedMs = limiter.pacedUntilMs(nowMs)
      return dueMs === undefined || pacedMs === undefined ? (dueMs ?? pacedMs) : Math.min(dueMs, pacedMs)
    },
    setHosts: limiter.setHosts,
    oldestSlotMs: limiter.oldestSlotMs,
  }
}
