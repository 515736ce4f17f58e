import { describe, expect, it } from 'vitest'
import { EVENTS_WAITING_MAX } from '#history/store/event-buffer.ts'
import { flushEvents, loadEvents } from '#history/store/flush-events.ts'
import { readEvents } from '#history/store/read-events.ts'
import { segmentAt, segmentFromMs } from '#history/tiers.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createKeptLog, entryAt } from './kept-log.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const OK = { ok: true, value: undefined }

type Log = ReturnType<typeof createKeptLog>

/** So many entries of now, kept at once. */
async function flush(log: Log, count = 1, atMs = log.clock.wallMs()) {
  log.state.events.add(Array.from({ length: count }, (_, n) => entryAt(atMs, { facts: { n } })))
  expect(await flushEvents(log.state)).toEqual(OK)
}
/** One entry after the other, each kept by itself. */
async function flushApart(log: Log, times: number) {
  for (let n = 0; n < times; n++) {
    await flush(log)
    await log.clock.advance(SECOND_MS)
  }
}
const countsIn = (log: Log, atMs?: number) => log.rows(atMs).map(({ count }) => count)
const inAll = async ({ state }: Log) => (await readEvents(state, { limit: 10_000 })).entries.length
/** The next engine over the same store. */
async function reloaded({ storage, clock }: Log) {
  const log = createKeptLog(storage, clock)
  await log.state.segments.refresh()
  expect(await loadEvents(log.state)).toEqual(OK)
  return log
}

describe('entries that are kept', () => {
  it('wait no more, and their segment says how many there are, what they take and their last number', async () => {
    const log = createKeptLog()
    await flush(log, 3)
    expect(log.state.events.waiting()).toEqual([])
    expect(log.meta()).toEqual({ count: 3, bytes: log.bytes(), lastSeq: 3 })
    await flush(log, 2)
    expect(countsIn(log)).toEqual([2, 3])
    expect(log.meta()).toEqual({ count: 5, bytes: log.bytes(), lastSeq: 5 })
    expect(await inAll(log)).toBe(5)
  })

  it('lie in the segment of their time', async () => {
    const log = createKeptLog()
    const beforeMs = segmentFromMs(segmentAt('coarse', TEST_START_MS)) - 1
    log.state.events.add([entryAt(beforeMs), entryAt(TEST_START_MS), entryAt(beforeMs + 1)])
    await flushEvents(log.state)
    expect([countsIn(log, beforeMs), countsIn(log).length]).toEqual([[1], 2])
    expect(await inAll(log)).toBe(3)
  })

  it('of nothing are not written', async () => {
    const log = createKeptLog()
    expect(await flushEvents(log.state)).toEqual(OK)
    expect(log.storage.counts.open).toBe(0)
  })

  it('wait on where they could not be written, and are written then as if nothing had been', async () => {
    const log = createKeptLog()
    await flush(log)
    log.storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    log.state.events.add([entryAt(TEST_START_MS)])
    expect(await flushEvents(log.state)).toEqual({ ok: false, error: 'full' })
    expect(log.state.events.waiting()).toHaveLength(1)
    log.storage.fault = () => undefined
    await flush(log)
    expect(countsIn(log)).toEqual([1, 2])
    expect(log.meta()).toEqual({ count: 3, bytes: log.bytes(), lastSeq: 3 })
  })

  it('are those of the segments that could be written', async () => {
    const log = createKeptLog()
    const beforeMs = segmentFromMs(segmentAt('coarse', TEST_START_MS)) - 1
    log.state.events.add([entryAt(beforeMs), entryAt(TEST_START_MS)])
    log.storage.fault = (operation, name) =>
      operation === 'write' && name === log.nameAt(TEST_START_MS) ? 'full' : undefined
    expect((await flushEvents(log.state)).ok).toBe(false)
    expect(log.state.events.waiting().map(({ entry }) => entry.wallMs)).toEqual([TEST_START_MS])
    expect(countsIn(log, beforeMs)).toEqual([1])
  })

  it('are followed by one that says how many gave way', async () => {
    const log = createKeptLog()
    await flush(log, EVENTS_WAITING_MAX + 2)
    const { entries } = await readEvents(log.state, { limit: 10_000, areas: ['watching'] })
    expect(entries).toMatchObject([{ what: 'entries-dropped', wallMs: TEST_START_MS, facts: { count: 2 } }])
    expect(log.state.events.waiting()).toEqual([])
    await flush(log)
    expect((await readEvents(log.state, { limit: 9, areas: ['watching'] })).entries).toHaveLength(1)
  })

  it('that gave way are told of only once the others could be kept', async () => {
    const log = createKeptLog()
    log.storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    log.state.events.add(Array.from({ length: EVENTS_WAITING_MAX + 2 }, () => entryAt(TEST_START_MS)))
    expect((await flushEvents(log.state)).ok).toBe(false)
    expect(log.state.events.waiting()).toHaveLength(EVENTS_WAITING_MAX)
    log.storage.fault = () => undefined
    await flushEvents(log.state)
    expect((await readEvents(log.state, { limit: 9, areas: ['watching'] })).entries).toHaveLength(1)
  })
})

