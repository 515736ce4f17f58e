import type { NodeKey, NodeLive } from '#fleet/live.ts'
import type { NodeSeverity } from '#fleet/assessment.ts'
import type { Evaluation } from '#react/evaluation.tsx'

/** What the table can be narrowed to; the words stand in the address. */
export const FILTERS = ['all', 'critical', 'warning', 'info', 'no-data'] as const
export type Filter = (typeof FILTERS)[number]

export const filterFromText = (text: string | null): Filter =>
  FILTERS.find((filter) => filter === text) ?? 'all'

/** Worst first. A node without data stands above one with info: nobody knows how it is. */
const RANK: Readonly<Record<NodeSeverity, number>> = {
  critical: 0,
  warning: 1,
  'no-data': 2,
  info: 3,
  ok: 4,
}

/** "vela-2" before "vela-10". */
const byName = new Intl.Collator('en', { numeric: true })

/** Node keys by name; nodes without a name by their id. */
type Named = readonly { readonly key: NodeKey; readonly name: string }[]

/**
 * Gives the keys to show, worst first, then by name. Comparing names is what costs, so the
 * order of names is kept until a node comes, goes or is renamed: conditions change all the time.
 */
export function createOrder(): (
  nodes: ReadonlyMap<NodeKey, NodeLive>,
  states: Pick<Evaluation, 'severities' | 'withoutData'>,
  filter: Filter,
  /** Undefined: nodes with any tag or none. */
  tag?: string,
) => readonly NodeKey[] {
  let given: Named = []
  let sorted: Named = []
  return (nodes, { severities, withoutData }, filter, tag) => {
    if (!isOf(nodes, given)) {
      given = Array.from(nodes, ([key, node]) => ({ key, name: nameOf(node) }))
      sorted = given.toSorted((a, b) => byName.compare(a.name, b.name))
    }
    const ranks: NodeKey[][] = Object.values(RANK).map(() => [])
    for (const { key } of sorted) {
      if (tag !== undefined && nodes.get(key)?.tags.includes(tag) !== true) continue
      const severity = severities.get(key) ?? 'no-data'
      const isWithoutData = severity === 'no-data' || withoutData.has(key)
      if (filter !== 'all' && !(filter === 'no-data' ? isWithoutData : severity === filter)) continue
      ranks[isWithoutData ? Math.min(RANK[severity], RANK['no-data']) : RANK[severity]]?.push(key)
    }
    return ranks.flat()
  }
}

const nameOf = ({ name, nodeId }: NodeLive): string => name ?? nodeId ?? ''

/** Whether these are the nodes and names that were given before, in the same order. */
function isOf(nodes: ReadonlyMap<NodeKey, NodeLive>, given: Named): boolean {
  if (nodes.size !== given.length) return false
  let place = 0
  for (const [key, node] of nodes) {
    const before = given[place++]
    if (before?.key !== key || before.name !== nameOf(node)) return false
  }
  return true
}
