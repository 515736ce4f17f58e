import { mostAllow, offsetFromHeartbeats, type HeartbeatSighting } from '#record/heartbeat-offset.ts'
import { narrowOffset, type ClockOffset } from '#record/clock-offset.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { cachedForS } from './note-offset.ts'
import type { SentPoll } from './poll.ts'
import type { Room } from './room.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/** Moves of an offset by heartbeats that are worth telling: it is known within seconds at best. */
const TOLD_FROM_MS = 500

/** What a node's own heartbeats say of its clock, and the last of them. */
export type HeartbeatClock = {
  readonly last: HeartbeatSighting
  readonly offset: ClockOffset | undefined
  /** When the offset was last narrowed, by the steady clock. */
  readonly atMs: number
}

/**
 * How far the clock is ahead by which this record's heartbeat is dated: by the service's Date
 * where it can be read, and by the node's own heartbeats otherwise. Undefined while nothing tells.
 */
export function noteHeartbeat(
  room: Room,
  node: TrackedNode,
  record: StatusRecord,
  sent: SentPoll,
  nowMs: number,
): ClockOffset | undefined {
  const { service, heartbeatClock: before } = node
  if (service.offset !== undefined) return service.offset
  // A cache's heartbeat is an old one, and says nothing of now.
  if (!record.heartbeat.ok || (cachedForS(sent.reply) ?? 0) > 0) return before?.offset
  const { startedWallMs, latencyMs } = sent
  const last = {
    atMs: record.heartbeat.value.atMs,
    sentMs: startedWallMs,
    receivedMs: startedWallMs + latencyMs,
  }
  const seen = before === undefined ? undefined : offsetFromHeartbeats(before.last, last)
  const offset =
    seen === undefined ? before?.offset : narrowOffset(before?.offset, seen, nowMs - (before?.atMs ?? nowMs))
  node.heartbeatClock = { last, offset, atMs: seen === undefined ? (before?.atMs ?? nowMs) : nowMs }
  if (hasMoved(before?.offset, offset)) room.changes.services()
  return offset
}

const hasMoved = (before: ClockOffset | undefined, now: ClockOffset | undefined): boolean =>
  now !== undefined &&
  (before === undefined ||
    Math.abs(before.lowMs - now.lowMs) > TOLD_FROM_MS ||
    Math.abs(before.highMs - now.highMs) > TOLD_FROM_MS)

/** How far the clock of a service's nodes is ahead, as most of their heartbeats tell; only while its own time can't be read. */
export function heartbeatOffsetOf({ offset, nodes }: TrackedService): ClockOffset | undefined {
  if (offset !== undefined) return undefined
  const told = Array.from(nodes.values()).flatMap(({ heartbeatClock }) => heartbeatClock?.offset ?? [])
  return told.length === 0 ? undefined : mostAllow(told)
}
