import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { segmentAt, segmentName, segmentToMs, type SegmentKind } from '#history/tiers.ts'
import { deleteNode } from '#history/transfer/delete-node.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const EVERY_MS = 10 * MINUTE_MS
const NOON_MS = TEST_START_MS
const nameOf = (kind: SegmentKind, atMs = NOON_MS) => segmentName(segmentAt(kind, atMs))

type Kept = ReturnType<typeof createKept>

/** Polls from then on, up to now, of these nodes, all at once. */
const add = (
  kept: Kept,
  fromMs: number,
  nodes: readonly string[] = ['a', 'b'],
  given: Partial<Sample> = {},
) =>
  kept.history.append({
    samples: nodes.flatMap((node) =>
      Array.from({ length: (kept.clock.wallMs() - fromMs) / EVERY_MS }, (_, place): Sample => ({
        node,
        atMs: fromMs + place * EVERY_MS,
        everyMs: EVERY_MS,
        latencyMs: 20,
        outcome: 'answered',
        ...given,
      })),
    ),
    gaps: [],
  })

/** A tab that watched two nodes from noon to two, of which nothing is in records yet. */
async function watched(storage = createMemoryStorage()) {
  const kept = createKept(storage, createFakeClock(NOON_MS))
  await kept.start()
  await kept.clock.advance(0)
  kept.clock.sleep(2 * HOUR_MS)
  await add(kept, NOON_MS)
  await kept.history.saved()
  return kept
}
/** The computer's clock is set back, and memory hears of it. */
async function setBack(kept: Kept, byMs: number): Promise<void> {
  const fromMs = kept.clock.wallMs()
  kept.clock.stepWall(-byMs)
  await kept.history.append({
    samples: [],
    gaps: [{ fromMs, toMs: kept.clock.wallMs(), reason: 'clock-step' }],
  })
}
/** The browser was killed, and another session begins. */
async function afterKill(kept: Kept, name: string): Promise<Kept> {
  kept.storage.fault = () => undefined
  kept.history.dispose()
  const next = createKept(kept.storage, kept.clock, name)
  await next.start()
  return next
}
/** From rollups, when six hours later all is in them. */
async function pollsAtLast(kept: Kept): Promise<readonly number[]> {
  await kept.clock.advance(6 * HOUR_MS)
  await kept.history.maintain()
  return (await pollsIn(kept)).slice(1)
}

/** Does this once, at the first write into a segment of such a kind. */
function atWriteOf(kept: Kept, kind: SegmentKind, work: () => void): void {
  let isDone = false
  kept.storage.fault = (operation, name) => {
    if (operation === 'write' && name === nameOf(kind) && !isDone) {
      isDone = true
      work()
    }
    return undefined
  }
}
/** As many as a write takes, and what follows it. */
const TURNS_MAX = 14
/** Of the microtask queue. */
async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve()
}
const recordsOf = (kept: Kept, kind: SegmentKind, atMs?: number) =>
  kept.rows(nameOf(kind, atMs), 'rows').length
/** From samples, and from rollups of a minute, a quarter and an hour. */
const pollsIn = async (kept: Kept, node = 'a') => {
  const counts: number[] = []
  for (const rangeMs of [6 * HOUR_MS, 2 * DAY_MS, 7 * DAY_MS, 28 * DAY_MS])
    counts.push((await kept.lanes(node, rangeMs, EVERY_MS)).answered)
  return counts
}
const nodesIn = (kept: Kept, kind: SegmentKind, atMs?: number) =>
  kept.rows(nameOf(kind, atMs), 'nodes').map(({ key }) => key[0])
const AB = ['a', 'b']
/** Names of the databases that are written to from now on. */
function namesWritten(kept: Kept): readonly string[] {
  const names: string[] = []
  kept.storage.fault = (operation, name) => {
    if (operation === 'write') names.push(name)
    return undefined
  }
  return names
}
/** Fails the operation with this number, of those on segments of this kind from now on. */
function failAt(
  kept: Kept,
  operation: 'read' | 'write',
  kind: SegmentKind,
  nth: number,
  atMs?: number,
): void {
  let count = 0
  kept.storage.fault = (asked, name) =>
    asked === operation && name === nameOf(kind, atMs) && ++count === nth ? 'no-answer' : undefined
}

