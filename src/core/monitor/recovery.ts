import { FAILURES } from '#protocol/failure.ts'
import { release } from './hold.ts'
import { plan, slotMs } from './plan.ts'
import type { Room } from './room.ts'
import type { TrackedService } from './tracked.ts'

/** A service that brought nothing for this many intervals was down, and one good answer means that it is back. */
const DOWN_AFTER_INTERVALS = 1.5

/** A node of the service answered: whatever was held against the service is over. */
export function serviceAnswered(room: Room, service: TrackedService, startedMs: number, nowMs: number): void {
  const downMs = DOWN_AFTER_INTERVALS * service.service.pollIntervalMs
  const wasDown =
    service.failedSince && (service.answeredMs === undefined || startedMs - service.answeredMs > downMs)
  service.answeredMs = startedMs
  service.failedSince = false
  service.refusals = 0
  service.limitations = 0
  if (service.hold?.reason === 'refused') release(room, service, nowMs)
  else if (wasDown) returnToGrid(room, service, nowMs)
}

/** The service is back: nodes that waited long because of it are asked at their next slots, which lie spread. */
function returnToGrid(room: Room, service: TrackedService, nowMs: number): void {
  for (const node of service.nodes.values()) {
    const { episode, nextPollMs } = node.live
    if (episode === undefined || nextPollMs === undefined || node.flight !== undefined) continue
    const backedOff = nextPollMs > slotMs(node, nowMs)
    if (backedOff && FAILURES[episode.failure.kind].scope !== 'node') plan(room, node, nowMs)
  }
}
