import type { NodeKey, NodeLive } from '#monitor/live.ts'
import type { Loudness } from '#react/judgement.tsx'

/** What the table can be narrowed to; the words stand in the address. */
export const FILTERS = ['all', 'critical', 'warning', 'notice', 'no-data'] as const
export type Filter = (typeof FILTERS)[number]

export const filterFromText = (text: string | null): Filter =>
  FILTERS.find((filter) => filter === text) ?? 'all'

/** Worst first. A node without data stands above one with a notice: nobody knows how it is. */
const RANK: Readonly<Record<Loudness, number>> = {
  critical: 0,
  warning: 1,
  'no-data': 2,
  notice: 3,
  ok: 4,
}

/** "vela-2" before "vela-10". */
const byName = new Intl.Collator('en', { numeric: true })

/** The keys to show, worst first, then by name; nodes without a name by their id. */
export function orderedKeys(
  nodes: ReadonlyMap<NodeKey, NodeLive>,
  loudness: ReadonlyMap<NodeKey, Loudness>,
  filter: Filter,
): readonly NodeKey[] {
  const rows: { readonly key: NodeKey; readonly rank: number; readonly name: string }[] = []
  for (const [key, node] of nodes) {
    const loud = loudness.get(key) ?? 'no-data'
    if (filter !== 'all' && loud !== filter) continue
    rows.push({ key, rank: RANK[loud], name: node.name ?? node.nodeId ?? '' })
  }
  return rows.toSorted((a, b) => a.rank - b.rank || byName.compare(a.name, b.name)).map(({ key }) => key)
}
