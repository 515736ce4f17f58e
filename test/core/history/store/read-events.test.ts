import { describe, expect, it } from 'vitest'
import { idOf, type EventQuery, type LogEntry } from '#history/event-log.ts'
import { flushEvents } from '#history/store/flush-events.ts'
import { readEvents } from '#history/store/read-events.ts'
import { segmentAt, segmentFromMs } from '#history/tiers.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { createKeptLog, entryAt } from './kept-log.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

type Log = ReturnType<typeof createKeptLog>

/** A log with a row for each of these entries, at so many minutes since the start. */
async function logOf(minutes: readonly number[], given: (minute: number) => Partial<LogEntry> = () => ({})) {
  const log = createKeptLog()
  for (const minute of minutes) {
    log.state.events.add([entryAt(TEST_START_MS + minute * MINUTE_MS, given(minute))])
    await flushEvents(log.state)
  }
  return log
}
const read = async ({ state }: Log, query: Partial<EventQuery> = {}) => {
  const page = await readEvents(state, { limit: 100, ...query })
  return { ...page, minutes: page.entries.map(({ wallMs }) => (wallMs - TEST_START_MS) / MINUTE_MS) }
}
/** How many rows are read, with what they hold. */
const valuesRead = async (log: Log, query: Partial<EventQuery>) => {
  const keysOf = async () => {
    log.storage.rowsRead = 0
    await read(log, { ...query, areas: [] })
    return log.storage.rowsRead
  }
  const keys = await keysOf()
  log.storage.rowsRead = 0
  await read(log, query)
  return log.storage.rowsRead - keys
}

