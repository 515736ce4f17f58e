import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createSegments, numberOf, writeEvents, writeTo, type OpenSegment } from '#history/store/segments.ts'
import type { Change } from '#history/storage.ts'
import { segmentName, type SegmentId } from '#history/tiers.ts'
import { settle } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

const idOf = (index: number): SegmentId => ({ kind: 'samples', index })
const NAME = segmentName(idOf(1))

/** Segments over a store in memory; `put` writes a row there as another program might have. */
function segmentsOver(storage = createMemoryStorage(), writer = 'me') {
  const vanished: SegmentId[] = []
  const segments = createSegments(storage, writer, (id) => vanished.push(id))
  const opened = (id = idOf(1)) => segments.use(id, async (segment) => ok(segment))
  return { storage, segments, vanished, opened }
}
const put = (storage: ReturnType<typeof createMemoryStorage>, table: string, key: string, value: unknown) => {
  const tables = storage.databases.get(NAME) ?? new Map()
  storage.databases.set(NAME, tables)
  const rows = tables.get(table) ?? new Map()
  tables.set(table, rows)
  rows.set(JSON.stringify([key]), { key: [key], value })
}
const valueOf = async (
  result: ReturnType<ReturnType<typeof segmentsOver>['opened']>,
): Promise<OpenSegment> => {
  const found = await result
  if (!found.ok) throw new Error(found.error)
  return found.value
}

describe('what a segment says of itself', () => {
  const NOTHING = {
    samples: 0,
    bytes: 0,
    firstMs: undefined,
    lastMs: undefined,
    aliveMs: undefined,
    rolledToMs: undefined,
    rolledKey: undefined,
  }

  it('is nothing where it is new', async () => {
    const { storage, segments, opened } = segmentsOver()
    expect(segments.ids()).toEqual([])
    const segment = await valueOf(opened())
    expect(segment.meta).toMatchObject(NOTHING)
    expect([
      segments.ids(),
      Array.from(storage.databases.keys()),
      segment.isClaimed,
      segment.nodes.size,
    ]).toEqual([[idOf(1)], [NAME], false, 0])
  })

  it('is read back number by number', async () => {
    const { storage, opened } = segmentsOver()
    const meta = { samples: 1, bytes: 2, firstMs: 4, lastMs: 5, aliveMs: 6, rolledToMs: 7, rolledKey: 8 }
    put(storage, 'meta', 'meta', meta)
    put(storage, 'nodes', 'a', 9)
    expect((await valueOf(opened())).meta).toMatchObject(meta)
  })

  it.each([
    ['a text', 'x'],
    ['null', null],
    [
      'no numbers',
      { samples: '1', bytes: Number.NaN, rolledToMs: Number.POSITIVE_INFINITY, firstMs: null, lastMs: '5' },
    ],
  ])('is nothing where it was damaged: %s', async (_, meta) => {
    const { storage, opened } = segmentsOver()
    put(storage, 'meta', 'meta', meta)
    expect((await valueOf(opened())).meta).toMatchObject(NOTHING)
  })

  it('says of its part of the log how much there is, or nothing', async () => {
    const { storage, segments, opened } = segmentsOver()
    expect((await valueOf(opened())).events).toEqual({ count: 0, bytes: 0, lastSeq: 0 })
    segments.close()
    put(storage, 'meta', 'events', { count: 3, bytes: 40, lastSeq: 9 })
    put(storage, 'meta', 'meta', { count: 1, bytes: 1, lastSeq: 1 })
    expect((await valueOf(opened())).events).toEqual({ count: 3, bytes: 40, lastSeq: 9 })
  })

  it('has nodes of every name', async () => {
    const { storage, opened } = segmentsOver()
    for (const [place, node] of ['!', 'A!1', 'z', 'ö', '\u{10ffff}'].entries())
      put(storage, 'nodes', node, place + 1)
    expect((await valueOf(opened())).nodes.size).toBe(5)
  })

  it('has nodes by name and number only', async () => {
    const { storage, opened } = segmentsOver()
    put(storage, 'nodes', 'a', 1)
    put(storage, 'nodes', 'b', 'two')
    const segment = await valueOf(opened())
    expect(Array.from(segment.nodes)).toEqual([['a', 1]])
    const changes: Change[] = []
    expect([
      numberOf(segment, 'a', changes),
      numberOf(segment, 'c', changes),
      numberOf(segment, 'c', changes),
    ]).toEqual([1, 2, 2])
    expect(changes).toEqual([{ kind: 'put', table: 'nodes', key: ['c'], value: 2 }])
  })
})

