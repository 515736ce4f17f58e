import { groupBy } from '#base/group-by.ts'
import type { Severity } from '#protocol/failure.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { Cause } from '#fleet/cause.ts'
import { clockCauses } from './clock-causes.ts'
import { dataCauses } from './data-causes.ts'
import { failureCauses } from './failure-causes.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { screenCauses } from './screen-causes.ts'

const CAUSES_MAX = 50

/**
 * All problems, most severe first, at most 50. Nodes that fail for the same reason at one service are one cause. A service
 * whose nodes (nearly) all fail is one cause, even if they fail in different ways. Several unreachable services are one cause:
 * the network of this computer or of the dashboard server. `nowMs` is on the engine's steady clock.
 */
export function causesOf(snapshot: FleetSnapshot, nowMs: number, registry: MetricRegistry): readonly Cause[] {
  const nodes = groupBy(snapshot.nodes.values(), ({ serviceId }) => serviceId)
  const failures = failureCauses(snapshot, nodes, nowMs)
  const data = dataCauses(snapshot, nodes, nowMs, registry)
  const explained = [...failures, ...data.filter(({ code }) => code === 'data/cached')]
  const named = new Set(explained.flatMap((cause) => cause.nodes))
  return [
    ...failures,
    ...clockCauses(snapshot, nodes),
    ...data,
    ...screenCauses(snapshot, nodes, named, nowMs),
  ]
    .toSorted(bySeverity)
    .slice(0, CAUSES_MAX)
}

const WORST_FIRST: readonly Severity[] = ['critical', 'warning', 'info', 'none']
const WIDEST: readonly Cause['scope'][] = ['screen', 'service', 'node']

const bySeverity = (a: Cause, b: Cause): number =>
  WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity) ||
  WIDEST.indexOf(a.scope) - WIDEST.indexOf(b.scope) ||
  (a.sinceMs ?? 0) - (b.sinceMs ?? 0)
