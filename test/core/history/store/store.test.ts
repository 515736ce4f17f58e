import { describe, expect, it, onTestFinished } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { StorageFailure } from '#storage/storage.ts'
import { checksum, seal } from '#history/store/envelope.ts'
import { deflateRawSync } from 'node:zlib'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const SECOND_MS = 1_000
const NAME = 'immune-history-store-1'

type Kept = ReturnType<typeof createKept>

async function started(storage = createMemoryStorage(), clock = createFakeClock(), writer = 'one') {
  const kept = createKept(storage, clock, writer)
  onTestFinished(() => kept.history.dispose())
  await kept.start()
  // Lets the maintenance at the start run.
  await kept.clock.advance(0)
  return kept
}

const answered = async (kept: Kept, node = 'a', rangeMs = DAY_MS) =>
  (await kept.lanes(node, rangeMs)).answered

/** The next session over the same store. */
async function reopened({ storage, clock, history, status }: Kept): Promise<Kept> {
  await history.saved()
  history.dispose()
  const next = createKept(storage, clock, `after ${storage.counts.open}`)
  await next.start(status().sentinel)
  return next
}

const operator = async ({ history }: Kept) =>
  (await history.log.read({ areas: ['operator', 'watching'], limit: 50 })).entries

describe('new samples', () => {
  it('are stored as one row for the whole fleet within 2 s', async () => {
    const kept = await started()
    for (const node of ['a', 'b', 'c']) await kept.add(node)
    await kept.clock.advance(2 * SECOND_MS)
    expect(kept.rows(NAME, 'recent').map(({ key }) => key)).toEqual([[1]])
    expect(kept.status()).toMatchObject({ state: 'kept', savedToMs: kept.clock.wallMs() })
  })

  it('are written at once on request; without any, only the sign of life is written', async () => {
    const kept = await started()
    await kept.add('a')
    await kept.history.saved()
    expect(kept.rows(NAME, 'recent')).toHaveLength(1)
    const before = kept.storage.counts.write
    await kept.history.saved()
    expect([kept.rows(NAME, 'recent').length, kept.storage.counts.write]).toEqual([1, before + 1])
  })

  it('are compacted into blocks once an hour, which leaves no recent row', async () => {
    const kept = await started()
    await kept.watch(['a', 'b'], 59, MINUTE_MS)
    await kept.clock.advance(3 * MINUTE_MS)
    expect(kept.rows(NAME, 'blocks').map(({ key }) => key.slice(2, 4))).toEqual([
      [0, 1],
      [2, 1],
      [3, 1],
      [0, 2],
      [2, 2],
      [3, 2],
    ])
    expect(kept.rows(NAME, 'recent')).toEqual([])
    expect(await answered(kept)).toBe(59)
  })

  it('that are stored while others are compacted are kept', async () => {
    const kept = await started()
    const nodes = Array.from({ length: 20 }, (_, index) => `n${index}`)
    await kept.watch(nodes, 1, MINUTE_MS)
    kept.clock.stepWall(HOUR_MS)
    kept.storage.fault = () => {
      kept.storage.fault = () => undefined
      void kept.add('n0').then(kept.history.saved)
      return undefined
    }
    await kept.history.maintain()
    await kept.clock.advance(1)
    expect(await answered(await reopened(kept), 'n0')).toBe(2)
  })

  it('are not written after the store is disposed of', async () => {
    const kept = await started()
    await kept.add('a')
    kept.history.dispose()
    await kept.clock.advance(HOUR_MS)
    expect(kept.rows(NAME, 'recent')).toEqual([])
  })
})

describe('unwatched time', () => {
  it('starts at the last sign of life, even if the rows were compacted', async () => {
    const kept = await started()
    await kept.watch(['a'], 10, MINUTE_MS)
    await kept.history.maintain()
    kept.history.dispose()
    kept.clock.sleep(30 * MINUTE_MS, 'runs')
    const next = await started(kept.storage, kept.clock, 'two')
    const lanes = await next.lanes('a', HOUR_MS)
    expect(lanes.answered).toBe(10)
    expect(lanes.answeredMs).toBe(10 * MINUTE_MS)
    expect(await operator(next)).toMatchObject([{ what: 'gap', facts: { reason: 'closed' } }])
  })

  it('does not include a reload', async () => {
    const kept = await started()
    await kept.watch(['a'], 10, MINUTE_MS)
    const next = await reopened(kept)
    expect(await operator(next)).toEqual([])
  })

  it('hides no samples after the clock was set back, because stored ones move back too', async () => {
    const kept = await started()
    await kept.watch(['a'], 10, MINUTE_MS)
    await kept.history.saved()
    kept.history.dispose()
    kept.clock.stepWall(-2 * HOUR_MS)
    for (const writer of ['two', 'three']) {
      const next = await started(kept.storage, kept.clock, writer)
      expect(await answered(next, 'a', HOUR_MS)).toBe(10)
      await next.history.saved()
      next.history.dispose()
    }
  })
})

