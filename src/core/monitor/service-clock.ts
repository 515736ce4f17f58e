import type { StatusRecord } from '#metrics/status-record.ts'
import { narrowOffset, type ClockOffset } from '#record/clock-offset.ts'
import type { ClockEvidence } from '#record/heartbeat-age.ts'
import { mostAllow, offsetFromHeartbeats } from '#record/heartbeat-offset.ts'
import { correctionOf } from '#signing/status-request.ts'
import type { Changes } from './changes.ts'
import type { PollTarget, SentPoll } from './poll.ts'
import { offsetOfReply } from './reply-clock.ts'
import type { FleetState, TrackedNode, TrackedService } from './tracked.ts'

/** A clock that jumps by less is being corrected, and none that was set. */
const STEP_MS = 2_000

type Services = Pick<Changes, 'services'>

/** The least move of an offset that is published: a Date is known within a second, heartbeats tell less. */
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

/** Narrows what is known of the service's clock by the Date of one more answer. */
export function noteOffset(changes: Services, service: TrackedService, sent: SentPoll, nowMs: number): void {
  const read = service.hasNoClock ? undefined : offsetOfReply(sent)
  if (read === undefined) return
  const before = service.offset
  if (before !== undefined && read.highMs < before.lowMs - STEP_MS) service.setBackMs = sent.startedMs
  service.offset = narrowOffset(before, read, nowMs - service.offsetMs)
  service.offsetMs = nowMs
  if (hasMoved(before, service.offset, DATE_MOVED_MS)) changes.services()
}

/** Its Dates tell nothing from now on. */
export function forgetClock(changes: Services, service: TrackedService): void {
  service.hasNoClock = true
  service.offset = undefined
  changes.services()
}

/** Remembers whether this service takes its own time instead of this computer's. */
export function noteCorrection(
  changes: Services,
  service: TrackedService,
  { correction, result }: SentPoll,
): void {
  const before = service.correction
  if (correction !== undefined) service.correction = correction
  // Good with this computer's own time: whatever was refused before, it was not because of the time.
  else if (result.ok) service.correction = undefined
  if (before?.state !== service.correction?.state) changes.services()
}

/** What to sign the next request with: the service's time as it is known best, where the service takes no other. */
export const timeToSign = ({ correction, offset }: TrackedService): Pick<PollTarget, 'correctionMs'> => ({
  correctionMs: correction?.state === 'used' && offset !== undefined ? correctionOf(offset) : undefined,
})

/** What speaks of the clock by which this record's heartbeat is dated. Also learns from the heartbeat. */
export function noteHeartbeat(
  { changes, services }: { readonly changes: Services } & Pick<FleetState, 'services'>,
  node: TrackedNode,
  record: StatusRecord,
  sent: SentPoll,
  isOfCache: boolean,
  nowMs: number,
): ClockEvidence {
  const { service, heartbeatClock: before } = node
  const known = { date: service.offset, others: othersOffset(services.values(), service) }
  // A cache's heartbeat is an old one, and says nothing of now.
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
  if (service.offset === undefined && hasMoved(before?.offset, offset, HEARTBEATS_MOVED_MS))
    changes.services()
  return { ...known, heartbeats: offset, unchangedMs: Math.max(0, startedMs - sinceMs) }
}

/** What most of the other services' Dates say of this computer's clock; undefined where none can be read, or they exclude each other. */
function othersOffset(services: Iterable<TrackedService>, own: TrackedService): ClockOffset | undefined {
  const offsets = Array.from(services).flatMap((service) => (service === own ? [] : (service.offset ?? [])))
  return offsets.length === 0 ? undefined : mostAllow(offsets)
}

/** How far the clock of a service's nodes is ahead, as most of their heartbeats tell; only while its own time can't be read. */
export function heartbeatOffsetOf({ offset, nodes }: TrackedService): ClockOffset | undefined {
  if (offset !== undefined) return undefined
  const offsets = Array.from(nodes.values()).flatMap(({ heartbeatClock }) => heartbeatClock?.offset ?? [])
  return offsets.length === 0 ? undefined : mostAllow(offsets)
}
