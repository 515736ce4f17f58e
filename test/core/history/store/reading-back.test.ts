import { describe, expect, it } from 'vitest'
import { segmentAt, segmentName } from '#history/tiers.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createKept } from './kept-history.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const SEGMENT = segmentName(segmentAt('samples', TEST_START_MS))

type Kept = ReturnType<typeof createKept>

/** One sample, kept; then the tab is closed for so long and another one opened. */
async function reopened(closedMs: number, before?: (first: Kept) => Promise<void>) {
  const first = createKept()
  await first.start()
  await first.add('a')
  await first.clock.advance(2 * SECOND_MS)
  await before?.(first)
  const { sentinel } = first.status()
  first.history.dispose()
  first.clock.sleep(closedMs)
  return { first, sentinel, kept: createKept(first.storage, first.clock, 'two') }
}

describe('history that is read back', () => {
  it('says that nobody watched meanwhile, from the last sign of life on', async () => {
    const { kept, sentinel } = await reopened(HOUR_MS)
    await kept.start(sentinel)
    expect(kept.status()).toMatchObject({ state: 'kept', lost: undefined, damaged: 0 })
    // The sample holds for two intervals and a half; that it held after the tab was closed nobody knows.
    const { spans, notWatchedMs } = await kept.lanes('a', HOUR_MS + 3 * SECOND_MS)
    expect(spans.map(({ kind, toMs }) => [kind, toMs - TEST_START_MS])).toEqual([
      ['not-watched', 0],
      ['answered', SECOND_MS],
      ['not-watched', HOUR_MS + 2 * SECOND_MS],
    ])
    expect(notWatchedMs).toBe(HOUR_MS + 2 * SECOND_MS)
  })

  it.each([
    [30 * SECOND_MS, 1],
    [30 * SECOND_MS + 1, 2],
  ])('takes %d ms without a sign of life for a reload only up to 30 s', async (closedMs, rows) => {
    // The last sign of life is that of the sample's own record.
    const first = createKept()
    await first.start()
    await first.add('a')
    await first.clock.advance(SECOND_MS)
    first.history.dispose()
    first.clock.sleep(closedMs)
    const kept = createKept(first.storage, first.clock, 'two')
    await kept.start()
    await kept.add('a')
    const before = kept.rows(SEGMENT, 'wal').length
    await kept.clock.advance(SECOND_MS)
    expect(kept.rows(SEGMENT, 'wal').length - before).toBe(1)
    expect(kept.meta(SEGMENT)).toMatchObject({ samples: 2, lastMs: first.clock.wallMs() - SECOND_MS })
    const { spans } = await kept.lanes('a', closedMs + 2 * SECOND_MS, 15_000)
    expect(spans.filter(({ kind }) => kind === 'not-watched')).toHaveLength(rows - 1)
  })

  it('is put before what this tab heard while it was not kept', async () => {
    const { first, kept } = await reopened(MINUTE_MS)
    await kept.add('a')
    await kept.add('b')
    first.clock.sleep(MINUTE_MS)
    await kept.start()
    expect((await kept.lanes('a', HOUR_MS)).answered).toBe(2)
    expect((await kept.lanes('b', HOUR_MS)).answered).toBe(1)
    // Somebody watched from that first sample on, not only from when the history was read.
    const { spans } = await kept.lanes('a', 10 * MINUTE_MS)
    const unwatched = spans.filter(({ kind }) => kind === 'not-watched').at(-1)
    expect(unwatched?.toMs).toBe(first.clock.wallMs() - MINUTE_MS)
  })

  it('moves back where the clock was set back while nobody watched, and stays so', async () => {
    const { first, kept, sentinel } = await reopened(0)
    first.clock.stepWall(-HOUR_MS)
    await kept.start(sentinel)
    await kept.add('a')
    await kept.clock.advance(SECOND_MS)
    const nowMs = kept.clock.wallMs()
    const firstMs = (await kept.lanes('a', HOUR_MS)).answerTime.atMs[0] ?? 0
    expect(firstMs).toBeLessThan(nowMs - SECOND_MS)
    expect(firstMs).toBeGreaterThan(nowMs - 5 * SECOND_MS)
    kept.history.dispose()
    const third = createKept(first.storage, first.clock, 'three')
    await third.start()
    const { answered, answerTime } = await third.lanes('a', HOUR_MS)
    expect([answered, answerTime.atMs[0]]).toEqual([2, firstMs])
    expect(third.status()).toMatchObject({ damaged: 0, lost: undefined })
  })

  it('moves back too where the clock was set back while nothing could be written', async () => {
    const first = createKept()
    await first.start()
    await first.add('a')
    await first.clock.advance(2 * SECOND_MS)
    first.storage.fault = (operation) => (operation === 'write' ? 'broken' : undefined)
    const wallMs = first.clock.wallMs()
    first.clock.stepWall(-HOUR_MS)
    await first.history.append({
      samples: [],
      gaps: [{ fromMs: wallMs, toMs: first.clock.wallMs(), reason: 'clock-step' }],
    })
    await first.clock.advance(MINUTE_MS)
    expect(first.status()).toMatchObject({ state: 'not-kept' })
    first.storage.fault = () => undefined
    await first.clock.advance(2 * MINUTE_MS)
    expect(first.status()).toMatchObject({ state: 'kept' })
    first.history.dispose()
    const second = createKept(first.storage, first.clock, 'two')
    await second.start()
    const { atMs } = (await second.lanes('a', 2 * HOUR_MS)).answerTime
    expect(Array.from(atMs, (ms) => ms - TEST_START_MS)).toEqual([-HOUR_MS])
  })

  it('of which a record is damaged says so, and gives all the others', async () => {
    const { first, kept } = await reopened(0, async (tab) => {
      await tab.add('a')
      await tab.clock.advance(2 * SECOND_MS)
    })
    const wal = first.storage.databases.get(SEGMENT)?.get('wal')
    const [name, row] = Array.from(wal ?? [])[0] ?? []
    if (name === undefined || row === undefined) throw new Error('nothing was kept')
    wal?.set(name, { key: row.key, value: (row.value as Uint8Array).with(8, 255) })
    await kept.start()
    expect(kept.status()).toMatchObject({ state: 'kept', damaged: 1 })
    expect((await kept.lanes('a', MINUTE_MS)).answered).toBe(1)
  })
})

