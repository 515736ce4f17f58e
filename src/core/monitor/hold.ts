import { DEFAULTS } from '#base/defaults.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import { heldBack } from './node-state.ts'
import { plan, planAll, planOutOfTurn } from './plan.ts'
import { setLive, type Room } from './room.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/**
 * The key was refused several times in a row: many services lock out whoever goes on. One
 * node asks for all of them, rarely, each time another one, since one node alone may be barred.
 */
export function holdRefused(room: Room, service: TrackedService, failure: PollFailure, nowMs: number): void {
  if (service.hold?.reason !== 'refused') noteHold(room, service, 'asking-slowed', failure)
  service.hold = { reason: 'refused', untilMs: nowMs + DEFAULTS.slowAfterRefusalMs, failure }
  service.probe = nodeAfter(service, service.probe)
  holdBackNodes(room, service, failure, nowMs)
  room.changes.services()
}

/** The service asked for fewer requests: no node is asked before then. */
export function holdLimited(
  room: Room,
  service: TrackedService,
  failure: PollFailure,
  untilMs: number,
): void {
  if (service.hold === undefined) noteHold(room, service, 'asking-slowed', failure)
  service.hold = { reason: 'rate-limited', untilMs, failure }
  planAll(room, service, untilMs)
  room.changes.services()
}

/** Without a key nothing can be asked, and a page that may not reach the service need not try. */
export function pause(room: Room, service: TrackedService, failure: PollFailure, nowMs: number): void {
  if (service.waiting?.kind !== failure.kind) noteHold(room, service, 'asking-paused', failure)
  service.waiting = failure
  service.hold = undefined
  holdBackNodes(room, service, failure, nowMs)
  room.changes.services()
}

/** The cause is gone, or may be: what was held back is asked again, spread and from the grid's next slots on. */
export function release(room: Room, service: TrackedService, nowMs: number): void {
  forgetHold(room, service)
  planAll(room, service, nowMs)
}

/** The same for a key that came or a person who asks: at once. */
export function resume(room: Room, service: TrackedService, nowMs: number): void {
  forgetHold(room, service)
  planOutOfTurn(room, Array.from(service.nodes.values()), nowMs)
}

/** A node of a service that is held back carries the service's failure, though it was not asked itself. */
export function holdBackNode(room: Room, node: TrackedNode, nowMs: number): void {
  const failure =
    node.service.waiting ?? (node.service.hold?.reason === 'refused' && node.service.hold.failure)
  if (failure) setLive(room, node, heldBack(node.live, failure, nowMs, room.clock.wallMs()))
}

function holdBackNodes(room: Room, service: TrackedService, failure: PollFailure, nowMs: number): void {
  const wallMs = room.clock.wallMs()
  for (const node of service.nodes.values()) {
    if (node.flight !== undefined) continue // its answer is under way and will say more
    setLive(room, node, heldBack(node.live, failure, nowMs, wallMs))
    plan(room, node, nowMs)
  }
}

function forgetHold(room: Room, service: TrackedService): void {
  const failure = service.waiting ?? service.hold?.failure
  if (failure !== undefined) noteHold(room, service, 'asking-resumed', failure)
  service.waiting = undefined
  service.hold = undefined
  service.probe = undefined
  service.refusals = 0
  for (const node of service.nodes.values())
    if (node.live.episode?.misses === 0) setLive(room, node, { ...node.live, episode: undefined })
  room.changes.services()
}

/** The log tells of a service as a whole what its nodes were not asked for. */
function noteHold(
  room: Room,
  service: TrackedService,
  what: 'asking-slowed' | 'asking-paused' | 'asking-resumed',
  failure: PollFailure,
): void {
  const facts = { kind: failure.kind, code: failureCode(failure), nodes: service.nodes.size }
  room.log([{ wallMs: room.clock.wallMs(), area: 'service', what, serviceId: service.id, facts }])
}

/** The node that follows in the configured order, round and round. */
function nodeAfter(service: TrackedService, before: TrackedNode | undefined): TrackedNode | undefined {
  const nodes = Array.from(service.nodes.values())
  const place = before === undefined ? -1 : nodes.indexOf(before)
  return nodes[(place + 1) % nodes.length]
}
