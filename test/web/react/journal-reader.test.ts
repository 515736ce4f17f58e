import { describe, expect, it, vi } from 'vitest'
import type { EventPage, EventQuery, KeptEntry } from '#history/event-log.ts'
import { createJournalReader, HELD_MAX } from '#react/journal-reader.ts'

/** A growing log that returns pages of at most `limit` entries. */
function aLog(count: number) {
  const entry = (n: number): KeptEntry => ({
    id: String(n).padStart(9, '0'),
    wallMs: n,
    area: 'record',
    what: 'x',
  })
  let entries = Array.from({ length: count }, (_, n) => entry(n))
  const read = vi.fn<(query: EventQuery) => Promise<EventPage>>(async ({ before, limit }) => {
    const until = before === undefined ? entries.length : entries.findIndex(({ id }) => id === before)
    const from = Math.max(0, until - limit)
    return {
      entries: entries.slice(from, until).toReversed(),
      before: from === 0 ? undefined : entries[from]?.id,
    }
  })
  return {
    read,
    pin: (wallMs: number) => {
      const note: KeptEntry = { ...entry(wallMs), id: `${entry(wallMs).id}+`, what: 'note' }
      entries = [...entries, note].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
    add: (more: number) => {
      entries = [...entries, ...Array.from({ length: more }, (_, n) => entry(entries.length + n))]
    },
  }
}

const untilState = async (reader: ReturnType<typeof createJournalReader>, state: string): Promise<void> => {
  await expect.poll(() => reader.view.get().state).toBe(state)
}

const ids = (reader: ReturnType<typeof createJournalReader>) =>
  reader.view.get().entries.map(({ wallMs }) => wallMs)

async function started(count: number) {
  const log = aLog(count)
  const reader = createJournalReader(log.read, {})
  reader.start()
  await untilState(reader, 'end')
  return { log, reader }
}

describe('the journal reader', () => {
  it('reads one page, and further pages on request until the end', async () => {
    const log = aLog(1_200)
    const reader = createJournalReader(log.read, {})
    reader.start()
    await untilState(reader, 'more')
    expect([ids(reader).length, ids(reader)[0], log.read.mock.calls.length]).toEqual([500, 1_199, 1])
    reader.readOn()
    reader.readOn()
    await untilState(reader, 'more')
    reader.readOn()
    await untilState(reader, 'end')
    expect(ids(reader)).toEqual(Array.from({ length: 1_200 }, (_, n) => 1_199 - n))
    expect(log.read).toHaveBeenCalledTimes(3)
  })

  it('inserts a backdated note in order', async () => {
    const { log, reader } = await started(4)
    log.pin(1)
    reader.freshen()
    await expect.poll(() => ids(reader)).toEqual([3, 2, 1, 1, 0])
    expect(reader.view.get().entries[2]?.what).toBe('note')
    const before = reader.view.get()
    reader.freshen()
    await expect.poll(() => log.read).toHaveBeenCalledTimes(3)
    expect(reader.view.get()).toBe(before)
  })

  it('reads as many pages as a search needs', async () => {
    const log = aLog(2_000)
    const reader = createJournalReader(log.read, {}, ({ wallMs }) => wallMs === 3)
    reader.start()
    await untilState(reader, 'end')
    expect(ids(reader)).toEqual([3])
    expect(reader.view.get()).toMatchObject({ seen: 2_000, seenToMs: 0 })
  })

  it('adds new entries at the top', async () => {
    const { log, reader } = await started(3)
    log.add(2)
    reader.freshen()
    await expect.poll(() => ids(reader)).toEqual([4, 3, 2, 1, 0])
    expect(reader.view.get().state).toBe('end')
  })

  it('reads again if an entry arrives while a page loads', async () => {
    const log = aLog(3)
    const reader = createJournalReader(log.read, {})
    reader.start()
    log.add(1)
    reader.freshen()
    await expect.poll(() => ids(reader)).toEqual([3, 2, 1, 0])
  })

  it('starts over when more entries arrive than one page holds', async () => {
    const { log, reader } = await started(3)
    log.add(600)
    reader.freshen()
    await untilState(reader, 'more')
    expect([ids(reader).length, ids(reader)[0]]).toEqual([500, 602])
  })

  it('reports a failed read, and retries on request', async () => {
    const log = aLog(3)
    log.read.mockRejectedValueOnce(new Error('gone'))
    const reader = createJournalReader(log.read, {})
    reader.start()
    await untilState(reader, 'failed')
    reader.readOn()
    await untilState(reader, 'end')
    expect(ids(reader)).toEqual([2, 1, 0])
  })

  it.each([0, 1])('lists each entry once if a read of %d newer ones failed and is retried', async (added) => {
    const { log, reader } = await started(3)
    log.read.mockRejectedValueOnce(new Error('gone'))
    log.add(added)
    reader.freshen()
    await untilState(reader, 'failed')
    reader.readOn()
    await untilState(reader, 'end')
    expect(ids(reader)).toEqual([3, 2, 1, 0].slice(1 - added))
  })

  it('ignores a page that arrives after it was stopped', async () => {
    const log = aLog(3)
    const reader = createJournalReader(log.read, {})
    reader.start()
    reader.stop()
    await Promise.all(log.read.mock.results.map(({ value }) => value))
    expect(ids(reader)).toEqual([])
    reader.start()
    await untilState(reader, 'end')
    expect(ids(reader)).toEqual([2, 1, 0])
  })

  it('stops at the maximum number of entries', async () => {
    const log = aLog(HELD_MAX + 500)
    const reader = createJournalReader(log.read, {})
    reader.start()
    for (let rounds = 0; rounds < HELD_MAX / 500; rounds++) {
      await expect.poll(() => reader.view.get().state).not.toBe('reading')
      reader.readOn()
    }
    await untilState(reader, 'full')
    expect(ids(reader)).toHaveLength(HELD_MAX)
  })
})
