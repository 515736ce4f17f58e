import { describe, expect, it } from 'vitest'
import { segmentAt, segmentFromMs, segmentName, segmentToMs, type SegmentKind } from '#history/tiers.ts'
import { createSeries } from '#history/series.ts'
import { createHistoryWriter } from '#history/store/stored-history.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept, quickPacker } from './kept-history.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const NOW_MS = TEST_START_MS

type Said = { readonly samples?: number; readonly bytes?: number; readonly firstMs?: number; lastMs?: number }

const idAt = (kind: SegmentKind, weeks: number) => segmentAt(kind, NOW_MS + weeks * WEEK_MS)
const nameAt = (kind: SegmentKind, weeks: number) => segmentName(idAt(kind, weeks))

/** A tab over segments that lie so many weeks from now, and say this of themselves. */
async function opened(
  segments: readonly (readonly [kind: SegmentKind, weeks: number, said?: Said])[],
  quotaBytes?: number,
) {
  const storage = createMemoryStorage(quotaBytes)
  for (const [kind, weeks, value = {}] of segments)
    storage.databases.set(
      nameAt(kind, weeks),
      new Map([['meta', new Map([['["meta"]', { key: ['meta'], value }]])]]),
    )
  const kept = createKept(storage, createFakeClock(NOW_MS))
  await kept.start()
  await kept.history.maintain()
  const log = async () =>
    (await kept.history.log.read({ limit: 50 })).entries.map(({ wallMs, area, what, facts }) => ({
      wallMs,
      area,
      what,
      facts,
    }))
  return { ...kept, log }
}

describe('what is there', () => {
  it('goes back as far as the oldest segment that holds something, and as its first row', async () => {
    const within = segmentFromMs(idAt('samples', -2)) + 5
    const { status } = await opened([
      ['samples', -1, { samples: 1, bytes: 9, firstMs: NOW_MS - WEEK_MS }],
      ['samples', -2, { samples: 2, bytes: 0, firstMs: within }],
      ['samples', -3, { samples: 0, bytes: 9, firstMs: 1 }],
      ['minute', -4, { samples: 0, bytes: 7 }],
      ['minute', -8, { samples: 9, bytes: 0 }],
      ['coarse', -8, { bytes: 7, firstMs: segmentFromMs(idAt('coarse', -8)) - 5 }],
    ])
    expect(status().reach).toStrictEqual({
      samples: within,
      minute: segmentFromMs(idAt('minute', -4)),
      quarter: segmentFromMs(idAt('coarse', -8)),
      hour: segmentFromMs(idAt('coarse', -8)),
    })
  })

  it('goes back nowhere where there is nothing, and is remembered as nothing', async () => {
    const { status } = await opened([['samples', -1, { samples: 0, lastMs: 5 }]])
    expect(status().reach).toStrictEqual({
      samples: undefined,
      minute: undefined,
      quarter: undefined,
      hour: undefined,
    })
    expect(status()).toMatchObject({ bytes: 0, sentinel: undefined })
  })

  it('is remembered by what there is of samples in each segment, and by the last of them', async () => {
    const { status } = await opened([
      ['samples', -2, { samples: 2, lastMs: NOW_MS - 9 }],
      ['samples', -1, { samples: 3, lastMs: NOW_MS - 20 }],
      ['samples', -3, { samples: 0, lastMs: NOW_MS + 7 }],
      ['samples', -4, { samples: 1 }],
      ['minute', -1, { samples: 4, lastMs: NOW_MS + 9 }],
    ])
    expect(status().sentinel).toEqual({
      version: 1,
      generation: 0,
      segments: { [nameAt('samples', -4)]: 1, [nameAt('samples', -2)]: 2, [nameAt('samples', -1)]: 3 },
      lastMs: NOW_MS - 9,
    })
  })

  it('takes what all records and the log take together, of half of what the browser grants', async () => {
    const { status } = await opened(
      [
        ['samples', 0, { bytes: 100 }],
        ['minute', 0, { bytes: 20 }],
        ['coarse', 0, { bytes: 3 }],
      ],
      5_000,
    )
    expect(status()).toMatchObject({ bytes: 123, budgetBytes: 2_500 })
    const kept = await opened([['samples', 0, { bytes: 100 }]])
    await kept.history.log.append([{ wallMs: NOW_MS, area: 'operator', what: 'note' }])
    await kept.clock.advance(MINUTE_MS)
    kept.history.configure({ samplesDays: 30, rollupsDays: 730, budgetBytes: 1e9 })
    await kept.history.maintain()
    const lengths = kept.rows(nameAt('coarse', 0), 'events').map(({ value }) => (value as Uint8Array).length)
    expect([lengths.length, kept.status().bytes]).toEqual([1, 100 + (lengths[0] ?? 0)])
  })
})