describe('a store that fails', () => {
  it('is reported with reason and start, and retried after 5 s, 30 s, 2 min and then every 10 min', async () => {
    const kept = await started()
    await kept.watch(['a'], 1, 10 * SECOND_MS)
    const sinceMs = kept.status().savedToMs
    kept.storage.fault = () => 'broken'
    await kept.add('a')
    await kept.clock.advance(0)
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'broken', notKeptSinceMs: sinceMs })
    const tries: number[] = []
    for (const waitS of [5, 30, 120, 600, 600]) {
      const before = kept.storage.counts.list
      await kept.clock.advance(waitS * SECOND_MS - 1)
      expect(kept.storage.counts.list).toBe(before)
      await kept.clock.advance(1)
      tries.push(kept.storage.counts.list - before)
    }
    expect(tries).toEqual([1, 1, 1, 1, 1])
    kept.storage.fault = () => undefined
    await kept.clock.advance(600 * SECOND_MS)
    expect(kept.status()).toMatchObject({ state: 'kept', failure: undefined, notKeptSinceMs: undefined })
    expect(await answered(kept)).toBe(2)
    expect(await answered(await reopened(kept))).toBe(2)
  })

  it.each<StorageFailure>(['no-answer', 'blocked', 'none', 'closed'])(
    'at the start loses no samples once it works: %s',
    async (failure) => {
      const storage = createMemoryStorage()
      storage.fault = () => failure
      const kept = await started(storage)
      await kept.watch(['a'], 3, SECOND_MS)
      expect(kept.status()).toMatchObject({ state: 'not-kept', failure })
      storage.fault = () => undefined
      await kept.clock.advance(30 * SECOND_MS)
      expect(await answered(await reopened(kept))).toBe(3)
    },
  )

  it('is not retried if a newer version writes to it', async () => {
    const kept = await started()
    kept.storage.fault = () => 'newer'
    await kept.add('a')
    await kept.clock.advance(SECOND_MS)
    const { list } = kept.storage.counts
    await kept.clock.advance(DAY_MS)
    expect([kept.status().failure, kept.storage.counts.list]).toEqual(['newer', list])
  })

  it('because it is full removes the oldest history, reports that and stores new samples', async () => {
    const kept = await started()
    await kept.watch(['a'], 10, MINUTE_MS)
    await kept.history.maintain()
    kept.clock.sleep(40 * DAY_MS, 'runs')
    await kept.clock.advance(SECOND_MS)
    let isFull = true
    kept.storage.fault = (operation) => {
      if (operation === 'tidy') isFull = false
      const isDelete = kept.rows(NAME, 'blocks').length < 3
      return operation === 'write' && isFull && !isDelete && kept.storage.counts.write % 2 === 0
        ? 'full'
        : undefined
    }
    await kept.watch(['a'], 4, MINUTE_MS)
    kept.storage.fault = () => undefined
    await kept.clock.advance(10 * MINUTE_MS)
    expect(kept.status()).toMatchObject({ state: 'kept', removed: { reason: 'full' } })
    expect((await operator(kept)).some(({ what }) => what === 'history-removed')).toBe(true)
    expect(await answered(kept)).toBe(4)
  })

  it('because it is full, with nothing older to remove, is reported and stores all once there is room', async () => {
    const kept = await started()
    kept.storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    await kept.watch(['a'], 4, MINUTE_MS)
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'full', removed: undefined })
    kept.storage.fault = () => undefined
    await kept.clock.advance(10 * MINUTE_MS)
    expect(await answered(await reopened(kept))).toBe(4)
  })
})

describe('lost history', () => {
  it('is reported once, at the start, if the sentinel remembers it', async () => {
    const kept = await started()
    await kept.watch(['a'], 3, MINUTE_MS)
    await kept.history.saved()
    const { sentinel } = kept.status()
    expect(sentinel).toEqual({ version: 2, lastMs: kept.clock.wallMs() })
    kept.history.dispose()
    kept.storage.databases.clear()
    const next = createKept(kept.storage, kept.clock, 'two')
    await next.start(sentinel)
    expect(next.status()).toMatchObject({ state: 'kept', lost: { lastMs: sentinel?.lastMs } })
    expect((await reopened(next)).status().lost).toBeUndefined()
  })

  it('is reported if it is cleared under a tab, which stores its samples in memory again', async () => {
    const kept = await started()
    await kept.watch(['a'], 3, MINUTE_MS)
    await kept.history.saved()
    kept.storage.databases.delete(NAME)
    await kept.add('a')
    await kept.clock.advance(10 * SECOND_MS)
    expect(kept.status()).toMatchObject({ state: 'kept', lost: { lastMs: expect.any(Number) } })
    const next = await reopened(kept)
    expect([await answered(next), next.status().lost]).toEqual([4, undefined])
  })
})

