import { textFingerprint } from '#base/fingerprint.ts'
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

/** Whoever says more is taken for less: a reading is never older than this because of it. */
const COLLECTED_MAX_MS = 3_600_000

/** How long before this answer a collector had it, ms; 0 where none was between. */
export const collectedAgeMs = (reply: HttpReply | undefined): number => {
  const age = reply?.collectedAge?.trim() ?? ''
  return /^\d{1,10}$/.test(age) ? Math.min(Number(age) * 1_000, COLLECTED_MAX_MS) : 0
}

/** An answer, and when it was here, by the steady clock. */
export type DatedAnswer = { readonly date: string; readonly body: string; readonly endedMs: number }

/** Dates are whole seconds, and a server may round: within this time an equal one says nothing. */
const DATE_MOVES_WITHIN_MS = 2_000

/**
 * What an answer's Date says of whether it was given before. A cache in the way, whether it says so or
 * not, keeps the Date and the body of the answer that it has. So an answer asked for at least two
 * seconds after another, with the same Date and the same body, is that other one: nothing is known of
 * now. Where the body is another one, the service answered, and it is its clock that stands still:
 * then its Dates tell nothing from then on. Without a Date that can be read, nothing is told.
 */
export function repetition(
  before: DatedAnswer | undefined,
  { reply, startedMs, latencyMs }: Pick<TimedReply, 'reply' | 'latencyMs'> & { readonly startedMs: number },
): 'new' | 'repeated' | 'no-clock' | DatedAnswer {
  const { date, body = '', proxyFailure } = reply ?? {}
  if (date === undefined || proxyFailure !== undefined || Number.isNaN(httpDateMs(date))) return 'new'
  const answer = { date, body: textFingerprint(body), endedMs: startedMs + latencyMs }
  if (before?.date !== date) return answer
  const isLater = startedMs - before.endedMs >= DATE_MOVES_WITHIN_MS
  if (before.body !== answer.body) return isLater ? 'no-clock' : answer
  return isLater ? 'repeated' : 'new'
}
