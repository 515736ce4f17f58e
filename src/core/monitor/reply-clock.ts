import { HOUR_MS } from '#base/time.ts'
import { textFingerprint } from '#base/fingerprint.ts'
import type { Result } from '#base/result.ts'
import type { Correction } from '#fleet/diagnosis.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import type { HttpReply } from '#protocol/transport.ts'
import { httpDateMs, offsetFromDate, type ClockOffset } from '#record/clock-offset.ts'

/** All that is known of a service's clock. Only `service-clock.ts` writes it. */
export type ServiceClock = {
  /** How far it is ahead of this computer's; undefined until an answer carried a readable Date. */
  offset: ClockOffset | undefined
  /** What that was before this computer slept or its clock was set ahead: what it is afterwards tells which. */
  offsetBefore: ClockOffset | undefined
  /** When the offset was last confirmed, */
  confirmedMs: number
  /** and when an answer's Date last showed that the service's clock was set back, by the steady clock. */
  setBackMs: number
  /** Its Date stands still while its answers change, so that it tells nothing. */
  hasNone: boolean
  /** What became of the last signed time that was moved; undefined while this computer's time is good enough. */
  correction: Correction | undefined
}

export const newClock = (): ServiceClock => ({
  offset: undefined,
  offsetBefore: undefined,
  confirmedMs: 0,
  setBackMs: Number.NEGATIVE_INFINITY,
  hasNone: false,
  correction: undefined,
})

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

/** RFC 9111, 1.2.2: what is larger counts as this. */
const SECONDS_MAX = 2 ** 31

/** Each cache on the way may add its own: the oldest counts. */
function secondsIn(header: string | undefined): number | undefined {
  const texts = (header ?? '').split(',').map((one) => one.trim())
  return texts.every((text) => /^\d+$/.test(text))
    ? Math.min(Math.max(...texts.map(Number)), SECONDS_MAX)
    : undefined
}

/** How long a cache kept the answer, in seconds, where one says so. */
export const cachedForS = (reply: HttpReply | undefined): number | undefined => secondsIn(reply?.age)

/** Whoever says more is taken for less: a reading is never older than this because of it. */
const COLLECTED_MAX_MS = HOUR_MS

/** How long before this answer a collector had it, ms; 0 where none was between. */
export const collectedAgeMs = (reply: HttpReply | undefined): number =>
  Math.min((secondsIn(reply?.collectedAge) ?? 0) * 1_000, COLLECTED_MAX_MS)

/** How far a record has come: of two with the same heartbeat its counter tells. */
type Progress = { readonly heartbeatMs: number; readonly count: number }

/** An answer of before. Times are on the steady clock. */
export type PastAnswer = {
  readonly dateMs: number | undefined
  readonly body: string
  /** Undefined of a failure. */
  readonly progress: Progress | undefined
  readonly startedMs: number
  readonly endedMs: number
}

/** Whole answers that are kept of a node, */
const PAST_MAX = 6
/** and the most cached answers in rotation that can be distinguished from a service whose clock was set back. */
const SEEN_MAX = 60

/** Dates are whole seconds, and a server may round: differences within this time say nothing. */
const DATE_MOVES_WITHIN_MS = 2_000

export type Novelty = {
  /** `no-clock`: its Date stands still while its records move on, so that Dates tell nothing. */
  readonly kind: 'new' | 'repeated' | 'no-clock'
  /** How long before its request a new answer was made, ms: more than 0 where a cache kept it. */
  readonly olderMs: number
  /** What is known of the node's answers with this one. */
  readonly past: readonly PastAnswer[]
  readonly seen: SeenAnswers
}

/** Fingerprints of the node's answers, the last ones that differ, oldest first. */
export type SeenAnswers = readonly number[]

/**
 * Whether an answer says anything newer than the node's answers before. A cache keeps Date and record of the answers
 * that it has, however many and in whatever order it gives them: what was seen before, and what is older than that, is
 * no reading and no time. A Date that lies behind the service's clock as it is known is one of a cache too, until
 * another one follows it in step with the time that has passed: then the clock was set back. A record that is older than
 * one before is another server's that lags behind, once newer ones came after such a record.
 */
