import { effectiveSettings } from '#settings/effective-settings.ts'
import { heartbeatAge } from '#record/heartbeat-age.ts'
import { timestampIn, type ReadAs } from '#record/field.ts'
import type { NodeKey } from '#fleet/live.ts'
import { setLive, type Room } from './room.ts'
import type { TrackedNode } from './tracked.ts'

type HeartbeatUnit = ReadAs['heartbeat']

const unitOf = ({ service, live }: TrackedNode): HeartbeatUnit =>
  effectiveSettings(service.rules, live).heartbeat.value

/** In which unit each node's heartbeat is read now. */
export const heartbeatUnits = (room: Room): ReadonlyMap<NodeKey, HeartbeatUnit> =>
  new Map(Array.from(room.nodes, ([key, node]) => [key, unitOf(node)]))

/**
 * Reads what is known of the nodes whose unit is another one than `before` in the new one, so
 * that no answer has to come first. Returns those of which too little is kept: they have to be
 * asked anew.
 */
export function rereadHeartbeats(
  room: Room,
  before: ReadonlyMap<NodeKey, HeartbeatUnit>,
): readonly TrackedNode[] {
  const unreadable: TrackedNode[] = []
  for (const node of room.nodes.values()) {
    const old = before.get(node.key)
    if (old === undefined || old === unitOf(node) || node.live.reading === undefined) continue
    node.heartbeatClock = undefined // told of another clock
    if (!reread(room, node)) unreadable.push(node)
  }
  return unreadable
}

function reread(room: Room, node: TrackedNode): boolean {
  const { service, live } = node
  const { reading } = live
  if (reading?.record.heartbeat.ok !== true) return false
  const { atMs, unit } = reading.record.heartbeat.value
  const heartbeat = timestampIn(unit === 'ms' ? atMs : atMs / 1_000, unitOf(node))
  const { startedWallMs, latencyMs } = reading
  const periodMs = effectiveSettings(service.rules, live).heartbeatPeriodMs.value
  setLive(room, node, {
    ...live,
    reading: {
      ...reading,
      record: { ...reading.record, heartbeat },
      heartbeat: heartbeat.ok
        ? heartbeatAge(
            { heartbeatMs: heartbeat.value.atMs, startedWallMs, latencyMs },
            service.offset,
            periodMs,
          )
        : undefined,
    },
  })
  return true
}
