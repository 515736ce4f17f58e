import { assess } from '#evaluate/assess.ts'
import type { AssessedNode, NodeLive, ServiceLive } from '#fleet/live.ts'
import { servicesAfter, type FleetSnapshot, type FleetUpdate } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { Batch } from '#monitor/monitor.ts'

/** Assesses the changed nodes of a batch. `onError`: evaluating a node failed, so it stays unchanged. */
export function evaluateBatch(
  fleet: FleetSnapshot,
  batch: Batch,
  onError: (error: unknown) => void,
  registry: MetricRegistry,
): FleetUpdate {
  const services = servicesAfter(fleet.services, batch)
  const evaluated = (node: NodeLive): readonly AssessedNode[] => {
    const service = services.get(node.serviceId)
    try {
      return service === undefined ? [] : [{ ...node, assessment: assess(node, service, registry) }]
    } catch (error) {
      onError(error)
      return []
    }
  }
  const polled = new Set<string>(batch.changed.map(({ key }) => key))
  const others = Array.from(fleet.nodes.values()).filter(
    ({ key, serviceId }) =>
      !polled.has(key) && hasOtherSettings(fleet.services.get(serviceId), services.get(serviceId)),
  )
  const meantOtherwise = others.flatMap((node) =>
    evaluated(node).filter(({ assessment }) => !isSame(assessment, node.assessment)),
  )
  return {
    ...batch,
    revision: fleet.revision + 1,
    changed: [...batch.changed.flatMap(evaluated), ...meantOtherwise],
  }
}

/** Changed settings can change the assessment of an unchanged state. */
const hasOtherSettings = (before: ServiceLive | undefined, now: ServiceLive | undefined): boolean =>
  before?.service !== now?.service || before?.rules !== now?.rules

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
