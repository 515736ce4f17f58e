import { assess, withAssessment } from '#evaluate/assess.ts'
import type { AssessedNode, FleetSnapshot, FleetUpdate, NodeLive, ServiceLive } from '#fleet/live.ts'
import type { Batch } from '#monitor/monitor.ts'

/** What a batch changes, each node with what its state means. `onError`: a node that can't be evaluated stays as it was. */
export function evaluateBatch(
  fleet: FleetSnapshot,
  batch: Batch,
  onError: (error: unknown) => void,
): FleetUpdate {
  const services =
    batch.services === undefined
      ? fleet.services
      : new Map(batch.services.map((service) => [service.id, service]))
  const changed = new Map<string, NodeLive>(batch.changed.map((node) => [node.key, node]))
  if (batch.services !== undefined)
    for (const node of fleet.nodes.values())
      if (meansOther(node, fleet.services.get(node.serviceId), services.get(node.serviceId)))
        if (!changed.has(node.key)) changed.set(node.key, node)
  const assessed = (node: NodeLive): readonly AssessedNode[] => {
    const service = services.get(node.serviceId)
    try {
      return service === undefined ? [] : [withAssessment(node, service)]
    } catch (error) {
      onError(error)
      return []
    }
  }
  return { ...batch, revision: fleet.revision + 1, changed: Array.from(changed.values()).flatMap(assessed) }
}

/** Whether other settings of its service make the same state mean something else. */
const meansOther = (
  node: AssessedNode,
  before: ServiceLive | undefined,
  now: ServiceLive | undefined,
): boolean =>
  now !== undefined &&
  (before?.service !== now.service || before.rules !== now.rules) &&
  JSON.stringify(assess(node, now)) !== JSON.stringify(node.assessment)