describe('a page of the log', () => {
  it('is what is kept and what waits, newest first, each with its id', async () => {
    const log = await logOf([1, 3])
    log.state.events.add([entryAt(TEST_START_MS + 2 * MINUTE_MS)])
    const { minutes, before, entries } = await read(log)
    expect([minutes, before]).toEqual([[3, 2, 1], undefined])
    expect(entries[1]).toEqual({
      ...entryAt(TEST_START_MS + 2 * MINUTE_MS),
      id: idOf({ wallMs: TEST_START_MS + 2 * MINUTE_MS, seq: 3 }),
    })
  })

  it('of entries of one moment has the last first', async () => {
    const log = await logOf([1, 1, 1])
    expect((await read(log)).entries.map(({ id }) => Number(id.split('-')[1]))).toEqual([3, 2, 1])
  })

  it('has as many as were asked for, at least one, and says where it goes on', async () => {
    const log = await logOf([1, 2, 3, 4])
    const first = await read(log, { limit: 2 })
    expect([first.minutes, first.before]).toEqual([[4, 3], first.entries[1]?.id])
    const second = await read(log, { limit: 2, before: first.before ?? '' })
    expect(second.minutes).toEqual([2, 1])
    expect(await read(log, { limit: 2, before: second.before ?? '' })).toMatchObject({
      minutes: [],
      before: undefined,
    })
    expect((await read(log, { limit: 3.9 })).minutes).toEqual([4, 3, 2])
    expect((await read(log, { limit: 0 })).minutes).toEqual([4])
    expect((await read(log, { limit: -5 })).minutes).toEqual([4])
    expect((await read(log, { limit: 5 })).before).toBeUndefined()
  })

  it('of what waits alone has as many as well', async () => {
    const log = createKeptLog()
    log.state.events.add([1, 2, 3].map((minute) => entryAt(TEST_START_MS + minute * MINUTE_MS)))
    const first = await read(log, { limit: 2 })
    expect([first.minutes, first.before]).toEqual([[3, 2], first.entries[1]?.id])
    const all = await read(log, { limit: 3 })
    expect([all.minutes, all.before]).toEqual([[3, 2, 1], undefined])
  })

  it('before a text that is no id begins with the newest', async () => {
    expect((await read(await logOf([1, 2]), { before: 'x' })).minutes).toEqual([2, 1])
  })

  it('of entries of one moment goes on in the middle of them', async () => {
    const log = createKeptLog()
    log.state.events.add(Array.from({ length: 5 }, () => entryAt(TEST_START_MS)))
    await flushEvents(log.state)
    log.state.events.add([entryAt(TEST_START_MS)])
    const numbers = async (before?: string) => {
      const page = await read(log, { limit: 4, ...(before !== undefined && { before }) })
      return { before: page.before, seqs: page.entries.map(({ id }) => Number(id.split('-')[1])) }
    }
    const first = await numbers()
    expect(first.seqs).toEqual([6, 5, 4, 3])
    expect(await numbers(first.before)).toEqual({ seqs: [2, 1], before: undefined })
  })

  it.each([
    [{ fromMs: 2 }, [4, 3, 2]],
    [{ toMs: 3 }, [2, 1]],
    [{ fromMs: 2, toMs: 3 }, [2]],
    [{ fromMs: 5 }, []],
    [{ toMs: 1 }, []],
  ])('is of the range: %j', async (range, minutes) => {
    const log = await logOf([1, 2, 3, 4])
    const query = Object.fromEntries(
      Object.entries(range).map(([name, minute]) => [name, TEST_START_MS + minute * MINUTE_MS]),
    )
    expect((await read(log, query)).minutes).toEqual(minutes)
  })

  it('is of every segment that the range touches, and of no other', async () => {
    const { index } = segmentAt('coarse', TEST_START_MS)
    const starts = [-1, 0, 1].map((by) => segmentFromMs({ kind: 'coarse', index: index + by }))
    const log = await logOf(starts.map((atMs) => (atMs - TEST_START_MS) / MINUTE_MS))
    log.storage.databases.set(`immune-history-samples-${index}`, new Map())
    log.storage.databases.set(`immune-history-minute-${index}`, new Map())
    await log.state.segments.refresh()
    const times = async (query: Partial<EventQuery>) =>
      (await read(log, query)).entries.map(({ wallMs }) => wallMs)
    expect(await times({})).toEqual(starts.toReversed())
    const opensFor = async (query: Partial<EventQuery>) => {
      log.state.segments.close()
      const { open } = log.storage.counts
      const found = await times(query)
      return [found.length, log.storage.counts.open - open]
    }
    const [first = 0, second = 0, third = 0] = starts
    expect(await opensFor({})).toEqual([3, 3])
    expect(await opensFor({ fromMs: second })).toEqual([2, 2])
    expect(await opensFor({ fromMs: second - 1 })).toEqual([2, 3])
    expect(await opensFor({ toMs: third })).toEqual([2, 2])
    expect(await opensFor({ toMs: third + 1 })).toEqual([3, 3])
    expect(await opensFor({ fromMs: first, toMs: first + 1 })).toEqual([1, 1])
  })

  it('finds rows that reach from before its range into it', async () => {
    const log = createKeptLog()
    const entries = [0, DAY_MS - 1].map((byMs, seq) => ({ seq, entry: entryAt(TEST_START_MS + byMs) }))
    await log.lay(entries)
    await log.state.segments.refresh()
    expect((await read(log, { toMs: TEST_START_MS + 1 })).minutes).toEqual([0])
    expect((await read(log, { fromMs: TEST_START_MS + DAY_MS - 1 })).entries).toHaveLength(1)
    expect((await read(log, { fromMs: TEST_START_MS + DAY_MS })).entries).toHaveLength(0)
  })

  it('is without rows that can not be read, and those are counted', async () => {
    const log = await logOf([1, 2])
    const rows = log.storage.databases.get(log.nameAt(TEST_START_MS))?.get('events')
    const [name, row] = Array.from(rows ?? [])[0] ?? []
    if (name !== undefined && row !== undefined) rows?.set(name, { ...row, value: new Uint8Array(9) })
    expect([(await read(log)).minutes, log.damaged()]).toEqual([[2], 1])
    rows?.set('x', { key: ['x'], value: 1 })
    rows?.set('y', { key: [TEST_START_MS], value: 1 })
    expect((await read(log)).minutes).toEqual([2])
  })

  it.each(['open', 'read'] as const)(
    'is what waits where the store does not answer: %s',
    async (operation) => {
      const log = await logOf([1])
      log.state.events.add([entryAt(TEST_START_MS)])
      log.state.segments.close()
      log.storage.fault = (asked) => (asked === operation ? 'no-answer' : undefined)
      expect(await read(log)).toMatchObject({ minutes: [0], before: undefined })
    },
  )

  it('is without what can not be read of the rows that it found', async () => {
    const log = await logOf([1])
    log.storage.fault = (operation) => {
      if (operation !== 'read') return undefined
      log.storage.fault = () => 'no-answer'
      return undefined
    }
    expect([(await read(log)).minutes, log.damaged()]).toEqual([[], 0])
  })
})

