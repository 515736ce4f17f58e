import { createDueQueue } from './due-queue.ts'
import { createLimiter, type InFlightMax, type Limiter, type Ticket } from './limiter.ts'
import { intervalOf, type FleetState, type TrackedNode, type TrackedService } from './tracked.ts'

const GOLDEN_RATIO = 0.618_033_988_749_894_9

/**
 * Where in the interval the node with this index is asked, from 0 to 1. Multiples of the
 * golden ratio stay evenly spread however many there are, so a node that is added later
 * moves nobody else.
 */
export const phaseOf = (index: number): number => (index * GOLDEN_RATIO) % 1

/** The first slot of a node's grid that is not before `notBeforeMs`. Its slots lie at (phase + k) intervals of the steady clock. */
export function nextSlotMs(phase: number, intervalMs: number, notBeforeMs: number): number {
  const offsetMs = phase * intervalMs
  return offsetMs + Math.ceil((notBeforeMs - offsetMs) / intervalMs) * intervalMs
}

export const slotMs = (node: TrackedNode, notBeforeMs: number): number =>
  nextSlotMs(node.phase, intervalOf(node), notBeforeMs)

/** Nodes that are asked out of turn (first round, a person's wish, a key that came) follow each other at least this closely. */
const OUT_OF_TURN_EVERY_MS = 100

/** Time between two nodes that are asked out of turn, of `count` that are watched: quick for a few, never quicker than their rounds for many. */
export const outOfTurnStepMs = (count: number, intervalMs: number): number =>
  Math.min(OUT_OF_TURN_EVERY_MS, intervalMs / count)

/** The smallest indexes that are not taken, in order: a removed node's place in the spread is given to the next one. */
export function freeIndexes(taken: ReadonlySet<number>, count: number): readonly number[] {
  const free: number[] = []
  for (let index = 0; free.length < count; index++) if (!taken.has(index)) free.push(index)
  return free
}

/** When each node is polled next, and which may start now. */
export type Schedule = Pick<Limiter<TrackedNode>, 'setHosts' | 'oldestSlotMs'> & {
  /** At the first slot of its grid that is not before then. A service that waits for a key, or holds its nodes back, has the last word. */
  readonly plan: (node: TrackedNode, notBeforeMs: number) => void
  /** At that very moment, on the grid or not. */
  readonly planAt: (node: TrackedNode, atMs: number) => void
  /** Not by the clock; `shownMs` is when its service is asked for all of them. */
  readonly unplan: (node: TrackedNode, shownMs: number | undefined) => void
  /**
   * Soon, the first at once and the others close behind, never all in one moment. They come
   * in the order of their slots, so that the rounds on the grid follow on evenly.
   */
  readonly planOutOfTurn: (nodes: readonly TrackedNode[], nowMs: number) => void
  /** Every node of the service that is not being asked right now goes back to its grid. */
  readonly planAll: (service: TrackedService, notBeforeMs: number) => void
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
  const plan = (node: TrackedNode, notBeforeMs: number): void => {
    const { waiting, hold, probe } = node.service
    const onGridMs = slotMs(node, Math.max(notBeforeMs, node.notBeforeMs, hold?.untilMs ?? 0))
    if (waiting !== undefined) unplan(node, undefined)
    else if (hold?.reason !== 'refused') planAt(node, onGridMs)
    else if (probe === node) planAt(node, hold.untilMs > notBeforeMs ? hold.untilMs : onGridMs)
    else unplan(node, hold.untilMs)
  }

  return {
    plan,
    planAt,
    unplan,
    planOutOfTurn: (nodes, nowMs) => {
      const idle = nodes
        .filter((node) => node.flight === undefined && node.service.waiting === undefined)
        .map((node) => ({ node, slotMs: slotMs(node, nowMs) }))
        .toSorted((a, b) => a.slotMs - b.slotMs)
      idle.forEach(({ node }, place) => {
        const stepMs = outOfTurnStepMs(
          Math.max(idle.length, node.service.nodes.size),
          node.service.service.pollIntervalMs,
        )
        planAt(node, nowMs + place * stepMs)
      })
    },
    planAll: (service, notBeforeMs) => {
      for (const node of service.nodes.values()) if (node.flight === undefined) plan(node, notBeforeMs)
    },
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
