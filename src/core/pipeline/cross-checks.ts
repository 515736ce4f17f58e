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
  /** By `nameOf` the pair. */
  const pairs = new Map<string, CrossChecked>()

  const regroup = (nodes: FleetSnapshot['nodes']): void => {
    groups = groupsOf(nodes.values())
    const kept = new Set(Array.from(groups).flatMap(([key, group]) => pairsWith(key, group).map(nameOf)))
    for (const name of pairs.keys()) if (!kept.has(name)) pairs.delete(name)
  }

  const compare = (first: Side, second: Side, nowMs: number): void => {
    const name = nameOf([first.node.key, second.node.key])
    const checked = crossCheck(first, second, pairs.get(name)?.memory ?? NOTHING_SEEN, registry, nowMs)
    if (checked !== undefined) pairs.set(name, checked)
  }

  const withFound = (node: AssessedNode): AssessedNode => {
    const all = pairsWith(node.key, groups.get(node.key) ?? []).flatMap(
      (pair) => pairs.get(nameOf(pair))?.[pair[0] === node.key ? 'first' : 'second'] ?? [],
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
          const [one, other] = [sideOf(first, now), sideOf(second, now)]
          if (one === undefined || other === undefined) continue
          compare(one, other, update.nowMs)
          for (const { node } of [one, other]) concerned.set(node.key, node)
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

type KeyPair = readonly [NodeKey, NodeKey]

/** Keys have no spaces. */
const nameOf = ([first, second]: KeyPair): string => `${first} ${second}`

const pairsWith = (key: NodeKey, group: readonly NodeKey[]): readonly KeyPair[] => {
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
