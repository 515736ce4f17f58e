import { FAILURES } from '#protocol/failure.ts'
import {
  httpDateMs,
  isFarApart,
  mostAllow,
  narrowOffset,
  offsetFromHeartbeats,
  overlap,
  type ClockOffset,
  type WhoseClock,
} from '#record/clock-offset.ts'
import type { ClockEvidence } from '#record/heartbeat-age.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { correctionOf } from '#signing/status-request.ts'
import type { SentPoll } from './poll.ts'
import { offsetOfReply, type Novelty, type ServiceClock } from './reply-clock.ts'
import type { FleetState, TrackedNode, TrackedService } from './tracked.ts'

/** A smaller jump is a gradual correction of the clock, not a clock that was set. */
const STEP_MS = 2_000
/** Smallest offset change that is published. A Date is precise within a second; heartbeats are less precise. */
const DATE_MOVED_MS = 1
const HEARTBEATS_MOVED_MS = 500

export const hasMoved = (
  before: ClockOffset | undefined,
  now: ClockOffset | undefined,
  byMs: number,
): boolean =>
  now !== undefined &&
  (before === undefined ||
    Math.abs(before.lowMs - now.lowMs) > byMs ||
    Math.abs(before.highMs - now.highMs) > byMs)

/** Updates the service's clock offset from an answer, and whether the service needs its own time in signatures. */
export function noteReply(
  { changes }: Pick<FleetState, 'changes'>,
  { clock, shortestMs, asking }: TrackedService,
  sent: SentPoll,
  { kind, olderMs }: Pick<Novelty, 'kind' | 'olderMs'>,
  nowMs: number,
): void {
  const { correction, result } = sent
  const before = { ...clock }
  noteStanding(clock, kind)
  // A cached answer must not correct the clock. Refusals are never cached.
  const isRefusal = !result.ok && FAILURES[result.error.kind].scope === 'key'
  const isOfNow = isRefusal || kind === 'in-step' || (kind === 'new' && olderMs === 0)
  const read = clock.hasNone || !isOfNow ? undefined : offsetOfReply(sent)
  // A refused signature needs the service's time at once.
  const isSure = kind === 'in-step' || isRefusal || correction !== undefined
  if (kind === 'other-clock') noteOtherClock(clock, sent)
  if (read !== undefined && before.offset !== undefined && read.highMs < before.offset.lowMs - STEP_MS)
    clock.setBackMs = sent.startedMs
  if (read !== undefined && !isSure && isUnconfirmedJump(before, read)) clock.jump = read
  else if (read !== undefined) takeOffset(clock, read, nowMs)
  noteCorrection(clock, sent, asking.hold?.reason === 'refused')
  forgetDateless(clock, sent, shortestMs, nowMs)
  if (
    (before.offset !== undefined && clock.offset === undefined) ||
    hasMoved(before.offset, clock.offset, DATE_MOVED_MS) ||
    before.correction?.state !== clock.correction?.state
  )
    changes.services()
}

/** `isRefused`: the service refuses the key for all of its nodes. */
function noteCorrection(clock: ServiceClock, { correction, result }: SentPoll, isRefused: boolean): void {
  // While requests with the service's time are accepted, a refusal of another one has another reason.
  const isOther = correction?.state === 'refused' && clock.correction?.state === 'used' && !isRefused
  if (correction !== undefined && !isOther) clock.correction = correction
  // The service accepted this computer's own time, so an earlier refusal was not caused by the time.
  if (correction === undefined && result.ok) clock.correction = undefined
}

/** If answers have carried no Date for this many intervals, the offset that earlier ones showed may be wrong by now. */
const DATELESS_INTERVALS = 4

function forgetDateless(
  clock: ServiceClock,
  { correction, result, reply }: SentPoll,
  intervalMs: number,
  nowMs: number,
): void {
  // Without the known offset, requests that need the service's time would be refused.
  if (!result.ok || correction !== undefined || !Number.isNaN(httpDateMs(reply?.date ?? ''))) return
  if (nowMs - clock.confirmedMs > DATELESS_INTERVALS * intervalMs)
    Object.assign(clock, { offset: undefined, isAgreed: false, wasSet: undefined })
}

function noteStanding(clock: ServiceClock, kind: Novelty['kind']): void {
  if (kind === 'no-clock') Object.assign(clock, { hasNone: true, offset: undefined })
  else if (kind === 'in-step') clock.hasNone = false
}

function takeOffset(clock: ServiceClock, read: ClockOffset, nowMs: number): void {
  const { offset, jump, confirmedMs } = clock
  Object.assign(clock, {
    offset: narrowOffset(offset, read, nowMs - confirmedMs),
    isAgreed: [offset, jump].some((one) => one !== undefined && overlap(one, read)),
    wasSet: whoseWasSet(clock, read),
    offsetIfSet: undefined,
    jump: undefined,
    confirmedMs: nowMs,
  } satisfies Partial<ServiceClock>)
}

/**
 * Blames a clock only if the clocks agreed before. Setting this computer's clock discards the known offset, so if a
 * known offset jumps, the service's clock was set.
 */
