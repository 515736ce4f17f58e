import { describe, expect, it } from 'vitest'
import type { StorageFailure } from '#history/storage.ts'
import { segmentAt, segmentName, segmentToMs, type SegmentKind } from '#history/tiers.ts'
import { createFakeClock, settle, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const EVERY_MS = 10 * MINUTE_MS
/** An hour is over when no answer to a request of it can come any more, and a minute's look later. */
const GRACE_MS = 150_000
/** Noon: an hour's and half a day's begin. */
const NOON_MS = TEST_START_MS
const nameOf = (kind: SegmentKind, atMs = NOON_MS) => segmentName(segmentAt(kind, atMs))

type Kept = ReturnType<typeof createKept>
const keysOf = (kept: Kept, kind: SegmentKind, atMs = NOON_MS) =>
  kept
    .rows(nameOf(kind, atMs), 'rows')
    .map(({ key: [place, node, fromMs, toMs] }) => [
      place,
      node,
      (Number(fromMs) - NOON_MS) / HOUR_MS,
      (Number(toMs) - NOON_MS) / HOUR_MS,
    ])
    .toSorted(
      (a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]) || Number(a[2]) - Number(b[2]),
    )

/** A tab that has watched these nodes for so long, and is past the last hour's end. */
async function watched(hours: number, nodes: readonly string[] = ['a']) {
  const kept = createKept()
  await kept.start()
  await kept.watch(nodes, hours * 6, EVERY_MS, { status: 'ACTIVE', participation: 0.5, stake: 32 })
  await kept.clock.advance(GRACE_MS + MINUTE_MS)
  await kept.history.maintain()
  return kept
}

describe('an hour that is over', () => {
  it('becomes records: of its samples, and of their rollups by the minute, quarter and hour', async () => {
    const kept = await watched(1, ['a', 'b'])
    expect(keysOf(kept, 'samples')).toEqual([
      [0, 1, 0, 1],
      [0, 2, 0, 1],
    ])
    expect(keysOf(kept, 'minute')).toEqual([
      [1, 1, 0, 1],
      [1, 2, 0, 1],
    ])
    expect(keysOf(kept, 'coarse')).toEqual([
      [2, 1, -12, 12],
      [2, 2, -12, 12],
      [3, 1, -12, 12],
      [3, 2, -12, 12],
    ])
    // The last row of each node stays, to say what held until the next one.
    expect(kept.rows(nameOf('samples'), 'wal')).toHaveLength(1)
    expect(kept.meta(nameOf('samples'))).toMatchObject({
      samples: 12,
      firstMs: NOON_MS,
      lastMs: NOON_MS + 5 * EVERY_MS,
    })
    expect(kept.meta(nameOf('minute'))['rolledToMs']).toBe(NOON_MS + HOUR_MS)
    expect(kept.meta(nameOf('coarse'))['rolledToMs']).toBe(NOON_MS + HOUR_MS)
  })

  it('is over only when no answer can come any more', async () => {
    const kept = createKept()
    await kept.start()
    await kept.watch(['a'], 6, EVERY_MS)
    await kept.clock.advance(GRACE_MS - 1)
    await kept.history.maintain()
    expect(keysOf(kept, 'samples')).toEqual([])
    await kept.clock.advance(1)
    await kept.history.maintain()
    expect(keysOf(kept, 'samples')).toEqual([[0, 1, 0, 1]])
  })

  it('is told with what it takes, and how far back each resolution goes', async () => {
    const kept = await watched(2)
    const bytes = ['samples', 'minute', 'coarse'].map((kind) => {
      const rows = kept.rows(nameOf(kind as SegmentKind), 'rows')
      const sum = rows.reduce((all, { value }) => all + (value as Uint8Array).length, 0)
      expect(kept.meta(nameOf(kind as SegmentKind))['bytes']).toBe(sum)
      return sum
    })
    expect(kept.status()).toMatchObject({
      bytes: bytes.reduce((a, b) => a + b),
      budgetBytes: 1e9,
      reach: {
        samples: NOON_MS,
        minute: NOON_MS,
        quarter: NOON_MS,
        hour: NOON_MS,
      },
      removed: undefined,
      sentinel: { version: 1, segments: { [nameOf('samples')]: 12 }, lastMs: NOON_MS + 11 * EVERY_MS },
    })
  })

  it('is worked on once, and by look after look only when there is something new', async () => {
    const kept = await watched(1)
    const { write } = kept.storage.counts
    await Promise.all([kept.history.maintain(), kept.history.maintain()])
    expect(kept.storage.counts.write).toBe(write)
    kept.history.configure({ samplesDays: 30, rollupsDays: 730, budgetBytes: 5e8 })
    await kept.history.maintain()
    expect(kept.status().budgetBytes).toBe(5e8)
    expect(kept.storage.counts.write).toBe(write)
  })

  it('waits where nothing is kept', async () => {
    const kept = createKept()
    await kept.watch(['a'], 7, EVERY_MS)
    await kept.history.maintain()
    expect(kept.storage.counts.write).toBe(0)
  })
})