describe('history that is gone', () => {
  it('is missed where its newest part is not there any more', async () => {
    const { first, kept, sentinel } = await reopened(MINUTE_MS, async ({ storage }) =>
      storage.databases.clear(),
    )
    await kept.start(sentinel)
    expect(kept.status()).toMatchObject({
      state: 'kept',
      lost: { noticedMs: first.clock.wallMs(), lastMs: TEST_START_MS },
    })
  })

  it('is missed where its newest part is there, and empty', async () => {
    const { first, kept, sentinel } = await reopened(MINUTE_MS)
    first.storage.databases.get(SEGMENT)?.clear()
    await kept.start(sentinel)
    expect(kept.status().lost).toEqual({ noticedMs: first.clock.wallMs(), lastMs: TEST_START_MS })
  })

  it('is not missed where only older parts went, nor where nobody remembers any', async () => {
    const { kept, sentinel } = await reopened(MINUTE_MS)
    if (sentinel === undefined) throw new Error('nothing is remembered')
    const older = segmentName({ kind: 'samples', index: segmentAt('samples', TEST_START_MS).index - 1 })
    const newer = segmentName({ kind: 'samples', index: segmentAt('samples', TEST_START_MS).index + 1 })
    await kept.start({ ...sentinel, segments: { [older]: 7, ...sentinel.segments, [newer]: 0 } })
    expect(kept.status()).toMatchObject({ state: 'kept', lost: undefined })
    kept.history.dispose()
    const fresh = createKept()
    await fresh.start()
    expect(fresh.status().lost).toBeUndefined()
    await createKept().start({ version: 1, segments: {}, lastMs: 5 })
  })

  it('is compared by time and not by name: a segment with more digits is newer', async () => {
    const { kept, sentinel } = await reopened(0)
    if (sentinel === undefined) throw new Error('nothing is remembered')
    await kept.start({ ...sentinel, segments: { ...sentinel.segments, 'immune-history-samples-9': 3 } })
    expect(kept.status().lost).toBeUndefined()
  })

  it('is missed once, and what memory holds is kept anew, where it is cleared under a tab', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    const savedToMs = kept.status().savedToMs
    let isCleared = false
    kept.storage.fault = (operation) => {
      if (operation !== 'write' || isCleared) return undefined
      isCleared = true
      kept.storage.databases.clear()
      return 'closed'
    }
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    expect(kept.status()).toMatchObject({
      state: 'kept',
      lost: { noticedMs: kept.clock.wallMs() - 2 * SECOND_MS, lastMs: savedToMs },
    })
    kept.history.dispose()
    const next = createKept(kept.storage, kept.clock, 'two')
    await next.start()
    expect((await next.lanes('a', MINUTE_MS)).answered).toBe(2)
  })
})

