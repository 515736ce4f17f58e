import { assess as assessWith, withAssessment as withAssessmentOf } from '#evaluate/assess.ts'
import { causesOf as causesWith } from '#evaluate/causes.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'

type Node = Parameters<typeof assessWith>[0]
type Live = Parameters<typeof withAssessmentOf>[0]
type Service = Parameters<typeof assessWith>[1]

/** Evaluates with the product's metrics. */
export const assess = (node: Node, service: Service) => assessWith(node, service, METRICS)
export const withAssessment = (node: Live, service: Service, metrics: MetricRegistry = METRICS) =>
  withAssessmentOf(node, service, metrics)
export const causesOf = (snapshot: FleetSnapshot, nowMs: number, metrics: MetricRegistry = METRICS) =>
  causesWith(snapshot, nowMs, metrics)
