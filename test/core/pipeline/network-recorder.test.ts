import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { ok } from '#base/result.ts'
import { createStore } from '#base/store.ts'
import type { NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createNetworkRecorder, createNetworkStore, type NetworkStore } from '#pipeline/network-recorder.ts'
import { nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { aNode, aReading, aSnapshot, NOW_MS } from '#test/support/fleet-fixture.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { anEngine } from './an-engine.ts'

const COLUMNS = 2_000

/** One browser with one engine after the other; each node has a stake of 100. */
function browser() {
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const world = { failing: new Set<string>(), threatsAt: (_wallMs: number) => 7, participation: 0.5 }
  const open = (count: number, pollIntervalMs = 5_000) => {
    const engine = anEngine({
      clock,
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
      networkStore: createNetworkStore(storage),
    })
    engine.start()
    engine.configure({ serverUrl: '', services: [service({ pollIntervalMs })], nodes: nodes(count) })
    const line = (id: string) => engine.network.read(COLUMNS).lines.find((each) => each.id === id)
    return { ...engine, line, values: (id: string) => Array.from(line(id)?.value ?? []) }
  }
  return { clock, storage, world, open }
}

describe('the trend of network figures', () => {
  it('has a point per minute, with its number of nodes', async () => {
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

  it('continues after a reload, with a gap for unwatched time', async () => {
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

  it('keeps a sum level through an outage, and breaks it when its nodes change', async () => {
    const { clock, world, open } = browser()
    const engine = open(3)
    await clock.advance(2 * MINUTE_MS)
    world.failing.add('0x0002')
    await clock.advance(2 * MINUTE_MS)
    expect(engine.values('stake')).toEqual([300, 300, 300, 300])
    expect(engine.values('participation')).toEqual([0.5, 0.5, 0.5, 0.5])
    expect(engine.line('participation')).toMatchObject({ nodes: [2, 3], of: 3 })
    engine.configure({ serverUrl: '', services: [service({ pollIntervalMs: 5_000 })], nodes: nodes(2) })
    await clock.advance(2 * MINUTE_MS)
    expect(engine.values('stake')).toEqual([300, 300, 300, 300, Number.NaN, 200, 200])
  })

  it('is empty, not 0, while nothing is known', async () => {
    const { clock, world, open } = browser()
    world.failing = new Set(['0x0001'])
    const engine = open(1)
    await clock.advance(3 * MINUTE_MS)
    expect(engine.network.read(COLUMNS).lines).toEqual([])
  })

  it('drops future points when the clock is set back', async () => {
    const { clock, open } = browser()
    const engine = open(1)
    await clock.advance(10 * MINUTE_MS)
    clock.stepWall(-5 * MINUTE_MS)
    await clock.advance(2 * MINUTE_MS)
    const atMs = Array.from(engine.line('stake')?.atMs ?? [])
    expect(atMs).toEqual(atMs.toSorted((a, b) => a - b))
    expect(atMs.at(-1)).toBeLessThanOrEqual(clock.wallMs())
  })

  it('continues if the store fails', async () => {
    const { clock, storage, open } = browser()
    storage.fault = () => 'broken'
    const engine = open(1)
    await clock.advance(3 * MINUTE_MS)
    expect(engine.values('stake')).toEqual([100, 100, 100])
  })
})

type Point = Parameters<NetworkStore['save']>[0]

const pointAt = (
  atMs: number,
  figures: Readonly<Record<string, readonly [number, number]>>,
  of = 3,
): Point => ({
  atMs,
  of,
  figures: Object.entries(figures).map(([id, [value, over]]) => ({ id, value, nodes: over })),
})

/** The answer of a node. */
type Answered = {
  readonly stake?: number
  readonly increase?: number
  readonly agoMs?: number
  readonly counters?: NodeLive['counters']
}

const counted = (increase: number) => ({ increase, unwatched: 0, restarts: 0, lastRestartWallMs: undefined })

/** A recorder alone, whose store may hold earlier points. */
function recorder(store?: Partial<NetworkStore>, metrics: MetricRegistry = METRICS) {
  const clock = createFakeClock()
  const startMs = clock.monotonicMs()
  const fleet = createStore<FleetSnapshot>(aSnapshot([]))
  const saved: (readonly [Point, number])[] = []
  const nowMs = () => NOW_MS + clock.monotonicMs() - startMs
  const made = createNetworkRecorder({
    clock,
    nowMs,
    fleet,
    metrics,
    store: store && {
      load: async () => [],
      save: async (point, fromMs) => void saved.push([point, fromMs]),
      ...store,
    },
  })
  /** Publishes nodes that answered just now, with these stakes and counter increases. */
  const answered = (...nodesOf: readonly Answered[]) =>
    fleet.publish(
      aSnapshot(
        nodesOf.map(({ stake = 100, increase = 0, agoMs = 1_000, counters }, index): NodeLive => {
          const reading = aReading({ fields: { stake_deployed: stake } })
          return aNode({
            nodeId: `0x${index + 1}`,
            reading: { ...reading, startedMs: nowMs() - agoMs },
            counters: counters ?? { threatResponses: counted(increase) },
          })
        }),
      ),
    )
  const line = (id: string, columns = COLUMNS) => made.read(columns).lines.find((each) => each.id === id)
  const values = (id: string) => Array.from(line(id)?.value ?? [])
  return { ...made, clock, saved, answered, line, values }
}

describe('the recorder of network figures', () => {
  it('keeps one day of points, in the engine and in the store', async () => {
    const storage = createMemoryStorage()
    const { clock, start, read, answered } = recorder(createNetworkStore(storage))
    start()
    for (let hour = 0; hour < 25; hour++) {
      answered({})
      await clock.advance(HOUR_MS)
    }
    const { fromMs, toMs } = read(COLUMNS)
    expect(toMs - fromMs).toBeLessThanOrEqual(24 * HOUR_MS)
    expect(toMs - fromMs).toBeGreaterThan(24 * HOUR_MS - 2 * MINUTE_MS)
    const rows = storage.databases.get('immune-network')?.get('rows')
    expect(rows?.size).toBeGreaterThan(1_435)
    expect(rows?.size).toBeLessThanOrEqual(1_441)
  })

  it('puts stored points before its own, without those that another engine recorded since', async () => {
    let loaded = (_points: readonly Point[]): void => undefined
    const { clock, start, answered, values } = recorder({
      load: () => new Promise((done) => (loaded = done)),
    })
    answered({})
    start()
    await clock.advance(2 * MINUTE_MS - 1_000)
    answered({})
    await clock.advance(1_000)
    const now = clock.wallMs()
    loaded([
      pointAt(now - 2 * MINUTE_MS, { stake: [7, 1] }),
      pointAt(now - MINUTE_MS - 1, { stake: [8, 1] }),
      pointAt(now - MINUTE_MS, { stake: [9, 1] }),
      pointAt(now - 1, { stake: [9, 1] }),
    ])
    await clock.advance(0)
    expect(values('stake').filter((value) => !Number.isNaN(value))).toEqual([7, 8, 100])
  })

  it('computes a counter’s rate from nodes that answered in both minutes', async () => {
    const { clock, start, answered, values, line } = recorder()
    start()
    const minuteWith = async (...given: readonly Answered[]) => {
      await clock.advance(MINUTE_MS - 1_000)
      answered(...given)
      await clock.advance(1_000)
    }
    await minuteWith({ increase: 10 }, { increase: 5 })
    expect(values('threatResponses')).toEqual([])
    await minuteWith({ increase: 12 }, { increase: 6 })
    expect(values('threatResponses')).toEqual([180])
    expect(line('threatResponses')?.nodes).toEqual([2, 2])
    // The second node does not answer, and has counted on when it is back.
    await minuteWith({ increase: 12 }, { increase: 6, agoMs: HOUR_MS })
    await minuteWith({ increase: 13 }, { increase: 90 })
    expect(values('threatResponses')).toEqual([180, 0, 60])
    expect(line('threatResponses')?.nodes).toEqual([1, 2])
    // A node that is watched again counts from 0.
    await minuteWith({ increase: 14 }, { increase: 1 })
    expect(values('threatResponses').at(-1)).toBe(60)
    // A node with unwatched time within the minute is in no rate of it.
    const unwatched = { threatResponses: { ...counted(2), unwatched: 37 } }
    await minuteWith({ increase: 16 }, { counters: unwatched })
    expect(values('threatResponses').at(-1)).toBe(120)
    await minuteWith({ increase: 16 }, { counters: { threatResponses: { ...counted(3), unwatched: 37 } } })
    expect(values('threatResponses').at(-1)).toBe(60)
  })

  it.each([
    [3 * MINUTE_MS, [180]],
    [3 * MINUTE_MS + 1, []],
  ])('computes a rate across a gap of %i ms only if it is at most 3 minutes long', async (holeMs, rates) => {
    const { clock, start, answered, values } = recorder()
    start()
    await clock.advance(MINUTE_MS - 1_000)
    answered({ increase: 0 })
    await clock.advance(1_000)
    clock.sleep(holeMs, 'runs')
    answered({ increase: 9 })
    await clock.advance(0)
    expect(values('threatResponses')).toEqual(rates)
  })

  it('breaks a line at a gap of more than 3 minutes', async () => {
    const now = createFakeClock().wallMs()
    const shown = async (holeMs: number) => {
      const { clock, start, values } = recorder({
        load: async () => [
          pointAt(now - HOUR_MS, { participation: [0.5, 1] }),
          pointAt(now - HOUR_MS + holeMs, { participation: [0.6, 1] }),
        ],
      })
      start()
      await clock.advance(0)
      return values('participation')
    }
    expect(await shown(3 * MINUTE_MS)).toEqual([0.5, 0.6])
    expect(await shown(3 * MINUTE_MS + 1)).toEqual([0.5, Number.NaN, 0.6])
  })
})

describe('a store of points', () => {
  it('returns its points from a given time on', async () => {
    const store = createNetworkStore(createMemoryStorage())
    const points = [pointAt(1_000, { stake: [1.5, 1] }), pointAt(2_000, { stake: [2, 2], status: [0.5, 2] })]
    for (const point of points) await store.save(point, 0)
    expect(await store.load(0)).toEqual(points)
    expect(await store.load(1_000)).toEqual(points)
    expect(await store.load(1_001)).toEqual(points.slice(1))
  })

  it('drops points before the given start and points not older than the new one', async () => {
    const store = createNetworkStore(createMemoryStorage())
    const times = async () => (await store.load(0)).map(({ atMs }) => atMs)
    for (const atMs of [1_000, 2_000, 3_000, 4_000]) await store.save(pointAt(atMs, {}), -5)
    expect(await times()).toEqual([1_000, 2_000, 3_000, 4_000])
    await store.save(pointAt(3_000, { stake: [7, 1] }), 2_000)
    expect(await times()).toEqual([2_000, 3_000])
    expect((await store.load(3_000))[0]?.figures.length).toBe(1)
  })

  const FIGURE = { id: 'stake', value: 1, nodes: 1 }
  it.each<[string, unknown, number | undefined]>([
    ['nothing', undefined, undefined],
    ['a point without figures', { of: 1 }, undefined],
    ['a figure', { of: 1, figures: [FIGURE] }, 1],
    ['a figure that is not a number', { of: 1, figures: [{ ...FIGURE, value: Number.NaN }] }, undefined],
  ])('accepts a row of %s as a whole or not at all', async (_what, value, figures) => {
    const storage = createMemoryStorage()
    const store = createNetworkStore(storage)
    await store.save(pointAt(1_000, {}), 0)
    const rows = storage.databases.get('immune-network')?.get('rows')
    for (const [key, row] of rows ?? []) rows?.set(key, { ...row, value })
    const [point] = await store.load(0)
    expect(point?.figures.length).toBe(figures)
  })
})