describe('small rows', () => {
  it('become one when there are 32 of them and another comes', async () => {
    const log = createKeptLog()
    await flushApart(log, 32)
    expect(countsIn(log)).toHaveLength(32)
    await flush(log)
    expect(countsIn(log)).toEqual([33])
    expect(log.meta()).toEqual({ count: 33, bytes: log.bytes(), lastSeq: 33 })
    expect(await inAll(log)).toBe(33)
    // What was joined is joined again with what follows.
    await flushApart(log, 31)
    expect(countsIn(log)).toHaveLength(32)
    await flush(log)
    expect(countsIn(log)).toEqual([65])
  })

  it('become one as soon as it is full', async () => {
    const log = createKeptLog()
    await flush(log, 254)
    await flush(log, 1)
    expect(countsIn(log)).toEqual([1, 254])
    await flush(log, 1)
    expect(countsIn(log)).toEqual([256])
    await flush(log, 1)
    expect(countsIn(log)).toEqual([1, 256])
    expect(log.meta()).toEqual({ count: 257, bytes: log.bytes(), lastSeq: 257 })
    // A full one is joined with nothing more, also in the next session.
    await flush(log, 1)
    expect(countsIn(log)).toEqual([1, 1, 256])
    const full = createKeptLog()
    await flush(full, 256)
    await flush(full, 1)
    const next = await reloaded(full)
    expect(next.state.events.open?.rows.map(({ row }) => row.count)).toEqual([1])
    await flush(next, 1)
    expect(countsIn(next)).toEqual([1, 1, 256])
  })

  it('that could not be written are joined as if nothing had been', async () => {
    const log = createKeptLog()
    await flush(log, 100)
    log.storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    log.state.events.add([entryAt(TEST_START_MS)])
    expect((await flushEvents(log.state)).ok).toBe(false)
    log.storage.fault = () => undefined
    await flush(log, 155)
    expect(countsIn(log)).toEqual([256])
    expect(await inAll(log)).toBe(256)
  })

  it('that reach back half a day are left as they are', async () => {
    const log = createKeptLog()
    await flush(log, 10)
    await log.clock.advance(11 * HOUR_MS)
    await flushApart(log, 31)
    await flush(log)
    expect(countsIn(log)).toEqual([42])
    await log.clock.advance(2 * HOUR_MS)
    await flush(log, 214)
    expect(countsIn(log)).toEqual([42, 214])
  })

  it('have 256 entries at most: what is more begins another, which is joined then', async () => {
    const log = createKeptLog()
    await flush(log, 300)
    expect(countsIn(log)).toEqual([44, 256])
    await flush(log, 212)
    expect(countsIn(log)).toEqual([256, 256])
    expect(await inAll(log)).toBe(512)
  })

  it('of another segment are left as they are', async () => {
    const nextMs = segmentFromMs({ kind: 'coarse', index: segmentAt('coarse', TEST_START_MS).index + 1 })
    const log = createKeptLog(undefined, createFakeClock(nextMs - 255))
    await flush(log, 255)
    await log.clock.advance(255)
    await flush(log, 1)
    expect([countsIn(log, nextMs - 1), countsIn(log)]).toEqual([[255], [1]])
  })

  it('of half a day ago are left as they are, and so are those of the future', async () => {
    const log = createKeptLog()
    await flush(log, 255)
    await log.clock.advance(DAY_MS / 2 - 1)
    await flush(log, 1)
    expect(countsIn(log)).toEqual([256])
    const other = createKeptLog()
    await flush(other, 255)
    await other.clock.advance(DAY_MS / 2)
    await flush(other, 1)
    expect(countsIn(other)).toEqual([255, 1])
    const back = createKeptLog()
    await flush(back, 255)
    back.clock.stepWall(-DAY_MS / 2)
    await flush(back, 1)
    expect(countsIn(back)).toEqual([1, 255])
  })
})

describe('entries that are pinned to long ago', () => {
  it('have rows of their own, none of which spans a day', async () => {
    const log = createKeptLog()
    const agoMs = TEST_START_MS - 5 * DAY_MS
    log.state.events.add(
      [DAY_MS, 0, DAY_MS - 1, 5 * DAY_MS, 2 * DAY_MS - 1].map((byMs) => entryAt(agoMs + byMs)),
    )
    await flushEvents(log.state)
    expect(log.rows()).toEqual([
      { fromMs: agoMs, toMs: agoMs + DAY_MS - 1, count: 2 },
      { fromMs: agoMs + DAY_MS, toMs: agoMs + 2 * DAY_MS - 1, count: 2 },
      { fromMs: TEST_START_MS, toMs: TEST_START_MS, count: 1 },
    ])
    expect(log.meta()).toEqual({ count: 5, bytes: log.bytes(), lastSeq: 5 })
  })

  it('are not joined with what comes, and leave what was to be joined', async () => {
    const log = createKeptLog()
    await flush(log, 255)
    log.state.events.add([entryAt(TEST_START_MS - DAY_MS)])
    await flushEvents(log.state)
    expect(countsIn(log)).toEqual([1, 255])
    await flush(log, 1)
    expect(countsIn(log)).toEqual([1, 256])
    // Also where they lie in another segment.
    const other = createKeptLog()
    await flush(other, 255)
    other.state.events.add([entryAt(TEST_START_MS - 35 * DAY_MS)])
    await flushEvents(other.state)
    await flush(other, 1)
    expect(countsIn(other)).toEqual([256])
  })
})

