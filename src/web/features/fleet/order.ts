import type { NodeClass } from '#fleet/assessment.ts'
import type { AssessedNode, NodeKey, NodeLive } from '#fleet/live.ts'
import type { Evaluation } from '#react/evaluation.tsx'

/** What the table can be narrowed to; the words stand in the address. */
export const FILTERS = ['all', 'critical', 'warning', 'info', 'no-data', 'shelved', 'ok'] as const
export type Filter = (typeof FILTERS)[number]

export const filterFromText = (text: string | null): Filter =>
  FILTERS.find((filter) => filter === text) ?? 'all'

/** Worst first. A node without data stands above one with info: nobody knows how it is. */
const RANK: Readonly<Record<NodeClass, number>> = {
  critical: 0,
  warning: 1,
  'no-data': 2,
  info: 3,
  shelved: 4,
  ok: 4,
}

/** "vela-2" before "vela-10". */
const byName = new Intl.Collator('en', { numeric: true })

/** Node keys by name; nodes without a name by their id. */
type Named = readonly { readonly key: NodeKey; readonly name: string }[]

/** What a column sorts by. Undefined: not known, which stands last either way. */
export type SortValue = string | number | undefined

export type Asked = {
  readonly filter: Filter
  /** Absent: every node. */
  readonly accepts?: ((node: AssessedNode) => boolean) | undefined
  /** Absent: by name. */
  readonly sort?: { readonly valueOf: (key: NodeKey) => SortValue; readonly descending: boolean } | undefined
}

export type Ordered = {
  /** Everything but what is within limits, shelved, or awaits its first answer: worst first, whatever the sorting; alike ones are sorted. */
  readonly attention: readonly NodeKey[]
  readonly rest: readonly NodeKey[]
}

/**
 * Gives the keys to show. Comparing names is what costs, so the order of names is kept until
 * a node comes, goes or is renamed: conditions change all the time.
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

/** Nodes with the same value stay in the order of their names. */
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

/** A line of the table: a node, or a heading over the nodes that follow it. */
export type FleetRow =
  | { readonly kind: 'node'; readonly id: string; readonly key: NodeKey }
  | { readonly kind: 'attention'; readonly id: string; readonly nodes: number }
  /** In place of nodes that need attention too: the best of them. */
  | { readonly kind: 'more'; readonly id: string; readonly keys: readonly NodeKey[] }
  /** `name` undefined: those that belong to none. */
  | {
      readonly kind: 'group'
      readonly id: string
      readonly name: string | undefined
      readonly keys: readonly NodeKey[]
    }
  | { readonly kind: 'rest'; readonly id: string; readonly keys: readonly NodeKey[] }

/** More than this are listed when asked for: what is under them would be out of reach. */
export const ATTENTION_MAX = 12
/** Fewer nodes are seen at a glance, and need no headings. */
const PLAIN_MAX = 12

type Parting = {
  readonly isOpen: boolean
  readonly isSorted: boolean
  /** Absent: not grouped. Undefined for a node that belongs to none. */
  readonly groupOf?: ((key: NodeKey) => string | undefined) | undefined
}

/** Gives the lines of the table. A node's line is made once: lines are compared by identity. */
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

/** With headings where nodes are grouped, sorted, or too many to be seen at a glance. */
function parted(
  { attention, rest }: Ordered,
  { isOpen, isSorted, groupOf }: Parting,
  nodes: (keys: readonly NodeKey[]) => readonly FleetRow[],
): readonly FleetRow[] {
  const isParted = isSorted || groupOf !== undefined || attention.length + rest.length > PLAIN_MAX
  if (!isParted || (groupOf === undefined && (attention.length === 0 || rest.length === 0)))
    return nodes([...attention, ...rest])
  // One more line for one node less would hide it for nothing.
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

/** By name; those that belong to none last. */
function groupsOf(keys: readonly NodeKey[], groupOf: (key: NodeKey) => string | undefined) {
  const groups = new Map<string | undefined, NodeKey[]>()
  for (const key of keys) {
    const name = groupOf(key)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [key])
    else group.push(key)
  }
  return Array.from(groups)
    .toSorted(
      ([a], [b]) => Number(a === undefined) - Number(b === undefined) || byName.compare(a ?? '', b ?? ''),
    )
    .map(([name, of]) => ({ kind: 'group', id: `group ${name ?? ''}`, name, keys: of }) as const)
}
