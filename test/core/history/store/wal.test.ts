import { describe, expect, it } from 'vitest'
import { decodeWalRecord } from '#history/codec/wal-codec.ts'
import type { Gap, Sample } from '#history/history.ts'
import { unseal } from '#history/store/envelope.ts'
import { createHeadBlock } from '#history/store/head-block.ts'
import { createGenerations } from '#history/store/generations.ts'
import { createSegments } from '#history/store/segments.ts'
import { flush, loadHead, nextKey, noteAlive, type WalState } from '#history/store/wal.ts'
import { segmentAt, segmentFromMs, segmentName } from '#history/tiers.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { quickPacker } from './kept-history.ts'

const WEEK_MS = 7 * 86_400_000
const nameAt = (atMs: number) => segmentName(segmentAt('samples', atMs))

/** What one engine writes to disk with, over a store of memory. */
function createWal(storage = createMemoryStorage(), clock = createFakeClock(), writer = 'one') {
  let damaged = 0
  const state: WalState = {
    clock,
    storage: createGenerations(storage),
    segments: createSegments(storage, writer, () => undefined),
    packer: quickPacker,
    onDamaged: () => damaged++,
    head: createHeadBlock(() => 1e6),
    shifts: [],
    lastKey: 0,
    walSegments: new Set(),
    lastMeta: undefined,
    yieldToEventLoop: async () => undefined,
    exclusive: async (work) => work(),
  }
  const sample = (node: string, atMs: number): Sample => ({ node, atMs, latencyMs: 1, outcome: 'answered' })
  return {
    state,
    storage,
    clock,
    damaged: () => damaged,
    add: (...times: readonly (readonly [string, number])[]) =>
      state.head.addSamples(times.map(([node, atMs]) => sample(node, TEST_START_MS + atMs))),
    gap: (gap: Omit<Gap, 'reason'>) => state.head.addGap({ ...gap, reason: 'asleep' }),
    keys: (atMs = clock.wallMs()) =>
      Array.from(storage.databases.get(nameAt(atMs))?.get('wal')?.values() ?? [], ({ key }) => key[0]),
    /** How many rows each record has. */
    rowsOfEach: async () => {
      const records = storage.databases.get(nameAt(clock.wallMs()))?.get('wal')?.values() ?? []
      const unsealed = await Promise.all(Array.from(records, ({ value }) => unseal(value, quickPacker)))
      return unsealed.map((bytes) => bytes && decodeWalRecord(bytes)?.rows.length)
    },
    meta: (atMs = clock.wallMs()): Readonly<Record<string, unknown>> => ({
      ...Object(storage.databases.get(nameAt(atMs))?.get('meta')?.get('["meta"]')?.value),
    }),
    /** What another engine reads back of it. */
    readBack: async () => {
      const other = createWal(storage, clock, 'two')
      await other.state.segments.refresh()
      const head = createHeadBlock(() => 1e6)
      const read = await loadHead(other.state, head)
      if (!read.ok) throw new Error(read.error)
      const times = Object.fromEntries(
        Array.from(head.nodes, ([node, { series }]) => [
          node,
          Array.from(series.columns.atMs.subarray(0, series.length), (atMs) => atMs - TEST_START_MS),
        ]),
      )
      return { ...read.value, times, damaged: other.damaged(), head }
    },
  }
}

