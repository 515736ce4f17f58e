import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { segmentAt, segmentName, segmentToMs, type SegmentKind } from '#history/tiers.ts'
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
const recordsOf = (kept: Kept, kind: SegmentKind, atMs?: number) =>
  kept.rows(nameOf(kind, atMs), 'rows').length
const pollsIn = async (kept: Kept) => {
  const counts: number[] = []
  for (const rangeMs of [6 * HOUR_MS, 2 * DAY_MS, 7 * DAY_MS, 28 * DAY_MS])
    counts.push((await kept.lanes('a', rangeMs, EVERY_MS)).answered)
  return counts
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
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    expect(recordsOf(kept, 'samples')).toBeGreaterThan(0)
    expect((await kept.lanes('a', 6 * HOUR_MS, EVERY_MS)).answered).toBe(12)
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
    await kept.history.saved()
    const waiting = (atMs: number) => kept.rows(nameOf('samples', atMs), 'wal').length
    expect([waiting(startMs), waiting(weekMs)]).toEqual([1, 1])
    await kept.history.maintain()
    expect([waiting(startMs), waiting(weekMs)]).toEqual([0, 1])
    // Those of a day that is over are one.
    expect([recordsOf(kept, 'samples', startMs), recordsOf(kept, 'samples', weekMs)]).toEqual([2, 0])
    const writes = kept.storage.counts.write
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    expect([recordsOf(kept, 'samples', startMs), recordsOf(kept, 'samples', weekMs)]).toEqual([2, 2])
    expect(kept.storage.counts.write).toBeGreaterThan(writes)
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    expect((await other.lanes('a', 6 * HOUR_MS, EVERY_MS)).answered).toBe(12)
    expect(other.meta(nameOf('samples', startMs))['bytes']).toBe(
      kept
        .rows(nameOf('samples', startMs), 'rows')
        .reduce((sum, { value }) => sum + (value as Uint8Array).length, 0),
    )
  })
})
