import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createMemoryHistory } from '#history/memory-history.ts'
import { createEngine } from '#pipeline/engine.ts'
import { createNetworkStore } from '#pipeline/network-recorder.ts'
import { nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const COLUMNS = 2_000

/** One browser, in which one engine follows the other; each node has a stake of 100. */
function browser() {
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const world = { failing: new Set<string>(), threatsAt: (_wallMs: number) => 7, participation: 0.5 }
  const open = (count: number, pollIntervalMs = 5_000) => {
    const engine = createEngine({
      clock,
      history: createMemoryHistory(),
      id: '0123456789abcdef',
      transport: async ({ url }) => {
        const id = new URL(url).searchParams.get('node_id') ?? ''
        const body = record(id, {
          stake_deployed: 100,
          network_participation: world.participation,
          threat_responses_executed: world.threatsAt(clock.wallMs()),
          last_heartbeat: Math.floor(clock.wallMs() / 1_000) - 3,
        })
        return ok({ body, status: world.failing.has(id) ? 503 : 200 })
      },
      signer: {
        signStatusRequest: async (_service, id) => ok({ headers: {}, query: `node_id=${id}` }),
      },
      networkStore: createNetworkStore(storage),
      notify: () => undefined,
    })
    engine.start()
    engine.configure({ serverOrigin: '', services: [service({ pollIntervalMs })], nodes: nodes(count) })
    const line = (id: string) => engine.network.read(COLUMNS).lines.find((each) => each.id === id)
    return { ...engine, line, values: (id: string) => Array.from(line(id)?.value ?? []) }
  }
  return { clock, storage, world, open }
}

describe('the course of the network’s figures', () => {
  it('has a point a minute, with over how many nodes it is', async () => {
    const { clock, open } = browser()
    const engine = open(3)
    await clock.advance(5 * MINUTE_MS + 1_000)
    expect(engine.values('stake')).toEqual([300, 300, 300, 300, 300])
    expect(engine.line('stake')).toMatchObject({ nodes: [3, 3], of: 3 })
    const atMs = Array.from(engine.line('stake')?.atMs ?? [])
    expect(atMs.slice(1).map((at, place) => at - (atMs[place] ?? 0))).toEqual(
      [1, 1, 1, 1].map(() => MINUTE_MS),
    )
  })

  it('goes on after a reload where it was, and what was not watched is a gap', async () => {
    const { clock, open } = browser()
    const before = open(2)
    await clock.advance(3 * MINUTE_MS)
    before.stop('ended')
    await clock.advance(MINUTE_MS)
    const after = open(2)
    await clock.advance(2 * MINUTE_MS)
    expect(after.values('stake')).toEqual([200, 200, 200, 200, 200])
    after.stop('ended')
    await clock.advance(HOUR_MS)
    const last = open(2)
    await clock.advance(MINUTE_MS)
    expect(last.values('stake')).toEqual([200, 200, 200, 200, 200, Number.NaN, 200])
  })

  it('of a sum breaks where it is over other nodes, so that an outage is no fall of the stake', async () => {
    const { clock, world, open } = browser()
    const engine = open(3)
    await clock.advance(2 * MINUTE_MS)
    world.failing.add('0x0002')
    await clock.advance(2 * MINUTE_MS)
    expect(engine.values('stake')).toEqual([300, 300, Number.NaN, 200, 200])
    expect(engine.values('participation')).toEqual([0.5, 0.5, 0.5, 0.5])
    expect(engine.line('participation')).toMatchObject({ nodes: [2, 3], of: 3 })
  })

  it('is empty while nothing is known, and no zero', async () => {
    const { clock, world, open } = browser()
    world.failing = new Set(['0x0001'])
    const engine = open(1)
    await clock.advance(3 * MINUTE_MS)
    expect(engine.network.read(COLUMNS).lines).toEqual([])
  })

  it('of a counter is what came in each minute, by the hour, without what an outage hid', async () => {
    const { clock, world, open } = browser()
    const startMs = clock.wallMs()
    // One a second, by each of the two.
    world.threatsAt = (wallMs) => Math.floor((wallMs - startMs) / 1_000)
    const engine = open(2)
    await clock.advance(4 * MINUTE_MS)
    world.failing.add('0x0002')
    await clock.advance(4 * MINUTE_MS)
    world.failing.clear()
    await clock.advance(6 * MINUTE_MS)
    const values = engine.values('threatResponses').filter((value) => !Number.isNaN(value))
    expect(Math.max(...values)).toBeLessThan(2.2 * 3_600)
    expect(Math.min(...values)).toBeGreaterThan(0.8 * 3_600)
    expect(engine.line('threatResponses')?.nodes).toEqual([1, 2])
  })

  it('is kept for a day and no longer, in this engine and in the store', async () => {
    const { clock, storage, open } = browser()
    const engine = open(1, 5 * MINUTE_MS)
    await clock.advance(25 * HOUR_MS)
    const { fromMs, toMs } = engine.network.read(COLUMNS)
    expect(toMs - fromMs).toBeLessThanOrEqual(24 * HOUR_MS)
    expect(toMs - fromMs).toBeGreaterThan(24 * HOUR_MS - 2 * MINUTE_MS)
    const rows = storage.databases.get('immune-network')?.get('rows')
    expect(rows?.size).toBeGreaterThan(1_435)
    expect(rows?.size).toBeLessThanOrEqual(1_441)
  })

  it('drops what lies ahead when the clock is set back', async () => {
    const { clock, open } = browser()
    const engine = open(1)
    await clock.advance(10 * MINUTE_MS)
    clock.stepWall(-5 * MINUTE_MS)
    await clock.advance(2 * MINUTE_MS)
    const atMs = Array.from(engine.line('stake')?.atMs ?? [])
    expect(atMs).toEqual(atMs.toSorted((a, b) => a - b))
    expect(atMs.at(-1)).toBeLessThanOrEqual(clock.wallMs())
  })

  it('goes on without a store that fails, and takes nothing from rows that are none', async () => {
    const { clock, storage, open } = browser()
    const first = open(1)
    await clock.advance(2 * MINUTE_MS)
    first.stop('ended')
    const rows = storage.databases.get('immune-network')?.get('rows')
    const [key] = rows?.keys() ?? []
    const row = key === undefined ? undefined : rows?.get(key)
    if (row === undefined || key === undefined) throw new Error('nothing is kept')
    rows?.set(key, { ...row, value: { of: 'many', figures: [{ id: 1 }, null] } })
    const second = open(1)
    await clock.advance(1_000)
    expect(second.values('stake')).toEqual([100])
    storage.fault = () => 'broken'
    await clock.advance(2 * MINUTE_MS)
    expect(second.values('stake').filter((value) => value === 100)).toHaveLength(3)
  })
})