describe('rows that are written', () => {
  it('are one record of the whole fleet, and their segment says what it holds', async () => {
    const wal = createWal()
    wal.add(['a', -30], ['b', -20], ['a', -10])
    expect(await flush(wal.state)).toEqual({ ok: true, value: 3 })
    expect(wal.keys()).toEqual([TEST_START_MS])
    expect(wal.meta()).toEqual({
      samples: 3,
      bytes: 0,
      firstMs: TEST_START_MS - 30,
      lastMs: TEST_START_MS - 10,
      aliveMs: TEST_START_MS,
    })
    expect([Array.from(wal.state.walSegments), wal.state.lastMeta]).toEqual([
      [nameAt(TEST_START_MS)],
      { name: nameAt(TEST_START_MS), meta: wal.meta() },
    ])
    expect((await wal.readBack()).times).toEqual({ a: [-30, -10], b: [-20] })
  })

  it('are written once, and only what came since', async () => {
    const wal = createWal()
    wal.add(['a', -30])
    await flush(wal.state)
    expect(await flush(wal.state)).toEqual({ ok: true, value: 0 })
    wal.add(['b', -40], ['a', -5])
    expect(await flush(wal.state)).toEqual({ ok: true, value: 2 })
    // Keys only grow, also within one millisecond.
    expect(wal.keys()).toEqual([TEST_START_MS, TEST_START_MS + 1])
    expect(wal.meta()).toMatchObject({
      samples: 3,
      firstMs: TEST_START_MS - 40,
      lastMs: TEST_START_MS - 5,
    })
    expect(await wal.readBack()).toMatchObject({
      times: { a: [-30, -5], b: [-40] },
      lastKey: TEST_START_MS + 1,
    })
  })

  it('are no polls where nobody watched', async () => {
    const wal = createWal()
    wal.add(['a', -30])
    wal.gap({ fromMs: TEST_START_MS - 20, toMs: TEST_START_MS })
    expect(await flush(wal.state)).toEqual({ ok: true, value: 2 })
    expect(wal.meta()).toMatchObject({ samples: 1, lastMs: TEST_START_MS - 20 })
  })

  it('stay to be written where the store does not take them, with the set-backs of the clock', async () => {
    const wal = createWal()
    wal.add(['a', -30])
    wal.state.shifts.push(-10)
    wal.storage.fault = (operation) => {
      if (operation !== 'write') return undefined
      wal.state.shifts.push(-5)
      return 'full'
    }
    expect(await flush(wal.state)).toEqual({ ok: false, error: 'full' })
    expect([wal.state.shifts, wal.state.head.nodes.get('a')?.flushed, wal.state.lastMeta]).toEqual([
      [-10, -5],
      0,
      undefined,
    ])
    expect(wal.state.walSegments.size).toBe(0)
    wal.storage.fault = () => undefined
    expect(await flush(wal.state)).toEqual({ ok: true, value: 1 })
    expect(wal.state.shifts).toEqual([])
    // They are of before the record's rows, which are put back as well as they are told.
    expect((await wal.readBack()).times).toEqual({ a: [-30] })
  })

  it('of a clock that was set back alone are a record of no rows', async () => {
    const wal = createWal()
    wal.add(['a', -30])
    await flush(wal.state)
    wal.state.shifts.push(-100)
    expect(await flush(wal.state)).toEqual({ ok: true, value: 0 })
    expect(wal.keys()).toHaveLength(2)
    expect(wal.meta()).toMatchObject({ samples: 1, firstMs: TEST_START_MS - 30, aliveMs: TEST_START_MS })
    expect((await wal.readBack()).times).toEqual({ a: [-130] })
    const empty = createWal()
    empty.state.shifts.push(-100)
    await flush(empty.state)
    expect([empty.meta()['firstMs'], empty.meta()['lastMs']]).toEqual([undefined, undefined])
  })

  it('are written in several records where one would have too many', async () => {
    const wal = createWal()
    const rows = (node: string, times: readonly number[]) => times.map((atMs) => [node, atMs] as const)
    wal.add(...rows('a', [-19, -18]))
    await flush(wal.state, 5)
    wal.add(...rows('a', [-9, -8]), ...rows('b', [-7, -6, -5, -4, -3, -2, -1]), ...rows('c', [0]))
    expect(await flush(wal.state, 5)).toEqual({ ok: true, value: 10 })
    expect(await wal.rowsOfEach()).toEqual([2, 5, 5])
    const { times } = await wal.readBack()
    expect(times).toEqual({ a: [-19, -18, -9, -8], b: [-7, -6, -5, -4, -3, -2, -1], c: [0] })
  })

  it('that gave way meanwhile are not taken for written', async () => {
    const wal = createWal()
    wal.add(['a', -30], ['b', -30])
    wal.storage.fault = (operation) => {
      const node = wal.state.head.nodes.get('a')
      if (operation === 'write' && node !== undefined && node.flushed === 0) node.flushed = 1
      wal.state.head.forget('b')
      return undefined
    }
    expect(await flush(wal.state)).toEqual({ ok: true, value: 2 })
    expect(wal.state.head.nodes.get('a')?.flushed).toBe(1)
  })

  it('of a node that is forgotten and polled again meanwhile are none of the new ones', async () => {
    const wal = createWal()
    wal.add(['a', -30], ['a', -20])
    let isForgotten = false
    wal.storage.fault = (operation) => {
      if (operation !== 'write' || isForgotten) return undefined
      isForgotten = true
      wal.state.head.forget('a')
      wal.add(['a', -10])
      return undefined
    }
    await flush(wal.state)
    expect(await wal.rowsOfEach()).toEqual([2, 1])
  })

  it('lie in the segment of the week in which they are written', async () => {
    const nextMs = segmentFromMs({ kind: 'samples', index: segmentAt('samples', TEST_START_MS).index + 1 })
    const wal = createWal(undefined, createFakeClock(nextMs - 1))
    wal.add(['a', 0])
    await flush(wal.state)
    await wal.clock.advance(1)
    wal.add(['a', 1])
    await flush(wal.state)
    expect(wal.keys(nextMs - 1)).toEqual([nextMs - 1])
    expect(wal.keys(nextMs)).toEqual([nextMs])
    const read = await wal.readBack()
    expect([read.times, read.walSegments.length, read.lastKey]).toEqual([{ a: [0, 1] }, 2, nextMs])
  })
})

