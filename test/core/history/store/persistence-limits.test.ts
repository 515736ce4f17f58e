import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { segmentAt, segmentFromMs, segmentName, segmentToMs } from '#history/tiers.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS

type Kept = ReturnType<typeof createKept>

const logOf = async (kept: Kept) =>
  (await kept.history.log.read({ limit: 50 })).entries.map(({ what, facts }) => [what, facts])
const sample = (node: string, atMs: number): Sample => ({
  node,
  atMs,
  latencyMs: 1,
  everyMs: MINUTE_MS,
  outcome: 'answered',
})

/** Without metrics: only how many samples there are counts. */
const createBare = () => createKept(createMemoryStorage(), createFakeClock(TEST_START_MS), 'one', [])

describe('memory, where nothing is kept', () => {
  it('has room for 20,000 samples of a node, and drops the oldest a quarter above that', async () => {
    const kept = createBare()
    const fromMs = kept.clock.wallMs() - 25_001
    const samples = Array.from({ length: 25_001 }, (_, place) => sample('n', fromMs + place))
    await kept.history.append({ samples: samples.slice(0, 25_000), gaps: [] })
    expect((await kept.lanes('n', 25_002, HOUR_MS)).answered).toBe(25_000)
    await kept.history.append({ samples: samples.slice(25_000), gaps: [] })
    expect((await kept.lanes('n', 25_002, HOUR_MS)).answered).toBe(20_001)
  })

  it('has room for 360 samples of each of very many nodes', async () => {
    const kept = createBare()
    const names = Array.from({ length: 6_000 }, (_, node) => `n${node}`)
    const atMs = kept.clock.wallMs() - 1_000
    await kept.history.append({ samples: names.map((node) => sample(node, atMs)), gaps: [] })
    const many = Array.from({ length: 450 }, (_, place) => sample('n0', atMs + 1 + place))
    await kept.history.append({ samples: many, gaps: [] })
    expect((await kept.lanes('n0', 2_000, HOUR_MS)).answered).toBe(361)
  })

  it('shares its room out between as many nodes as there are', async () => {
    const kept = createBare()
    const names = Array.from({ length: 4_000 }, (_, node) => `n${node}`)
    const atMs = kept.clock.wallMs() - 1_000
    await kept.history.append({ samples: names.map((node) => sample(node, atMs)), gaps: [] })
    const many = Array.from({ length: 625 }, (_, place) => sample('n0', atMs + 1 + place))
    await kept.history.append({ samples: many, gaps: [] })
    // 2,000,000 for 4,000 nodes are 500 each.
    expect((await kept.lanes('n0', 2_000, HOUR_MS)).answered).toBe(501)
  })

  it('drops nothing while all is kept', async () => {
    const kept = createBare()
    await kept.start()
    const fromMs = kept.clock.wallMs() - 25_101
    const samples = Array.from({ length: 25_100 }, (_, place) => sample('n', fromMs + place))
    await kept.history.append({ samples, gaps: [] })
    expect((await kept.lanes('n', 25_102, HOUR_MS)).answered).toBe(25_100)
  })
})

