import type { HttpReply } from '#protocol/ports.ts'
import { offsetFromDate, type ClockOffset } from '#record/clock-offset.ts'
import { httpDateMs } from '#record/http-date.ts'

type TimedReply = {
  readonly reply: HttpReply | undefined
  readonly startedWallMs: number
  readonly latencyMs: number
}

/** What one answer says of the service's clock. A cache's answer and the proxy's own carry a Date that is not the service's time now. */
export function offsetOfReply({ reply, startedWallMs, latencyMs }: TimedReply): ClockOffset | undefined {
  if (reply === undefined || reply.proxyFailure !== undefined || (cachedForS(reply) ?? 0) > 0)
    return undefined
  return offsetFromDate(reply.date, startedWallMs, startedWallMs + latencyMs)
}

/** The service's own time when it answered, Unix ms in whole seconds; undefined where it can't be read, or is not of now. */
export const serviceTimeOf = (sent: TimedReply): number | undefined =>
  offsetOfReply(sent) === undefined ? undefined : httpDateMs(sent.reply?.date ?? '')

/** How long a cache kept the answer, in seconds, where one says so. */
export const cachedForS = (reply: HttpReply | undefined): number | undefined => {
  const age = reply?.age?.trim()
  return age !== undefined && /^\d{1,10}$/.test(age) ? Number(age) : undefined
}