describe('a damaged record', () => {
  it.each(['recent', 'blocks'] as const)(
    'is counted and skipped, and all others are read: %s',
    async (table) => {
      const kept = await started()
      await kept.watch(['a'], 3, MINUTE_MS)
      if (table === 'blocks') await kept.clock.advance(2 * HOUR_MS)
      await kept.watch(['a'], 2, MINUTE_MS)
      await kept.history.saved()
      kept.history.dispose()
      const rows = kept.storage.databases.get(NAME)?.get(table)
      const [first] = rows?.values() ?? []
      if (first?.value instanceof Uint8Array) first.value[9] = (first.value[9] ?? 0) ^ 1
      const next = await started(kept.storage, kept.clock, 'two')
      expect(await answered(next)).toBe(table === 'blocks' ? 2 : 4)
      expect(next.status().damaged).toBeGreaterThan(0)
    },
  )

  it('that inflates beyond the maximum size is skipped too', async () => {
    const kept = await started()
    await kept.watch(['a'], 3, MINUTE_MS)
    await kept.history.saved()
    kept.history.dispose()
    const bomb = new Uint8Array([
      ...seal(new Uint8Array([0])).subarray(0, 5),
      ...deflateRawSync(new Uint8Array(300_000_000)),
    ])
    bomb[0] = 2
    new DataView(bomb.buffer).setUint32(1, checksum(bomb, 5))
    kept.storage.databases
      .get(NAME)
      ?.get('recent')
      ?.set('[9]', { key: [9], value: bomb })
    const next = await started(kept.storage, kept.clock, 'two')
    expect([next.status().damaged, await answered(next)]).toEqual([1, 3])
  })
})

describe('retention', () => {
  /** Five weeks of a node at ten-minute intervals. */
  async function fiveWeeks() {
    const kept = await started()
    for (let week = 0; week < 5; week++) {
      for (let day = 0; day < 7; day++) {
        await kept.watch(['a'], 6, 10 * MINUTE_MS)
        kept.clock.sleep(23 * HOUR_MS, 'runs')
      }
      await kept.clock.advance(2 * MINUTE_MS)
      await kept.history.maintain()
    }
    return kept
  }

  it('removes samples that are too old, and keeps their minute rollups', async () => {
    const kept = await fiveWeeks()
    const minutes = async () => (await run(kept, 'minute')).length
    const before = await minutes()
    kept.history.configure({ samplesDays: 7, rollupsDays: 730, budgetBytes: 1e9 })
    await kept.history.maintain()
    expect(kept.status().removed).toMatchObject({ reason: 'age' })
    expect((await run(kept, 'samples')).length).toBeLessThan(6 * 15)
    expect(await minutes()).toBe(before)
    expect(await answered(kept, 'a', 40 * DAY_MS)).toBe(6 * 35)
  })

  it('removes the oldest segments while the budget is exceeded', async () => {
    const kept = await fiveWeeks()
    const { bytes } = kept.status()
    kept.history.configure({ samplesDays: 3_650, rollupsDays: 3_650, budgetBytes: bytes * 0.6 })
    await kept.history.maintain()
    expect(kept.status()).toMatchObject({ removed: { reason: 'budget' }, budgetBytes: bytes * 0.6 })
    expect(kept.status().bytes).toBeLessThanOrEqual(bytes * 0.6)
  })

  it('uses at most half of the browser’s quota', async () => {
    const kept = await started(createMemoryStorage(1_000_000))
    await kept.history.maintain()
    expect(kept.status().budgetBytes).toBe(500_000)
  })
})

/** Rows of an export. */
async function run(kept: Kept, tier: 'samples' | 'minute', node = 'a'): Promise<readonly unknown[]> {
  const query = { node, fromMs: 0, toMs: kept.clock.wallMs() + 1, tier, form: 'json' } as const
  const { text } = await kept.transfer({ what: 'export', query })
  return (JSON.parse(text) as { rows: readonly unknown[] }).rows
}

