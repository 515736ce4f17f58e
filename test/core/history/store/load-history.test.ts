import { describe, expect, it } from 'vitest'
import type { Sentinel } from '#history/history-status.ts'
import { segmentAt, segmentName } from '#history/tiers.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const SEGMENT = segmentName(segmentAt('samples', TEST_START_MS))

type Kept = ReturnType<typeof createKept>

const logOf = async ({ history }: Kept) =>
  (await history.log.read({ limit: 50 })).entries.map(({ wallMs, area, what, facts }) => ({
    wallMs,
    area,
    what,
    facts,
  }))

/** A restore that was begun, and came so far. */
async function restoring(kept: Kept, isCommitted: boolean): Promise<void> {
  const stage = await kept.history.store.storage.stage()
  if (!stage.ok) throw new Error(stage.error)
  await stage.value.open(SEGMENT)
  if (isCommitted) await stage.value.commit()
}

describe('a restore that was cut off', () => {
  it('is none where there was none', async () => {
    const kept = createKept()
    await kept.start()
    expect([kept.status().cutOff, await logOf(kept)]).toEqual([undefined, []])
  })

  it.each([
    [false, 'restore'],
    [true, 'restore-settings'],
  ] as const)(
    'is told of once, by what of it is missing; all of it is there: %s',
    async (isCommitted, what) => {
      const storage = createMemoryStorage()
      const first = createKept(storage)
      await restoring(first, isCommitted)
      first.history.dispose()
      const kept = createKept(storage, createFakeClock(TEST_START_MS + 5), 'two')
      await kept.start()
      const noticedMs = TEST_START_MS + 5
      expect(kept.status()).toMatchObject({ state: 'kept', cutOff: { noticedMs, what } })
      const told = { wallMs: noticedMs, area: 'watching', what: 'transfer-cut-off', facts: { task: what } }
      expect(await logOf(kept)).toEqual([told])
      // What is told stays, also where another one is found when all is read anew.
      await restoring(kept, !isCommitted)
      await kept.clock.advance(MINUTE_MS)
      await kept.start()
      expect(kept.status().cutOff).toEqual({ noticedMs, what })
    },
  )
})

describe('what is remembered of the history', () => {
  const known = (given: Partial<Sentinel>): Sentinel => ({
    version: 1,
    segments: { [SEGMENT]: 3 },
    lastMs: 7,
    ...given,
  })

  it.each<[string, Sentinel | undefined, boolean]>([
    ['of the databases in use', known({}), true],
    ['of the first ones', known({ generation: 0 }), true],
    ['of others, which a restore replaced', known({ generation: 2 }), false],
    ['of databases in which nothing was', known({ segments: { [SEGMENT]: 0 } }), false],
    ['of none', undefined, false],
  ])('is missed where it is %s', async (_, sentinel, isMissed) => {
    const kept = createKept()
    await kept.start(sentinel)
    expect(kept.status()).toMatchObject({
      state: 'kept',
      lost: isMissed ? { noticedMs: TEST_START_MS, lastMs: 7 } : undefined,
    })
    const told = { wallMs: TEST_START_MS, area: 'watching', what: 'history-lost', facts: { lastMs: 7 } }
    expect(await logOf(kept)).toEqual(isMissed ? [told] : [])
    await kept.clock.advance(MINUTE_MS)
    await kept.start(sentinel)
    expect(await logOf(kept)).toHaveLength(isMissed ? 1 : 0)
  })

  it('is missed as well where it can’t be looked for at first', async () => {
    const kept = createKept()
    kept.storage.databases.set(SEGMENT, new Map())
    let reads = 0
    // What broke is opened anew once.
    kept.storage.fault = (operation) => (operation === 'read' && ++reads <= 2 ? 'broken' : undefined)
    await kept.start(known({}))
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'broken', lost: undefined })
    await kept.clock.advance(5 * SECOND_MS)
    expect(kept.status()).toMatchObject({ state: 'kept', lost: { lastMs: 7 } })
  })
})

