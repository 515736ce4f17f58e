import { assess as assessWith } from '#evaluate/assess.ts'
import { causesOf as causesWith } from '#evaluate/causes.ts'
import type { AssessedNode, NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'

type Node = Parameters<typeof assessWith>[0]
type Service = Parameters<typeof assessWith>[1]

/** Evaluates with the product's metrics. */
export const assess = (node: Node, service: Service, metrics: MetricRegistry = METRICS) =>
  assessWith(node, service, metrics)
export function withAssessment(node: NodeLive, service: Service, metrics?: MetricRegistry): AssessedNode {
  return { ...node, assessment: assess(node, service, metrics) }
}
export const causesOf = (snapshot: FleetSnapshot, nowMs: number, metrics: MetricRegistry = METRICS) =>
  causesWith(snapshot, nowMs, metrics)
