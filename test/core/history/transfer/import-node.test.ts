import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { segmentAt, segmentName, type SegmentKind } from '#history/tiers.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'
import { importNode } from '#history/transfer/import-node.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage, type MemoryStorage } from '#test/support/memory-storage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const IMPORT = 'immune-history-import'
/** Noon: an hour begins. */
const NOON_MS = TEST_START_MS
const nameOf = (kind: SegmentKind, atMs = NOON_MS) => segmentName(segmentAt(kind, atMs))

type Kept = ReturnType<typeof createKept>

async function started(storage = createMemoryStorage(), atMs = NOON_MS + 5 * DAY_MS, writer = 'one') {
  const kept = createKept(storage, createFakeClock(atMs), writer)
  await kept.start()
  await kept.clock.advance(0)
  return kept
}

/** A file of polls at these times, and of moments from which nobody watched. */
function fileOf(times: readonly number[], notWatched: readonly number[] = []): readonly string[] {
  const head = {
    format: 'immune-node-history',
    version: 1,
    node: 's!1',
    resolution: 'samples',
    columns: ['time_ms', 'outcome', 'interval', 'answer_time'],
  }
  const rows = [...times, ...notWatched].toSorted((a, b) => a - b)
  return [
    `${JSON.stringify(head).slice(0, -1)},"rows":[`,
    ...rows.map((atMs) =>
      JSON.stringify([atMs, notWatched.includes(atMs) ? 'not-watched' : 'answered', 600_000, 20]),
    ),
    ']}',
  ]
}

async function imported(kept: Kept, lines: readonly string[], stopAt = Number.POSITIVE_INFINITY) {
  const shares: number[] = []
  const end = await kept.history.transfer(
    {
      what: 'import',
      file: async function* () {
        yield* lines
      },
    },
    async (text, share) => {
      expect(text).toBe('')
      shares.push(share)
      return shares.length < stopAt
    },
  )
  return { end, shares }
}

const samplesOf = async (kept: Kept) => {
  const { atMs } = (await kept.lanes('s!1', 6 * DAY_MS)).answerTime
  return atMs.length
}
const answered = async (kept: Kept, rangeMs: number) => (await kept.lanes('s!1', rangeMs)).answered
/** Starts of the hours that are kept, in hours since noon. */
const hoursIn = (kept: Kept, kind: SegmentKind, atMs = NOON_MS) =>
  kept
    .rows(nameOf(kind, atMs), 'rows')
    .map(({ key }) => [key[0], (Number(key[2]) - NOON_MS) / HOUR_MS])
    .toSorted((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]))