describe('rows that are read back', () => {
  /** A tab that saw a node at these seconds and was closed at the last of them. */
  async function seen(seconds: readonly number[]) {
    const first = createKept()
    await first.start()
    for (const second of seconds) {
      await first.clock.advance(TEST_START_MS + second * SECOND_MS - first.clock.wallMs())
      await first.add('a')
      await first.history.saved()
    }
    first.history.dispose()
    return first
  }
  const waiting = (kept: Kept) => kept.rows(SEGMENT, 'wal').length

  it('are not written anew', async () => {
    const first = await seen([0, 10, 20])
    const kept = createKept(first.storage, first.clock, 'two')
    await kept.start()
    expect(waiting(kept)).toBe(3)
    await kept.add('a')
    await kept.history.saved()
    expect([waiting(kept), kept.meta(SEGMENT)['samples']]).toEqual([4, 4])
  })

  it('are there once where this session knew them already', async () => {
    const first = await seen([0, 10, 20])
    const kept = createKept(first.storage, first.clock, 'two')
    await kept.start()
    await kept.start()
    await kept.clock.advance(10 * SECOND_MS)
    await kept.add('a')
    await kept.start()
    await kept.clock.advance(1)
    expect((await kept.lanes('a', HOUR_MS)).answered).toBe(4)
    expect(kept.status()).toMatchObject({ state: 'kept', damaged: 0 })
  })

  it('end where somebody last watched, which is a gap where it is long ago', async () => {
    const first = await seen([0, 10])
    const aliveMs = first.clock.wallMs()
    const gaps = async (awayMs: number) => {
      const clock = createFakeClock(aliveMs + awayMs)
      const kept = createKept(first.storage, clock, `after ${awayMs}`)
      await kept.start()
      const log = await logOf(kept)
      kept.history.dispose()
      return log.map(({ wallMs, what, facts }) => ({ wallMs, what, facts }))
    }
    expect(await gaps(30 * SECOND_MS)).toEqual([])
    expect(await gaps(31 * SECOND_MS)).toEqual([
      {
        wallMs: aliveMs + 31 * SECOND_MS,
        what: 'gap',
        facts: { reason: 'closed', fromMs: aliveMs, toMs: aliveMs + 31 * SECOND_MS },
      },
    ])
  })
})

describe('a start at which the store fails', () => {
  it.each([
    ['list', 1],
    ['list', 2],
    ['read', 1],
    ['read', 2],
  ] as const)(
    '(%s, the one with number %d) says so, tells of nothing else, and is made again',
    async (operation, nth) => {
      const first = createKept()
      await first.start()
      await first.add('a')
      await first.history.saved()
      const { sentinel } = first.status()
      first.history.dispose()
      const kept = createKept(first.storage, first.clock, 'two')
      let count = 0
      kept.storage.fault = (asked) => (asked === operation && ++count === nth ? 'no-answer' : undefined)
      await kept.start(sentinel)
      expect(kept.status()).toMatchObject({
        state: 'not-kept',
        failure: 'no-answer',
        cutOff: undefined,
        lost: undefined,
      })
      await kept.clock.advance(5 * SECOND_MS)
      expect(kept.status()).toMatchObject({ state: 'kept', cutOff: undefined, lost: undefined })
      expect((await kept.lanes('a', HOUR_MS)).answered).toBe(1)
    },
  )

  it('in the log alone says so too', async () => {
    const first = createKept()
    await first.start()
    await first.history.log.append([{ wallMs: TEST_START_MS, area: 'operator', what: 'note' }])
    await first.history.saved()
    first.history.dispose()
    const kept = createKept(first.storage, first.clock, 'two')
    kept.storage.fault = (operation, name) =>
      operation === 'read' && name.includes('coarse') ? 'no-answer' : undefined
    await kept.start()
    expect(kept.status()).toMatchObject({ state: 'not-kept', failure: 'no-answer' })
  })
})

describe('a clock that was set back while nobody watched', () => {
  it('moves what was kept back: before all that was seen since, however late it was watched', async () => {
    const first = createKept()
    await first.start()
    await first.add('a')
    await first.clock.advance(SECOND_MS)
    await first.clock.advance(14 * SECOND_MS)
    // A sign of life, without a sample.
    await first.history.saved()
    first.history.dispose()
    const kept = createKept(first.storage, createFakeClock(TEST_START_MS + 5 * SECOND_MS), 'two')
    await kept.add('b')
    await kept.clock.advance(2 * SECOND_MS)
    await kept.start()
    await kept.clock.advance(SECOND_MS)
    const times = async (node: string) =>
      Array.from((await kept.lanes(node, HOUR_MS)).answerTime.atMs, (atMs) => atMs - TEST_START_MS)
    // Somebody watched up to the 15th second by the clock as it was, which is now just before the 5th.
    expect([await times('a'), await times('b')]).toEqual([[-10 * SECOND_MS - 1], [5 * SECOND_MS]])
  })
})

describe('what this session saw before history was read back', () => {
  it('begins behind what was kept: time in between was watched by nobody', async () => {
    const first = createKept()
    await first.start()
    const second = createKept(first.storage, first.clock, 'two')
    await first.clock.advance(10 * SECOND_MS)
    await first.add('a')
    await second.add('a')
    await first.history.saved()
    first.history.dispose()
    const aliveMs = first.clock.wallMs()
    first.clock.sleep(5 * MINUTE_MS)
    await second.start()
    const told = (await logOf(second)).map(({ what, facts }) => [what, facts])
    expect(told).toEqual([['gap', { reason: 'closed', fromMs: aliveMs, toMs: first.clock.wallMs() }]])
    expect((await second.lanes('a', HOUR_MS)).answered).toBe(1)
  })

  it('goes into records as all else does', async () => {
    const kept = createKept()
    await kept.add('a')
    await kept.clock.advance(SECOND_MS)
    await kept.start()
    await kept.clock.advance(2 * HOUR_MS)
    await kept.history.maintain()
    expect(kept.rows(SEGMENT, 'rows')).toHaveLength(1)
  })
})
