import { HOUR_MS } from '#base/time.ts'
import { textFingerprint } from '#base/fingerprint.ts'
import { orUndefined, type Result } from '#base/result.ts'
import type { Correction } from '#fleet/diagnosis.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import type { HttpReply } from '#protocol/transport.ts'
import {
  httpDateMs,
  offsetFromDate,
  overlap,
  type ClockOffset,
  type WhoseClock,
} from '#record/clock-offset.ts'

/** A service's clock. Only `service-clock.ts` writes it. */
export type ServiceClock = {
  /** How far it is ahead of this computer's clock; undefined until an answer carried a readable Date. */
  offset: ClockOffset | undefined
  /**
   * The offset before this computer slept or its clock was set ahead. Comparing it with the next offset shows which happened.
   */
  offsetBefore: ClockOffset | undefined
  /** Two answers agreed on it. The first answer may come from a cache. */
  isAgreed: boolean
  /** By the last answer, if its Date was far from the offset. The next answer shows whether the clock was set. */
  jump: ClockOffset | undefined
  /** By the last answer whose Date came from another server's clock. */
  other: ClockOffset | undefined
  /** When the offset was last confirmed, by the steady clock. */
  confirmedMs: number
  /** Whose clock was set, if that is why the clocks disagree; undefined: unknown. */
  wasSet: WhoseClock | undefined
  /** The offset to expect if this computer's clock was set and the computer did not sleep. */
  offsetIfSet: ClockOffset | undefined
  /** When an answer's Date last showed that the service's clock was set back, by the steady clock. */
  setBackMs: number
  /** The Date stands still while the answers change, so it can't serve as a clock until it advances again. */
  hasNone: boolean
  /** State of the last corrected signing time; undefined while this computer's own time works. */
  correction: Correction | undefined
}