describe('an import', () => {
  it('is samples and rollups of whole hours, and what segments say of themselves', async () => {
    const kept = await started()
    const times = [0, 10, 59, 60].map((minutes) => NOON_MS + minutes * MINUTE_MS)
    const { end, shares } = await imported(kept, fileOf(times, [NOON_MS + 20 * MINUTE_MS]))
    expect(end).toEqual({ kind: 'done', rows: 5, skipped: 0 })
    expect(shares).toEqual([0.5, 0.5])
    expect(hoursIn(kept, 'samples')).toEqual([
      [0, 0],
      [0, 1],
    ])
    expect(hoursIn(kept, 'minute')).toEqual([
      [1, 0],
      [1, 1],
    ])
    // Records of a day.
    expect(hoursIn(kept, 'coarse')).toEqual([
      [2, -12],
      [3, -12],
    ])
    for (const [kind, samples, firstMs, lastMs] of [
      ['samples', 4, NOON_MS, NOON_MS + HOUR_MS],
      ['minute', 0, NOON_MS, undefined],
      ['coarse', 0, NOON_MS - 12 * HOUR_MS, undefined],
    ] as const) {
      const rows = kept.rows(nameOf(kind), 'rows')
      const bytes = rows.reduce((sum, { value }) => sum + (value as Uint8Array).length, 0)
      expect(kept.meta(nameOf(kind))).toMatchObject({ samples, bytes, firstMs, lastMs })
      expect(kept.rows(nameOf(kind), 'nodes')).toEqual([{ key: ['s!1'], value: 1 }])
    }
    expect(await answered(kept, 6 * DAY_MS)).toBe(4)
    expect(kept.names()).not.toContain(IMPORT)
    expect(kept.status().bytes).toBeGreaterThan(0)
    expect(kept.status().reach.samples).toBe(NOON_MS)
  })

  it.each([
    [2 * HOUR_MS + 120_000, 1],
    [2 * HOUR_MS + 119_999, 0],
  ])('takes an hour that began %i ms ago: %i', async (agoMs, rows) => {
    const kept = await started(undefined, NOON_MS + agoMs)
    expect((await imported(kept, fileOf([NOON_MS]))).end).toEqual({ kind: 'done', rows, skipped: 1 - rows })
  })

  it('leaves an hour as it is of which anything is here: samples or rollups', async () => {
    const storage = createMemoryStorage()
    const first = await started(storage, NOON_MS)
    await first.add('s!1')
    await first.add('s!2')
    await first.clock.advance(70 * MINUTE_MS)
    await first.add('s!2')
    await first.history.saved()
    await first.history.maintain()
    const later = [0, 5, 65, 66, 130].map((minutes) => NOON_MS + minutes * MINUTE_MS)
    await first.clock.advance(DAY_MS)
    expect((await imported(first, fileOf(later))).end).toEqual({ kind: 'done', rows: 3, skipped: 2 })
    await first.history.saved()
    first.history.dispose()
    // Without its samples, an hour is known by its rollups.
    storage.databases.delete(nameOf('samples'))
    const second = await started(storage)
    expect((await imported(second, fileOf(later))).end).toEqual({ kind: 'done', rows: 0, skipped: 5 })
    // And without its rollups by its samples.
    const third = await started()
    await imported(third, fileOf([NOON_MS]))
    third.storage.databases.delete(nameOf('minute'))
    third.history.dispose()
    const fourth = await started(third.storage, NOON_MS + 5 * DAY_MS, 'two')
    expect((await imported(fourth, fileOf(later))).end).toEqual({ kind: 'done', rows: 3, skipped: 2 })
  })

  it('of many days asks after each whether to go on, and then after 24 hours', async () => {
    const kept = await started()
    const times = Array.from({ length: 36 }, (_, hour) => NOON_MS + hour * HOUR_MS)
    const { end, shares } = await imported(kept, fileOf(times))
    expect(end).toEqual({ kind: 'done', rows: 36, skipped: 0 })
    expect(shares.slice(2)).toEqual([0.5, 0.5 + 24 / 36 / 2])
    // Of the time that the file spans from 1970 on.
    expect(shares.slice(0, 2)).toEqual([(NOON_MS + 12 * HOUR_MS) / (times.at(-1) ?? 0) / 2, 0.5])
    expect(hoursIn(kept, 'samples').slice(0, 2)).toEqual([
      [0, 0],
      [0, 1],
    ])
  })

  it('of a file without rows takes nothing', async () => {
    const kept = await started()
    expect(await imported(kept, fileOf([]))).toEqual({
      end: { kind: 'done', rows: 0, skipped: 0 },
      shares: [],
    })
    expect(kept.names()).toEqual([])
  })

  it('that is stopped before anything is taken changes nothing', async () => {
    const kept = await started()
    const { end } = await imported(kept, fileOf([NOON_MS]), 1)
    expect([end, kept.names()]).toEqual([{ kind: 'cancelled', unchanged: true }, []])
  })

  it('that is stopped later keeps the hours that were taken', async () => {
    const kept = await started()
    const times = Array.from({ length: 36 }, (_, hour) => NOON_MS + hour * HOUR_MS)
    expect((await imported(kept, fileOf(times), 4)).end).toEqual({ kind: 'cancelled' })
    expect(hoursIn(kept, 'samples')).toHaveLength(24)
    expect(kept.names()).not.toContain(IMPORT)
    expect((await imported(kept, fileOf(times))).end).toEqual({ kind: 'done', rows: 12, skipped: 24 })
  })

  it('across the end of a week puts each hour where it belongs', async () => {
    const { index } = segmentAt('coarse', NOON_MS)
    const endMs = index * 28 * DAY_MS
    const kept = await started()
    const { end } = await imported(kept, fileOf([endMs - MINUTE_MS, endMs, endMs + MINUTE_MS]))
    expect(end).toEqual({ kind: 'done', rows: 3, skipped: 0 })
    expect(kept.meta(nameOf('samples', endMs - 1))).toMatchObject({ samples: 1, firstMs: endMs - HOUR_MS })
    expect(kept.meta(nameOf('samples', endMs))).toMatchObject({
      samples: 2,
      firstMs: endMs,
      lastMs: endMs + MINUTE_MS,
    })
  })

  it('of earlier hours is taken in after one of later ones', async () => {
    const kept = await started()
    expect((await imported(kept, fileOf([NOON_MS + 5 * HOUR_MS]))).end).toMatchObject({ rows: 1 })
    await kept.clock.advance(1)
    expect((await imported(kept, fileOf([NOON_MS]))).end).toMatchObject({ rows: 1, skipped: 0 })
    expect(hoursIn(kept, 'samples')).toEqual([
      [0, 0],
      [0, 5],
    ])
    expect(await answered(kept, 6 * DAY_MS)).toBe(2)
  })

  it.each([
    [5, { kind: 'done', rows: 5, skipped: 0 }],
    [6, { kind: 'refused', problem: { kind: 'too-many' } }],
    [30, { kind: 'refused', problem: { kind: 'too-many' } }],
  ])('that may have five rows at most and has %d', async (rows, end) => {
    const kept = await started()
    const times = Array.from({ length: rows - 1 }, (_, at) => NOON_MS + at * MINUTE_MS)
    const lines = fileOf(times, [NOON_MS + rows * MINUTE_MS])
    const file = async function* () {
      yield* lines
    }
    expect(await importNode(kept.history.store, file, async () => true, 5)).toEqual(end)
    expect(kept.names().length > 0).toBe(end.kind === 'done')
  })

  it('that is refused changes nothing', async () => {
    const kept = await started()
    expect((await imported(kept, ['x'])).end).toEqual({ kind: 'refused', problem: { kind: 'not-ours' } })
    expect(kept.names()).toEqual([])
  })
})

