import { correctionOf } from '#signing/clock-correction.ts'
import { httpDateMs } from '#record/http-date.ts'
import { narrowOffset, offsetFromDate, type ClockOffset } from '#record/clock-offset.ts'
import type { HttpReply } from '#protocol/ports.ts'
import type { PollTarget, SentPoll } from './poll.ts'
import type { Room } from './room.ts'
import type { TrackedService } from './tracked.ts'

type Timed = Pick<SentPoll, 'reply' | 'startedWallMs' | 'latencyMs'>

/** What one answer says of the service's clock. A cache's answer and the proxy's own carry a Date that is not the service's time now. */
export function offsetOfReply({ reply, startedWallMs, latencyMs }: Timed): ClockOffset | undefined {
  if (reply === undefined || reply.proxyFailure !== undefined || (cachedForS(reply) ?? 0) > 0)
    return undefined
  return offsetFromDate(reply.date, startedWallMs, startedWallMs + latencyMs)
}

/** The service's own time when it answered, Unix ms in whole seconds; undefined where it can't be read, or is not of now. */
export const serviceTimeOf = (sent: Timed): number | undefined =>
  offsetOfReply(sent) === undefined ? undefined : httpDateMs(sent.reply?.date ?? '')

/** Narrows what is known of the service's clock by the Date of one more answer. */
export function noteOffset(room: Room, service: TrackedService, sent: SentPoll, nowMs: number): void {
  const seen = offsetOfReply(sent)
  if (seen === undefined) return
  const before = service.offset
  const offset = narrowOffset(before, seen, nowMs - service.offsetMs)
  service.offsetMs = nowMs
  service.offset = offset
  const moved = (bound: 'lowMs' | 'highMs'): boolean =>
    before === undefined || Math.abs(before[bound] - offset[bound]) > 1
  if (moved('lowMs') || moved('highMs')) room.changes.services()
}

/** Remembers whether this service takes its own time instead of this computer's. */
export function noteCorrection(room: Room, service: TrackedService, { correction, result }: SentPoll): void {
  const before = service.correction
  if (correction !== undefined) service.correction = correction
  // Good with this computer's own time: whatever was refused before, it was not because of the time.
  else if (result.ok) service.correction = undefined
  if (before?.state !== service.correction?.state) room.changes.services()
}

/** What to sign the next request with: the service's time as it is known best, where the service takes no other. */
export const timeToSign = ({ correction, offset }: TrackedService): Pick<PollTarget, 'correctionMs'> => ({
  correctionMs: correction?.state === 'used' && offset !== undefined ? correctionOf(offset) : undefined,
})

/** How long a cache kept the answer, in seconds, where one says so. */
export const cachedForS = (reply: HttpReply | undefined): number | undefined => {
  const age = reply?.age?.trim()
  return age !== undefined && /^\d{1,10}$/.test(age) ? Number(age) : undefined
}
