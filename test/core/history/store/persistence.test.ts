import { describe, expect, it } from 'vitest'
import { FIRST_STATUS } from '#history/history-status.ts'
import type { StorageFailure } from '#history/storage.ts'
import { segmentAt, segmentName } from '#history/tiers.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const SEGMENT = segmentName(segmentAt('samples', TEST_START_MS))

/** Fails each write with this from now on. */
const failWrites = ({ storage }: ReturnType<typeof createKept>, failure: StorageFailure | undefined) => {
  storage.fault = (operation) => (operation === 'write' ? failure : undefined)
}

describe('storing history', () => {
  it('begins when it is told to', async () => {
    const kept = createKept()
    expect(kept.status()).toEqual(FIRST_STATUS)
    await kept.add('a')
    await kept.clock.advance(MINUTE_MS)
    expect([kept.status().state, kept.storage.counts]).toEqual([
      'starting',
      { list: 0, open: 0, remove: 0, read: 0, write: 0, tidy: 0 },
    ])
    await kept.start()
    expect(kept.status()).toMatchObject({
      state: 'kept',
      failure: undefined,
      notKeptSinceMs: undefined,
      savedToMs: TEST_START_MS + MINUTE_MS,
      sentinel: { version: 1, segments: { [SEGMENT]: 1 }, lastMs: TEST_START_MS },
    })
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(1)
  })

  it('writes all that came within a second as one record', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(5 * SECOND_MS)
    await kept.add('a')
    await kept.clock.advance(0)
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(1)
    await kept.add('a')
    await kept.add('b')
    await kept.clock.advance(999)
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(1)
    await kept.clock.advance(1)
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(2)
    expect(kept.rows(SEGMENT, 'nodes').map(({ key, value }) => [key[0], value])).toEqual([
      ['a', 1],
      ['b', 2],
    ])
    expect(kept.status()).toMatchObject({
      savedToMs: kept.clock.wallMs(),
      sentinel: { segments: { [SEGMENT]: 3 } },
    })
  })

  it('writes nothing where nothing came, but for a sign of life every 15 seconds', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(SECOND_MS)
    await kept.add('a')
    await kept.clock.advance(0)
    const { write } = kept.storage.counts
    const aliveMs = () => kept.meta(SEGMENT)['aliveMs']
    expect(aliveMs()).toBe(kept.clock.wallMs())
    // The clock's fifteen seconds began at the start; the last record was a second later.
    await kept.clock.advance(14 * SECOND_MS)
    expect(kept.storage.counts.write).toBe(write)
    await kept.clock.advance(15 * SECOND_MS)
    expect(kept.storage.counts.write).toBe(write + 1)
    expect(aliveMs()).toBe(kept.clock.wallMs())
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(1)
    await kept.history.saved()
    expect(kept.storage.counts.write).toBe(write + 2)
    kept.history.dispose()
    expect(kept.clock.pendingMs()).toEqual([])
  })

  it('gives no sign of life of nobody', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(MINUTE_MS)
    await kept.history.saved()
    expect(kept.storage.counts.write).toBe(0)
  })

  it('writes nothing once it has ended, and whoever comes after reads what it wrote', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    await kept.add('a')
    const { write } = kept.storage.counts
    kept.history.dispose()
    await kept.add('a')
    await kept.history.saved()
    await kept.history.maintain()
    await kept.clock.advance(HOUR_MS)
    expect(kept.storage.counts.write).toBe(write)
    expect(kept.status()).toMatchObject({ state: 'kept', failure: undefined })
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    expect((await other.lanes('a', 2 * HOUR_MS)).answered).toBe(1)
    other.history.dispose()
  })

  it('says so, and since when, and tries again after 5 s, 30 s, 2 min and every 10 min', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(2 * SECOND_MS)
    const sinceMs = kept.status().savedToMs
    failWrites(kept, 'broken')
    await kept.add('a')
    await kept.clock.advance(0)
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'broken', notKeptSinceMs: sinceMs })
    for (const waitMs of [5_000, 30_000, 120_000, 600_000, 600_000]) {
      const before = kept.storage.counts.write
      await kept.clock.advance(waitMs - 1)
      expect(kept.storage.counts.write).toBe(before)
      await kept.clock.advance(1)
      // A connection that broke is opened anew once.
      expect(kept.storage.counts.write).toBe(before + 2)
    }
    expect(kept.status()).toMatchObject({ state: 'not-kept', notKeptSinceMs: sinceMs })
    failWrites(kept, undefined)
    await kept.clock.advance(600_000)
    expect(kept.status()).toMatchObject({
      state: 'kept',
      failure: undefined,
      notKeptSinceMs: undefined,
      savedToMs: kept.clock.wallMs(),
    })
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(1)
  })

  it('begins with short waits again after it was well', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(2 * SECOND_MS)
    for (let round = 0; round < 2; round++) {
      failWrites(kept, 'broken')
      await kept.add('a')
      await kept.clock.advance(2 * SECOND_MS)
      expect(kept.status().state).toBe('not-kept')
      failWrites(kept, undefined)
      await kept.clock.advance(5 * SECOND_MS)
      expect(kept.status().state).toBe('kept')
    }
  })

  it('counts the time from the start where nothing ever was', async () => {
    const kept = createKept()
    kept.storage.fault = (operation) => (operation === 'list' ? 'none' : undefined)
    await kept.clock.advance(MINUTE_MS)
    await kept.start()
    expect(kept.status()).toMatchObject({
      state: 'not-kept',
      failure: 'none',
      notKeptSinceMs: TEST_START_MS + MINUTE_MS,
      savedToMs: undefined,
    })
  })

  it('counts that time from the first failure on, however often it tries again', async () => {
    const kept = createKept()
    kept.storage.fault = (operation) => (operation === 'list' ? 'none' : undefined)
    await kept.start()
    await kept.clock.advance(MINUTE_MS)
    expect(kept.status()).toMatchObject({ state: 'not-kept', notKeptSinceMs: TEST_START_MS })
  })

  it('tries again once, however much failed at the same time', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a')
    await kept.clock.advance(HOUR_MS)
    await kept.add('a')
    const before = kept.clock.pendingMs().length
    failWrites(kept, 'no-answer')
    await Promise.all([kept.history.maintain(), kept.history.saved()])
    await kept.clock.advance(0)
    expect(kept.status().state).toBe('not-kept')
    expect(kept.clock.pendingMs().filter((ms) => ms === 5_000)).toHaveLength(1)
    // One more try, in the place of the flush that has failed.
    expect(kept.clock.pendingMs()).toHaveLength(before)
  })

  it('waits for one moment to write, however much comes before it', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(0)
    await kept.add('a')
    const waiting = kept.clock.pendingMs().length
    await kept.add('b')
    await kept.add('c')
    expect(kept.clock.pendingMs()).toHaveLength(waiting)
  })

  it('writes what there is at once where it is told to, and a sign of life only where there is nothing', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(5 * SECOND_MS)
    await kept.add('a')
    const { write } = kept.storage.counts
    await kept.history.saved()
    expect([kept.storage.counts.write, kept.status().savedToMs]).toEqual([write + 1, kept.clock.wallMs()])
    await kept.clock.advance(SECOND_MS)
    await kept.history.saved()
    expect([kept.storage.counts.write, kept.status().savedToMs]).toEqual([write + 2, kept.clock.wallMs()])
  })

  it('gives its sign of life 15 seconds after the last record, and says so where it can’t', async () => {
    const kept = createKept()
    await kept.add('a')
    await kept.start()
    const { write } = kept.storage.counts
    await kept.clock.advance(15 * SECOND_MS)
    expect(kept.storage.counts.write).toBe(write + 1)
    expect(kept.status().state).toBe('kept')
    failWrites(kept, 'no-answer')
    await kept.clock.advance(15 * SECOND_MS)
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'no-answer' })
  })

  it('says nothing any more of what it wrote while it ended', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(5 * SECOND_MS)
    await kept.add('a')
    const before = kept.status()
    kept.storage.fault = (operation) => {
      if (operation === 'write') kept.history.dispose()
      return undefined
    }
    await kept.history.saved()
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(1)
    expect(kept.status()).toBe(before)
  })

  it('has the log read anew once history was found, and not with each record', async () => {
    const kept = createKept()
    await kept.start()
    let told = 0
    kept.history.log.watch(() => told++)
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    expect(told).toBe(0)
    failWrites(kept, 'no-answer')
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    failWrites(kept, undefined)
    await kept.clock.advance(5 * SECOND_MS)
    expect([kept.status().state, told]).toEqual(['kept', 1])
  })

  it('remembers what is kept of each week, and of databases that were replaced nothing', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(0)
    const at = () => segmentName(segmentAt('samples', kept.clock.wallMs()))
    const names: string[] = []
    for (let week = 0; week < 2; week++) {
      await kept.add('a')
      await kept.history.saved()
      names.push(at())
      kept.clock.sleep(7 * DAY_MS)
    }
    expect(kept.status().sentinel).toMatchObject({
      generation: 0,
      segments: Object.fromEntries(names.map((name) => [name, 1])),
    })
    const stage = await kept.history.store.storage.stage()
    if (!stage.ok) throw new Error(stage.error)
    await stage.value.open(names[0] ?? '')
    await stage.value.commit()
    await stage.value.finish()
    await kept.history.store.reload()
    await kept.add('a')
    await kept.history.saved()
    const { sentinel } = kept.status()
    expect(sentinel?.generation).toBe(1)
    expect(Object.keys(sentinel?.segments ?? {})).toEqual([at()])
    await kept.history.store.survey()
    expect(kept.status().sentinel?.generation).toBe(1)
    // Of those that took their place, each week again.
    const weeks = [at()]
    kept.clock.sleep(7 * DAY_MS)
    await kept.add('a')
    await kept.history.saved()
    expect(Object.keys(kept.status().sentinel?.segments ?? {})).toEqual([...weeks, at()])
  })

  it('never writes again over what a newer version keeps', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(2 * SECOND_MS)
    failWrites(kept, 'newer')
    await kept.add('a')
    await kept.clock.advance(0)
    failWrites(kept, undefined)
    const { write } = kept.storage.counts
    await kept.add('a')
    await kept.clock.advance(DAY_MS / 12)
    await kept.history.saved()
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'newer' })
    expect(kept.storage.counts.write).toBe(write)
    expect((await kept.lanes('a', DAY_MS / 2)).answered).toBe(2)
  })

  it('takes in what another tab wrote before it goes on', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    await other.add('b')
    await kept.clock.advance(2 * SECOND_MS)
    await kept.add('a')
    await kept.clock.advance(0)
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'taken' })
    other.history.dispose()
    await kept.clock.advance(5 * SECOND_MS)
    expect(kept.status().state).toBe('kept')
    expect((await kept.lanes('b', MINUTE_MS)).answered).toBe(1)
    expect((await kept.lanes('a', MINUTE_MS)).answered).toBe(2)
    expect(kept.status()).toMatchObject({ damaged: 0, lost: undefined })
  })

  it('makes room for new samples with the oldest ones while the disk is full, and says so', async () => {
    const clock = createFakeClock(TEST_START_MS - 21 * DAY_MS)
    const kept = createKept(createMemoryStorage(), clock)
    await kept.start()
    for (let week = 0; week < 3; week++) {
      await kept.add('a')
      await clock.advance(2 * SECOND_MS)
      clock.sleep(7 * DAY_MS)
    }
    const oldest = kept.names().filter((name) => name.includes('samples'))
    expect(oldest).toHaveLength(3)
    let isFull = true
    kept.storage.fault = (operation, name) => {
      if (operation === 'remove') isFull = false
      return operation === 'write' && isFull && name === SEGMENT ? 'full' : undefined
    }
    await kept.add('a')
    await clock.advance(SECOND_MS)
    expect(kept.status()).toMatchObject({
      state: 'kept',
      removed: { reason: 'full', atMs: clock.wallMs() - SECOND_MS },
    })
    expect(kept.names()).not.toContain(oldest[0])
    expect(kept.names()).toContain(oldest[1])
    expect(kept.rows(SEGMENT, 'wal')).toHaveLength(1)
  })

  it('says that the disk is full where there is nothing older to give', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    failWrites(kept, 'full')
    await kept.add('a')
    await kept.clock.advance(0)
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'full', removed: undefined })
    expect(kept.storage.counts.remove).toBe(0)
  })

  it('forgets nodes in memory only there; what is kept stays', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    await kept.history.forget(['a'])
    expect((await kept.lanes('a', MINUTE_MS)).answered).toBe(1)
    failWrites(kept, 'newer')
    await kept.add('b')
    await kept.clock.advance(2 * SECOND_MS)
    await kept.history.forget(['b'])
    expect((await kept.lanes('b', MINUTE_MS)).answered).toBe(0)
    expect((await kept.lanes('a', MINUTE_MS)).answered).toBe(1)
  })
})