describe('what goes', () => {
  it('is what is too old, the oldest first, with a word of each', async () => {
    const kept = await opened([
      ['samples', -6, { samples: 1, bytes: 5 }],
      ['samples', -8, { samples: 1, bytes: 5 }],
      ['samples', -1, { samples: 1, bytes: 7, lastMs: 4 }],
      ['minute', -8, { bytes: 5 }],
    ])
    expect(kept.names()).toEqual([nameAt('minute', -8), nameAt('samples', -1)].toSorted())
    const removed = (weeks: number) => ({ reason: 'age', toMs: segmentToMs(idAt('samples', weeks)) })
    expect(kept.status()).toMatchObject({ removed: { ...removed(-6), atMs: NOW_MS }, bytes: 12 })
    expect(kept.status().sentinel?.segments).toEqual({ [nameAt('samples', -1)]: 1 })
    expect(await kept.log()).toEqual(
      [-6, -8].map((weeks) => ({
        wallMs: NOW_MS,
        area: 'watching',
        what: 'history-removed',
        facts: { ...removed(weeks), kept: 'samples' },
      })),
    )
  })

  it('is the oldest while there is more than may be', async () => {
    const kept = await opened(
      [
        ['samples', -2, { samples: 1, bytes: 50 }],
        ['samples', -1, { samples: 1, bytes: 50 }],
        ['samples', 0, { samples: 1, bytes: 50, lastMs: 4 }],
      ],
      200,
    )
    expect(kept.names()).toEqual([nameAt('samples', -1), nameAt('samples', 0)].toSorted())
    expect(kept.status()).toMatchObject({
      removed: { reason: 'budget', toMs: segmentToMs(idAt('samples', -2)) },
      bytes: 100,
    })
  })

  it('is nothing where nothing is too old', async () => {
    const kept = await opened([['samples', -1, { samples: 1 }]])
    expect([kept.status().removed, await kept.log(), kept.storage.counts.remove]).toEqual([undefined, [], 0])
  })

  it('is the oldest, where the disk is full while rows go into records', async () => {
    const kept = await opened([['samples', -2, { samples: 1 }]])
    await kept.clock.advance(0)
    await kept.add('a')
    await kept.clock.advance(61 * MINUTE_MS)
    let isFull = true
    kept.storage.fault = (operation, name) => {
      if (operation === 'remove') isFull = false
      return operation === 'write' && isFull && name === nameAt('minute', 0) ? 'full' : undefined
    }
    await kept.clock.advance(2 * MINUTE_MS)
    expect(kept.status()).toMatchObject({ state: 'kept', removed: { reason: 'full' } })
    expect(kept.names()).not.toContain(nameAt('samples', -2))
  })

  it('is nothing where the store fails for another reason', async () => {
    const kept = await opened([['samples', -2, { samples: 1 }]])
    kept.storage.fault = (operation) => (operation === 'write' ? 'broken' : undefined)
    await kept.add('a')
    await kept.clock.advance(2_000)
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'broken', removed: undefined })
    expect(kept.names()).toContain(nameAt('samples', -2))
  })

  it('is told of only once what is left could be looked at', async () => {
    const kept = await opened([['samples', -1, { samples: 1 }]])
    kept.storage.databases.set(nameAt('samples', -7), new Map())
    kept.history.configure({ samplesDays: 30, rollupsDays: 730, budgetBytes: 1e9 })
    let lists = 0
    kept.storage.fault = (operation) => (operation === 'list' && ++lists === 2 ? 'broken' : undefined)
    await kept.history.maintain()
    expect(kept.names()).not.toContain(nameAt('samples', -7))
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'broken' })
  })

  it('is nothing where records can’t be looked at to become one, which is said', async () => {
    const kept = await opened([['samples', -1, { samples: 1 }]])
    const tables = kept.storage.databases.get(nameAt('samples', -1))
    tables?.set('nodes', new Map([['["a"]', { key: ['a'], value: 1 }]]))
    kept.history.store.segments.close()
    let reads = 0
    // The first one opens it; and the next look, at how much there is, is answered.
    kept.storage.fault = (operation, name) =>
      operation === 'read' && name === nameAt('samples', -1) && ++reads === 2 ? 'no-answer' : undefined
    kept.history.configure({ samplesDays: 30, rollupsDays: 730, budgetBytes: 1e9 })
    await kept.history.maintain()
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'no-answer' })
  })

  it.each(['list', 'remove', 'open'] as const)(
    'stays where the store fails (%s), which is said, and goes once it works',
    async (at) => {
      const kept = await opened([['samples', -6, { samples: 1 }]])
      const old = nameAt('samples', -7)
      kept.storage.databases.set(old, new Map())
      kept.history.configure({ samplesDays: 30, rollupsDays: 730, budgetBytes: 1e9 })
      kept.storage.fault = (operation) => (operation === at ? 'broken' : undefined)
      await kept.history.maintain()
      expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'broken' })
      expect(kept.names()).toContain(old)
      kept.storage.fault = () => undefined
      await kept.clock.advance(MINUTE_MS)
      expect(kept.status().state).toBe('kept')
      expect(kept.names()).not.toContain(old)
    },
  )
})