describe('an import of which the store takes not all', () => {
  it.each<[string, (operation: string, name: string) => boolean]>([
    ['it does not open', (operation, name) => operation === 'open' && name === IMPORT],
    ['it can not be put aside', (operation, name) => operation === 'write' && name === IMPORT],
  ])('changes nothing where %s', async (_what, fails) => {
    const kept = await started()
    kept.storage.fault = (operation, name) => (fails(operation, name) ? 'full' : undefined)
    expect((await imported(kept, fileOf([NOON_MS]))).end).toEqual({
      kind: 'failed',
      failure: 'full',
      unchanged: true,
    })
    expect(kept.names()).not.toContain(IMPORT)
    expect(kept.names().filter((name) => kept.rows(name, 'rows').length > 0)).toEqual([])
  })

  it('changes nothing where a part of it can not be put aside, and leaves nothing open', async () => {
    const memory = createMemoryStorage()
    const { open: openIn } = memory
    let isOpen = 0
    const open: typeof openIn = async (name) => {
      const opened = await openIn(name)
      if (!opened.ok || name !== IMPORT) return opened
      isOpen++
      const close = (): void => {
        isOpen--
      }
      return ok({ ...opened.value, close })
    }
    const kept = await started(Object.assign(memory, { open }))
    let writes = 0
    kept.storage.fault = (operation, name) =>
      operation === 'write' && name === IMPORT && ++writes === 1 ? 'full' : undefined
    expect((await imported(kept, fileOf([NOON_MS]))).end).toMatchObject({ kind: 'failed', unchanged: true })
    expect([isOpen, kept.names().includes(IMPORT)]).toEqual([0, false])
    expect((await imported(kept, fileOf([NOON_MS]))).end).toMatchObject({ kind: 'done', rows: 1 })
    expect(isOpen).toBe(0)
  })

  it('waits where the store does not say what there is', async () => {
    const kept = await started()
    kept.storage.fault = (operation) => (operation === 'list' ? 'no-answer' : undefined)
    expect((await imported(kept, fileOf([NOON_MS]))).end).toEqual({
      kind: 'failed',
      failure: 'no-answer',
      pending: true,
    })
  })

  it.each([2, 3, 4])('lies aside where a segment can not be read, the read with number %d', async (nth) => {
    const kept = await started()
    let reads = 0
    kept.storage.fault = (operation, name) =>
      operation === 'read' && name === nameOf('coarse') && ++reads === nth ? 'no-answer' : undefined
    const { end } = await imported(kept, fileOf([NOON_MS]))
    expect(end).toEqual({ kind: 'failed', failure: 'no-answer', pending: true })
    kept.storage.fault = () => undefined
    expect((await imported(kept, fileOf([NOON_MS]))).end).toMatchObject({ kind: 'done', skipped: 1 })
    expect(await answered(kept, 6 * DAY_MS)).toBe(1)
  })

  it.each(['coarse', 'minute', 'samples'] as const)(
    'lies aside until it does: where %s can not be written',
    async (kind) => {
      const kept = await started()
      const failing = (operation: string, name: string) =>
        operation === 'write' && name === nameOf(kind) ? ('full' as const) : undefined
      kept.storage.fault = failing
      const times = [0, 70].map((minutes) => NOON_MS + minutes * MINUTE_MS)
      expect((await imported(kept, fileOf(times))).end).toEqual({
        kind: 'failed',
        failure: 'full',
        pending: true,
      })
      expect(kept.rows(IMPORT, 'rows').map(({ key }) => key)).toEqual([[0]])
      expect(kept.rows(IMPORT, 'meta')).toEqual([
        {
          key: ['import'],
          value: {
            id: `${kept.clock.wallMs()}`,
            node: 's!1',
            hours: [NOON_MS, NOON_MS + HOUR_MS],
            rows: 2,
          },
        },
      ])
      // Another one has to wait for it.
      expect((await imported(kept, fileOf([5]))).end).toMatchObject({ kind: 'failed', pending: true })
      kept.storage.fault = () => undefined
      expect((await imported(kept, fileOf(times))).end).toEqual({ kind: 'done', rows: 0, skipped: 2 })
      expect(await answered(kept, 6 * DAY_MS)).toBe(2)
      expect(await samplesOf(kept)).toBeGreaterThan(0)
      expect(kept.meta(nameOf('samples'))).toMatchObject({ samples: 2 })
    },
  )
})