export function noveltyOf(
  { past, seen }: Pick<Novelty, 'past' | 'seen'>,
  sent: TimedReply & { readonly startedMs: number; readonly result: Result<StatusRecord, unknown> },
  { offset, confirmedMs, hasNone }: Pick<ServiceClock, 'offset' | 'confirmedMs' | 'hasNone'>,
): Novelty {
  const { reply, startedMs, latencyMs } = sent
  if (reply === undefined || reply.proxyFailure !== undefined) return { kind: 'new', olderMs: 0, past, seen }
  const dateMs = httpDateMs(reply.date ?? '')
  const answer: PastAnswer = {
    dateMs: hasNone || Number.isNaN(dateMs) ? undefined : dateMs,
    body: textFingerprint(reply.body),
    progress: progressOf(sent.result),
    startedMs,
    endedMs: startedMs + latencyMs,
  }
  const same = past.find((one) => one.dateMs === answer.dateMs && one.body === answer.body)
  const print = printOf(answer)
  const wasSeen = seen.includes(print)
  const known = {
    past: same === undefined ? [...past, answer].slice(-PAST_MAX) : past,
    seen: wasSeen ? seen : [...seen, print].slice(-SEEN_MAX),
  }
  const heldForMs = (cachedForS(reply) ?? 0) * 1_000
  const read = offsetOfReply(sent)
  const behindMs = offset === undefined || read === undefined ? 0 : offset.lowMs - read.highMs
  const olderMs = Math.max(heldForMs, behindMs > DATE_MOVES_WITHIN_MS ? behindMs : 0)
  const kind = same === undefined && wasSeen ? 'repeated' : kindOf(past, answer, same, olderMs, confirmedMs)
  return kind === 'in-step' ? { kind: 'new', olderMs: heldForMs, ...known } : { kind, olderMs, ...known }
}

/** 48 bits of what makes an answer another one. Without a Date equal records may come again and again. */
const printOf = ({ dateMs, body, startedMs }: PastAnswer): number =>
  Number.parseInt(textFingerprint(`${dateMs ?? `at ${startedMs}`} ${body}`).slice(0, 12), 16)

function kindOf(
  past: readonly PastAnswer[],
  answer: PastAnswer,
  same: PastAnswer | undefined,
  olderMs: number,
  confirmedMs: number,
): Novelty['kind'] | 'in-step' {
  const { dateMs, body, progress, startedMs } = answer
  const isFallenBack = past.some((one) => isAhead(one.progress, progress))
  const isOther = past.at(-1)?.body !== body
  if (isFallenBack && isOther && past.some((one) => one.body === body)) return 'repeated'
  if (isOfLaggard(past, progress)) return 'repeated'
  if (dateMs === undefined) return 'new'
  if (same !== undefined) return startedMs - same.endedMs < DATE_MOVES_WITHIN_MS ? 'new' : 'repeated'
  if (olderMs === 0) return 'new'
  if (isInStep(past, answer, confirmedMs)) return 'in-step'
  if (isStanding(past, answer)) return 'no-clock'
  return past.every((one) => (one.dateMs ?? 0) < dateMs) ? 'new' : 'repeated'
}

/** A clock that goes, and none of the service's answers since then has shown the one that is known. */
const isInStep = (past: readonly PastAnswer[], answer: PastAnswer, confirmedMs: number): boolean =>
  past.some((one) => {
    const apartMs = (answer.dateMs ?? 0) - (one.dateMs ?? Number.POSITIVE_INFINITY)
    const latencyMs = Math.max(answer.endedMs - answer.startedMs, one.endedMs - one.startedMs)
    return (
      one.endedMs > confirmedMs &&
      apartMs > 0 &&
      Math.abs(apartMs - (answer.startedMs - one.startedMs)) <= 1_000 + latencyMs
    )
  })

/** Twice the record moved on, and the Date did not: two answers that a cache took within a second look like once. */
function isStanding(past: readonly PastAnswer[], answer: PastAnswer): boolean {
  const ofThatDate = [...past.filter(({ dateMs }) => dateMs === answer.dateMs), answer]
  return (
    ofThatDate.length > 2 &&
    ofThatDate.every(
      ({ progress }, place) => place === 0 || isAhead(progress, ofThatDate[place - 1]?.progress),
    )
  )
}

const isAhead = (one: Progress | undefined, other: Progress | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  (one.heartbeatMs > other.heartbeatMs || (one.heartbeatMs === other.heartbeatMs && one.count > other.count))

/** Two servers answer in turn, and one of them has older records. A node that itself fell back does not come forward again. */
function isOfLaggard(past: readonly PastAnswer[], progress: Progress | undefined): boolean {
  const isOlder = (one: Progress | undefined, at: number): boolean =>
    past.slice(0, at).some((earlier) => isNewer(earlier.progress, one))
  const fellBack = past.findIndex((one, at) => isOlder(one.progress, at))
  const cameForward = past.some((one, at) => fellBack >= 0 && at > fellBack && !isOlder(one.progress, at))
  return cameForward && isOlder(progress, past.length)
}

/** In all that tells how far a record has come. */
const isNewer = (one: Progress | undefined, other: Progress | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.heartbeatMs > other.heartbeatMs &&
  other.heartbeatMs > 0 &&
  one.count >= other.count

function progressOf(result: Result<StatusRecord, unknown>): Progress | undefined {
  if (!result.ok) return undefined
  const { heartbeat, threatResponses: count } = result.value
  return { heartbeatMs: heartbeat.ok ? heartbeat.value.atMs : 0, count: count.ok ? count.value.value : 0 }
}