describe('rows that go into records', () => {
  it('are those of hours that are over; the last of them stays, and what came after', async () => {
    const kept = await watched()
    await kept.history.maintain()
    // At two the second hour is not: an answer to a request of it may still come.
    expect([recordsOf(kept, 'samples'), recordsOf(kept, 'minute'), recordsOf(kept, 'coarse')]).toEqual([
      2, 2, 4,
    ])
    expect(kept.rows(nameOf('samples'), 'wal')).toHaveLength(1)
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
    await kept.clock.advance(30 * MINUTE_MS)
    await kept.history.maintain()
    expect([recordsOf(kept, 'samples'), recordsOf(kept, 'minute'), recordsOf(kept, 'coarse')]).toEqual([
      4, 4, 4,
    ])
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    expect(await pollsIn(other)).toEqual([12, 12, 12, 12])
  })

  it('of a node that comes later have no rollup of what was before', async () => {
    const kept = await watched()
    await kept.history.maintain()
    await kept.clock.advance(2 * HOUR_MS)
    await add(kept, NOON_MS + 3 * HOUR_MS, ['c'])
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    expect(kept.meta(nameOf('minute'))['firstMs']).toBe(NOON_MS)
    expect((await kept.lanes('c', 2 * DAY_MS, EVERY_MS)).answered).toBe(6)
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
  })

  it('wait where the clock is set back meanwhile, and are there once then', async () => {
    const kept = await watched()
    atWriteOf(kept, 'minute', () => {
      const wallMs = kept.clock.wallMs()
      kept.clock.stepWall(-MINUTE_MS)
      const gap = { fromMs: wallMs, toMs: wallMs - MINUTE_MS, reason: 'clock-step' } as const
      void kept.history.append({ samples: [], gaps: [gap] })
    })
    await kept.history.maintain()
    expect([recordsOf(kept, 'minute'), recordsOf(kept, 'samples')]).toEqual([2, 0])
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    expect(recordsOf(kept, 'samples')).toBeGreaterThan(0)
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
  })

  it.each(['minute', 'coarse'] as const)(
    'wait where all is read anew while their rollups are written (%s), and are there once then',
    async (kind) => {
      const kept = await watched()
      let reading: Promise<void> | undefined
      atWriteOf(kept, kind, () => {
        reading = kept.history.store.reload()
      })
      await kept.history.maintain()
      await reading
      expect(recordsOf(kept, 'samples')).toBe(0)
      await kept.clock.advance(HOUR_MS)
      await kept.history.maintain()
      expect([recordsOf(kept, 'samples'), kept.status().state]).toEqual([4, 'kept'])
      expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
    },
  )

  it('have their rollups once, where all is read anew while these are worked out', async () => {
    let onPause: (() => Promise<void>) | undefined
    const clock = createFakeClock(NOON_MS)
    const pause = async (): Promise<void> => {
      const work = onPause
      onPause = undefined
      await work?.()
    }
    const kept = createKept(createMemoryStorage(), clock, 'one', undefined, pause)
    await kept.start()
    await clock.advance(0)
    clock.sleep(2 * HOUR_MS)
    // After every eighth node there is a pause.
    await add(kept, NOON_MS, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    await kept.history.saved()
    onPause = kept.history.store.reload
    await kept.history.maintain()
    expect([onPause, recordsOf(kept, 'minute'), kept.status().state]).toEqual([undefined, 0, 'kept'])
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
    await clock.advance(HOUR_MS)
    await kept.history.maintain()
    expect(recordsOf(kept, 'minute')).toBeGreaterThan(0)
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
    expect((await kept.lanes('a', 2 * DAY_MS, EVERY_MS)).answeredMs).toBe(
      (await kept.lanes('a', 6 * HOUR_MS, EVERY_MS)).answeredMs,
    )
  })

  it('are not summed up where another engine did so already', async () => {
    const kept = await watched()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    await other.history.maintain()
    const writes = kept.storage.counts.write
    await kept.history.maintain()
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'taken' })
    expect([recordsOf(kept, 'minute'), recordsOf(kept, 'coarse')]).toEqual([2, 4])
    expect(kept.storage.counts.write).toBe(writes)
    await kept.clock.advance(5_000)
    expect(kept.status().state).toBe('kept')
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
  })

  it('of the week before take their write-ahead records with them', async () => {
    const weekMs = segmentToMs(segmentAt('samples', NOON_MS))
    const startMs = weekMs - 90 * MINUTE_MS
    const kept = createKept(createMemoryStorage(), createFakeClock(startMs))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(HOUR_MS)
    await add(kept, startMs)
    await kept.history.saved()
    kept.clock.sleep(HOUR_MS)
    await add(kept, startMs + HOUR_MS)
    await kept.add('c')
    await kept.history.saved()
    const waiting = (atMs: number) => kept.rows(nameOf('samples', atMs), 'wal').length
    expect([waiting(startMs), waiting(weekMs)]).toEqual([1, 1])
    await kept.history.maintain()
    expect([waiting(startMs), waiting(weekMs)]).toEqual([0, 1])
    // A node that was not watched then has no number there.
    expect([nodesIn(kept, 'samples', startMs), nodesIn(kept, 'minute', startMs)]).toEqual([AB, AB])
    expect(nodesIn(kept, 'samples', weekMs)).toEqual(['a', 'b', 'c'])
    // Those of a day that is over are one.
    expect([recordsOf(kept, 'samples', startMs), recordsOf(kept, 'samples', weekMs)]).toEqual([2, 0])
    const touched = namesWritten(kept)
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    expect([recordsOf(kept, 'samples', startMs), recordsOf(kept, 'samples', weekMs)]).toEqual([2, 3])
    expect(touched).not.toContain(nameOf('samples', startMs))
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    expect((await other.lanes('a', 6 * HOUR_MS, EVERY_MS)).answered).toBe(12)
    expect(other.meta(nameOf('samples', startMs))['bytes']).toBe(
      kept
        .rows(nameOf('samples', startMs), 'rows')
        .reduce((sum, { value }) => sum + (value as Uint8Array).length, 0),
    )
  })

  it('of nobody who was settled before begin with a row that is in no record, also after a reload', async () => {
    const kept = await watched()
    await kept.add('c')
    await kept.history.maintain()
    expect([nodesIn(kept, 'samples'), nodesIn(kept, 'minute')]).toEqual([['a', 'b', 'c'], AB])
    await kept.history.saved()
    kept.history.dispose()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    await other.clock.advance(2 * HOUR_MS)
    await other.history.maintain()
    expect(await pollsIn(other, 'c')).toEqual([1, 1, 1, 1])
    expect(await pollsIn(other)).toEqual([12, 12, 12, 12])
    expect(recordsOf(other, 'samples')).toBe(5)
    // And what is carried on is not taken for news.
    const touched = namesWritten(other)
    await other.clock.advance(HOUR_MS)
    await other.history.maintain()
    expect(touched).not.toContain(nameOf('minute'))
    other.history.dispose()
    const third = createKept(kept.storage, kept.clock, 'three')
    await third.start()
    await third.clock.advance(HOUR_MS)
    await third.history.maintain()
    expect(touched).not.toContain(nameOf('minute'))
    expect(await pollsIn(third, 'c')).toEqual([1, 1, 1, 1])
  })

  it.each(['minute', 'coarse'] as const)(
    'take with them what comes while %s are written, which is written and counted once',
    async (kind) => {
      const kept = await watched()
      atWriteOf(kept, kind, () => void kept.add('a'))
      await kept.history.maintain()
      expect(kept.rows(nameOf('samples'), 'wal')).toHaveLength(1)
      await kept.history.saved()
      expect(kept.rows(nameOf('samples'), 'wal')).toHaveLength(1)
      expect(kept.meta(nameOf('samples'))['samples']).toBe(2 * 12 + 1)
      await kept.clock.advance(1)
      expect(await pollsIn(kept)).toEqual([13, 13, 13, 13])
    },
  )

  it.each(['minute', 'coarse', 'samples'] as const)(
    'of a node that is forgotten and polled again meanwhile are gone, what follows is not: at the write of %s',
    async (kind) => {
      const kept = await watched()
      const deleted: Promise<unknown>[] = []
      atWriteOf(kept, kind, () => {
        deleted.push(deleteNode(kept.history.store, 'b', async () => true))
        void kept.add('b', { atMs: NOON_MS + 2 * HOUR_MS })
      })
      await kept.history.maintain()
      await Promise.all(deleted)
      expect(kept.status()).toMatchObject({ state: 'kept', failure: undefined })
      kept.clock.sleep(30 * MINUTE_MS)
      await add(kept, NOON_MS + 2 * HOUR_MS + EVERY_MS, ['b'])
      expect(await pollsAtLast(kept)).toEqual([12, 12, 12])
      expect((await pollsIn(kept, 'b')).slice(1)).toEqual([3, 3, 3])
      const other = await afterKill(kept, 'two')
      expect((await pollsIn(other, 'b')).slice(1)).toEqual([3, 3, 3])
    },
  )

  it.each([
    ['write', 'minute', 1],
    ['write', 'coarse', 1],
    ['write', 'samples', 1],
    ['read', 'minute', 1],
    ['read', 'minute', 2],
    ['read', 'minute', 3],
    ['read', 'coarse', 2],
    ['read', 'samples', 1],
    ['read', 'samples', 2],
  ] as const)(
    'stay where the store fails, and are there once then: %s of %s, the one with number %d',
    async (operation, kind, nth) => {
      const kept = await watched()
      failAt(kept, operation, kind, nth)
      await kept.history.maintain()
      expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'no-answer' })
      expect([recordsOf(kept, 'samples'), recordsOf(kept, kind)]).toEqual([0, 0])
      expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
      kept.storage.fault = () => undefined
      await kept.clock.advance(MINUTE_MS)
      await kept.history.maintain()
      expect(kept.status().state).toBe('kept')
      expect(recordsOf(kept, 'samples')).toBe(2)
      expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
    },
  )

  it('and were summed up before it ended are not again in the next session, and what follows is', async () => {
    const kept = await watched()
    failAt(kept, 'write', 'samples', 1)
    await kept.history.maintain()
    expect([recordsOf(kept, 'minute'), recordsOf(kept, 'samples')]).toEqual([2, 0])
    kept.history.dispose()
    kept.storage.fault = () => undefined
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    expect(await pollsIn(other)).toEqual([12, 12, 12, 12])
    await other.add('a')
    await other.clock.advance(1)
    expect(await pollsIn(other)).toEqual([13, 13, 13, 13])
    await other.clock.advance(2 * HOUR_MS)
    await other.history.maintain()
    expect(await pollsIn(other)).toEqual([13, 13, 13, 13])
  })

  it('and were not summed up before it ended are in the next session, also once the clock is set back', async () => {
    const kept = await watched()
    await kept.history.maintain()
    kept.history.dispose()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    // Six of twelve wait, the first of them of the moment up to which time is summed up: all are of before it now.
    await setBack(other, 90 * MINUTE_MS)
    await other.clock.advance(4 * HOUR_MS)
    await other.history.maintain()
    expect((await pollsIn(other)).slice(1)).toEqual([12, 12, 12])
  })

  it('and come while the clock is set back, are in the next session and its rollups too', async () => {
    const kept = await watched()
    await kept.clock.advance(30 * MINUTE_MS)
    await kept.history.maintain()
    await setBack(kept, 55 * MINUTE_MS)
    const backMs = kept.clock.wallMs()
    await kept.clock.advance(30 * MINUTE_MS)
    await add(kept, backMs, ['a'])
    await kept.history.saved()
    expect((await pollsIn(kept)).slice(1)).toEqual([15, 15, 15])
    const other = await afterKill(kept, 'two')
    expect((await pollsIn(other)).slice(1)).toEqual([15, 15, 15])
    expect(await pollsAtLast(other)).toEqual([15, 15, 15])
  })

  it('are counted once where the browser was killed before samples were moved, also once the clock was set back', async () => {
    const kept = await watched()
    kept.clock.sleep(3 * MINUTE_MS)
    failAt(kept, 'write', 'samples', 1)
    await kept.history.maintain()
    expect(recordsOf(kept, 'samples')).toBe(0)
    const other = await afterKill(kept, 'two')
    expect(await pollsIn(other)).toEqual([12, 12, 12, 12])
    await setBack(other, 30 * MINUTE_MS)
    await other.history.saved()
    await other.history.maintain()
    expect(await pollsAtLast(await afterKill(other, 'three'))).toEqual([12, 12, 12])
  })

  it.each([
    ['both kinds of rollups', ''],
    ['those of minutes', nameOf('coarse')],
  ])(
    'are counted once where the clock was set back while %s were written, and are read back then',
    async (_, failing) => {
      const kept = await watched()
      kept.clock.sleep(3 * MINUTE_MS)
      let isBack = false
      kept.storage.fault = (operation, name) => {
        if (operation !== 'write') return undefined
        if (name === nameOf('minute') && !isBack) void setBack(kept, 30 * MINUTE_MS)
        isBack ||= name === nameOf('minute')
        return name === failing ? 'no-answer' : undefined
      }
      await kept.history.maintain()
      kept.storage.fault = () => undefined
      // Nothing of it is summed up.
      await kept.add('c')
      await kept.clock.advance(MINUTE_MS)
      expect(kept.status().state).toBe('kept')
      await kept.history.maintain()
      expect(recordsOf(kept, 'samples')).toBe(0)
      expect(await pollsAtLast(await afterKill(kept, 'two'))).toEqual([12, 12, 12])
    },
  )

  it('are counted once where the clock was set back just before, and that was not written yet', async () => {
    const kept = await watched()
    await kept.history.maintain()
    kept.clock.sleep(50 * MINUTE_MS)
    await add(kept, NOON_MS + 2 * HOUR_MS)
    await kept.history.saved()
    atWriteOf(kept, 'minute', () => void kept.history.saved())
    await setBack(kept, 2 * HOUR_MS)
    await kept.history.maintain()
    expect(await pollsAtLast(await afterKill(kept, 'two'))).toEqual([17, 17, 17])
  })

  it('are counted once where they were not written when they were summed up', async () => {
    const kept = createKept(createMemoryStorage(), createFakeClock(NOON_MS))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(123 * MINUTE_MS)
    await add(kept, NOON_MS)
    // The first one writes them down, the second would move them.
    failAt(kept, 'write', 'samples', 2)
    await kept.history.maintain()
    expect([recordsOf(kept, 'minute'), recordsOf(kept, 'samples')]).toEqual([4, 0])
    expect(await pollsAtLast(await afterKill(kept, 'two'))).toEqual([12, 12, 12])
  })

  it('are not summed up where they can’t be written down first', async () => {
    const kept = createKept(createMemoryStorage(), createFakeClock(NOON_MS))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(123 * MINUTE_MS)
    await add(kept, NOON_MS)
    failAt(kept, 'write', 'samples', 1)
    await kept.history.maintain()
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'no-answer' })
    expect([recordsOf(kept, 'minute'), recordsOf(kept, 'coarse'), recordsOf(kept, 'samples')]).toEqual([
      0, 0, 0,
    ])
  })

  it.each(['poll', 'clock'] as const)(
    'are all written down when they are summed up, at whatever moment a %s comes between or is set back',
    async (comes) => {
      for (let turns = 0; turns < TURNS_MAX; turns++) {
        const kept = createKept(createMemoryStorage(), createFakeClock(NOON_MS))
        await kept.start()
        await kept.clock.advance(0)
        // The last of these is of the moment up to which time is summed up.
        kept.clock.sleep(133 * MINUTE_MS)
        await add(kept, NOON_MS, ['a'])
        let writes = 0
        kept.storage.fault = (operation, name) => {
          if (operation !== 'write' || name !== nameOf('samples')) return undefined
          if (++writes === 1)
            void afterTurns(turns).then(() =>
              comes === 'clock' ? setBack(kept, MINUTE_MS) : kept.add('b', { atMs: NOON_MS }),
            )
          // Killed before what was summed up is moved.
          return recordsOf(kept, 'coarse') === 0 ? undefined : 'no-answer'
        }
        await kept.history.maintain()
        const counts = new Set(await pollsIn(await afterKill(kept, 'two'), comes === 'clock' ? 'a' : 'b'))
        expect([turns, counts.size]).toEqual([turns, 1])
      }
    },
  )

  it('that came late count once where the browser was killed before they were moved', async () => {
    const kept = await watched()
    kept.clock.sleep(3 * MINUTE_MS)
    await kept.history.maintain()
    await setBack(kept, 115 * MINUTE_MS)
    const backMs = kept.clock.wallMs()
    kept.clock.sleep(91 * MINUTE_MS)
    await add(kept, backMs, ['a'])
    await kept.history.saved()
    failAt(kept, 'write', 'samples', 1)
    await kept.history.maintain()
    const other = await afterKill(kept, 'two')
    expect(await pollsAtLast(other)).toEqual([21, 21, 21])
  })

  it('are counted once where the browser was killed between two segments of samples', async () => {
    const borderMs = segmentToMs(segmentAt('samples', NOON_MS))
    const kept = createKept(createMemoryStorage(), createFakeClock(borderMs - 61 * MINUTE_MS))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(HOUR_MS)
    await add(kept, borderMs - 61 * MINUTE_MS, ['a'])
    await kept.history.saved()
    kept.clock.sleep(61 * MINUTE_MS)
    await add(kept, borderMs, ['a'])
    await kept.history.saved()
    kept.clock.sleep(3 * MINUTE_MS)
    failAt(kept, 'write', 'samples', 1, borderMs - 1)
    await kept.history.maintain()
    expect([recordsOf(kept, 'samples', borderMs - 1), recordsOf(kept, 'samples', borderMs)]).toEqual([0, 1])
    expect(await pollsAtLast(await afterKill(kept, 'two'))).toEqual([12, 12, 12])
  })

  it('and come meanwhile are counted once, also where the older of two segments fails and is tried again', async () => {
    const borderMs = segmentToMs(segmentAt('samples', NOON_MS))
    const kept = createKept(createMemoryStorage(), createFakeClock(borderMs - HOUR_MS))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(2 * HOUR_MS + 3 * MINUTE_MS)
    await add(kept, borderMs - HOUR_MS, ['a'])
    await kept.history.saved()
    let isOver = false
    kept.storage.fault = (operation, name) => {
      if (operation !== 'write') return undefined
      if (name === nameOf('minute', borderMs) && !isOver) void kept.add('a')
      isOver ||= name === nameOf('minute', borderMs)
      return name === nameOf('samples', borderMs - 1) ? 'no-answer' : undefined
    }
    await kept.history.maintain()
    expect([isOver, kept.status().state]).toEqual([true, 'not-kept'])
    kept.storage.fault = () => undefined
    await kept.clock.advance(MINUTE_MS)
    await kept.history.maintain()
    expect(kept.status().state).toBe('kept')
    const counted = [borderMs - 1, borderMs].map((atMs) =>
      Number(kept.meta(nameOf('samples', atMs))['samples']),
    )
    expect(counted.reduce((sum, one) => sum + one)).toBe(12 + 1)
    expect((await pollsIn(kept)).slice(1)).toEqual([13, 13, 13])
  })

  it('are read back as they were written where a clock that was set back led into the segment before', async () => {
    const borderMs = segmentToMs(segmentAt('samples', NOON_MS))
    const kept = createKept(createMemoryStorage(), createFakeClock(borderMs))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(30 * MINUTE_MS)
    await add(kept, borderMs, ['a'])
    await kept.history.saved()
    await setBack(kept, 3 * HOUR_MS)
    await kept.history.saved()
    const before = await kept.lanes('a', DAY_MS, EVERY_MS)
    const other = await afterKill(kept, 'two')
    expect((await other.lanes('a', DAY_MS, EVERY_MS)).spans.slice(0, 2)).toEqual(before.spans.slice(0, 2))
    // Once they are in records nothing says any more that the clock was set back.
    await other.clock.advance(40 * MINUTE_MS)
    await other.history.maintain()
    expect(recordsOf(other, 'samples', borderMs - 1)).toBe(1)
    const third = await afterKill(other, 'three')
    expect((await third.lanes('a', DAY_MS, EVERY_MS)).spans.slice(0, 2)).toEqual([
      expect.objectContaining({ toMs: before.spans[0]?.toMs }),
      expect.objectContaining({ fromMs: before.spans[1]?.fromMs }),
    ])
    await third.history.saved()
    expect(third.rows(nameOf('samples', borderMs - 1), 'wal')).toHaveLength(1)
  })

  it('have later keys than what was summed up, also where their log is lost and the clock is set back', async () => {
    const kept = await watched()
    await kept.clock.advance(30 * MINUTE_MS)
    await kept.history.maintain()
    kept.history.dispose()
    kept.storage.databases.delete(nameOf('samples'))
    kept.clock.stepWall(-115 * MINUTE_MS)
    const backMs = kept.clock.wallMs()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    other.clock.sleep(30 * MINUTE_MS)
    await add(other, backMs, ['a'])
    await other.history.saved()
    expect(await pollsAtLast(await afterKill(other, 'three'))).toEqual([15, 15, 15])
  })

  it('are watched time in charts of days too, where it ended when those of hours were summed up', async () => {
    const kept = await watched()
    kept.storage.fault = (operation, name) =>
      operation === 'write' && name === nameOf('coarse') ? 'no-answer' : undefined
    await kept.clock.advance(30 * MINUTE_MS)
    await kept.history.maintain()
    kept.storage.fault = () => undefined
    kept.history.dispose()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    expect(other.meta(nameOf('minute'))['rolledToMs']).toBeGreaterThan(NOON_MS)
    expect(other.meta(nameOf('coarse'))['rolledToMs']).toBeUndefined()
    expect((await other.lanes('a', 7 * DAY_MS, EVERY_MS)).answeredMs).toBeGreaterThan(2 * HOUR_MS)
  })

  it('are counted once where it ended after part of them was summed up, back in an earlier segment', async () => {
    const borderMs = segmentToMs(segmentAt('minute', NOON_MS))
    const kept = createKept(createMemoryStorage(), createFakeClock(borderMs - HOUR_MS))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(2 * HOUR_MS)
    await add(kept, borderMs - HOUR_MS, ['a'])
    await kept.clock.advance(30 * MINUTE_MS)
    await kept.history.maintain()
    await setBack(kept, 115 * MINUTE_MS)
    const backMs = kept.clock.wallMs()
    kept.clock.sleep(50 * MINUTE_MS)
    await add(kept, backMs, ['a'])
    await kept.history.saved()
    const before = await pollsIn(kept)
    failAt(kept, 'write', 'samples', 1, borderMs)
    await kept.history.maintain()
    const other = await afterKill(kept, 'two')
    const key = (atMs: number) => Number(other.meta(nameOf('minute', atMs))['rolledKey'])
    expect(key(borderMs - 1)).toBeGreaterThan(key(borderMs))
    // Three of 17 are later than now.
    expect(before).toEqual([15, 14, 14, 17])
    expect(await pollsIn(other)).toEqual(before)
  })

  it('are those before that time, where it is of an earlier version, which kept no record’s key', async () => {
    const kept = await watched()
    kept.clock.sleep(3 * MINUTE_MS)
    failAt(kept, 'write', 'samples', 1)
    await kept.history.maintain()
    expect(recordsOf(kept, 'samples')).toBe(0)
    for (const kind of ['minute', 'coarse'] as const) {
      const { rolledKey, rolledKeyToMs, ...before } = kept.meta(nameOf(kind))
      expect([rolledKey, rolledKeyToMs]).toEqual([expect.any(Number), before['rolledToMs']])
      const database = await kept.storage.open(nameOf(kind))
      if (database.ok)
        await database.value.write([{ kind: 'put', table: 'meta', key: ['meta'], value: before }])
    }
    const other = await afterKill(kept, 'two')
    expect(await pollsIn(other)).toEqual([12, 12, 12, 12])
    expect(await pollsAtLast(other)).toEqual([12, 12, 12])
    // Two that follow have keys of their own, and neither takes the other's place.
    for (let poll = 0; poll < 2; poll++) {
      await other.add('c')
      await other.history.saved()
      other.clock.sleep(MINUTE_MS)
    }
    expect((await pollsIn(await afterKill(other, 'three'), 'c')).slice(1)).toEqual([2, 2, 2])
  })

  it('and come late to the next session, in which all is summed up, are summed up too', async () => {
    const kept = await watched()
    await kept.clock.advance(30 * MINUTE_MS)
    await kept.history.maintain()
    kept.history.dispose()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    await other.add('a', { atMs: NOON_MS + 115 * MINUTE_MS })
    expect(await pollsIn(other)).toEqual([13, 13, 13, 13])
    await other.clock.advance(2 * HOUR_MS)
    await other.history.maintain()
    expect(await pollsIn(other)).toEqual([13, 13, 13, 13])
  })

  it('are counted once where all is read anew, and what holds their rollups can’t be read just then', async () => {
    const kept = await watched()
    await kept.history.maintain()
    let failures = 2
    // What broke is opened anew once.
    kept.storage.fault = (operation, name) =>
      operation === 'read' && name === nameOf('minute') && failures-- > 0 ? 'broken' : undefined
    await kept.history.store.reload()
    expect([kept.status().state, failures]).toEqual(['kept', 0])
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
  })

  it('that came late are summed up once, beside those in time', async () => {
    const kept = await watched()
    await kept.clock.advance(10 * MINUTE_MS)
    await kept.history.maintain()
    // A node that says now what was seen of it before, and goes on.
    await add(kept, NOON_MS + HOUR_MS, ['c'])
    expect(await pollsIn(kept, 'c')).toEqual([7, 7, 7, 7])
    kept.clock.sleep(HOUR_MS)
    await add(kept, NOON_MS + 2 * HOUR_MS + 10 * MINUTE_MS, ['c'])
    failAt(kept, 'write', 'coarse', 1)
    await kept.history.maintain()
    kept.storage.fault = () => undefined
    await kept.clock.advance(MINUTE_MS)
    await kept.history.maintain()
    expect(kept.status().state).toBe('kept')
    expect(await pollsIn(kept, 'c')).toEqual([13, 13, 13, 13])
    const range = { node: 'c', fromMs: NOON_MS, toMs: NOON_MS + 3 * HOUR_MS }
    const minutes = await kept.history.store.readRollups('minute', range)
    const quarters = await kept.history.store.readRollups('quarter', range)
    expect([minutes.withSpread, quarters.withSpread]).toEqual([false, true])
  })
})