describe('what lies aside at a start', () => {
  /** The store of an import that came so far that all of it was put aside. */
  async function aside(): Promise<MemoryStorage> {
    const kept = await started()
    kept.storage.fault = (operation, name) =>
      operation === 'write' && name === nameOf('samples') ? 'full' : undefined
    await imported(kept, fileOf([NOON_MS, NOON_MS + HOUR_MS]))
    kept.storage.fault = () => undefined
    kept.history.dispose()
    return kept.storage
  }
  const changePlan = (storage: MemoryStorage, changes: object) => {
    const meta = storage.databases.get(IMPORT)?.get('meta')
    const row = meta?.get('["import"]')
    if (row !== undefined) meta?.set('["import"]', { ...row, value: { ...Object(row.value), ...changes } })
  }
  const next = async (storage: MemoryStorage) => {
    const kept = await started(storage, NOON_MS + 5 * DAY_MS, 'two')
    // Comes after what is done by itself.
    await imported(kept, ['x'])
    return kept
  }

  it('is taken in, once, and that is said', async () => {
    const storage = await aside()
    const kept = await next(storage)
    expect(kept.status().cutOff).toMatchObject({ what: 'import-completed' })
    expect(kept.names()).not.toContain(IMPORT)
    expect(await answered(kept, 6 * DAY_MS)).toBe(2)
    for (const kind of ['samples', 'minute', 'coarse'] as const)
      expect(kept.rows(nameOf(kind), 'meta')).toContainEqual({
        key: ['import'],
        value: { id: expect.any(String) as string, toMs: NOON_MS + 2 * HOUR_MS },
      })
    expect(kept.meta(nameOf('samples'))).toMatchObject({ samples: 2 })
    expect(kept.status().reach.samples).toBe(NOON_MS)
  })

  it.each<[string, object]>([
    ['rows are missing', { rows: 3 }],
    ['it has no name', { id: undefined }],
    ['it is of no node', { node: 5 }],
    ['it has no hours', { hours: 'all' }],
  ])('goes where %s, and that it was cut off is said', async (_what, changes) => {
    const storage = await aside()
    changePlan(storage, changes)
    const kept = await next(storage)
    expect(kept.status().cutOff).toMatchObject({ what: 'import' })
    expect(kept.names()).not.toContain(IMPORT)
    expect(kept.rows(nameOf('samples'), 'rows')).toEqual([])
  })

  it('goes where its rows are damaged', async () => {
    const storage = await aside()
    const rows = storage.databases.get(IMPORT)?.get('rows')
    for (const [name, { key }] of rows ?? []) rows?.set(name, { key, value: new Uint8Array(9) })
    expect((await next(storage)).status().cutOff).toMatchObject({ what: 'import' })
  })

  it.each([undefined, null, 'text'])('goes where what it says is none: %j', async (value) => {
    const storage = await aside()
    storage.databases
      .get(IMPORT)
      ?.get('meta')
      ?.set('["import"]', { key: ['import'], value })
    expect((await next(storage)).status().cutOff).toMatchObject({ what: 'import' })
  })

  it('is only the hours that are numbers', async () => {
    const storage = await aside()
    changePlan(storage, { hours: ['x', NOON_MS] })
    const kept = await next(storage)
    expect(hoursIn(kept, 'samples')).toEqual([[0, 0]])
    expect(kept.names().filter((name) => name.includes('NaN'))).toEqual([])
  })

  it('is nothing where nothing lies there', async () => {
    const kept = await next(createMemoryStorage())
    expect(kept.status().cutOff).toBeUndefined()
    expect(kept.storage.counts.remove).toBe(0)
  })

  it.each<[string, 'open' | 'read' | 'remove']>([
    ['does not open', 'open'],
    ['can not be read', 'read'],
    ['can not be removed', 'remove'],
  ])('waits for another start where it %s', async (_what, operation) => {
    const storage = await aside()
    storage.fault = (asked, name) => (asked === operation && name === IMPORT ? 'blocked' : undefined)
    const kept = await started(storage, NOON_MS + 5 * DAY_MS, 'two')
    expect((await imported(kept, ['x'])).end).toEqual({ kind: 'failed', failure: 'blocked', pending: true })
    expect([kept.names().includes(IMPORT), kept.status().cutOff]).toEqual([true, undefined])
  })
})