describe('rows that are not read', () => {
  it('are those of other areas and nodes', async () => {
    const log = await logOf([1, 2, 3], (minute) => ({
      area: minute === 2 ? 'alarm' : 'record',
      // By their texts, of which the first two share a bit.
      nodeKey: minute === 3 ? 'foobar' : 'a',
    }))
    expect((await read(log, { areas: ['alarm'] })).minutes).toEqual([2])
    expect(await valuesRead(log, { areas: ['alarm'] })).toBe(1)
    expect((await read(log, { nodeKey: 'foobar' })).minutes).toEqual([3])
    expect(await valuesRead(log, { nodeKey: 'foobar' })).toBe(1)
    expect(await valuesRead(log, { nodeKey: 'b' })).toBe(2)
    expect(await valuesRead(log, { nodeKey: 'foo' })).toBe(0)
  })

  it('are those behind a page that is full: eight rows are read at once', async () => {
    const log = await logOf(Array.from({ length: 30 }, (_, minute) => minute))
    expect(await valuesRead(log, { limit: 8 })).toBe(8)
    expect(await valuesRead(log, { limit: 9 })).toBe(16)
    expect(await valuesRead(log, { limit: 100 })).toBe(30)
    expect((await read(log, { limit: 8 })).minutes).toEqual([29, 28, 27, 26, 25, 24, 23, 22])
  })

  it('may not be those of which one could come between', async () => {
    const log = createKeptLog()
    // The newest row spans all the time of the eight before it.
    const placed = (seq: number, minute: number) => ({
      seq,
      entry: entryAt(TEST_START_MS + minute * MINUTE_MS),
    })
    await log.lay([placed(20, 1), placed(21, 20)])
    for (let minute = 2; minute < 12; minute++) await log.lay([placed(minute, minute)])
    await log.state.segments.refresh()
    expect((await read(log, { limit: 2 })).minutes).toEqual([20, 11])
    expect((await read(log, { limit: 8 })).minutes).toEqual([20, 11, 10, 9, 8, 7, 6, 5])
    expect((await read(log, { limit: 9 })).minutes).toEqual([20, 11, 10, 9, 8, 7, 6, 5, 4])
    expect((await read(log, { limit: 12 })).minutes).toEqual([20, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  it('may not be one of the same moment as the last entry of a page', async () => {
    const log = createKeptLog()
    for (let seq = 1; seq <= 9; seq++) await log.lay([{ seq, entry: entryAt(TEST_START_MS) }])
    await log.state.segments.refresh()
    expect(await valuesRead(log, { limit: 8 })).toBe(9)
  })

  it('lie in segments before one that was enough', async () => {
    const { index } = segmentAt('coarse', TEST_START_MS)
    const startMs = segmentFromMs({ kind: 'coarse', index })
    const log = createKeptLog()
    await log.lay([{ seq: 1, entry: entryAt(startMs - 1) }])
    await log.lay([{ seq: 2, entry: entryAt(startMs) }])
    await log.state.segments.refresh()
    log.state.segments.close()
    const { open } = log.storage.counts
    const page = await read(log, { limit: 1 })
    expect([page.entries.map(({ wallMs }) => wallMs), page.before]).toEqual([[startMs], page.entries[0]?.id])
    expect(log.storage.counts.open).toBe(open + 1)
  })

  it('are those after 400 of which none had it: the page says how far it is whole', async () => {
    const log = createKeptLog()
    for (let minute = 1; minute <= 408; minute++)
      await log.lay([
        {
          seq: minute,
          entry: entryAt(TEST_START_MS + minute * MINUTE_MS, {
            facts: { n: minute === 7 || minute === 300 ? 'x' : '' },
          }),
        },
      ])
    // What waits at the moment of the first row that is not read is on the next page.
    log.state.events.add(
      [0, 8].map((minute) => entryAt(TEST_START_MS + minute * MINUTE_MS, { facts: { n: 'x' } })),
    )
    await log.state.segments.refresh()
    const first = await read(log, { text: 'x' })
    expect([first.minutes, first.before]).toEqual([
      [300],
      idOf({ wallMs: TEST_START_MS + 8 * MINUTE_MS, seq: Number.MAX_SAFE_INTEGER }),
    ])
  })

  it('are read when the page after them is asked for', async () => {
    const log = createKeptLog()
    for (const minute of [7, 8])
      await log.lay([
        { seq: minute, entry: entryAt(TEST_START_MS + minute * MINUTE_MS, { facts: { n: 'x' } }) },
      ])
    log.state.events.add([entryAt(TEST_START_MS, { facts: { n: 'x' } })])
    await log.state.segments.refresh()
    const before = idOf({ wallMs: TEST_START_MS + 8 * MINUTE_MS, seq: 7 })
    const page = await read(log, { text: 'x', before })
    expect([page.minutes, page.before]).toEqual([[7, 0], undefined])
  })
})
