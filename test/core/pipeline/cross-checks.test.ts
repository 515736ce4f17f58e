import { describe, expect, it } from 'vitest'
import type { AlarmsView } from '#alarms/alarm.ts'
import { createCrossChecks } from '#pipeline/cross-checks.ts'
import { ok } from '#base/result.ts'
import type { AssessedNode, ServiceLive } from '#fleet/live.ts'
import { applyUpdate, wholeFleet, type FleetSnapshot, type FleetUpdate } from '#fleet/snapshot.ts'
import { METRICS } from '#metrics/metrics.ts'
import { keyOf, nodeId, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { aNode, aReading, aService, aServiceLive, aSnapshot, NOW_MS } from '#test/support/fleet-fixture.ts'
import { anEngine } from './an-engine.ts'

const ONE = 'https://one.example'
const TWO = 'https://two.example'

/** An engine that polls the same nodes through two services. */
function engineOfTwo(count = 2) {
  const clock = createFakeClock()
  const world = { says: new Map<string, Readonly<Record<string, unknown>>>(), down: new Set<string>() }
  const engine = anEngine({
    clock,
    transport: async ({ url }) => {
      const { origin, searchParams } = new URL(url)
      const id = searchParams.get('node_id') ?? ''
      return ok({
        status: world.down.has(origin) ? 503 : 200,
        body: record(id, world.says.get(`${origin} ${id}`)),
      })
    },
  })
  const ids = Array.from({ length: count }, (_, index) => nodeId(index))
  const config = (bases: readonly string[]) => ({
    serverUrl: '',
    services: bases.map((baseUrl) => service({ baseUrl, pollIntervalMs: 5_000 })),
    nodes: bases.flatMap((baseUrl) => ids.map((id) => ({ id, service: baseUrl, tags: [] }))),
  })
  engine.start()
  engine.configure(config([ONE, TWO]))
  const disagreements = (index: number, baseUrl: string) =>
    engine.fleet.get().nodes.get(keyOf(index, baseUrl))?.disagreements
  const alarms = (): AlarmsView['alarms'] => engine.alarms.view.get()?.alarms ?? []
  return { clock, world, engine, config, disagreements, alarms }
}

describe('the same node watched through two services', () => {
  it('that disagree is marked on both and raises one alarm until they agree again', async () => {
    const { clock, world, disagreements, alarms } = engineOfTwo()
    await clock.advance(60_000)
    expect(disagreements(0, ONE)).toBeUndefined()
    world.says.set(`${TWO} ${nodeId(0)}`, { status: 'DRAINING' })
    await clock.advance(10_000)
    // One service may learn of it before the other.
    expect(disagreements(0, ONE)).toBeUndefined()
    await clock.advance(30_000)
    expect(disagreements(0, ONE)).toMatchObject([
      { metric: 'status', own: 'ACTIVE', other: 'DRAINING', with: keyOf(0, TWO) },
    ])
    expect(disagreements(0, TWO)).toMatchObject([
      { metric: 'status', own: 'DRAINING', other: 'ACTIVE', with: keyOf(0, ONE) },
    ])
    expect(disagreements(1, ONE)).toBeUndefined()
    const differs = () =>
      alarms().filter(({ kind, phase }) => kind === 'status-differs' && phase === 'firing')
    expect(differs()).toMatchObject([
      { severity: 'warning', value: { unit: 'status', text: 'ACTIVE ≠ DRAINING' } },
    ])
    world.says.clear()
    await clock.advance(60_000)
    expect([disagreements(0, ONE), disagreements(0, TWO), differs()]).toEqual([undefined, undefined, []])
  })

  it('is marked if one counter stays behind the other', async () => {
    const { clock, world, disagreements } = engineOfTwo()
    world.says.set(`${TWO} ${nodeId(0)}`, { threat_responses_executed: 3 })
    await clock.advance(120_000)
    expect(disagreements(0, TWO)).toMatchObject([{ kind: 'behind', own: '3', other: '7' }])
    expect(disagreements(1, TWO)).toBeUndefined()
  })

  it('stays marked and held while one of them is down, until it is no longer watched there', async () => {
    const { clock, world, engine, config, disagreements, alarms } = engineOfTwo()
    world.says.set(`${TWO} ${nodeId(1)}`, { stake_deployed: 7 })
    await clock.advance(60_000)
    expect(disagreements(1, ONE)).toHaveLength(1)
    world.down.add(TWO)
    await clock.advance(60_000)
    expect(disagreements(1, ONE)).toMatchObject([{ isHeld: true }])
    expect(alarms().find(({ kind }) => kind.endsWith('-differs'))).toMatchObject({
      phase: 'firing',
      evidence: { state: 'old' },
    })
    engine.configure(config([ONE]))
    await clock.advance(10_000)
    expect(disagreements(1, ONE)).toBeUndefined()
  })
})

describe('the comparison of a node between services', () => {
  const services = Array.from({ length: 6 }, (_, place) =>
    aServiceLive(aService({ baseUrl: `https://s${place}.example` })),
  )
  /** A node as this service has reported it for days. */
  const told = (place: number, status: string, id: string | undefined = '0xab') =>
    aNode({
      serviceId: services[place]?.id ?? aServiceLive().id,
      nodeId: id,
      reading: aReading({ fields: { status, node_id: id } }),
    })
  const fleetOf = (...all: readonly ReturnType<typeof aNode>[]) => aSnapshot(all, services)
  const changeOf = (fleet: FleetSnapshot, given: Partial<FleetUpdate> = {}): FleetUpdate => {
    const { order: _order, services: _services, causes: _causes, ...rest } = wholeFleet(fleet)
    return { ...rest, ...given }
  }
  /** The fleet with the disagreements of its nodes. */
  const compared = (fleet: FleetSnapshot, checks = createCrossChecks(METRICS)) =>
    applyUpdate(
      fleet,
      checks.take(wholeFleet(fleet), () => fleet),
    )
  const withs = (fleet: FleetSnapshot) =>
    Array.from(fleet.nodes.values(), ({ disagreements }) =>
      (disagreements ?? []).map((one) => services.findIndex(({ id }) => one.with.startsWith(id))),
    )

  it('covers each pair of nodes, one of which has the alarm', () => {
    const fleet = compared(fleetOf(told(0, 'ACTIVE'), told(1, 'DRAINING'), told(2, 'ACTIVE')))
    expect(withs(fleet)).toEqual([[1], [0, 2], [1]])
    const firsts = Array.from(fleet.nodes.values(), ({ disagreements }) =>
      disagreements?.map(({ isFirst }) => isFirst),
    )
    expect(firsts).toEqual([[true], [false, true], [false]])
  })

  it('covers the first four services, because pairs grow quadratically', () => {
    const all = ['A', 'B', 'C', 'D', 'E'].map((status, place) => told(place, status))
    expect(withs(compared(fleetOf(...all)))).toEqual([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], []])
  })

  it('matches ids in any letter case, and never default nodes', () => {
    expect(withs(compared(fleetOf(told(0, 'A', '0xAB'), told(1, 'B', '0xab'))))).toEqual([[1], [0]])
    expect(withs(compared(fleetOf(told(0, 'A', '0xab'), told(1, 'B', '0xcd'))))).toEqual([[], []])
    const own = fleetOf(
      aNode({ ...told(0, 'A'), nodeId: undefined }),
      aNode({ ...told(1, 'B'), nodeId: undefined }),
    )
    expect(withs(compared(own))).toEqual([[], []])
  })

  it('drops pairs that are gone, and keeps the others', () => {
    const [a, b, c] = [told(0, 'A'), told(1, 'B'), told(2, 'A')]
    const checks = createCrossChecks(METRICS)
    const three = compared(fleetOf(a, b, c), checks)
    const without = (...keys: readonly string[]) => {
      const nodes = new Map(Array.from(three.nodes).filter(([key]) => !keys.includes(key)))
      const fleet = { ...three, nodes }
      const changed: readonly AssessedNode[] = Array.from(nodes.values())
      return applyUpdate(
        fleet,
        checks.take(changeOf(fleet, { changed, order: Array.from(nodes.keys()) }), () => fleet),
      )
    }
    expect(withs(without(c.key))).toEqual([[1], [0]])
    const alone = without(a.key, c.key)
    expect(withs(alone)).toEqual([[]])
    expect(alone.nodes.get(b.key)).not.toHaveProperty('disagreements')
  })

  it('waits for the longer of the two intervals, and covers only the given metrics', () => {
    const slow: ServiceLive = aServiceLive(
      aService({ baseUrl: 'https://s1.example', pollIntervalMs: 3_600_000 }),
    )
    const [a, b] = [told(0, 'A'), told(1, 'B')]
    const since = { status: { sinceMs: NOW_MS - 3_000_000, sinceWallMs: 0, unseenMs: 0 } }
    const recently = [aNode({ ...a, since }), aNode({ ...b, since })]
    expect(withs(compared(aSnapshot(recently, services)))).toEqual([[1], [0]])
    const slowly = aSnapshot(recently, [...services.filter(({ id }) => id !== slow.id), slow])
    expect(withs(compared(slowly))).toEqual([[], []])
    const few = createCrossChecks(METRICS.filter(({ id }) => id !== 'status'))
    expect(withs(compared(fleetOf(a, b), few))).toEqual([[], []])
  })
})
