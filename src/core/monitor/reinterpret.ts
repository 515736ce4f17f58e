import type { MetricRegistry } from '#metrics/metric.ts'
import type { BuiltInMetric } from '#metrics/metrics.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'
import { judgedHeartbeatAge, type ClockEvidence } from '#record/heartbeat-age.ts'
import { timestampIn, writtenTimestamp, type ReadAs } from '#record/field.ts'
import type { NodeKey, Reading } from '#fleet/live.ts'
import { heartbeatTimed } from './node-machine.ts'
import type { FleetState, TrackedNode } from './tracked.ts'

/** The one timestamp that is known to come again and again: clocks are compared by it. */
const BEATS = 'heartbeat' satisfies BuiltInMetric['id']

/** How old each of a record's timestamps was when it was read, where that can be told. */
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
      return [[metric.id, judgedHeartbeatAge(seen, evidence, heartbeatPeriodMs.value)]]
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

/** In which unit each node's timestamps are read now. */
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
  metrics: MetricRegistry,
): readonly TrackedNode[] {
  const unreadable: TrackedNode[] = []
  for (const node of nodes.values()) {
    const old = before.get(node.key)
    if (old === undefined || old === unitOf(node) || node.live.reading === undefined) continue
    heartbeatTimed(node, undefined)
    const reading = reinterpreted(node, metrics)
    if (reading === undefined) unreadable.push(node)
    else setLive(node, { ...node.live, reading })
  }
  return unreadable
}

/** Undefined where one was unusable in the unit before: what it was is not kept. */
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
