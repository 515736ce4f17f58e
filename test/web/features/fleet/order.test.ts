import { describe, expect, it } from 'vitest'
import type { NodeClass } from '#fleet/assessment.ts'
import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import { aNode, aServiceLive } from '#test/support/fleet-fixture.ts'
import { createOrder as createParts, createRows, type Filter } from '#features/fleet/order.ts'
import { withAssessment } from '#test/support/evaluated.ts'

const at = (name: string | undefined, id: string): AssessedNode => {
  const { key } = aNode({ nodeId: id })
  return withAssessment(aNode({ nodeId: id, key, name }), aServiceLive())
}
const mapOf = (...nodes: readonly AssessedNode[]): ReadonlyMap<NodeKey, AssessedNode> =>
  new Map(nodes.map((node) => [node.key, node]))

const known = (classes: ReadonlyMap<NodeKey, NodeClass>) => ({
  classes,
  awaited: new Set<NodeKey>(),
})

/** All node keys in table order. */
function createOrder() {
  const order = createParts()
  return (
    nodes: ReadonlyMap<NodeKey, AssessedNode>,
    states: Parameters<typeof order>[1],
    filter: Filter,
  ): readonly NodeKey[] => {
    const { attention, rest } = order(nodes, states, { filter })
    return [...attention, ...rest]
  }
}

const A2 = at('vela-2', '0x02')
const A10 = at('vela-10', '0x10')
const B = at('lyra', '0x0b')

describe('the table order', () => {
  it('sorts and filters nodes by condition, then sorts by name', () => {
    const order = createOrder()
    const nodes = mapOf(A10, A2, B)
    const ok = new Map(Array.from(nodes.keys(), (key) => [key, 'ok'] as const))
    expect(order(nodes, known(ok), 'all')).toEqual([B.key, A2.key, A10.key])
    expect(order(nodes, known(new Map([...ok, [A10.key, 'info']])), 'all')).toEqual([A10.key, B.key, A2.key])
    expect(order(nodes, known(new Map([...ok, [A10.key, 'critical']])), 'critical')).toEqual([A10.key])
    // A renamed node moves to the place of its new name.
    const renamed = mapOf({ ...A10, name: 'draco' }, A2, B)
    expect(order(renamed, known(ok), 'all')).toEqual([A10.key, B.key, A2.key])
    // A node that has not been assessed counts as having no data.
    expect(order(nodes, known(new Map()), 'no-data')).toEqual([B.key, A2.key, A10.key])
  })

  it('lists each node under one class, and nodes without data above nodes with info', () => {
    const order = createOrder()
    const nodes = mapOf(A10, A2, B)
    const states = known(
      new Map<NodeKey, NodeClass>([
        [A2.key, 'no-data'],
        [A10.key, 'info'],
        [B.key, 'shelved'],
      ]),
    )
    expect(order(nodes, states, 'all')).toEqual([A2.key, A10.key, B.key])
    expect(order(nodes, states, 'info')).toEqual([A10.key])
    expect(order(nodes, states, 'no-data')).toEqual([A2.key])
    expect(order(nodes, states, 'shelved')).toEqual([B.key])
    expect(order(nodes, states, 'ok')).toEqual([])
  })

  it('keeps a node that awaits its first answer out of the attention group', () => {
    const nodes = mapOf(A10, A2, B)
    const classes = new Map<NodeKey, NodeClass>([
      [A2.key, 'ok'],
      [A10.key, 'no-data'],
      [B.key, 'no-data'],
    ])
    const states = { classes, awaited: new Set([A10.key]) }
    const order = createParts()
    expect(order(nodes, states, { filter: 'all' })).toEqual({ attention: [B.key], rest: [A2.key, A10.key] })
    // The no-data filter still includes it.
    expect(order(nodes, states, { filter: 'no-data' })).toEqual({ attention: [B.key], rest: [A10.key] })
  })
})

describe('sorting by a column', () => {
  const values = new Map<NodeKey, number>([
    [A2.key, 3],
    [A10.key, 20],
  ])
  const C = at('draco', '0x0c')
  const nodes = mapOf(A10, A2, B, C)
  const valueOf = (key: NodeKey) => values.get(key)
  const ok = new Map(Array.from(nodes.keys(), (key) => [key, 'ok'] as const))

  it('keeps urgent nodes on top, worst first, and unknown values last in both directions', () => {
    const states = known(new Map<NodeKey, NodeClass>([...ok, [B.key, 'info'], [C.key, 'critical']]))
    for (const [descending, rest] of [
      [true, [A10.key, A2.key]],
      [false, [A2.key, A10.key]],
    ] as const)
      expect(createParts()(nodes, states, { filter: 'all', sort: { valueOf, descending } })).toEqual({
        attention: [C.key, B.key],
        rest,
      })
    for (const descending of [true, false])
      expect(
        createParts()(nodes, known(ok), { filter: 'all', sort: { valueOf, descending } }).rest.slice(2),
      ).toEqual([C.key, B.key])
  })

  it('sorts nodes of equal severity by value', () => {
    const bad = known(new Map(Array.from(nodes.keys(), (key) => [key, 'warning'] as const)))
    const { attention } = createParts()(nodes, bad, { filter: 'all', sort: { valueOf, descending: true } })
    expect(attention).toEqual([A10.key, A2.key, C.key, B.key])
  })
})

describe('the table rows', () => {
  const many = Array.from({ length: 40 }, (_, place) => at(`n-${place}`, `0x1${place}`).key)
  const plain = { isOpen: false, isSorted: false }
  const ids = (rows: ReturnType<ReturnType<typeof createRows>>) =>
    rows.flatMap((row) => (row.kind === 'node' ? [] : [row.id]))

  it('have no headings for a short unsorted list or a single group', () => {
    const few = { attention: many.slice(0, 2), rest: many.slice(2, 10) }
    expect(ids(createRows()(few, plain))).toEqual([])
    expect(ids(createRows()({ attention: [], rest: many }, plain))).toEqual([])
    expect(ids(createRows()({ attention: many, rest: [] }, plain))).toEqual([])
    expect(ids(createRows()(few, { ...plain, isSorted: true }))).toEqual(['attention', 'rest'])
  })

  it('show twelve nodes that need attention, or all when expanded', () => {
    const ordered = { attention: many.slice(0, 30), rest: many.slice(30) }
    const rows = createRows()(ordered, plain)
    expect(ids(rows)).toEqual(['attention', 'more', 'rest'])
    expect(rows[0]).toMatchObject({ nodes: 30 })
    expect(rows[13]).toMatchObject({ kind: 'more', keys: many.slice(12, 30) })
    expect(ids(createRows()(ordered, { ...plain, isOpen: true }))).toEqual(['attention', 'rest'])
    // A “more” row for a single node would take as much room as the node itself.
    expect(ids(createRows()({ attention: many.slice(0, 13), rest: many.slice(30) }, plain))).toEqual([
      'attention',
      'rest',
    ])
  })

  it('are grouped in natural name order, with ungrouped nodes last', () => {
    const groupOf = (key: NodeKey) => (key === many[39] ? undefined : key === many[38] ? 'eu-10' : 'eu-2')
    const rows = createRows()({ attention: many.slice(0, 1), rest: many.slice(1) }, { ...plain, groupOf })
    expect(ids(rows)).toEqual(['attention', 'group eu-2', 'group eu-10', 'group '])
    expect(rows.filter(({ kind }) => kind === 'node')).toHaveLength(40)
  })
})
