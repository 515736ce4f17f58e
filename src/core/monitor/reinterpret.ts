import type { MetricRegistry } from '#metrics/metric.ts'
import type { BuiltInMetric } from '#metrics/metrics.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'
import { heartbeatAgeByClocks, type ClockEvidence } from '#record/heartbeat-age.ts'
import { timestampIn, writtenTimestamp, type ReadAs } from '#record/field.ts'
import type { NodeKey, Reading } from '#fleet/live.ts'
import type { FleetState, TrackedNode } from './tracked.ts'

/** The only timestamp known to recur, so clocks are compared by it. */
const BEATS = 'heartbeat' satisfies BuiltInMetric['id']

/** Age of each timestamp of a record at the time of the reading, where it can be determined. */
export const agesOf = (
  record: StatusRecord,
  { startedWallMs, latencyMs }: Pick<Reading, 'startedWallMs' | 'latencyMs'>,
  clocks: ClockEvidence,
  { heartbeatPeriodMs }: EffectiveSettings,
  metrics: MetricRegistry,
): Reading['ages'] =>
  Object.fromEntries(
    timestampsOf(metrics).flatMap((metric) => {
      const field = fieldOf(metric, { record, latencyMs })
      if (!field.ok) return []
      const seen = { heartbeatMs: field.value.atMs, startedWallMs, latencyMs }
      const evidence = metric.id === BEATS ? clocks : { ...clocks, unchangedMs: undefined }
      return [[metric.id, heartbeatAgeByClocks(seen, evidence, heartbeatPeriodMs.value)]]
    }),
  )

const timestampsOf = (metrics: MetricRegistry) => metrics.filter((metric) => metric.kind === 'timestamp')

export const readAsOf = ({ heartbeat, extraFields }: EffectiveSettings): ReadAs => ({
  heartbeat: heartbeat.value,
  extraFields: extraFields.value,
})

type HeartbeatUnit = ReadAs['heartbeat']

const unitOf = ({ service, live }: TrackedNode): HeartbeatUnit =>
  effectiveSettings(service.rules, live).heartbeat.value

export const heartbeatUnits = ({ nodes }: FleetState): ReadonlyMap<NodeKey, HeartbeatUnit> =>
  new Map(Array.from(nodes, ([key, node]) => [key, unitOf(node)]))

/**
 * Reinterprets the readings of nodes whose timestamp unit changed, without waiting for another answer. Returns the nodes whose
 * stored data is insufficient; they have to be polled again.
 */
export function reinterpretHeartbeats(
  { nodes, setLive }: FleetState,
  before: ReadonlyMap<NodeKey, HeartbeatUnit>,
  metrics: MetricRegistry,
): readonly TrackedNode[] {
  const unreadable: TrackedNode[] = []
  for (const node of nodes.values()) {
    const old = before.get(node.key)
    if (old === undefined || old === unitOf(node) || node.live.reading === undefined) continue
    node.heartbeatClock = undefined // The offset was measured in the earlier unit.
    const reading = reinterpreted(node, metrics)
    if (reading === undefined) unreadable.push(node)
    else setLive(node, { ...node.live, reading })
  }
  return unreadable
}

/** Undefined if a timestamp was unusable in the earlier unit, because its text is not stored. */
function reinterpreted(node: TrackedNode, metrics: MetricRegistry): Reading | undefined {
  const { service, live } = node
  const { reading } = live
  if (reading?.record.heartbeat.ok !== true) return undefined
  const fields = timestampsOf(metrics).flatMap((metric) => {
    const field = fieldOf(metric, reading)
    if (!field.ok) return []
    const text = writtenTimestamp(field.value)
    return [[metric.id, timestampIn({ text, value: Number(text) }, unitOf(node))] as const]
  })
  const record = { ...reading.record, ...Object.fromEntries(fields) }
  const settings = effectiveSettings(service.rules, live)
  return {
    ...reading,
    record,
    ages: agesOf(record, reading, { date: service.clock.offset }, settings, metrics),
  }
}