function whoseWasSet(
  { offset, isAgreed, wasSet, offsetIfSet }: ServiceClock,
  read: ClockOffset,
): WhoseClock | undefined {
  if (!isFarApart(read)) return undefined
  if (offset === undefined)
    return offsetIfSet !== undefined && !isStep(offsetIfSet, read) ? 'computer' : undefined
  if (!isStep(offset, read)) return wasSet
  return isAgreed && (wasSet === 'service' || !isFarApart(offset)) ? 'service' : undefined
}

const isStep = (known: ClockOffset, read: ClockOffset): boolean =>
  read.lowMs > known.highMs + STEP_MS || read.highMs < known.lowMs - STEP_MS

/** At first it is unknown whether the service's clock was set back or another server answered. */
function noteOtherClock(clock: ServiceClock, sent: SentPoll): void {
  const read = offsetOfReply(sent)
  if (read === undefined) return
  if (clock.other === undefined || !overlap(clock.other, read)) clock.setBackMs = sent.startedMs
  clock.other = read
}

/** A second answer must confirm a jump, because one of several servers may have a wrong clock. */
const isUnconfirmedJump = ({ offset, isAgreed, jump }: ServiceClock, read: ClockOffset): boolean =>
  offset !== undefined && isAgreed && isStep(offset, read) && !(jump !== undefined && overlap(jump, read))

/**
 * Discards all offsets because this computer's clock was set, or may have been, ahead by `aheadMs` (negative: back). `isKept`:
 * remember them until an answer shows which.
 */
export function voidOffsets({ services, changes }: FleetState, isKept: boolean, aheadMs: number): void {
  for (const service of services.values()) {
    const { clock, nodes } = service
    clock.offsetBefore = isKept ? offsetOf(service) : undefined
    const agreed = clock.offsetIfSet ?? (clock.offset && !isFarApart(clock.offset) ? clock.offset : undefined)
    Object.assign(clock, {
      offset: undefined,
      correction: undefined,
      wasSet: undefined,
      offsetIfSet: agreed && { lowMs: agreed.lowMs - aheadMs, highMs: agreed.highMs - aheadMs },
    } satisfies Partial<ServiceClock>)
    for (const node of nodes.values()) node.heartbeatClock = undefined
  }
  changes.services()
}

/** Time correction for the next signature if the service needs its own time: the best known offset. */
export const timeToSign = ({ correction, offset }: ServiceClock): number | undefined =>
  correction?.state === 'used' && offset !== undefined ? correctionOf(offset) : undefined

/** Returns the evidence about the clock that dates this record's heartbeat. Also updates the node's heartbeat clock. */
export function noteHeartbeat(
  { changes, services }: Pick<FleetState, 'changes' | 'services'>,
  node: TrackedNode,
  record: StatusRecord,
  sent: SentPoll,
  isOfCache: boolean,
  nowMs: number,
): ClockEvidence {
  const { service, heartbeatClock: before } = node
  // Undefined if no other service's Date can be read, or if they contradict each other.
  const others = mostAllow(
    Array.from(services.values()).flatMap((one) => (one === service ? [] : (one.clock.offset ?? []))),
  )
  const known = { date: service.clock.offset, others }
  // A cached heartbeat is old and says nothing about the present.
  if (!record.heartbeat.ok || isOfCache) return { ...known, heartbeats: before?.offset }
  const { startedWallMs, latencyMs, startedMs } = sent
  const last = {
    atMs: record.heartbeat.value.atMs,
    sentMs: startedWallMs,
    receivedMs: startedWallMs + latencyMs,
  }
  const measured = before === undefined ? undefined : offsetFromHeartbeats(before.last, last)
  const beforeMs = before?.atMs ?? nowMs
  const offset =
    measured === undefined ? before?.offset : narrowOffset(before?.offset, measured, nowMs - beforeMs)
  const sinceMs = before?.last.atMs === last.atMs ? before.sinceMs : startedMs + latencyMs
  node.heartbeatClock = { last, offset, sinceMs, atMs: measured === undefined ? beforeMs : nowMs }
  if (service.clock.offset === undefined && hasMoved(before?.offset, offset, HEARTBEATS_MOVED_MS))
    changes.services()
  return { ...known, heartbeats: offset, unchangedMs: Math.max(0, startedMs - sinceMs) }
}

/**
 * How far the clock of a service's nodes is ahead, as most of their heartbeats show; only if the service's Date cannot be read.
 */
export function heartbeatOffsetOf({ clock, nodes }: TrackedService): ClockOffset | undefined {
  if (clock.offset !== undefined) return undefined
  return mostAllow(Array.from(nodes.values()).flatMap(({ heartbeatClock }) => heartbeatClock?.offset ?? []))
}

/** How far the clock of a service is ahead; if its Date cannot be read, that of its nodes. */
export const offsetOf = (service: TrackedService): ClockOffset | undefined =>
  service.clock.offset ?? heartbeatOffsetOf(service)
