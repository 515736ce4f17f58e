import { FAILURES } from '#protocol/failure.ts'
import { mostAllow, narrowOffset, offsetFromHeartbeats, type ClockOffset } from '#record/clock-offset.ts'
import type { ClockEvidence } from '#record/heartbeat-age.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { correctionOf } from '#signing/status-request.ts'
import { heartbeatTimed } from './node-machine.ts'
import type { SentPoll } from './poll.ts'
import { offsetOfReply, type Novelty, type ServiceClock } from './reply-clock.ts'
import type { FleetState, TrackedNode, TrackedService } from './tracked.ts'

/** A clock that jumps by less is being corrected, and none that was set. */
const STEP_MS = 2_000
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

/** Learns from one more answer how far the clock is ahead, and whether the service takes its own time instead of this computer's. */
export function noteReply(
  { changes }: Pick<FleetState, 'changes'>,
  { clock }: TrackedService,
  sent: SentPoll,
  { kind, olderMs }: Pick<Novelty, 'kind' | 'olderMs'>,
  nowMs: number,
): void {
  const { correction, result } = sent
  const before = { ...clock }
  if (kind === 'no-clock') Object.assign(clock, { hasNone: true, offset: undefined })
  // No clock is put right by what a cache kept, and no cache keeps refusals.
  const isRefusal = !result.ok && FAILURES[result.error.kind].scope === 'key'
  const isOfNow = isRefusal || (kind === 'new' && olderMs === 0)
  const read = clock.hasNone || !isOfNow ? undefined : offsetOfReply(sent)
  if (read !== undefined) {
    if (before.offset !== undefined && read.highMs < before.offset.lowMs - STEP_MS)
      clock.setBackMs = sent.startedMs
    clock.offset = narrowOffset(before.offset, read, nowMs - before.confirmedMs)
    clock.confirmedMs = nowMs
  }
  if (correction !== undefined) clock.correction = correction
  // Good with this computer's own time: whatever was refused before, it was not because of the time.
  else if (result.ok) clock.correction = undefined
  if (
    kind === 'no-clock' ||
    hasMoved(before.offset, clock.offset, DATE_MOVED_MS) ||
    before.correction?.state !== clock.correction?.state
  )
    changes.services()
}

/** This computer's clock was set, or may have been: what was known of others is void. `isKept`: until an answer tells which. */
export function voidOffsets({ services, changes }: FleetState, isKept: boolean): void {
  for (const { clock, nodes } of services.values()) {
    clock.offsetBefore = isKept ? clock.offset : undefined
    Object.assign(clock, { offset: undefined, correction: undefined })
    for (const node of nodes.values()) heartbeatTimed(node, undefined)
  }
  changes.services()
}

/** What to sign the next request with: the service's time as it is known best, where the service takes no other. */
export const timeToSign = ({ correction, offset }: ServiceClock): number | undefined =>
  correction?.state === 'used' && offset !== undefined ? correctionOf(offset) : undefined

/** What speaks of the clock by which this record's heartbeat is dated. Also learns from the heartbeat. */
export function noteHeartbeat(
  { changes, services }: Pick<FleetState, 'changes' | 'services'>,
  node: TrackedNode,
  record: StatusRecord,
  sent: SentPoll,
  isOfCache: boolean,
  nowMs: number,
): ClockEvidence {
  const { service, heartbeatClock: before } = node
  const known = { date: service.clock.offset, others: othersOffset(services.values(), service) }
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
  heartbeatTimed(node, { last, offset, sinceMs, atMs: measured === undefined ? beforeMs : nowMs })
  if (service.clock.offset === undefined && hasMoved(before?.offset, offset, HEARTBEATS_MOVED_MS))
    changes.services()
  return { ...known, heartbeats: offset, unchangedMs: Math.max(0, startedMs - sinceMs) }
}

/** What most of the other services' Dates say of this computer's clock; undefined where none can be read, or they exclude each other. */
function othersOffset(services: Iterable<TrackedService>, own: TrackedService): ClockOffset | undefined {
  const offsets = Array.from(services).flatMap((service) =>
    service === own ? [] : (service.clock.offset ?? []),
  )
  return offsets.length === 0 ? undefined : mostAllow(offsets)
}

/** How far the clock of a service's nodes is ahead, as most of their heartbeats tell; only while its own time can't be read. */
export function heartbeatOffsetOf({ clock, nodes }: TrackedService): ClockOffset | undefined {
  if (clock.offset !== undefined) return undefined
  const offsets = Array.from(nodes.values()).flatMap(({ heartbeatClock }) => heartbeatClock?.offset ?? [])
  return offsets.length === 0 ? undefined : mostAllow(offsets)
}