describe('a history that is kept', () => {
  it('goes by its timers once, however often it is begun', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(0)
    const timers = kept.clock.pendingMs().length
    await kept.start()
    await kept.clock.advance(0)
    expect(kept.clock.pendingMs()).toHaveLength(timers)
  })

  it('takes time that nobody watched for no set-back of the clock, also where it has no length', async () => {
    const kept = createKept()
    await kept.start()
    await kept.clock.advance(0)
    const atMs = kept.clock.wallMs()
    const { write } = kept.storage.counts
    for (const toMs of [atMs, atMs + 5])
      await kept.history.append({ samples: [], gaps: [{ fromMs: atMs, toMs, reason: 'asleep' }] })
    await kept.clock.advance(2 * SECOND_MS)
    expect(kept.storage.counts.write).toBe(write)
  })

  it('tells where it begins of a node, at each resolution', async () => {
    const kept = createKept()
    const { store } = kept.history
    expect(store.firstMs('a', 'hour')).toBe(TEST_START_MS)
    await kept.add('a')
    await kept.clock.advance(MINUTE_MS)
    expect([store.firstMs('a', 'hour'), store.firstMs('b', 'hour')]).toEqual([
      TEST_START_MS,
      TEST_START_MS + MINUTE_MS,
    ])
    await kept.start()
    await kept.clock.advance(3 * HOUR_MS)
    await kept.history.maintain()
    expect([store.firstMs('b', 'samples'), store.firstMs('b', 'hour')]).toEqual([
      TEST_START_MS,
      TEST_START_MS,
    ])
  })

  it('says once that it is kept', async () => {
    const kept = createKept()
    let told = 0
    kept.history.store.whenKept(() => told++)
    kept.storage.fault = () => 'none'
    await kept.start()
    expect(told).toBe(0)
    kept.storage.fault = () => undefined
    await kept.clock.advance(5 * SECOND_MS)
    expect(told).toBe(1)
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    expect(told).toBe(1)
  })

  it('is looked through at its start', async () => {
    const kept = createKept()
    await kept.start()
    expect(kept.status().budgetBytes).toBe(0)
    await kept.clock.advance(0)
    expect(kept.status().budgetBytes).toBe(1e9)
  })

  it('is read anew where its databases were replaced: they are opened anew, and listed before more is written', async () => {
    const counts = async (isReplaced: boolean) => {
      const kept = createKept()
      await kept.start()
      await kept.add('a')
      await kept.clock.advance(2 * SECOND_MS)
      if (isReplaced) kept.history.store.unload()
      const { open, list } = kept.storage.counts
      await kept.add('a')
      await kept.history.saved()
      const opened = kept.storage.counts.open - open
      failWrites(kept, 'no-answer')
      await kept.add('a')
      await kept.clock.advance(2 * SECOND_MS)
      failWrites(kept, undefined)
      await kept.clock.advance(5 * SECOND_MS)
      expect(kept.status().state).toBe('kept')
      return { opened, listed: kept.storage.counts.list - list }
    }
    const [as, anew] = [await counts(false), await counts(true)]
    expect([as.opened, anew.opened]).toEqual([0, 1])
    expect(anew.listed).toBeGreaterThan(as.listed)
  })
})
