import { setLive, type Room } from './room.ts'
import { nextSlotMs, outOfTurnStepMs } from './schedule.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/**
 * Plans a node's next poll: the first slot of its grid that is not before `notBeforeMs`. A
 * service that waits for a key, or holds its nodes back, has the last word.
 */
export function plan(room: Room, node: TrackedNode, notBeforeMs: number): void {
  const { service } = node
  const { hold } = service
  if (service.waiting !== undefined) unplan(room, node, undefined)
  else if (hold?.reason === 'refused' && service.probe === node) planAt(room, node, hold.untilMs)
  else if (hold?.reason === 'refused') unplan(room, node, hold.untilMs)
  else {
    const earliestMs = Math.max(notBeforeMs, hold?.untilMs ?? 0)
    planAt(room, node, slotMs(node, earliestMs))
  }
}

/** The first slot of the node's grid that is not before `notBeforeMs`. */
export const slotMs = ({ phase, service }: TrackedNode, notBeforeMs: number): number =>
  nextSlotMs(phase, service.service.pollIntervalMs, notBeforeMs)

/** Plans a poll for that very moment, on the grid or not. */
export function planAt(room: Room, node: TrackedNode, atMs: number): void {
  room.limiter.remove(node)
  room.due.set(node, atMs)
  if (node.live.nextPollMs !== atMs) setLive(room, node, { ...node.live, nextPollMs: atMs })
}

/** Nothing is asked of this node by the clock; `shownMs` is when its service is asked for all of them. */
export function unplan(room: Room, node: TrackedNode, shownMs: number | undefined): void {
  room.limiter.remove(node)
  room.due.delete(node)
  if (node.live.nextPollMs !== shownMs) setLive(room, node, { ...node.live, nextPollMs: shownMs })
}

/**
 * Asks these soon, the first at once and the others close behind, never all in one moment.
 * They come in the order of their slots, so that the rounds on the grid follow on evenly.
 */
export function planOutOfTurn(room: Room, nodes: readonly TrackedNode[], nowMs: number): void {
  const idle = nodes
    .filter((node) => node.flight === undefined && node.service.waiting === undefined)
    .map((node) => ({ node, slotMs: slotMs(node, nowMs) }))
    .toSorted((a, b) => a.slotMs - b.slotMs)
  idle.forEach(({ node }, place) => {
    const stepMs = outOfTurnStepMs(idle.length, node.service.service.pollIntervalMs)
    planAt(room, node, nowMs + place * stepMs)
  })
}

/** Every node of the service that is not being asked right now goes back to its grid. */
export function planAll(room: Room, service: TrackedService, notBeforeMs: number): void {
  for (const node of service.nodes.values()) if (node.flight === undefined) plan(room, node, notBeforeMs)
}