describe('a day that is over', () => {
  it('becomes one packed record for each node', async () => {
    const kept = await watched(13, ['a', 'b'])
    // The half day up to midnight is one record; the hour after it is its own.
    expect(keysOf(kept, 'samples')).toEqual([
      [0, 1, -12, 12],
      [0, 1, 12, 13],
      [0, 2, -12, 12],
      [0, 2, 12, 13],
    ])
    expect(keysOf(kept, 'minute').slice(0, 2)).toEqual([
      [1, 1, -12, 12],
      [1, 1, 12, 13],
    ])
    const sizes = kept.rows(nameOf('samples'), 'rows').map(({ value }) => (value as Uint8Array).length)
    expect(kept.meta(nameOf('samples'))['bytes']).toBe(sizes.reduce((a, b) => a + b))
    expect((await kept.lanes('a', 14 * HOUR_MS, EVERY_MS)).answered).toBe(78)
    expect(kept.pauses()).toBeGreaterThan(0)
  })

  it('of which a record can not be read keeps the others, and counts that one', async () => {
    const kept = await watched(11)
    const rows = kept.storage.databases.get(nameOf('samples'))?.get('rows')
    const [name, row] = Array.from(rows ?? [])[3] ?? []
    if (name === undefined || row === undefined) throw new Error('there is no such record')
    rows?.set(name, { key: row.key, value: (row.value as Uint8Array).with(9, 77) })
    expect((await kept.lanes('a', 12 * HOUR_MS, EVERY_MS)).answered).toBe(60)
    expect(kept.status().damaged).toBe(1)
    await kept.watch(['a'], 12, EVERY_MS)
    await kept.history.maintain()
    expect(kept.status().damaged).toBe(2)
    expect((await kept.lanes('a', 15 * HOUR_MS, EVERY_MS)).answered).toBe(72)
    const sizes = kept.rows(nameOf('samples'), 'rows').map(({ value }) => (value as Uint8Array).length)
    expect(kept.meta(nameOf('samples'))['bytes']).toBe(sizes.reduce((a, b) => a + b))
  })
})

