import { describe, expect, it } from 'vitest'
import type { NodeSeverity } from '#fleet/assessment.ts'
import type { NodeKey, NodeLive } from '#fleet/live.ts'
import { aNode } from '#test/support/fleet-fixture.ts'
import { createOrder } from '#features/fleet/order.ts'

const at = (name: string | undefined, id: string): NodeLive => {
  const { key } = aNode({ nodeId: id })
  return aNode({ nodeId: id, key, name })
}
const mapOf = (...nodes: readonly NodeLive[]): ReadonlyMap<NodeKey, NodeLive> =>
  new Map(nodes.map((node) => [node.key, node]))

const known = (severities: ReadonlyMap<NodeKey, NodeSeverity>) => ({
  severities,
  withoutData: new Set<NodeKey>(),
})

const A2 = at('vela-2', '0x02')
const A10 = at('vela-10', '0x10')
const B = at('lyra', '0x0b')

describe('the order of the table', () => {
  it('follows conditions, and by name within one', () => {
    const order = createOrder()
    const nodes = mapOf(A10, A2, B)
    const ok = new Map(Array.from(nodes.keys(), (key) => [key, 'ok'] as const))
    expect(order(nodes, known(ok), 'all')).toEqual([B.key, A2.key, A10.key])
    expect(order(nodes, known(new Map([...ok, [A10.key, 'info']])), 'all')).toEqual([A10.key, B.key, A2.key])
    expect(order(nodes, known(new Map([...ok, [A10.key, 'critical']])), 'critical')).toEqual([A10.key])
    // Nobody has judged them yet.
    expect(order(nodes, known(new Map()), 'no-data')).toEqual([B.key, A2.key, A10.key])
  })

  it('lists a node without data under its severity and under “no data”, and never below one with info', () => {
    const order = createOrder()
    const nodes = mapOf(A10, A2, B)
    const states = {
      severities: new Map<NodeKey, NodeSeverity>([
        [A2.key, 'critical'],
        [A10.key, 'info'],
        [B.key, 'info'],
      ]),
      withoutData: new Set([A2.key, A10.key]),
    }
    expect(order(nodes, states, 'all')).toEqual([A2.key, A10.key, B.key])
    expect(order(nodes, states, 'critical')).toEqual([A2.key])
    expect(order(nodes, states, 'info')).toEqual([A10.key, B.key])
    expect(order(nodes, states, 'no-data')).toEqual([A2.key, A10.key])
  })

  it('is made anew when a node comes, goes or is renamed', () => {
    const order = createOrder()
    const none = known(new Map())
    expect(order(mapOf(A10, A2), none, 'all')).toEqual([A2.key, A10.key])
    expect(order(mapOf(A10, A2, B), none, 'all')).toEqual([B.key, A2.key, A10.key])
    expect(order(mapOf(A10, B), none, 'all')).toEqual([B.key, A10.key])
    expect(order(mapOf(at('alpha', '0x10'), B), none, 'all')).toEqual([A10.key, B.key])
    expect(order(mapOf(at(undefined, '0x10'), B), none, 'all')).toEqual([A10.key, B.key])
  })
})
