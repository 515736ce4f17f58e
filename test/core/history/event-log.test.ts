import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  boundEntry,
  EVENT_AREAS,
  idOf,
  isBefore,
  matcherOf,
  positionOfId,
  type EventQuery,
  type KeptEntry,
  type LogEntry,
} from '#history/event-log.ts'
import { EVENTS_WAITING_MAX } from '#history/store/event-buffer.ts'
import type { StoredHistory } from '#history/store/stored-history.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { storeInMemory } from '#test/support/memory-history.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

const DAY_MS = 86_400_000
let writers = 0

function aScreen(storage = createMemoryStorage()) {
  const clock = createFakeClock()
  const make = (): StoredHistory => {
    const history = storeInMemory(clock, storage, `w${writers++}`)
    onTestFinished(() => history.dispose())
    return history
  }
  const open = async (): Promise<StoredHistory> => {
    const history = make()
    await history.start(undefined)
    return history
  }
  return { clock, storage, make, open }
}

const entry = (wallMs: number, given: Partial<LogEntry> = {}): LogEntry => ({
  wallMs,
  area: 'record',
  what: 'status-changed',
  ...given,
})

/** All entries, page by page. */
async function readAll({ log }: StoredHistory, query: Omit<EventQuery, 'limit'> = {}, limit = 7) {
  const all: KeptEntry[] = []
  let before: string | undefined
  let pages = 0
  do {
    const page = await log.read({ ...query, limit, ...(before !== undefined && { before }) })
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    all.push(...page.entries)
    before = page.before
  } while (before !== undefined && ++pages < 10_000)
  return all
}

const withoutId = (kept: KeptEntry): LogEntry => {
  const { id, ...rest } = kept
  expect(positionOfId(id)?.wallMs).toBe(rest.wallMs)
  return rest
}