describe('writing into a segment', () => {
  it('claims it once, and from then on only while nobody else does', async () => {
    const { storage, segments, opened } = segmentsOver()
    const segment = await valueOf(opened())
    const meta = { ...segment.meta, samples: 4 }
    expect((await writeTo(segment, [], meta)).ok).toBe(true)
    expect([segment.isClaimed, segment.meta, storage.databases.get(NAME)?.get('meta')?.size]).toEqual([
      true,
      meta,
      2,
    ])
    expect((await writeTo(segment, [], meta)).ok).toBe(true)
    put(storage, 'meta', 'writer', 'another')
    expect(await writeTo(segment, [], { ...meta, samples: 5 })).toEqual({ ok: false, error: 'taken' })
    expect(segment.meta).toBe(meta)
    segments.close()
  })
})

describe('writing of a segment’s part of the log', () => {
  it('is kept beside what the segment says of its samples, and only where it could be written', async () => {
    const { storage, opened } = segmentsOver()
    const segment = await valueOf(opened())
    const events = { count: 1, bytes: 2, lastSeq: 3 }
    expect((await writeEvents(segment, [], events)).ok).toBe(true)
    expect(segment.events).toBe(events)
    const meta = storage.databases.get(NAME)?.get('meta')
    expect(Array.from(meta?.keys() ?? [])).toEqual(['["events"]', '["writer"]'])
    expect(meta?.get('["events"]')?.value).toEqual(events)
    storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    expect((await writeEvents(segment, [], { ...events, count: 2 })).ok).toBe(false)
    expect(segment.events).toBe(events)
  })
})

describe('two that write', () => {
  const written = (of: ReturnType<typeof segmentsOver>, node: string) =>
    of.segments.use(idOf(1), async (segment) => {
      const changes: Change[] = []
      numberOf(segment, node, changes)
      return writeTo(segment, changes, segment.meta)
    })
  const TAKEN = { ok: false, error: 'taken' }
  const KEPT = { ok: true, value: undefined }

  it('give no number to two nodes: who read before the other wrote has to read again', async () => {
    const one = segmentsOver(createMemoryStorage(), 'one')
    const two = segmentsOver(one.storage, 'two')
    await Promise.all([one.opened(), two.opened()])
    expect(await written(one, 'a')).toEqual(KEPT)
    expect(await written(two, 'b')).toEqual(TAKEN)
    two.segments.close()
    expect(await written(two, 'b')).toEqual(KEPT)
    expect(await written(one, 'c')).toEqual(TAKEN)
    expect((await valueOf(two.opened())).nodes).toEqual(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    )
  })

  it('see each other also over a connection that was opened anew, until they read what is there', async () => {
    const one = segmentsOver(createMemoryStorage(), 'one')
    const two = segmentsOver(one.storage, 'two')
    await written(one, 'a')
    await written(two, 'b')
    one.segments.close()
    expect(await written(one, 'c')).toEqual(TAKEN)
    one.segments.unclaim()
    expect(await written(one, 'c')).toEqual(KEPT)
  })

  it('own nothing of a database that was cleared', async () => {
    const one = segmentsOver()
    await written(one, 'a')
    one.segments.close()
    one.storage.databases.clear()
    expect(await written(one, 'a')).toEqual(KEPT)
  })
})

describe('a store that hangs', () => {
  it.each(['no-answer', 'blocked'] as const)(
    'is waited for once, until it is tried again: %s',
    async (failure) => {
      const { storage, segments, opened } = segmentsOver()
      storage.fault = (operation) => (operation === 'open' ? failure : undefined)
      expect([await opened(), await opened(), storage.counts.open]).toEqual([
        { ok: false, error: failure },
        { ok: false, error: failure },
        1,
      ])
      storage.fault = () => undefined
      segments.tryAgain()
      expect((await opened()).ok).toBe(true)
    },
  )

  it('is not taken for one that broke', async () => {
    const { storage, opened } = segmentsOver()
    storage.fault = (operation) => (operation === 'open' ? 'full' : undefined)
    await opened()
    await opened()
    expect(storage.counts.open).toBe(2)
  })
})

