import { groupBy } from '#base/group-by.ts'
import type { NodeClass } from '#fleet/assessment.ts'
import type { AssessedNode, NodeKey, NodeLive } from '#fleet/live.ts'
import type { Evaluation } from '#react/evaluation.tsx'

/** Filters of the table. The values appear in the URL. */
export const FILTERS = ['all', 'critical', 'warning', 'info', 'no-data', 'shelved', 'ok'] as const
export type Filter = (typeof FILTERS)[number]

export const filterFromText = (text: string | null): Filter =>
  FILTERS.find((filter) => filter === text) ?? 'all'

/** Highest severity first. `no-data` ranks above `info`, because the node's state is unknown. */
const RANK: Readonly<Record<NodeClass, number>> = {
  critical: 0,
  warning: 1,
  'no-data': 2,
  info: 3,
  shelved: 4,
  ok: 4,
}

/** Numeric, so that "vela-2" comes before "vela-10". */
const byName = new Intl.Collator('en', { numeric: true })

/** Sorted by name, or by id for nodes without a name. */
type Named = readonly { readonly key: NodeKey; readonly name: string }[]

/** Undefined values sort last in either direction. */
export type SortValue = string | number | undefined

export type Asked = {
  readonly filter: Filter
  /** Absent: every node. */
  readonly accepts?: ((node: AssessedNode) => boolean) | undefined
  /** Absent: by name. */
  readonly sort?: { readonly valueOf: (key: NodeKey) => SortValue; readonly descending: boolean } | undefined
}

export type Ordered = {
  /**
   * All nodes except those within limits, shelved, or awaiting their first answer. Highest severity first, whatever the
   * sorting, which applies within a severity.
   */
  readonly attention: readonly NodeKey[]
  readonly rest: readonly NodeKey[]
}

/**
 * Comparing names is the costly part, so the order by name is cached until a node is added, removed or renamed. Conditions
 * change all the time.
 */
export function createOrder(): (
  nodes: ReadonlyMap<NodeKey, AssessedNode>,
  states: Omit<Evaluation, 'counts'>,
  asked: Asked,
) => Ordered {
  let given: Named = []
  let sorted: Named = []
  return (nodes, { classes, awaited }, { filter, accepts, sort }) => {
    if (!isOf(nodes, given)) {
      given = Array.from(nodes, ([key, node]) => ({ key, name: nameOf(node) }))
      sorted = given.toSorted((a, b) => byName.compare(a.name, b.name))
    }
    const ranks: NodeKey[][] = Object.values(RANK).map(() => [])
    for (const { key } of sorted) {
      const node = nodes.get(key)
      if (node === undefined || accepts?.(node) === false) continue
      const found = classes.get(key) ?? 'no-data'
      if (filter !== 'all' && found !== filter) continue
      ranks[found === 'no-data' && awaited.has(key) ? RANK.ok : RANK[found]]?.push(key)
    }
    const ordered = sort === undefined ? ranks : ranks.map((keys) => sortedBy(keys, sort))
    return { attention: ordered.slice(0, RANK.ok).flat(), rest: ordered[RANK.ok] ?? [] }
  }
}

/** Stable: nodes with equal values stay in name order. */
function sortedBy(
  keys: readonly NodeKey[],
  { valueOf, descending }: NonNullable<Asked['sort']>,
): readonly NodeKey[] {
  const sign = descending ? -1 : 1
  return keys
    .map((key) => ({ key, value: valueOf(key) }))
    .toSorted(({ value: a }, { value: b }) => {
      if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
      if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
      return sign * byName.compare(String(a), String(b))
    })
    .map(({ key }) => key)
}

const nameOf = ({ name, nodeId }: NodeLive): string => name ?? nodeId ?? ''

function isOf(nodes: ReadonlyMap<NodeKey, NodeLive>, given: Named): boolean {
  if (nodes.size !== given.length) return false
  let place = 0
  for (const [key, node] of nodes) {
    const before = given[place++]
    if (before?.key !== key || before.name !== nameOf(node)) return false
  }
  return true
}

export type FleetRow =
  | { readonly kind: 'node'; readonly id: string; readonly key: NodeKey }
  | { readonly kind: 'attention'; readonly id: string; readonly nodes: number }
  /** Replaces the attention nodes beyond the limit. */
  | { readonly kind: 'more'; readonly id: string; readonly keys: readonly NodeKey[] }
  /** `name` is undefined for nodes without a group. */
  | {
      readonly kind: 'group'
      readonly id: string
      readonly name: string | undefined
      readonly keys: readonly NodeKey[]
    }
  | { readonly kind: 'rest'; readonly id: string; readonly keys: readonly NodeKey[] }

/** The rest open on request, because a longer list would push the other nodes out of reach. */
export const ATTENTION_MAX = 12
/** Fewer nodes need no headings. */
const PLAIN_MAX = 12

type Parting = {
  readonly isOpen: boolean
  readonly isSorted: boolean
  /** Absent: not grouped. Returns undefined for a node without a group. */
  readonly groupOf?: ((key: NodeKey) => string | undefined) | undefined
}

/** Reuses the line object of each node, because lines are compared by identity. */
export function createRows(): (ordered: Ordered, parting: Parting) => readonly FleetRow[] {
  let known: ReadonlyMap<NodeKey, FleetRow> = new Map()
  return (ordered, parting) => {
    const before = known
    const now = new Map<NodeKey, FleetRow>()
    for (const key of [...ordered.attention, ...ordered.rest])
      now.set(key, before.get(key) ?? { kind: 'node', id: key, key })
    known = now
    return parted(ordered, parting, (keys) => keys.flatMap((key) => now.get(key) ?? []))
  }
}

function parted(
  { attention, rest }: Ordered,
  { isOpen, isSorted, groupOf }: Parting,
  nodes: (keys: readonly NodeKey[]) => readonly FleetRow[],
): readonly FleetRow[] {
  const isParted = isSorted || groupOf !== undefined || attention.length + rest.length > PLAIN_MAX
  if (!isParted || (groupOf === undefined && (attention.length === 0 || rest.length === 0)))
    return nodes([...attention, ...rest])
  // Never hides a single node, because the "more" line takes the same space.
  const isCut = !isOpen && rest.length > 0 && attention.length > ATTENTION_MAX + 1
  const listed = isCut ? attention.slice(0, ATTENTION_MAX) : attention
  const hidden = attention.slice(listed.length)
  return [
    ...(attention.length === 0
      ? []
      : [{ kind: 'attention', id: 'attention', nodes: attention.length } as const]),
    ...nodes(listed),
    ...(hidden.length === 0 ? [] : [{ kind: 'more', id: 'more', keys: hidden } as const]),
    ...(groupOf === undefined
      ? [{ kind: 'rest', id: 'rest', keys: rest } as const, ...nodes(rest)]
      : groupsOf(rest, groupOf).flatMap((group) => [group, ...nodes(group.keys)])),
  ]
}

function groupsOf(keys: readonly NodeKey[], groupOf: (key: NodeKey) => string | undefined) {
  return Array.from(groupBy(keys, groupOf))
    .toSorted(
      ([a], [b]) => Number(a === undefined) - Number(b === undefined) || byName.compare(a ?? '', b ?? ''),
    )
    .map(([name, of]) => ({ kind: 'group', id: `group ${name ?? ''}`, name, keys: of }) as const)
}