describe('the event log', () => {
  it('returns all entries, newest first and page by page, across flushes, days and reloads', async () => {
    const facts = fc.dictionary(
      fc.string({ minLength: 1, maxLength: 4 }).filter((name) => name !== '__proto__'),
      fc.oneof(fc.string({ maxLength: 8 }), fc.boolean(), fc.integer()),
      { maxKeys: 3 },
    )
    const one = fc.record(
      {
        agoMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 * DAY_MS })),
        area: fc.constantFrom(...EVENT_AREAS),
        what: fc.constantFrom('gap', 'note', 'status-changed'),
        nodeKey: fc.constantFrom('s!1', 's!2', 's!3'),
        serviceMs: fc.integer({ min: 1, max: 2e12 }),
        serviceId: fc.constantFrom('s', 't'),
        facts,
      },
      { requiredKeys: ['agoMs', 'area', 'what'] },
    )
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ add: fc.array(one, { minLength: 1, maxLength: 30 }) }) },
      { weight: 2, arbitrary: fc.record({ awayMs: fc.constantFrom(1_000, 3_600_000, DAY_MS, 20 * DAY_MS) }) },
      { weight: 2, arbitrary: fc.constant({ reload: true }) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 14 }),
        fc.record(
          {
            areas: fc.subarray([...EVENT_AREAS], { minLength: 1 }),
            nodeKey: fc.constantFrom('s!1', 's!9'),
            text: fc.constantFrom('GAP', 'e', ''),
            fromMs: fc.integer({ min: -60, max: 30 }).map((days) => TEST_START_MS + days * DAY_MS),
            toMs: fc.integer({ min: -60, max: 30 }).map((days) => TEST_START_MS + days * DAY_MS),
          },
          { requiredKeys: [] },
        ),
        async (steps, query) => {
          const screen = aScreen()
          let history = await screen.open()
          const noted: LogEntry[] = []
          for (const done of steps) {
            if ('add' in done) {
              const entries = done.add.map(({ agoMs, ...rest }) => entry(screen.clock.wallMs() - agoMs, rest))
              noted.push(...entries)
              await history.log.append(entries)
            } else if ('awayMs' in done) {
              screen.clock.sleep(done.awayMs)
              await screen.clock.advance(61_000)
            } else {
              await history.saved()
              history.dispose()
              history = await screen.open()
            }
          }
          const read = await readAll(history, query)
          const wanted = noted
            .map((given, order) => ({ given, order }))
            .filter(({ given }) => matcherOf({ ...query, limit: 1 })(given))
            .toSorted((a, b) => b.given.wallMs - a.given.wallMs || b.order - a.order)
          expect(read.map(withoutId)).toEqual(wanted.map(({ given }) => given))
          expect(new Set(read.map(({ id }) => id)).size).toBe(read.length)
          expect(read.map(({ id }) => id)).toEqual(
            read
              .map(({ id }) => id)
              .toSorted()
              .toReversed(),
          )
          history.dispose()
        },
      ),
    )
  })

  it('merges small rows, so that 1,000 entries take fewer than 7', async () => {
    const screen = aScreen()
    const history = await screen.open()
    for (let n = 0; n < 1_000; n++) {
      await history.log.append([entry(screen.clock.wallMs(), { facts: { n } })])
      await history.saved()
      await screen.clock.advance(5_000)
    }
    // Maintenance merges rows once an hour.
    await screen.clock.advance(3_600_000)
    await history.maintain()
    const tables = Array.from(screen.storage.databases.values())
    expect(tables.reduce((sum, each) => sum + (each.get('events')?.size ?? 0), 0)).toBeLessThan(7)
    expect((await readAll(history, {}, 100)).map(({ facts }) => facts?.['n'])).toEqual(
      Array.from({ length: 1_000 }, (_, n) => 999 - n),
    )
  })

  it('keeps the newest entries in memory while storage fails, then stores them and the number of lost ones', async () => {
    const screen = aScreen()
    screen.storage.fault = () => 'none'
    const history = await screen.open()
    const count = EVENTS_WAITING_MAX + 10
    await history.log.append(
      Array.from({ length: count }, (_, n) => entry(TEST_START_MS + n, { facts: { n } })),
    )
    const held = await history.log.read({ limit: 10_000 })
    expect(held.entries).toHaveLength(EVENTS_WAITING_MAX)
    expect(held.entries[0]?.facts).toEqual({ n: count - 1 })
    screen.storage.fault = () => undefined
    // Rows are packed by other threads, which the fake clock does not control.
    await vi.waitFor(async () => {
      await screen.clock.advance(600_000)
      expect(history.status.get().state).toBe('kept')
    }, 20_000)
    history.dispose()
    const again = await screen.open()
    const kept = await again.log.read({ limit: 10_000 })
    expect(kept.entries).toHaveLength(EVENTS_WAITING_MAX + 1)
    expect(kept.entries.find(({ what }) => what === 'entries-dropped')?.facts).toEqual({ count: 10 })
  })

  it('notifies a watcher of new entries until the watcher ends', async () => {
    const screen = aScreen()
    const history = await screen.open()
    let told = 0
    const end = history.log.watch(() => told++)
    await history.log.append([entry(1), entry(2)])
    await history.log.append([])
    expect(told).toBe(1)
    end()
    await history.log.append([entry(3)])
    expect(told).toBe(1)
  })

  it('notifies watchers once stored entries can be read, because earlier reads found none', async () => {
    const screen = aScreen()
    const before = await screen.open()
    await before.log.append([entry(1)])
    await before.saved()
    before.dispose()
    const history = screen.make()
    let told = 0
    history.log.watch(() => told++)
    expect(await readAll(history)).toEqual([])
    await history.start(undefined)
    expect([told, (await readAll(history)).length]).toEqual([1, 1])
  })

  it('skips a damaged row and counts it', async () => {
    const screen = aScreen()
    const history = await screen.open()
    await history.log.append([entry(TEST_START_MS), entry(TEST_START_MS - 30 * DAY_MS)])
    await history.saved()
    for (const tables of screen.storage.databases.values())
      for (const [key, row] of tables.get('events') ?? [])
        if (row.key[0] === TEST_START_MS) tables.get('events')?.set(key, { ...row, value: new Uint8Array(9) })
    expect((await readAll(history)).map(({ wallMs }) => wallMs)).toEqual([TEST_START_MS - 30 * DAY_MS])
    expect(history.status.get().damaged).toBe(1)
  })

  it('searches a bounded number of rows at once, and continues where it stopped', async () => {
    const screen = aScreen()
    const history = await screen.open()
    for (let n = 0; n < 500; n++) {
      await history.log.append(
        Array.from({ length: 256 }, (_, at) =>
          entry(screen.clock.wallMs() + at, n === 3 && at === 5 ? { facts: { found: 'needle' } } : {}),
        ),
      )
      await history.saved()
      await screen.clock.advance(1_000)
    }
    const first = await history.log.read({ text: 'needle', limit: 10 })
    expect(first).toMatchObject({ entries: [], before: expect.any(String) as string })
    const rest = await history.log.read({ text: 'needle', limit: 10, before: first.before ?? '' })
    expect(rest.entries.map(({ wallMs }) => wallMs)).toEqual([TEST_START_MS + 3_005])
    expect(rest.before).toBeUndefined()
    // The keys show that a node occurs nowhere, so that no row is read.
    screen.storage.rowsRead = 0
    const { rowsRead } = screen.storage
    await history.log.read({ areas: ['alarm'], limit: 10 })
    const keys = screen.storage.rowsRead - rowsRead
    await history.log.read({ nodeKey: 's!none', limit: 10 })
    expect(screen.storage.rowsRead).toBe(rowsRead + 2 * keys)
  })
})