describe('connections', () => {
  it('stay open for the eight segments that were used last', async () => {
    const { storage, segments, opened } = segmentsOver()
    for (let index = 1; index <= 8; index++) await opened(idOf(index))
    await opened(idOf(1))
    expect(storage.counts.open).toBe(8)
    await opened(idOf(9))
    await opened(idOf(1))
    expect(storage.counts.open).toBe(9)
    // The one that was used longest ago was closed for the ninth.
    await opened(idOf(2))
    expect(storage.counts.open).toBe(10)
    segments.close()
    await opened(idOf(1))
    expect(storage.counts.open).toBe(11)
  })

  it.each([
    ['closed', 2],
    ['broken', 2],
    ['full', 1],
  ] as const)('after a failure as %s: work runs %d times in all', async (failure, times) => {
    const { segments } = segmentsOver()
    let runs = 0
    const done = await segments.use(idOf(1), async () => {
      runs++
      return { ok: false, error: failure }
    })
    expect([runs, done]).toEqual([times, { ok: false, error: failure }])
  })

  it('are one for all who ask while it is being opened', async () => {
    const { storage, segments, opened } = segmentsOver()
    const [one, other] = await Promise.all([valueOf(opened()), valueOf(opened())])
    expect([one === other, storage.counts.open]).toEqual([true, 1])
    // Two with numbers of their own would give the same number to two nodes.
    const changes: Change[] = []
    expect([numberOf(one, 'a', changes), numberOf(other, 'b', changes)]).toEqual([1, 2])
    segments.close()
  })

  it('are opened anew where they were closed while they were being opened', async () => {
    const { storage, segments, opened } = segmentsOver()
    const early = opened()
    segments.close()
    put(storage, 'nodes', 'a', 7)
    expect((await valueOf(early)).nodes.get('a')).toBe(7)
    expect(storage.counts.open).toBe(2)
    await opened()
    expect(storage.counts.open).toBe(2)
  })

  it('are opened once for all who ask after they were closed while they were being opened', async () => {
    const { storage, segments, opened } = segmentsOver()
    const early = opened()
    segments.close()
    let release = (): void => undefined
    const { open } = storage
    Object.assign(storage, {
      open: async (name: string) => {
        await new Promise<void>((done) => {
          release = done
        })
        return open(name)
      },
    })
    const later = opened()
    await settle()
    const last = opened()
    release()
    await settle()
    release()
    const found = await Promise.all([early, later, last].map(valueOf))
    expect(new Set(found).size).toBe(1)
    expect(storage.counts.open).toBe(2)
  })

  it('are of no use once all is ended', async () => {
    const { storage, segments, opened } = segmentsOver()
    segments.end()
    expect([await opened(), storage.counts.open]).toEqual([{ ok: false, error: 'closed' }, 0])
  })

  it('of others are left alone by work that failed on one that is closed by now', async () => {
    const { storage, segments, opened } = segmentsOver()
    let end = (): void => undefined
    const failing = segments.use(idOf(1), async () => {
      await new Promise<void>((done) => {
        end = done
      })
      return { ok: false, error: 'full' }
    })
    await settle()
    segments.close()
    const later = await valueOf(opened())
    end()
    expect((await failing).ok).toBe(false)
    expect([await valueOf(opened()), storage.counts.open]).toEqual([later, 2])
  })

  it('are given up where the segment can not be read', async () => {
    const { storage, segments, opened } = segmentsOver()
    storage.fault = (operation) => (operation === 'read' ? 'no-answer' : undefined)
    expect(await opened()).toEqual({ ok: false, error: 'no-answer' })
    expect(segments.ids()).toEqual([])
  })
})

describe('a segment that goes', () => {
  it('is listed no more, unless it can not be removed', async () => {
    const { storage, segments, opened } = segmentsOver()
    await opened(idOf(1))
    storage.fault = (operation) => (operation === 'remove' ? 'blocked' : undefined)
    expect([(await segments.remove(idOf(1))).ok, segments.ids()]).toEqual([false, [idOf(1)]])
    storage.fault = () => undefined
    expect([(await segments.remove(idOf(1))).ok, segments.ids(), storage.databases.size]).toEqual([
      true,
      [],
      0,
    ])
  })

  it('is opened anew where it is asked for again', async () => {
    const { storage, segments, opened } = segmentsOver()
    await opened()
    await segments.remove(idOf(1))
    await opened()
    expect([storage.counts.open, segments.ids()]).toEqual([2, [idOf(1)]])
  })

  it('is noticed once where it had samples and is empty all of a sudden, and not where it was removed', async () => {
    const { storage, segments, vanished, opened } = segmentsOver()
    const segment = await valueOf(opened())
    await segments.use(idOf(1), async (open) => writeTo(open, [], { ...segment.meta, samples: 3 }))
    segments.close()
    await opened()
    expect(vanished).toEqual([])
    segments.close()
    storage.databases.clear()
    await opened()
    segments.close()
    await opened()
    expect(vanished).toEqual([idOf(1)])
  })

  it('is found again by its name alone, and what is none of history’s is not', async () => {
    const { storage, segments } = segmentsOver()
    for (const name of [NAME, 'immune-keys']) storage.databases.set(name, new Map())
    expect((await segments.refresh()).ok).toBe(true)
    expect(segments.ids()).toEqual([idOf(1)])
    storage.databases.clear()
    await segments.refresh()
    expect(segments.ids()).toEqual([])
    storage.fault = () => 'none'
    expect(await segments.refresh()).toEqual({ ok: false, error: 'none' })
  })
})
