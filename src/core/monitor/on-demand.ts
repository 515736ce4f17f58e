import { FAILURES } from '#protocol/failure.ts'
import { resume } from './hold.ts'
import { readingAgeMs, type NodeKey } from '#fleet/live.ts'
import { planAt, planOutOfTurn } from './plan.ts'
import { endProbes } from './prober.ts'
import type { Room } from './room.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/**
 * A person asks for one node or for all. A service that holds its nodes back is asked once,
 * by one node: a person's impatience must not lock a key out.
 */
export function askNow(room: Room, key: NodeKey | undefined, nowMs: number): void {
  const asked = key === undefined ? undefined : room.nodes.get(key)
  if (key !== undefined && asked === undefined) return
  const free: TrackedNode[] = []
  for (const service of asked === undefined ? room.services.values() : [asked.service]) {
    if (waitsForKey(service)) resume(room, service, nowMs)
    else if (asked !== undefined) free.push(asked)
    else if (service.hold !== undefined) free.push(...speaker(service))
    else free.push(...service.nodes.values())
  }
  planOutOfTurn(room, free, nowMs)
}

/**
 * Somebody opened this node. It is asked at once, before others that wait, when nothing is
 * known of it or what is known is older than an interval. A node that fails, and a service that
 * holds its nodes back, keep their times: looking at a failure must not make it more frequent.
 */
export function lookAt(room: Room, key: NodeKey, nowMs: number): void {
  const node = room.nodes.get(key)
  if (node === undefined || node.flight !== undefined || node.live.episode !== undefined) return
  const { service, live } = node
  if (service.waiting !== undefined || service.hold !== undefined) return
  if (live.reading !== undefined && readingAgeMs(live.reading, nowMs) < service.service.pollIntervalMs) return
  node.urgent = true
  planAt(room, node, nowMs)
}

/** A key came, was unlocked or changed: what failed for want of a good one is asked again. */
export function keyChanged(room: Room, nowMs: number): void {
  for (const service of room.services.values()) {
    endProbes(room, service)
    const refused = service.hold?.reason === 'refused'
    if (waitsForKey(service) || refused) resume(room, service, nowMs)
    else planOutOfTurn(room, Array.from(service.nodes.values()).filter(lackedKey), nowMs)
  }
}

/** Puts an end to holds whose time is over. A refusal of the key ends by an answer only. */
export function endHolds(room: Room, nowMs: number): void {
  for (const service of room.services.values()) {
    if (service.hold?.reason !== 'rate-limited' || service.hold.untilMs > nowMs) continue
    service.hold = undefined
    room.changes.services()
  }
}

const waitsForKey = ({ waiting }: TrackedService): boolean =>
  waiting !== undefined && waiting.kind !== 'mixed-content'

/** Its failure may be gone with another key or signer. */
const lackedKey = ({ live: { episode } }: TrackedNode): boolean =>
  episode !== undefined &&
  (episode.failure.kind === 'signer-failed' || FAILURES[episode.failure.kind].scope === 'key')

/** The one node that asks for a service that holds back all of them. */
function speaker({ probe, nodes }: TrackedService): readonly TrackedNode[] {
  const first = probe ?? nodes.values().next().value
  return first === undefined ? [] : [first]
}
