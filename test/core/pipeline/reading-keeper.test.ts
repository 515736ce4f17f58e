import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import { readingAgeMs } from '#fleet/live.ts'
import { type KeptReading, type KeptReadings } from '#monitor/kept-readings.ts'
import { createReadingStore } from '#pipeline/reading-keeper.ts'
import { keyOf, nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { anEngine } from './an-engine.ts'

const SERVICE = service({ pollIntervalMs: 5_000 })

/** One browser with one engine after the other. */
function browser() {
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const world = { status: 200, body: record('0x0001'), failing: new Set<string>() }
  const asked: string[] = []
  /** Every node but the first answers with its own record. */
  const bodyFor = (url: string): string => {
    const id = new URL(url).searchParams.get('node_id') ?? '0x0001'
    return id === '0x0001' ? world.body : record(id)
  }
  const open = (count = 1, readingStore = createReadingStore(storage)) => {
    const engine = anEngine({
      clock,
      transport: async ({ url }) => {
        const id = new URL(url).searchParams.get('node_id') ?? ''
        asked.push(id)
        return ok({ body: bodyFor(url), status: world.failing.has(id) ? 503 : world.status })
      },
      readingStore,
    })
    engine.start()
    engine.configure({ serverUrl: '', services: [SERVICE], nodes: nodes(count) })
    const node = () => {
      const found = engine.fleet.get().nodes.get(keyOf(0))
      if (found === undefined) throw new Error('not watched')
      return found
    }
    return { ...engine, node, nowMs: engine.monitor.nowMs }
  }
  return { clock, storage, world, open, asked }
}

describe('a reload in an outage', () => {
  it('shows the last values as stale, with their true age, and keeps the start of the outage', async () => {
    const { clock, world, open } = browser()
    const before = open()
    await clock.advance(60_000)
    world.status = 503
    await clock.advance(122_000)
    const { reading, episode } = before.node()
    expect(episode?.misses).toBeGreaterThan(10)
    before.stop('ended')
    await clock.advance(3_000)
    const after = open()
    await clock.advance(1_000)
    const node = after.node()
    expect(node.reading?.record).toEqual(reading?.record)
    expect(node.reading?.startedWallMs).toBe(reading?.startedWallMs)
    expect(node.reading?.ages['heartbeat']).toEqual(reading?.ages['heartbeat'])
    const ageMs = clock.wallMs() - (reading?.startedWallMs ?? 0)
    expect(node.reading && readingAgeMs(node.reading, after.nowMs())).toBe(ageMs)
    expect(isCurrentAt(node, after.nowMs())).toBe(false)
    expect(node.episode).toMatchObject({
      sinceWallMs: episode?.sinceWallMs,
      misses: (episode?.misses ?? 0) + 1,
      sinceMs: after.nowMs() - (clock.wallMs() - (episode?.sinceWallMs ?? 0)),
    })
  })

  it('after a crash shows the readings saved when the outage began', async () => {
    const { clock, world, open } = browser()
    const before = open()
    await clock.advance(60_000)
    world.status = 503
    await clock.advance(60_000)
    const { reading } = before.node()
    before.stop('lost')
    const after = open()
    await clock.advance(1_000)
    expect(after.node().reading?.startedWallMs).toBe(reading?.startedWallMs)
  })
})

describe('last readings', () => {
  it('never replace newer ones, and add no unwatched node', async () => {
    const { clock, world, open } = browser()
    const before = open(2)
    await clock.advance(20_000)
    before.stop('ended')
    await clock.advance(1_000)
    world.body = record('0x0001', { status: 'RETIRED' })
    const after = open()
    await clock.advance(1_000)
    expect(after.node()).toMatchObject({ answered: 1, episode: undefined })
    expect(after.node().reading?.record.status).toEqual(ok('RETIRED'))
    expect(after.fleet.get().nodes.size).toBe(1)
  })

  it('of nodes that are no longer watched are deleted within 20 s', async () => {
    const { clock, storage, open } = browser()
    const engine = open()
    await clock.advance(1_000)
    await engine.saveReadings()
    const kept = async () => (await createReadingStore(storage).load())?.readings.length
    expect(await kept()).toBe(1)
    engine.configure({ serverUrl: '', services: [SERVICE], nodes: [] })
    await clock.advance(20_000)
    expect(await kept()).toBe(0)
  })

  it('are the only loss if nothing can be stored', async () => {
    const { clock, storage, open } = browser()
    storage.fault = () => 'full'
    const engine = open()
    await clock.advance(60_000)
    expect(engine.node().answered).toBeGreaterThan(10)
    engine.stop('ended')
    await clock.advance(1_000)
    expect(clock.pendingMs()).toEqual([])
  })

  it('of 600 nodes are all stored within 20 s, in case of a crash', async () => {
    const { clock, storage, open } = browser()
    const before = open(600)
    await clock.advance(20_000)
    before.stop('lost')
    expect(await createReadingStore(storage).load()).toMatchObject({ readings: { length: 600 } })
  })

  it('are written rarely while all is well', async () => {
    const { clock, storage, open } = browser()
    open()
    await clock.advance(10_000)
    const before = storage.counts.write
    await clock.advance(600_000)
    // A write every 15 s marks that someone watches; every fourth one contains all readings.
    expect(storage.counts.write - before).toBeLessThanOrEqual(42)
  })
})

describe('nodes after a reload', () => {
  it('appear with their last readings, and never without any', async () => {
    const { clock, open } = browser()
    const before = open(3)
    await clock.advance(20_000)
    before.stop('ended')
    await clock.advance(30_000)
    const after = open(3)
    const seen: (readonly boolean[])[] = []
    after.subscribe(({ changed }) => seen.push(changed.map(({ reading }) => reading !== undefined)))
    await clock.advance(1_000)
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.flat().length).toBeGreaterThanOrEqual(3)
    expect(seen.flat()).not.toContain(false)
  })

  it('are watched after a second if their last readings cannot be loaded', async () => {
    const { clock, storage, open } = browser()
    storage.fault = (operation) => (operation === 'open' ? 'crash' : undefined)
    const engine = open(3)
    await clock.advance(999)
    expect(engine.fleet.get().nodes.size).toBe(0)
    await clock.advance(2_000)
    expect(Array.from(engine.fleet.get().nodes.values(), ({ answered }) => answered)).toEqual([1, 1, 1])
    engine.stop('ended')
  })
})