describe('a sign of life', () => {
  it('is written where there is something to watch, to the whole millisecond', async () => {
    const wal = createWal(undefined, createFakeClock(TEST_START_MS + 0.6))
    expect(await noteAlive(wal.state)).toEqual({ ok: true, value: undefined })
    expect(wal.storage.counts.open).toBe(0)
    wal.add(['a', -30])
    await noteAlive(wal.state)
    expect(wal.meta()).toMatchObject({ samples: 0, aliveMs: TEST_START_MS + 1 })
    expect(wal.keys()).toEqual([])
  })
})

describe('the key of a record', () => {
  it('is the time, or one more than the last', () => {
    const { state } = createWal()
    expect([nextKey(state, 5), nextKey(state, 5), nextKey(state, 3), nextKey(state, 9)]).toEqual([5, 6, 7, 9])
    expect(state.lastKey).toBe(9)
  })
})

describe('what is read back', () => {
  it('is of the two newest segments of samples', async () => {
    const wal = createWal()
    for (let week = 0; week < 3; week++) {
      wal.add(['a', week * WEEK_MS])
      await flush(wal.state)
      await wal.clock.advance(WEEK_MS)
    }
    wal.storage.databases.set('immune-history-minute-9999', new Map())
    const read = await wal.readBack()
    expect(read.times).toEqual({ a: [WEEK_MS, 2 * WEEK_MS] })
    expect(read.walSegments).toHaveLength(2)
    expect([read.aliveMs, read.lastKey]).toEqual([TEST_START_MS + 2 * WEEK_MS, TEST_START_MS + 2 * WEEK_MS])
    // In whatever order the store names them.
    const databases = Array.from(wal.storage.databases).toReversed()
    wal.storage.databases.clear()
    for (const [name, tables] of databases) wal.storage.databases.set(name, tables)
    expect((await wal.readBack()).times).toEqual({ a: [WEEK_MS, 2 * WEEK_MS] })
    // One that says nothing leaves it as it is.
    wal.storage.databases.set(nameAt(TEST_START_MS + 3 * WEEK_MS), new Map())
    expect((await wal.readBack()).aliveMs).toBe(TEST_START_MS + 2 * WEEK_MS)
  })

  it('is nothing of a store without any', async () => {
    const read = await createWal().readBack()
    expect(read).toMatchObject({ walSegments: [], lastKey: 0, aliveMs: undefined, times: {}, damaged: 0 })
  })

  it('tells when somebody last watched, whichever segment says so', async () => {
    const wal = createWal()
    wal.add(['a', 0])
    await flush(wal.state)
    wal.clock.stepWall(WEEK_MS)
    await noteAlive(wal.state)
    const read = await wal.readBack()
    expect([read.aliveMs, read.walSegments.length]).toEqual([TEST_START_MS + WEEK_MS, 1])
    const meta = wal.storage.databases.get(nameAt(TEST_START_MS))?.get('meta')
    const row = meta?.get('["meta"]')
    meta?.set('["meta"]', {
      key: ['meta'],
      value: { ...Object(row?.value), aliveMs: TEST_START_MS + 2 * WEEK_MS },
    })
    expect((await wal.readBack()).aliveMs).toBe(TEST_START_MS + 2 * WEEK_MS)
  })

  it('says when somebody last watched by the time since the clock was set back', async () => {
    const wal = createWal()
    wal.add(['a', 0])
    await flush(wal.state)
    wal.clock.stepWall(WEEK_MS)
    await noteAlive(wal.state)
    wal.clock.stepWall(1_000 - WEEK_MS)
    wal.state.shifts.push(-WEEK_MS)
    await flush(wal.state)
    expect((await wal.readBack()).aliveMs).toBe(TEST_START_MS + 1_000)
  })

  it('is without records that are damaged, and rows of nodes that have no name', async () => {
    const wal = createWal()
    for (const node of ['a', 'b', 'c']) {
      wal.add([node, 0])
      await flush(wal.state)
    }
    const tables = wal.storage.databases.get(nameAt(TEST_START_MS))
    const records = tables?.get('wal')
    const [name, row] = Array.from(records ?? [])[0] ?? []
    if (name !== undefined && row !== undefined) records?.set(name, { ...row, value: new Uint8Array(9) })
    tables?.get('nodes')?.delete('["b"]')
    const { times, damaged } = await wal.readBack()
    expect([times, damaged]).toEqual([{ c: [0] }, 1])
  })

  it.each(['open', 'read'] as const)('fails where the store does not answer: %s', async (operation) => {
    const wal = createWal()
    wal.add(['a', 0])
    await flush(wal.state)
    const other = createWal(wal.storage, wal.clock, 'two')
    await other.state.segments.refresh()
    let calls = 0
    wal.storage.fault = (asked) =>
      asked === operation && (operation === 'open' || ++calls > 1) ? 'no-answer' : undefined
    expect(await loadHead(other.state, other.state.head)).toEqual({ ok: false, error: 'no-answer' })
  })
})