export const newClock = (): ServiceClock => ({
  offset: undefined,
  offsetBefore: undefined,
  isAgreed: false,
  jump: undefined,
  other: undefined,
  wasSet: undefined,
  offsetIfSet: undefined,
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

/**
 * The clock offset by one answer. A cached answer and the proxy's own answer carry a Date that is not the service's current
 * time, so they give none.
 */
export function offsetOfReply({ reply, startedWallMs, latencyMs }: TimedReply): ClockOffset | undefined {
  if (reply === undefined || reply.proxyFailure !== undefined || (cachedForS(reply) ?? 0) > 0)
    return undefined
  return offsetFromDate(reply.date, startedWallMs, startedWallMs + latencyMs)
}

/** The service's time when it answered, Unix ms in whole seconds; undefined if it cannot be read or is not current. */
export const serviceTimeOf = (sent: TimedReply): number | undefined =>
  offsetOfReply(sent) === undefined ? undefined : httpDateMs(sent.reply?.date ?? '')

/** RFC 9111, 1.2.2: larger values count as this. */
const SECONDS_MAX = 2 ** 31

/** Each cache on the way may add its own value; the largest counts. */
function secondsIn(header: string | undefined): number | undefined {
  const texts = (header ?? '').split(',').map((one) => one.trim())
  return texts.every((text) => /^\d+$/.test(text))
    ? Math.min(Math.max(...texts.map(Number)), SECONDS_MAX)
    : undefined
}

/** How long a cache stored the answer, in seconds, if a cache reports it. */
export const cachedForS = (reply: HttpReply | undefined): number | undefined => secondsIn(reply?.age)

/** Larger ages count as this, so that a false header cannot make a reading older. */
const COLLECTED_MAX_MS = HOUR_MS

/** How long before this answer a collector had it, in ms; 0 without a collector. */
export const collectedAgeMs = (reply: HttpReply | undefined): number =>
  Math.min((secondsIn(reply?.collectedAge) ?? 0) * 1_000, COLLECTED_MAX_MS)

/** The counter orders two records with the same heartbeat; undefined if it is unusable. */
type Progress = { readonly heartbeatMs: number; readonly count: number | undefined }

/** An earlier answer. Times are on the steady clock. */
export type PastAnswer = {
  readonly dateMs: number | undefined
  readonly body: string
  /** Undefined for a failure and without a usable heartbeat. */
  readonly progress: Progress | undefined
  readonly startedMs: number
  readonly endedMs: number
  /** When it was made, by the service's clock; -Infinity if that was unknown. */
  readonly madeMs: number
  /** Its Date comes from another server's clock instead of the known one. */
  readonly isByOtherClock: boolean
}

/** Whole answers stored per node. */
const PAST_MAX = 6
/** Maximum number of rotating cached answers that can be distinguished from a service whose clock was set back. */
const SEEN_MAX = 60

/** Dates are whole seconds, and a server may round: smaller differences mean nothing. */
export const DATE_MOVES_WITHIN_MS = 2_000

const ROUNDING: ClockOffset = { lowMs: -DATE_MOVES_WITHIN_MS, highMs: DATE_MOVES_WITHIN_MS }

export type Novelty = {
  /**
   * `in-step`: new, and the service's clock was set back, or its Date advances again. `other-clock`: new, but its Date is by
   * another server's clock. `no-clock`: the Date stands still while the records advance, so Dates are not used.
   */
  readonly kind: 'new' | 'in-step' | 'other-clock' | 'repeated' | 'no-clock'
  /** Age of a new answer when its request was sent, in ms; more than 0 if a cache stored it. */
  readonly olderMs: number
  /** It may come from a server that lags behind the one that made an earlier answer. */
  readonly isBehind: boolean
  readonly past: readonly PastAnswer[]
  readonly seen: SeenAnswers
}

/** Fingerprints of the node's last distinct answers, oldest first. */
export type SeenAnswers = readonly number[]

/**
 * Decides whether an answer is newer than the node's earlier ones. A cache may repeat stored answers in any number and order,
 * so an answer that was seen before, or is older than one, gives neither a reading nor a time. A Date behind the service's
 * known clock counts as cached until the next Date keeps step with it; then the clock was set back. An answer was made after
 * its heartbeat, and after all earlier ones if its record is newer; if its Date is older than that allows, or keeps step with
 * such a Date, it is by another server's clock. An older record that newer ones have followed before comes from another server
 * that lags behind.
 */
export function noveltyOf(
  { past, seen }: Pick<Novelty, 'past' | 'seen'>,
  sent: TimedReply & { readonly startedMs: number; readonly result: Result<StatusRecord, unknown> },
  {
    offset,
    isAgreed,
    confirmedMs,
    hasNone,
  }: Pick<ServiceClock, 'offset' | 'isAgreed' | 'confirmedMs' | 'hasNone'>,
): Novelty {
  const { reply, startedMs, latencyMs } = sent
  if (reply === undefined || reply.proxyFailure !== undefined)
    return { kind: 'new', olderMs: 0, isBehind: false, past, seen }
  const dateMs = httpDateMs(reply.date ?? '')
  const heldForMs = (cachedForS(reply) ?? 0) * 1_000
  const read = offsetOfReply(sent)
  // Of two first answers that disagree, the one that agrees with this computer's clock counts.
  const isUnknown = offset === undefined || read === undefined || (!isAgreed && overlap(read, ROUNDING))
  const behindMs = isUnknown ? 0 : offset.lowMs - read.highMs
  const progress = progressOf(sent.result)
  const seenNow = {
    dateMs: Number.isNaN(dateMs) ? undefined : dateMs,
    body: textFingerprint(reply.body),
    progress,
    startedMs,
    endedMs: startedMs + latencyMs,
  }
  const isDateBehind = behindMs > DATE_MOVES_WITHIN_MS
  const isByOtherClock =
    isDateBehind &&
    (behindMs > ageMaxOf(past, progress, sent, offset) + DATE_MOVES_WITHIN_MS ||
      past.some((one) => one.isByOtherClock && keepsStep(one, seenNow)))
  const olderMs = Math.max(heldForMs, isDateBehind && !isByOtherClock ? behindMs : 0)
  const answer: PastAnswer = {
    ...seenNow,
    isByOtherClock,
    madeMs: offset === undefined ? Number.NEGATIVE_INFINITY : startedMs - olderMs - collectedAgeMs(reply),
  }
  const same = past.find((one) => one.dateMs === answer.dateMs && one.body === answer.body)
  const print = printOf(hasNone ? { ...answer, dateMs: undefined } : answer)
  const wasSeen = seen.includes(print)
  const known = {
    past: same === undefined ? [...past, answer].slice(-PAST_MAX) : past,
    seen: wasSeen ? seen : [...seen, print].slice(-SEEN_MAX),
  }
  const kind =
    same === undefined && wasSeen
      ? 'repeated'
      : kindOf(past, answer, same, {
          olderMs,
          confirmedMs,
          hasNone,
          isDelayed: isAgreed && isLate(past, answer, sent.startedWallMs, behindMs),
        })
  if (kind === 'in-step') return { kind, olderMs: heldForMs, isBehind: false, ...known }
  // A counter that falls with the same heartbeat has restarted only if it stays lower.
  const isBehind =
    !hasRestarted(past, progress) &&
    (isAhead(past.at(-1)?.progress, progress) || past.some((one) => isNewer(one.progress, progress)))
  return { kind, olderMs, isBehind, ...known }
}

/** A node's clock may be fast by this much. A heartbeat further in the future says nothing. */
const NODE_FAST_MS = 30_000

/**
 * Greatest possible age of an answer when its request was sent, in ms: the service made it after its heartbeat, and after all
 * answers with an older record.
 */
function ageMaxOf(
  past: readonly PastAnswer[],
  progress: Progress | undefined,
  { startedMs, startedWallMs }: { readonly startedMs: number; readonly startedWallMs: number },
  offset: ClockOffset | undefined,
): number {
  const newest = newestOf(past)
  const older = isAhead(progress, newest?.progress) ? past.filter((one) => one.progress !== undefined) : []
  const sinceNewestMs = startedMs - Math.max(...older.map(({ madeMs }) => madeMs))
  // If the record is older than the newest one, the clock that its heartbeat follows may have been set back.
  if (progress === undefined || offset === undefined || isAhead(newest?.progress, progress))
    return sinceNewestMs
  const heartbeatAgeMs = startedWallMs + offset.highMs + NODE_FAST_MS - progress.heartbeatMs
  return heartbeatAgeMs < 0 ? sinceNewestMs : Math.min(sinceNewestMs, heartbeatAgeMs)
}

/** 48 bits that identify an answer. Without a Date the start of the request is included, because equal records may recur. */
const printOf = ({ dateMs, body, startedMs }: PastAnswer): number =>
  Number.parseInt(textFingerprint(`${dateMs ?? `at ${startedMs}`} ${body}`).slice(0, 12), 16)

type Clocked = Pick<ServiceClock, 'confirmedMs' | 'hasNone'> & {
  readonly olderMs: number
  readonly isDelayed: boolean
}

function kindOf(
  past: readonly PastAnswer[],
  answer: PastAnswer,
  same: PastAnswer | undefined,
  { olderMs, isDelayed, confirmedMs, hasNone }: Clocked,
): Novelty['kind'] {
  const { dateMs, body, progress, startedMs, isByOtherClock } = answer
  const isFallenBack = past.some((one) => isAhead(one.progress, progress))
  const isOther = past.at(-1)?.body !== body
  if (isFallenBack && isOther && past.some((one) => one.body === body)) return 'repeated'
  if (isOfLaggard(past, progress)) return 'repeated'
  if (hasNone) return past.slice(-1).some((one) => keepsStep(one, answer)) ? 'in-step' : 'new'
  if (dateMs === undefined) return 'new'
  if (same !== undefined) return startedMs - same.endedMs < DATE_MOVES_WITHIN_MS ? 'new' : 'repeated'
  if (olderMs === 0 && !isByOtherClock) return 'new'
  if (!isDelayed && isInStep(past, answer, confirmedMs)) return 'in-step'
  if (isStanding(past, answer)) return 'no-clock'
  if (isByOtherClock) return 'other-clock'
  const isNewest = isAhead(progress, newestOf(past)?.progress)
  return isNewest || past.every((one) => (one.dateMs ?? 0) < dateMs) ? 'new' : 'repeated'
}

/** After this many answers in a row from one of several servers, its clock counts as the service's. */
const ROW_MIN = 4

/**
 * The Date advances with the elapsed time, and no answer since `confirmedMs` matched the known clock. For answers by
 * another server's clock it takes `ROW_MIN`; waiting does no harm, because their readings do not depend on the Date.
 */
const isInStep = (past: readonly PastAnswer[], answer: PastAnswer, confirmedMs: number): boolean =>
  past.filter((one) => one.endedMs > confirmedMs && keepsStep(one, answer)).length >=
  (answer.isByOtherClock ? ROW_MIN - 1 : 1)

/**
 * The answer was in transit for longer than the time since the previous answer. Its heartbeat is new, but not newer than its Date allows, and
 * as old as its Date by this computer's clock. After a clock was set back, new heartbeats would be ahead of the Date, behind the
 * earlier ones, or recent.
 */
function isLate(
  past: readonly PastAnswer[],
  answer: PastAnswer,
  startedWallMs: number,
  behindMs: number,
): boolean {
  const { progress, dateMs = 0, startedMs } = answer
  const apartMs = startedMs - (past.at(-1)?.startedMs ?? startedMs)
  return (
    progress !== undefined &&
    isAhead(progress, newestOf(past)?.progress) &&
    progress.heartbeatMs <= dateMs + DATE_MOVES_WITHIN_MS &&
    behindMs > apartMs + DATE_MOVES_WITHIN_MS &&
    startedWallMs - progress.heartbeatMs > behindMs / 2
  )
}

type Dated = Pick<PastAnswer, 'dateMs' | 'startedMs' | 'endedMs'>

function keepsStep(one: Dated, next: Dated): boolean {
  const apartMs = (next.dateMs ?? 0) - (one.dateMs ?? Number.POSITIVE_INFINITY)
  const latencyMs = Math.max(next.endedMs - next.startedMs, one.endedMs - one.startedMs)
  return apartMs > 0 && Math.abs(apartMs - (next.startedMs - one.startedMs)) <= 1_000 + latencyMs
}

/**
 * Requires two steps in which the record advanced and the Date did not, because two answers that a cache took within one second
 * look like one such step.
 */
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
  (one.heartbeatMs > other.heartbeatMs ||
    (one.heartbeatMs === other.heartbeatMs && isMore(one.count, other.count)))

const isMore = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && other !== undefined && one > other

/** The first answer with the newest record. */
const newestOf = (past: readonly PastAnswer[]): PastAnswer | undefined =>
  past.reduce<PastAnswer | undefined>(
    (newest, one) =>
      newest?.progress === undefined || isAhead(one.progress, newest.progress) ? one : newest,
    undefined,
  )

/** Two answers in a row with less than half of the total: a server that lags behind would have nearly all of it. */
function hasRestarted(past: readonly PastAnswer[], progress: Progress | undefined): boolean {
  const total = Math.max(...past.map((one) => one.progress?.count ?? 0))
  const [before, now] = [past.at(-1)?.progress?.count, progress?.count]
  return before !== undefined && now !== undefined && 2 * Math.max(before, now) < total
}

/** Two servers answer in turn, and one of them has older records. A single node that fell back would not advance again. */
function isOfLaggard(past: readonly PastAnswer[], progress: Progress | undefined): boolean {
  const isOlder = (one: Progress | undefined, at: number): boolean =>
    past.slice(0, at).some((earlier) => isNewer(earlier.progress, one))
  const fellBack = past.findIndex((one, at) => isOlder(one.progress, at))
  const cameForward = past.some((one, at) => fellBack >= 0 && at > fellBack && !isOlder(one.progress, at))
  return cameForward && isOlder(progress, past.length)
}

/** Newer by heartbeat and not older by counter. */
const isNewer = (one: Progress | undefined, other: Progress | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.heartbeatMs > other.heartbeatMs &&
  !isMore(other.count, one.count)

function progressOf(result: Result<StatusRecord, unknown>): Progress | undefined {
  if (!result.ok || !result.value.heartbeat.ok) return undefined
  const { heartbeat, threatResponses: count } = result.value
  return { heartbeatMs: heartbeat.value.atMs, count: orUndefined(count)?.value }
}