describe('charts from records', () => {
  it('are those of the samples at every resolution', async () => {
    const kept = await watched(30)
    const day = await kept.lanes('a', 31 * HOUR_MS, EVERY_MS)
    expect(day).toMatchObject({ stepMs: 60_000, answered: 180 })
    const week = await kept.lanes('a', 7 * DAY_MS, EVERY_MS)
    expect(week).toMatchObject({ stepMs: 900_000, answered: 180 })
    expect(week.stake.stats).toEqual({ min: 32, max: 32, last: 32 })
    const month = await kept.lanes('a', 30 * DAY_MS, EVERY_MS)
    expect(month).toMatchObject({ stepMs: HOUR_MS, answered: 180 })
    for (const { answerTime } of [day, week, month]) expect(answerTime.band.p50.length).toBeGreaterThan(0)
    expect((await kept.lanes('nobody', 7 * DAY_MS, EVERY_MS)).answered).toBe(0)
    expect((await kept.lanes('a', HOUR_MS, EVERY_MS)).stepMs).toBe(0)
  })

  it('hold as well what came after the clock was set back into an hour that was over', async () => {
    const kept = await watched(2)
    const answeredBefore = (await kept.lanes('a', 7 * DAY_MS, EVERY_MS)).answered
    // A set-back that nobody told of: the samples come late.
    kept.clock.stepWall(-3 * HOUR_MS)
    await kept.watch(['b'], 3, EVERY_MS)
    kept.clock.stepWall(3 * HOUR_MS)
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    expect((await kept.lanes('a', 7 * DAY_MS, EVERY_MS)).answered).toBe(answeredBefore)
    expect((await kept.lanes('b', 7 * DAY_MS, EVERY_MS)).answered).toBe(3)
    expect((await kept.lanes('b', 30 * DAY_MS, EVERY_MS)).answered).toBe(3)
    expect((await kept.lanes('b', 40 * HOUR_MS, EVERY_MS)).answered).toBe(3)
    expect((await kept.lanes('b', 12 * HOUR_MS, EVERY_MS)).answered).toBe(3)
  })
})

describe('a crash', () => {
  it.each([0, 1, 2, 3])(
    'at the write with number %d of what brings an hour into records loses and doubles nothing',
    async (nth) => {
      const kept = createKept()
      await kept.start()
      await kept.watch(['a', 'b'], 6, EVERY_MS)
      await kept.clock.advance(GRACE_MS - 1_000)
      await kept.history.saved()
      let writes = 0
      kept.storage.fault = (operation) => (operation === 'write' && writes++ >= nth ? 'crash' : undefined)
      await kept.clock.advance(1_000)
      void kept.history.maintain()
      await settle(20)
      expect(writes).toBeGreaterThan(0)
      kept.history.dispose()
      kept.storage.fault = () => undefined
      const next = createKept(kept.storage, kept.clock, 'two')
      await next.start()
      for (let round = 0; round < 2; round++) {
        for (const rangeMs of [2 * HOUR_MS, 40 * HOUR_MS, 7 * DAY_MS, 30 * DAY_MS])
          expect([rangeMs, (await next.lanes('b', rangeMs, EVERY_MS)).answered]).toEqual([rangeMs, 6])
        await next.history.maintain()
      }
      expect(keysOf(next, 'samples')).toEqual([
        [0, 1, 0, 1],
        [0, 2, 0, 1],
      ])
      expect(next.status()).toMatchObject({ damaged: 0, lost: undefined })
    },
  )

  it('while the day’s records are made one loses nothing', async () => {
    const kept = createKept()
    await kept.start()
    await kept.watch(['a', 'b'], 71, EVERY_MS)
    let isDead = false
    let writes = 0
    await kept.history.saved()
    kept.storage.fault = (operation) => {
      if (operation === 'write' && kept.clock.wallMs() > NOON_MS + 12 * HOUR_MS && ++writes > 8) isDead = true
      return isDead ? 'crash' : undefined
    }
    void kept.clock.advance(EVERY_MS + GRACE_MS + MINUTE_MS)
    await settle(400)
    kept.history.dispose()
    kept.storage.fault = () => undefined
    const next = createKept(kept.storage, kept.clock, 'two')
    await next.start()
    await next.history.maintain()
    expect((await next.lanes('a', 13 * HOUR_MS, EVERY_MS)).answered).toBe(71)
    expect((await next.lanes('b', 13 * HOUR_MS, EVERY_MS)).answered).toBe(71)
    expect(keysOf(next, 'samples')).toEqual([
      [0, 1, -12, 12],
      [0, 2, -12, 12],
    ])
  })

  it('gives the room of the day’s write-ahead records and parts back once they are one, and only then', async () => {
    const kept = createKept()
    await kept.start()
    await kept.watch(['a'], 71, EVERY_MS)
    await kept.history.saved()
    const tidied = () => kept.storage.counts.tidy
    expect(tidied()).toBe(0)
    await kept.clock.advance(EVERY_MS + GRACE_MS + MINUTE_MS)
    await kept.history.maintain()
    expect(tidied()).toBe(1)
    await kept.clock.advance(3 * HOUR_MS)
    await kept.history.maintain()
    expect(tidied()).toBe(1)
    kept.history.dispose()
  })

  it('needs no tidy store: where it can’t give room back, it goes on', async () => {
    const kept = createKept()
    await kept.start()
    await kept.watch(['a'], 71, EVERY_MS)
    kept.storage.fault = (operation) => (operation === 'tidy' ? 'blocked' : undefined)
    await kept.clock.advance(EVERY_MS + GRACE_MS + MINUTE_MS)
    await kept.history.maintain()
    expect(kept.storage.counts.tidy).toBe(1)
    expect(kept.status()).toMatchObject({ state: 'kept', failure: undefined })
    expect(keysOf(kept, 'samples')).toEqual([[0, 1, -12, 12]])
    kept.history.dispose()
  })
})

