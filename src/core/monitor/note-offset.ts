import { narrowOffset, offsetFromDate } from '#protocol/clock-offset.ts'
import type { HttpReply } from '#protocol/ports.ts'
import type { SentPoll } from './poll.ts'
import type { Room } from './room.ts'
import type { TrackedService } from './tracked.ts'

/** Narrows what is known of the service's clock by the Date of one more answer. */
export function noteOffset(
  room: Room,
  service: TrackedService,
  reply: HttpReply,
  sent: SentPoll,
  nowMs: number,
): void {
  // A cache's answer and the proxy's own carry a Date that is not the service's time now.
  if (reply.proxyFailure !== undefined || (cachedForS(reply) ?? 0) > 0) return
  const seen = offsetFromDate(reply.date, sent.startedWallMs, sent.startedWallMs + sent.latencyMs)
  if (seen === undefined) return
  const before = service.offset
  const offset = narrowOffset(before, seen, nowMs - service.offsetMs)
  service.offsetMs = nowMs
  service.offset = offset
  const moved = (bound: 'lowMs' | 'highMs'): boolean =>
    before === undefined || Math.abs(before[bound] - offset[bound]) > 1
  if (moved('lowMs') || moved('highMs')) room.publisher.services()
}

/** How long a cache kept the answer, in seconds, where one says so. */
export const cachedForS = (reply: HttpReply | undefined): number | undefined => {
  const age = reply?.age?.trim()
  return age !== undefined && /^\d{1,10}$/.test(age) ? Number(age) : undefined
}