describe('the order in which a full disk is given room', () => {
  it('is that of the ends of segments: samples before minutes before the rest, and never what is written to', async () => {
    const storage = createMemoryStorage()
    const clock = createFakeClock(TEST_START_MS)
    // Rollups of 28 days end together; samples of the last of their weeks end with them.
    const index = segmentAt('coarse', clock.wallMs()).index - 1
    const week = segmentAt('samples', segmentFromMs({ kind: 'coarse', index: index + 1 }) - 1).index
    const names = [
      segmentName({ kind: 'coarse', index }),
      segmentName({ kind: 'minute', index }),
      segmentName({ kind: 'samples', index: week }),
      segmentName({ kind: 'samples', index: week - 1 }),
      segmentName({ kind: 'coarse', index: index + 1 }),
    ]
    for (const name of names) storage.databases.set(name, new Map())
    const kept = createKept(storage, clock)
    const removed: string[] = []
    storage.fault = (operation, name) => {
      if (operation === 'remove') removed.push(name)
      return operation === 'write' && removed.length < 4 ? 'full' : undefined
    }
    await kept.add('a')
    await kept.start()
    expect(removed).toEqual([names[3], names[2], names[1], names[0]])
    expect(kept.status()).toMatchObject({
      state: 'kept',
      removed: { reason: 'full', toMs: segmentToMs({ kind: 'coarse', index }), atMs: clock.wallMs() },
    })
    expect(await logOf(kept)).toContainEqual([
      'history-removed',
      { reason: 'full', toMs: segmentToMs({ kind: 'coarse', index }), kept: 'coarse' },
    ])
  })

  it('begins with what has just ended', async () => {
    const storage = createMemoryStorage()
    const last = segmentAt('samples', TEST_START_MS)
    storage.databases.set(segmentName(last), new Map())
    const kept = createKept(storage, createFakeClock(segmentToMs(last)))
    storage.fault = (operation) => (operation === 'write' && storage.counts.remove === 0 ? 'full' : undefined)
    await kept.add('a')
    await kept.start()
    expect(kept.status()).toMatchObject({ state: 'kept', removed: { toMs: segmentToMs(last) } })
  })

  it('ends where a segment can not be removed', async () => {
    const storage = createMemoryStorage()
    const old = segmentName({ kind: 'samples', index: segmentAt('samples', TEST_START_MS).index - 2 })
    storage.databases.set(old, new Map())
    storage.fault = (operation) =>
      operation === 'remove' ? 'blocked' : operation === 'write' ? 'full' : undefined
    const kept = createKept(storage)
    await kept.add('a')
    await kept.start()
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'full', removed: undefined })
    expect(storage.counts.remove).toBe(1)
  })
})

describe('how far back history goes', () => {
  it('is told by the oldest segment that holds something, and by its first sample', async () => {
    const clock = createFakeClock(TEST_START_MS - 2 * WEEK_MS)
    const kept = createKept(createMemoryStorage(), clock)
    const firstMs = clock.wallMs()
    await kept.start()
    for (let week = 0; week < 3; week++) {
      await kept.watch(['a'], 2, MINUTE_MS)
      await clock.advance(2 * HOUR_MS)
      await kept.history.maintain()
      clock.sleep(WEEK_MS - 2 * HOUR_MS)
    }
    // An older segment that is empty, and listed first, tells nothing.
    const empty = segmentName({ kind: 'samples', index: segmentAt('samples', firstMs).index - 5 })
    const databases = Array.from(kept.storage.databases)
    kept.storage.databases.clear()
    kept.storage.databases.set(empty, new Map())
    for (const [name, tables] of databases.toReversed()) kept.storage.databases.set(name, tables)
    kept.history.dispose()
    const next = createKept(kept.storage, clock, 'two')
    await next.start()
    await next.add('a')
    await next.history.maintain()
    expect(next.status().reach).toEqual({
      samples: firstMs,
      minute: Math.floor(firstMs / MINUTE_MS) * MINUTE_MS,
      quarter: Math.floor(firstMs / 900_000) * 900_000,
      hour: Math.floor(firstMs / HOUR_MS) * HOUR_MS,
    })
    const { sentinel } = next.status()
    expect(Object.keys(sentinel?.segments ?? {})).not.toContain(empty)
    expect(Object.values(sentinel?.segments ?? {})).toEqual([2, 2, 2, 1])
    expect(sentinel?.lastMs).toBe(clock.wallMs())
  })
})

describe('the log of what happened to the history', () => {
  it('tells of time that nobody watched, and of what is lost', async () => {
    const first = createKept()
    await first.start()
    await first.add('a')
    await first.clock.advance(SECOND_MS)
    await first.clock.advance(2 * SECOND_MS)
    const aliveMs = first.clock.wallMs()
    await first.history.saved()
    first.history.dispose()
    first.clock.sleep(HOUR_MS)
    const second = createKept(first.storage, first.clock, 'two')
    await second.start()
    expect((await logOf(second))[0]).toEqual([
      'gap',
      { reason: 'closed', fromMs: aliveMs, toMs: aliveMs + HOUR_MS },
    ])
    await second.add('a')
    await second.clock.advance(2 * SECOND_MS)
    const { sentinel, savedToMs } = second.status()
    second.history.dispose()
    first.storage.databases.clear()
    const third = createKept(first.storage, first.clock, 'three')
    await third.start(sentinel)
    expect(await logOf(third)).toEqual([['history-lost', { lastMs: sentinel?.lastMs }]])
    expect(savedToMs).toBeGreaterThan(sentinel?.lastMs ?? Number.POSITIVE_INFINITY)
  })
})