const readingAt = (index: number, body = '{}'): KeptReading => ({
  node: keyOf(index),
  body,
  startedMs: 1,
  latencyMs: 2,
  ages: {},
  sinceMs: {},
  unseenMs: {},
  failing: undefined,
})

it('last readings are awaited for a second, and restored even if they load later', async () => {
  const { clock, world, open } = browser()
  let loaded = (_kept: KeptReadings | undefined): void => undefined
  let saves = 0
  world.status = 503
  const engine = open(1, {
    load: () => new Promise((done) => (loaded = done)),
    save: async () => void saves++,
  })
  await clock.advance(999)
  expect(engine.fleet.get().nodes.size).toBe(0)
  await clock.advance(1_001)
  expect(engine.node().reading).toBeUndefined()
  // Nothing overwrites readings that are not loaded yet.
  await engine.saveReadings()
  await clock.advance(20_000)
  expect(saves).toBe(0)
  loaded({ watchedMs: 1, readings: [readingAt(0, record('0x0001'))] })
  await clock.advance(1_000)
  expect(engine.node().reading).toBeDefined()
  await clock.advance(60_000)
  expect(saves).toBeGreaterThan(0)
})

it('last readings that load after their engine has stopped start nothing', async () => {
  const { clock, open } = browser()
  let loaded = (_kept: KeptReadings | undefined): void => undefined
  const engine = open(1, {
    load: () => new Promise((done) => (loaded = done)),
    save: async () => undefined,
  })
  engine.stop('ended')
  loaded({ watchedMs: 1, readings: [] })
  await clock.advance(1)
  expect(clock.pendingMs()).toEqual([])
})

describe('a store of last readings', () => {
  const readings = (count: number) => Array.from({ length: count }, (_, index) => readingAt(index))

  it('ignores damaged readings, and all of them without a valid time of last watching', async () => {
    const storage = createMemoryStorage()
    const store = createReadingStore(storage)
    await store.save(5, readings(300))
    const tables = storage.databases.get('immune-last-readings')
    const damage = (table: string, place: number, value: unknown) => {
      const rows = tables?.get(table)
      const [key, row] = Array.from(rows ?? [])[place] ?? []
      if (key !== undefined && row !== undefined) rows?.set(key, { ...row, value })
    }
    damage('nodes', 0, 'x')
    damage('nodes', 1, [null, readingAt(7)])
    expect(await store.load()).toEqual({ watchedMs: 5, readings: [readingAt(7)] })
    for (const watchedMs of ['5', Number.NaN, undefined]) {
      damage('meta', 0, watchedMs)
      expect(await store.load()).toBeUndefined()
    }
    storage.fault = () => 'broken'
    expect(await store.load()).toBeUndefined()
    await expect(store.save(9, [])).resolves.toBeUndefined()
  })
})
