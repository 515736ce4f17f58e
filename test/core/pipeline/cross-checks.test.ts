import { describe, expect, it } from 'vitest'
import type { AlarmsView } from '#alarms/alarm.ts'
import { createMemoryHistory } from '#history/memory-history.ts'
import { createEngine } from '#pipeline/engine.ts'
import { ok } from '#base/result.ts'
import { keyOf, nodeId, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

const ONE = 'https://one.example'
const TWO = 'https://two.example'

/** A whole engine that asks two services for the same nodes. */
function engineOfTwo(count = 2) {
  const clock = createFakeClock()
  const world = { says: new Map<string, Readonly<Record<string, unknown>>>(), down: new Set<string>() }
  const engine = createEngine({
    clock,
    history: createMemoryHistory(),
    id: '0123456789abcdef',
    transport: async ({ url }) => {
      const { origin, searchParams } = new URL(url)
      const id = searchParams.get('node_id') ?? ''
      return ok({
        status: world.down.has(origin) ? 503 : 200,
        body: record(id, world.says.get(`${origin} ${id}`)),
      })
    },
    signer: {
      signStatusRequest: async (_service, id) => ok({ headers: {}, query: `node_id=${id}` }),
    },
    notify: () => undefined,
  })
  const ids = Array.from({ length: count }, (_, index) => nodeId(index))
  const config = (bases: readonly string[]) => ({
    serverOrigin: '',
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
  it('that disagree is marked on both, raises one alarm, and is over when they agree again', async () => {
    const { clock, world, disagreements, alarms } = engineOfTwo()
    await clock.advance(60_000)
    expect(disagreements(0, ONE)).toBeUndefined()
    world.says.set(`${TWO} ${nodeId(0)}`, { status: 'DRAINING' })
    await clock.advance(10_000)
    // One service may hear of it before the other.
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

  it('stays marked while one of them does not answer, and is not when it is no longer watched there', async () => {
    const { clock, world, engine, config, disagreements } = engineOfTwo()
    world.says.set(`${TWO} ${nodeId(1)}`, { stake_deployed: 7 })
    await clock.advance(60_000)
    expect(disagreements(1, ONE)).toHaveLength(1)
    world.down.add(TWO)
    await clock.advance(60_000)
    expect(disagreements(1, ONE)).toHaveLength(1)
    engine.configure(config([ONE]))
    await clock.advance(10_000)
    expect(disagreements(1, ONE)).toBeUndefined()
  })
})