describe('what is due', () => {
  it('is looked for every minute, and done once an hour', async () => {
    const kept = await opened([])
    // A start is followed by a look of its own.
    await kept.clock.advance(0)
    const lists = () => kept.storage.counts.list
    const before = lists()
    await kept.clock.advance(2.5 * MINUTE_MS)
    const after = lists()
    // An hour is over two minutes and a half after it, when no answer to a request of it can come any more.
    await kept.clock.advance(MINUTE_MS)
    expect([after, lists()]).toEqual([before, before + 1])
    await kept.clock.advance(58 * MINUTE_MS)
    expect(lists()).toBe(before + 1)
    await kept.clock.advance(2 * MINUTE_MS)
    expect(lists()).toBe(before + 2)
  })

  it('is done once a minute where memory has more than 1,500,000 rows', async () => {
    const [storage, clock] = [createMemoryStorage(), createFakeClock(NOW_MS)]
    const pause = async () => undefined
    const writer = createHistoryWriter({
      clock,
      storage,
      packer: quickPacker,
      pause,
      writer: 'one',
      metrics: [],
    })
    await writer.start(undefined)
    await clock.advance(10 * MINUTE_MS)
    /** Rows of a minute that is not over: of these, nothing is to be written. */
    const add = (count: number, atMs: number) => {
      const rows = createSeries(count, [])
      rows.columns.atMs.fill(atMs)
      rows.length = count
      writer.state.head.addRows('a', rows, 0, count, false)
    }
    const listsOf = async () => {
      const before = storage.counts.list
      await writer.maintain()
      return storage.counts.list - before
    }
    add(1_500_000, clock.wallMs())
    expect(await listsOf()).toBe(0)
    add(1, clock.wallMs() + 1)
    expect(await listsOf()).toBe(1)
    expect(await listsOf()).toBe(0)
  })

  it('is done once, however many ask for it meanwhile', async () => {
    const kept = await opened([])
    kept.history.configure({ samplesDays: 30, rollupsDays: 730, budgetBytes: 7 })
    const before = kept.storage.counts.list
    await Promise.all([kept.history.maintain(), kept.history.maintain()])
    expect([kept.storage.counts.list, kept.status().budgetBytes]).toEqual([before + 1, 7])
  })
})
