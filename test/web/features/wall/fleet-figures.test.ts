import { describe, expect, it } from 'vitest'
import { cellsOf, createPlaces, figuresOf, placesOf } from '#parts/fleet-figures.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { NodeLive } from '#fleet/live.ts'
import { aNode, aReading, aSnapshot, NOW_MS, WALL_MS } from '#test/support/fleet-fixture.ts'

const node = (place: number, fields: Partial<NodeLive> = {}): NodeLive =>
  aNode({ nodeId: `0x${String(place).padStart(2, '0')}`, name: `vela-${place}`, ...fields })
const beat = (agoS: number, participation = 0.5) =>
  aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - agoS, network_participation: participation } })

describe('the fleet figures', () => {
  it('cover only nodes whose last answer is current', () => {
    const fleet = aSnapshot([
      node(1, { reading: beat(4, 0.9) }),
      node(2, { reading: beat(40, 0.8) }),
      node(3, { reading: aReading({ fields: { last_heartbeat: 1 }, agoMs: 3_000_000 }) }),
      node(4, { reading: undefined }),
      node(5, { reading: aReading({ fields: { network_participation: 'much' } }) }),
    ])
    const { metrics, answered } = figuresOf(METRICS, fleet.nodes.values(), NOW_MS)
    const valueOf = (id: string) => metrics.find(({ metric }) => metric.id === id)?.value?.value ?? 0
    expect(Math.round(valueOf('heartbeat') / 1_000)).toBe(40)
    expect(valueOf('participation')).toBeCloseTo(0.85, 10)
    expect(answered).toBe(3)
  })

  it('ignore unusable values, and are unknown if there are no others', () => {
    const odd = aReading({ fields: { last_heartbeat: 'soon', network_participation: 'much' } })
    for (const nodes of [[node(1, { reading: odd })], []]) {
      const { metrics, answered } = figuresOf(METRICS, aSnapshot(nodes).nodes.values(), NOW_MS)
      expect(metrics.map(({ value }) => value)).toEqual([undefined, undefined])
      expect(answered).toBe(nodes.length)
    }
  })
})

describe('a node’s position', () => {
  const keys = (groups: readonly (readonly string[])[]) =>
    groups.map((group) => group.map((key) => key.slice(-4)))

  it('follows its first tag and its name in natural order, whatever the input order', () => {
    const nodes = [node(10), node(2), node(3, { tags: ['eu', 'z'] }), node(1, { tags: ['eu'] })]
    const there = [
      ['0x02', '0x10'],
      ['0x01', '0x03'],
    ]
    expect(keys(placesOf(aSnapshot(nodes).nodes))).toEqual(there)
    expect(keys(placesOf(aSnapshot(nodes.toReversed()).nodes))).toEqual(there)
  })

  it('stays while the nodes stay the same, and changes with the node’s tag', () => {
    const places = createPlaces()
    const before = places(aSnapshot([node(1), node(2)]).nodes)
    expect(places(aSnapshot([node(1), node(2)]).nodes)).toBe(before)
    expect(keys(places(aSnapshot([node(1), node(2, { tags: ['eu'] })]).nodes))).toEqual([['0x01'], ['0x02']])
  })

  it('shows the node’s condition, and an unknown one as “none”', () => {
    const [one, two, three] = [node(1), node(2), node(3)]
    const places = placesOf(aSnapshot([one, two, three]).nodes)
    const groups = cellsOf(
      places,
      new Map([
        [one.key, 'ok'],
        [two.key, 'critical'],
      ]),
    )
    expect(groups).toEqual([{ id: '0', cells: [undefined, 'critical', 'none'] }])
  })
})