describe('where records can not be written', () => {
  it.each([
    ['broken', 'not-kept'],
    ['full', 'not-kept'],
  ] as const)('because the store is %s, it is said, and done when it works again', async (failure, state) => {
    const kept = createKept()
    await kept.start()
    await kept.watch(['a'], 6, EVERY_MS)
    await kept.history.saved()
    let fault: StorageFailure | undefined = failure
    kept.storage.fault = (operation) => (operation === 'write' ? fault : undefined)
    await kept.clock.advance(GRACE_MS)
    await kept.history.maintain()
    expect(kept.status()).toMatchObject({ state, failure })
    fault = undefined
    await kept.clock.advance(20 * MINUTE_MS)
    await kept.history.maintain()
    expect(kept.status().state).toBe('kept')
    expect(keysOf(kept, 'samples')).toEqual([[0, 1, 0, 1]])
    expect((await kept.lanes('a', 7 * DAY_MS, EVERY_MS)).answered).toBe(6)
  })
})

describe('what is too old', () => {
  it('goes as whole segments, with a word of what went', async () => {
    const clock = createFakeClock(NOON_MS - 21 * DAY_MS)
    const kept = createKept(createMemoryStorage(), clock)
    await kept.start()
    for (let week = 0; week < 3; week++) {
      await kept.watch(['a'], 1, HOUR_MS)
      await clock.advance(2 * HOUR_MS)
      await kept.history.maintain()
      clock.sleep(7 * DAY_MS - 3 * HOUR_MS)
    }
    await kept.watch(['a'], 1, HOUR_MS)
    await clock.advance(2 * HOUR_MS)
    await kept.history.maintain()
    const oldest = segmentAt('samples', NOON_MS - 21 * DAY_MS)
    expect(kept.names()).toContain(segmentName(oldest))
    expect(kept.status().reach.samples).toBe(NOON_MS - 21 * DAY_MS)
    kept.history.configure({ samplesDays: 14, rollupsDays: 730, budgetBytes: 1e9 })
    await kept.history.maintain()
    expect(kept.names()).not.toContain(segmentName(oldest))
    expect(kept.status()).toMatchObject({
      removed: { reason: 'age', toMs: segmentToMs(oldest), atMs: clock.wallMs() },
      reach: { samples: NOON_MS - 14 * DAY_MS, hour: NOON_MS - 21 * DAY_MS },
    })
    // What its rollups say stays, and a chart that goes further back is drawn from them.
    expect((await kept.lanes('a', 22 * DAY_MS, HOUR_MS)).answered).toBe(4)
    kept.history.configure({ samplesDays: 14, rollupsDays: 730, budgetBytes: 1 })
    await kept.history.maintain()
    expect(kept.status().removed?.reason).toBe('budget')
    expect(kept.names().filter((name) => name.includes('samples'))).toEqual([
      nameOf('samples', clock.wallMs()),
    ])
  })
})