describe('rows on both sides of where segments begin', () => {
  const beginMs = segmentToMs(segmentAt('minute', NOON_MS))

  /** A tab that watched from an hour and a half before that moment up to half an hour after it. */
  async function across() {
    const startMs = beginMs - 90 * MINUTE_MS
    const kept = createKept(createMemoryStorage(), createFakeClock(startMs))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(2 * HOUR_MS)
    await add(kept, startMs)
    await kept.history.saved()
    return kept
  }

  it('go into each of them', async () => {
    const kept = await across()
    await kept.history.maintain()
    expect(kept.names()).not.toContain(nameOf('minute', beginMs))
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    const before = recordsOf(kept, 'minute', beginMs - 1)
    expect([before > 0, recordsOf(kept, 'minute', beginMs)]).toEqual([true, 2])
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
  })

  it.each([
    ['minute', 'earlier', beginMs - 1],
    ['minute', 'later', beginMs],
    ['coarse', 'earlier', beginMs - 1],
    ['coarse', 'later', beginMs],
  ] as const)(
    'go into the earlier one first: what stops them loses and doubles nothing, %s, the %s one',
    async (kind, _, atMs) => {
      const kept = await across()
      kept.clock.sleep(HOUR_MS)
      failAt(kept, 'write', kind, 1, atMs)
      await kept.history.maintain()
      expect(kept.status().state).toBe('not-kept')
      kept.history.dispose()
      kept.storage.fault = () => undefined
      const other = createKept(kept.storage, kept.clock, 'two')
      await other.start()
      await other.history.maintain()
      expect(await pollsIn(other)).toEqual([12, 12, 12, 12])
    },
  )

  it('hold on into the later one, in which nobody was asked yet', async () => {
    const kept = createKept(createMemoryStorage(), createFakeClock(beginMs - MINUTE_MS))
    await kept.start()
    await kept.clock.advance(0)
    await kept.add('a', { everyMs: 3 * HOUR_MS })
    kept.clock.sleep(2 * HOUR_MS)
    await kept.history.maintain()
    expect([recordsOf(kept, 'minute', beginMs - 1), recordsOf(kept, 'minute', beginMs)]).toEqual([1, 1])
    expect(kept.meta(nameOf('minute', beginMs))['rolledToMs']).toBe(beginMs + HOUR_MS)
  })

  it('leave no write-ahead record in the earlier one, whatever it holds', async () => {
    const weekMs = segmentToMs(segmentAt('samples', NOON_MS))
    const startMs = weekMs - 3 * HOUR_MS
    const kept = createKept(createMemoryStorage(), createFakeClock(startMs))
    await kept.start()
    await kept.clock.advance(0)
    kept.clock.sleep(HOUR_MS)
    await add(kept, startMs)
    kept.clock.sleep(HOUR_MS)
    await kept.history.maintain()
    const waiting = (atMs: number) => kept.rows(nameOf('samples', atMs), 'wal').length
    expect([waiting(startMs), waiting(weekMs)]).toEqual([1, 0])
    kept.clock.sleep(2 * HOUR_MS)
    await add(kept, weekMs)
    kept.clock.sleep(HOUR_MS)
    failAt(kept, 'write', 'samples', 1, startMs)
    await kept.history.maintain()
    expect(kept.status().state).toBe('not-kept')
    kept.storage.fault = () => undefined
    await kept.clock.advance(MINUTE_MS)
    await kept.history.maintain()
    expect([waiting(startMs), waiting(weekMs)]).toEqual([0, 1])
    expect(await pollsIn(kept)).toEqual([12, 12, 12, 12])
  })
})