describe('the next session', () => {
  it('goes on with the numbers of entries, and joins the small rows that were left', async () => {
    const first = createKeptLog()
    await flush(first, 254)
    await flush(first, 1)
    const log = await reloaded(first)
    expect(log.state.events.lastSeq()).toBe(255)
    await flush(log)
    expect(countsIn(log)).toEqual([256])
    expect(log.meta()).toEqual({ count: 256, bytes: log.bytes(), lastSeq: 256 })
    expect(await inAll(log)).toBe(256)
  })

  it('joins no row that is full, nor one of a day ago', async () => {
    const first = createKeptLog()
    await flush(first, 256)
    await flush(first, 200)
    await first.clock.advance(DAY_MS + 1)
    await flush(first, 55)
    const log = await reloaded(first)
    expect(log.state.events.open?.rows.map(({ row }) => row.count)).toEqual([55])
    await flush(log, 200)
    expect(countsIn(log)).toEqual([200, 256, 55, 200])
  })

  it('joins what was left in its order', async () => {
    const first = createKeptLog()
    await flushApart(first, 40)
    const log = await reloaded(first)
    const open = log.state.events.open?.rows ?? []
    expect(open.map(({ row }) => row.count)).toEqual([33, 1, 1, 1, 1, 1, 1, 1])
    expect(log.state.events.open?.segment).toBe(log.nameAt(TEST_START_MS))
  })

  it.each([
    ['that is damaged', new Uint8Array(9)],
    ['that is no bytes', 'text'],
  ])('leaves a row alone %s', async (_what, value) => {
    const first = createKeptLog()
    await flush(first, 3)
    const rows = first.storage.databases.get(first.nameAt(TEST_START_MS))?.get('events')
    for (const [name, { key }] of rows ?? []) rows?.set(name, { key, value })
    const log = await reloaded(first)
    expect(log.state.events.open?.rows).toEqual([])
  })

  it('leaves a row alone that does not hold what its key says, or whose key is none', async () => {
    const first = createKeptLog()
    await flush(first, 3)
    const rows = first.storage.databases.get(first.nameAt(TEST_START_MS))?.get('events')
    const [row] = Array.from(rows?.values() ?? [])
    if (rows === undefined || row === undefined) throw new Error('nothing was kept')
    const { key, value } = row
    rows.clear()
    rows.set('a', { key: key.map((part, place) => (place === 3 ? 2 : part)), value })
    rows.set('b', { key: key.slice(0, 4), value })
    const log = await reloaded(first)
    expect(log.state.events.open?.rows).toEqual([])
  })

  it('begins with nothing where nothing is kept of these four weeks, and its numbers with those before', async () => {
    const first = createKeptLog()
    await flush(first, 3)
    await first.clock.advance(28 * DAY_MS)
    const log = await reloaded(first)
    expect([log.state.events.open, log.state.events.lastSeq()]).toEqual([undefined, 3])
    await first.clock.advance(28 * DAY_MS)
    await flush(first)
    const third = await reloaded(first)
    expect(third.state.events.lastSeq()).toBe(4)
    await flush(third)
  })

  it('looks at the two newest segments alone, whatever other segments there are', async () => {
    const first = createKeptLog()
    for (let month = 0; month < 3; month++) {
      await flush(first)
      await first.clock.advance(28 * DAY_MS)
    }
    for (const name of ['immune-history-minute-99', 'immune-history-samples-9999'])
      first.storage.databases.set(name, new Map())
    const { open } = first.storage.counts
    const log = await reloaded(first)
    expect([log.state.events.lastSeq(), first.storage.counts.open]).toEqual([3, open + 2])
  })

  it.each(['open', 'read'] as const)('fails where the store does not answer: %s', async (operation) => {
    const first = createKeptLog()
    await flush(first)
    const log = createKeptLog(first.storage, first.clock)
    await log.state.segments.refresh()
    let reads = 0
    first.storage.fault = (asked) =>
      asked === operation && (operation === 'open' || ++reads > 1) ? 'no-answer' : undefined
    expect(await loadEvents(log.state)).toEqual({ ok: false, error: 'no-answer' })
  })

  it('has rows of up to a day ago', async () => {
    const first = createKeptLog()
    await flush(first, 3)
    await first.clock.advance(DAY_MS)
    expect((await reloaded(first)).state.events.open?.rows).toHaveLength(1)
    await first.clock.advance(HOUR_MS)
    expect((await reloaded(first)).state.events.open?.rows).toHaveLength(0)
  })
})