describe('a deleted node', () => {
  const remove = (kept: Kept, node: string) =>
    kept.history.transfer({ what: 'delete', node }, async () => true)

  it('leaves counts, reach and bytes as if it had never existed, even after a reload', async () => {
    const only = await started()
    const both = await started()
    for (const kept of [only, both]) {
      if (kept === both) await kept.watch(['old'], 3, MINUTE_MS)
      else await kept.clock.advance(3 * MINUTE_MS)
      kept.clock.sleep(3 * DAY_MS, 'runs')
      await kept.watch(kept === both ? ['a', 'old'] : ['a'], 90, MINUTE_MS)
      await kept.history.maintain()
      await kept.watch(kept === both ? ['a', 'old'] : ['a'], 3, MINUTE_MS)
    }
    const known = ({ status }: Kept) => {
      const { bytes, reach } = status()
      return { bytes, day: Math.floor((reach.samples ?? 0) / DAY_MS) }
    }
    expect(known(both)).not.toEqual(known(only))
    expect(await remove(both, 'old')).toMatchObject({ kind: 'done' })
    await both.history.saved()
    await only.history.maintain()
    expect(known(both)).toEqual(known(only))
    expect((await both.lanes('old', DAY_MS)).samples).toBe(0)
    const next = await reopened(both)
    expect([await answered(next, 'old', 9 * DAY_MS), await answered(next, 'a', 9 * DAY_MS)]).toEqual([0, 93])
    expect((await operator(next))[0]).toMatchObject({ what: 'history-deleted', nodeKey: 'old' })
  })

  it('is compared with nothing when it returns', async () => {
    const kept = await started()
    await kept.add('a', { status: 'ACTIVE' })
    await kept.clock.advance(SECOND_MS)
    await remove(kept, 'a')
    await kept.add('a', { status: 'IDLE' })
    await kept.clock.advance(1)
    const next = await reopened(kept)
    expect((await next.history.log.read({ areas: ['record'], limit: 9 })).entries).toEqual([])
    expect(await answered(next)).toBe(1)
  })

  it('is kept if the deletion is stopped or the store fails', async () => {
    const kept = await started()
    await kept.watch(['a'], 3, MINUTE_MS)
    expect(await kept.history.transfer({ what: 'delete', node: 'a' }, async () => false)).toMatchObject({
      kind: 'cancelled',
      unchanged: true,
    })
    await kept.history.saved()
    kept.storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    expect(await remove(kept, 'a')).toEqual({ kind: 'failed', failure: 'full', unchanged: true })
    kept.storage.fault = () => undefined
    expect(await answered(kept)).toBe(3)
  })
})

describe('an import', () => {
  async function* fileOf(times: readonly number[]) {
    const columns = ['time_ms', 'outcome', 'interval', 'answer_time']
    const head = { format: 'immune-node-history', version: 1, node: 'a', resolution: 'samples', columns }
    yield `${JSON.stringify(head).slice(0, -1)},"rows":[`
    for (const atMs of times) yield JSON.stringify([atMs, 'answered', 600_000, 20])
    yield ']}'
  }
  const imported = (kept: Kept, times: readonly number[]) =>
    kept.history.transfer({ what: 'import', file: () => fileOf(times) }, async () => true)
  const minutes = (...given: readonly number[]) => given.map((minute) => TEST_START_MS + minute * MINUTE_MS)

  it('skips the hours that have samples here, and those that are not over', async () => {
    const kept = await started()
    await kept.add('a')
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    await kept.clock.advance(HOUR_MS + MINUTE_MS)
    const given = minutes(0, 5, 65, 66, 130)
    expect(await imported(kept, given)).toEqual({ kind: 'done', rows: 2, skipped: 3 })
    expect(await answered(kept)).toBe(3)
    expect(await imported(kept, given)).toEqual({ kind: 'done', rows: 0, skipped: 5 })
  })

  it('adds samples and rollups across weeks, before and after the existing ones', async () => {
    const kept = await started(createMemoryStorage(), createFakeClock(TEST_START_MS + 20 * DAY_MS))
    const week = Array.from({ length: 10 * 24 }, (_, hour) => hour * 60)
    expect(await imported(kept, minutes(...week.slice(100)))).toMatchObject({ rows: 140 })
    expect(await imported(kept, minutes(...week))).toMatchObject({ rows: 100, skipped: 140 })
    for (const rangeMs of [20.5 * DAY_MS, 13 * DAY_MS]) {
      const expected = week.filter((minute) => minute * MINUTE_MS >= 20 * DAY_MS - rangeMs).length
      expect(await answered(kept, 'a', rangeMs)).toBe(expected)
    }
    expect(kept.status().reach.samples).toBe(TEST_START_MS)
  })
})