describe('where the store fails while it is read', () => {
  it.each(['list', 'open', 'read'] as const)(
    'at %s, nothing is taken for lost, and it is read when it works',
    async (at) => {
      const { first, kept, sentinel } = await reopened(0)
      first.storage.fault = (operation) => (operation === at ? 'no-answer' : undefined)
      await kept.start(sentinel)
      expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'no-answer', lost: undefined })
      await kept.add('b')
      first.storage.fault = () => undefined
      await kept.clock.advance(5 * SECOND_MS)
      expect(kept.status()).toMatchObject({ state: 'kept', lost: undefined, damaged: 0 })
      expect((await kept.lanes('a', HOUR_MS)).answered).toBe(1)
      expect((await kept.lanes('b', HOUR_MS)).answered).toBe(1)
    },
  )

  it('charts are drawn from memory', async () => {
    const kept = createKept()
    await kept.start()
    await kept.add('a')
    await kept.clock.advance(2 * SECOND_MS)
    kept.storage.fault = () => 'broken'
    expect((await kept.lanes('a', MINUTE_MS)).answered).toBe(1)
    expect((await kept.lanes('a', 3 * DAY_MS)).answered).toBe(1)
  })
})

it('a clock that goes on by itself is no set-back', async () => {
  const clock = createFakeClock(TEST_START_MS)
  const kept = createKept(undefined, clock)
  await kept.start()
  await kept.add('a')
  await clock.advance(2 * SECOND_MS)
  await kept.history.append({
    samples: [],
    gaps: [{ fromMs: clock.wallMs() - 10, toMs: clock.wallMs(), reason: 'asleep' }],
  })
  await clock.advance(2 * SECOND_MS)
  expect(kept.rows(SEGMENT, 'wal')).toHaveLength(2)
  const before = (await kept.lanes('a', MINUTE_MS)).answerTime.atMs[0] ?? 0
  await kept.history.append({
    samples: [],
    gaps: [{ fromMs: clock.wallMs(), toMs: clock.wallMs() - 500.4, reason: 'clock-step' }],
  })
  await clock.advance(2 * SECOND_MS)
  expect(kept.rows(SEGMENT, 'wal')).toHaveLength(3)
  expect((await kept.lanes('a', MINUTE_MS)).answerTime.atMs[0]).toBe(before - 500)
  kept.history.dispose()
  const next = createKept(kept.storage, clock, 'two')
  await next.start()
  expect((await next.lanes('a', MINUTE_MS)).answerTime.atMs[0]).toBe(before - 500)
})