describe('an entry', () => {
  it('is cut to its limits', () => {
    const facts = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, 'x'.repeat(600)]))
    const bound = boundEntry({
      wallMs: 1.4,
      serviceMs: 2.6,
      area: 'operator',
      what: 'w'.repeat(70),
      serviceId: 's'.repeat(600),
      nodeKey: 'n'.repeat(1_100),
      facts: { note: 'n'.repeat(2_100), ...facts },
    })
    expect(bound).toMatchObject({ wallMs: 1, serviceMs: 3, what: 'w'.repeat(64), serviceId: 's'.repeat(512) })
    expect(bound.nodeKey).toHaveLength(1_024)
    expect(Object.keys(bound.facts ?? {})).toHaveLength(16)
    expect(bound.facts?.['note']).toHaveLength(2_000)
    expect(bound.facts?.['f0']).toHaveLength(512)
  })

  it('has an id that can be parsed, unlike any other text', () => {
    expect(idOf({ wallMs: 12, seq: 3 })).toBe('0000000000000012-0000000000000003')
    expect(positionOfId('0000000000000012-0000000000000003')).toEqual({ wallMs: 12, seq: 3 })
    expect(positionOfId('12-3')).toBeUndefined()
    for (const id of ['x0000000000000012-0000000000000003', '0000000000000012-0000000000000003x'])
      expect(positionOfId(id)).toBeUndefined()
    // A time before 1970 becomes 0, so that ids still sort.
    expect(idOf({ wallMs: -5, seq: 3 })).toBe('0000000000000000-0000000000000003')
  })

  it('gains no members, and only its note may be long', () => {
    const plain = entry(5)
    expect(boundEntry(plain)).toStrictEqual(plain)
    const facts = { note: 'x'.repeat(700), text: 'x'.repeat(700), count: 7, ok: true }
    expect(boundEntry(entry(5, { facts })).facts).toEqual({
      ...facts,
      text: 'x'.repeat(512),
    })
    expect(boundEntry(entry(5, { facts: { ['n'.repeat(70)]: 1 } })).facts).toEqual({ ['n'.repeat(64)]: 1 })
  })

  it('is ordered by its time, then by its sequence number', () => {
    const before = (one: readonly [number, number], other: readonly [number, number]) =>
      isBefore({ wallMs: one[0], seq: one[1] }, { wallMs: other[0], seq: other[1] })
    expect(before([1, 9], [2, 3])).toBe(true)
    expect(before([2, 3], [1, 9])).toBe(false)
    expect(before([2, 3], [2, 4])).toBe(true)
    expect(before([2, 3], [2, 3])).toBe(false)
    expect(before([2, 4], [2, 3])).toBe(false)
  })
})

describe('a query of entries', () => {
  const given = entry(1_000, {
    area: 'alarm',
    what: 'alarm-began',
    nodeKey: 's!Node-7',
    facts: { rule: 'Stale', count: 42, isNew: true },
  })
  const matches = (query: Omit<EventQuery, 'limit'>, one = given) => matcherOf({ ...query, limit: 1 })(one)

  it.each<[Omit<EventQuery, 'limit'>, boolean]>([
    [{}, true],
    [{ fromMs: 1_000 }, true],
    [{ fromMs: 1_001 }, false],
    [{ toMs: 1_001 }, true],
    [{ toMs: 1_000 }, false],
    [{ nodeKey: 's!Node-7' }, true],
    [{ nodeKey: 's!Node' }, false],
    [{ areas: ['record', 'alarm'] }, true],
    [{ areas: ['record'] }, false],
    [{ areas: [] }, false],
    [{ text: '' }, true],
    [{ text: '  ' }, true],
    [{ text: ' BEGAN ' }, true],
    [{ text: 'stale' }, true],
    [{ text: '42' }, true],
    [{ text: 'true' }, true],
    [{ text: 'node-7' }, true],
    [{ text: 'rule' }, false],
    [{ text: 'alarm', fromMs: 1_001 }, false],
  ])('with %j matches: %s', (query, isMet) => {
    expect(matches(query)).toBe(isMet)
  })

  it('does not match what an entry lacks', () => {
    expect(matches({ text: 'undefined' }, entry(1))).toBe(false)
    expect(matches({ nodeKey: 's!1' }, entry(1))).toBe(false)
  })
})
