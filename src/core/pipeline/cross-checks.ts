import { groupBy } from '#base/group-by.ts'
import { crossCheck, NOTHING_SEEN, type CrossChecked, type Side } from '#evaluate/cross-check.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import { type AssessedNode, type Disagreement, type NodeKey, pollIntervalOf } from '#fleet/live.ts'
import type { FleetSnapshot, FleetUpdate } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { canonicalNodeId } from '#record/node-id.ts'

/** Limits the services compared for one node, because the number of pairs grows with the square. */
const SIDES_MAX = 4

/** Compares the answers of several services about one node whenever one of them answers. */
export function createCrossChecks(registry: MetricRegistry) {
  /** The pairs that each node is part of. */
  let pairs: ReadonlyMap<NodeKey, readonly KeyPair[]> = new Map()
  /** By `nameOf` the pair. */
  const results = new Map<string, CrossChecked>()

  const regroup = (nodes: FleetSnapshot['nodes']): void => {
    pairs = pairsIn(nodes.values())
    const kept = new Set(Array.from(pairs.values()).flat().map(nameOf))
    for (const name of results.keys()) if (!kept.has(name)) results.delete(name)
  }

  const compare = (first: Side, second: Side, nowMs: number): void => {
    const name = nameOf([first.node.key, second.node.key])
    const before = results.get(name)
    const checked = crossCheck(first, second, before?.memory ?? NOTHING_SEEN, registry, nowMs)
    if (checked !== undefined) results.set(name, checked)
    else if (before !== undefined && !(isCurrentAt(first.node, nowMs) && isCurrentAt(second.node, nowMs)))
      results.set(name, { ...before, first: before.first.map(held), second: before.second.map(held) })
  }

  const withFound = (node: AssessedNode): AssessedNode => {
    const all = (pairs.get(node.key) ?? []).flatMap(
      (pair) => results.get(nameOf(pair))?.[pair[0] === node.key ? 'first' : 'second'] ?? [],
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
      if (update.order === undefined && pairs.size === 0) return update
      const now = fleet()
      if (update.order !== undefined) regroup(now.nodes)
      const concerned = new Map<NodeKey, AssessedNode>()
      for (const { key } of update.changed)
        for (const [first, second] of pairs.get(key) ?? []) {
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

const held = (found: Disagreement): Disagreement => ({ ...found, isHeld: true })

type KeyPair = readonly [NodeKey, NodeKey]

/** Keys have no spaces. */
const nameOf = ([first, second]: KeyPair): string => `${first} ${second}`

function pairsIn(nodes: Iterable<AssessedNode>): ReadonlyMap<NodeKey, readonly KeyPair[]> {
  // Each service has its own default node, so default nodes are not compared.
  const named = Array.from(nodes).flatMap(({ key, nodeId }) =>
    nodeId === undefined ? [] : [{ key, nodeId }],
  )
  const byId = groupBy(named, ({ nodeId }) => canonicalNodeId(nodeId))
  const several = Array.from(byId.values()).filter(({ length }) => length > 1)
  return new Map(
    several.flatMap((same) => {
      const keys = same.slice(0, SIDES_MAX).map(({ key }) => key)
      const pairs = keys.flatMap((first, at) => keys.slice(at + 1).map((second): KeyPair => [first, second]))
      return keys.map((key) => [key, pairs.filter((pair) => pair.includes(key))] as const)
    }),
  )
}

function sideOf(key: NodeKey, { nodes, services }: FleetSnapshot): Side | undefined {
  const node = nodes.get(key)
  const service = node && services.get(node.serviceId)
  return node && service && { node, intervalMs: pollIntervalOf(node, service) }
}
