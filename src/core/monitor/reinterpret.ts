import type { StatusRecord } from '#metrics/status-record.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective-settings.ts'
import { judgedHeartbeatAge, type ClockEvidence } from '#record/heartbeat-age.ts'
import { timestampIn, writtenTimestamp, type ReadAs } from '#record/field.ts'
import type { NodeKey, Reading } from '#fleet/live.ts'
import type { FleetState, TrackedNode } from './tracked.ts'

/** How old a record's heartbeat was when it was read, where that can be told. */
export const ageOf = (
  heartbeat: StatusRecord['heartbeat'],
  { startedWallMs, latencyMs }: Pick<Reading, 'startedWallMs' | 'latencyMs'>,
  clocks: ClockEvidence,
  { heartbeatPeriodMs }: EffectiveSettings,
): Reading['heartbeat'] =>
  heartbeat.ok
    ? judgedHeartbeatAge(
        { heartbeatMs: heartbeat.value.atMs, startedWallMs, latencyMs },
        clocks,
        heartbeatPeriodMs.value,
      )
    : undefined

export const readAsOf = ({ heartbeat, extraFields }: EffectiveSettings): ReadAs => ({
  heartbeat: heartbeat.value,
  extraFields: extraFields.value,
})

type HeartbeatUnit = ReadAs['heartbeat']

const unitOf = ({ service, live }: TrackedNode): HeartbeatUnit =>
  effectiveSettings(service.rules, live).heartbeat.value

/** In which unit each node's heartbeat is read now. */
export const heartbeatUnits = ({ nodes }: FleetState): ReadonlyMap<NodeKey, HeartbeatUnit> =>
  new Map(Array.from(nodes, ([key, node]) => [key, unitOf(node)]))

/**
 * Reads what is known of the nodes whose unit is another one than `before` in the new one, so
 * that no answer has to come first. Returns those of which too little is kept: they have to be
 * asked anew.
 */
export function reinterpretHeartbeats(
  { nodes, setLive }: FleetState,
  before: ReadonlyMap<NodeKey, HeartbeatUnit>,
): readonly TrackedNode[] {
  const unreadable: TrackedNode[] = []
  for (const node of nodes.values()) {
    const old = before.get(node.key)
    if (old === undefined || old === unitOf(node) || node.live.reading === undefined) continue
    node.heartbeatClock = undefined // measured against another clock
    const reading = reinterpreted(node)
    if (reading === undefined) unreadable.push(node)
    else setLive(node, { ...node.live, reading })
  }
  return unreadable
}

function reinterpreted(node: TrackedNode): Reading | undefined {
  const { service, live } = node
  const { reading } = live
  if (reading?.record.heartbeat.ok !== true) return undefined
  const text = writtenTimestamp(reading.record.heartbeat.value)
  const heartbeat = timestampIn({ text, value: Number(text) }, unitOf(node))
  return {
    ...reading,
    record: { ...reading.record, heartbeat },
    heartbeat: ageOf(heartbeat, reading, { date: service.offset }, effectiveSettings(service.rules, live)),
  }
}
