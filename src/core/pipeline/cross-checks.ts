import { groupBy } from '#base/group-by.ts'
import { crossCheck, NOTHING_SEEN, type CrossChecked, type Side } from '#evaluate/cross-check.ts'
import { type AssessedNode, type NodeKey, pollIntervalOf } from '#fleet/live.ts'
import type { FleetSnapshot, FleetUpdate } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { canonicalNodeId } from '#record/node-id.ts'

/** Limits the services compared for one node, because the number of pairs grows with the square. */
const SIDES_MAX = 4

/** Compares the answers of several services about one node whenever one of them answers. */
export function createCrossChecks(registry: MetricRegistry) {
  let groups: ReadonlyMap<NodeKey, readonly NodeKey[]> = new Map()
  const pairs = new Map<NodeKey, Map<NodeKey, CrossChecked>>()

  const regroup = (nodes: FleetSnapshot['nodes']): void => {
    groups = groupsOf(nodes.values())
    for (const [first, seconds] of pairs) {
      const group = groups.get(first) ?? []
      const after = group.slice(group.indexOf(first))
      for (const second of seconds.keys()) if (!after.includes(second)) seconds.delete(second)
      if (seconds.size === 0) pairs.delete(first)
    }
  }

  const compare = (first: Side, second: Side, nowMs: number): void => {
    const seconds = pairs.get(first.node.key) ?? new Map<NodeKey, CrossChecked>()
    const memory = seconds.get(second.node.key)?.memory ?? NOTHING_SEEN
    const checked = crossCheck(first, second, memory, registry, nowMs)
    if (checked !== undefined) pairs.set(first.node.key, seconds.set(second.node.key, checked))
  }

  const withFound = (node: AssessedNode): AssessedNode => {
    const all = pairsWith(node.key, groups.get(node.key) ?? []).flatMap(
      ([first, second]) => pairs.get(first)?.get(second)?.[first === node.key ? 'first' : 'second'] ?? [],
    )
    if (JSON.stringify(node.disagreements ?? []) === JSON.stringify(all)) return node
    const { disagreements: _, ...without } = node
    return all.length === 0 ? without : { ...without, disagreements: all }
  }

  return {
    /**
     * Adds disagreements to the update, including those of nodes that it did not change. `fleet`: the fleet with the update
     * applied.
     */
    take: (update: FleetUpdate, fleet: () => FleetSnapshot): FleetUpdate => {
      if (update.order === undefined && groups.size === 0) return update
      const now = fleet()
      if (update.order !== undefined) regroup(now.nodes)
      const concerned = new Map<NodeKey, AssessedNode>()
      for (const { key } of update.changed)
        for (const [first, second] of pairsWith(key, groups.get(key) ?? [])) {
          const sides = [sideOf(first, now), sideOf(second, now)] as const
          if (sides[0] === undefined || sides[1] === undefined) continue
          compare(sides[0], sides[1], update.nowMs)
          for (const { node } of [sides[0], sides[1]]) concerned.set(node.key, node)
        }
      for (const node of update.changed) concerned.delete(node.key)
      const others = Array.from(concerned.values()).flatMap((node) => {
        const next = withFound(node)
        return next === node ? [] : [next]
      })
      return { ...update, changed: [...update.changed.map(withFound), ...others] }
    },
  }
}

function groupsOf(nodes: Iterable<AssessedNode>): ReadonlyMap<NodeKey, readonly NodeKey[]> {
  // Each service has its own default node, so default nodes are not compared.
  const named = Array.from(nodes).flatMap(({ key, nodeId }) =>
    nodeId === undefined ? [] : [{ key, nodeId }],
  )
  const byId = groupBy(named, ({ nodeId }) => canonicalNodeId(nodeId))
  return new Map(
    Array.from(byId.values())
      .filter((same) => same.length > 1)
      .flatMap((same) => {
        const group = same.slice(0, SIDES_MAX).map(({ key }) => key)
        return group.map((key) => [key, group] as const)
      }),
  )
}

const pairsWith = (key: NodeKey, group: readonly NodeKey[]): readonly (readonly [NodeKey, NodeKey])[] => {
  const place = group.indexOf(key)
  return group.flatMap((other, at) =>
    at === place ? [] : at < place ? [[other, key] as const] : [[key, other] as const],
  )
}

function sideOf(key: NodeKey, { nodes, services }: FleetSnapshot): Side | undefined {
  const node = nodes.get(key)
  const service = node && services.get(node.serviceId)
  return node && service && { node, intervalMs: pollIntervalOf(node, service) }
}
