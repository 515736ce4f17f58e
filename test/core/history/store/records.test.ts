import { describe, expect, it } from 'vitest'
import { INFLATED_MAX, seal, sealPacked, unseal } from '#history/store/envelope.ts'
import type { Gap, Sample } from '#history/history.ts'
import { readSentinel } from '#history/history-status.ts'
import {
  chartForm,
  deleteOf,
  keyOf,
  placePieces,
  readParts,
  recordKeyOf,
  recordsIn,
  rollupPieces,
  SERIES_FORM,
  seriesPieces,
} from '#history/store/records.ts'
import { createSegments, numberOf, writeTo } from '#history/store/segments.ts'
import { encodeRollup } from '#history/codec/rollup-codec.ts'
import { addPollTime, addRow, createRollup, rolledValues } from '#history/rollup.ts'
import { appendSample, createSeries, type Series } from '#history/series.ts'
import type { Change } from '#history/storage.ts'
import { segmentName } from '#history/tiers.ts'
import { METRICS } from '#metrics/metrics.ts'
import { decodeWalRecord, encodeWalRecord } from '#history/codec/wal-codec.ts'
import { createMemoryStorage, nodePacker } from '#test/support/memory-storage.ts'
import { rowsOf } from '#test/core/history/samples.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('the envelope of a record', () => {
  const payload = new Uint8Array([1, 2, 3])

  it('is a format and a checksum, which never change', () => {
    // FNV-1a of "foobar" and of nothing, as published.
    const foobar = new TextEncoder().encode('foobar')
    expect(Array.from(seal(foobar))).toEqual([1, 0xbf, 0x9c, 0xf9, 0x68, ...foobar])
    expect(Array.from(seal(new Uint8Array()))).toEqual([1, 0x81, 0x1c, 0x9d, 0xc5])
  })

  it('gives back what was sealed, also what was deflated', async () => {
    expect(await unseal(seal(payload), nodePacker)).toEqual(payload)
    expect(await unseal(seal(new Uint8Array()), nodePacker)).toEqual(new Uint8Array())
    const long = new Uint8Array(1_000)
    const packed = await sealPacked(long, nodePacker)
    expect(packed[0]).toBe(2)
    expect(packed.length).toBeLessThan(50)
    expect(await unseal(packed.with(0, 3), nodePacker)).toBeUndefined()
    expect(await unseal(packed, nodePacker)).toEqual(long)
  })

  it('is deflated only where that makes it smaller', async () => {
    // What would be too much to inflate is not deflated.
    expect((await sealPacked(new Uint8Array(INFLATED_MAX + 1), nodePacker))[0]).toBe(1)
    expect((await sealPacked(new Uint8Array(INFLATED_MAX), nodePacker))[0]).toBe(2)
    const packer = { ...nodePacker, deflate: async () => new Uint8Array([9, 9, 9]) }
    expect((await sealPacked(payload, packer))[0]).toBe(1)
    expect((await sealPacked(new Uint8Array(4), packer))[0]).toBe(2)
  })

  it('gives nothing for what is damaged, too short, of another format or no bytes', async () => {
    const sealed = seal(payload)
    for (let place = 1; place < sealed.length; place++)
      expect(await unseal(sealed.with(place, (sealed[place] ?? 0) ^ 1), nodePacker)).toBeUndefined()
    for (const value of [sealed.with(0, 3), sealed.with(0, 0), new Uint8Array(4), 'text', undefined, [1, 2]])
      expect(await unseal(value, nodePacker)).toBeUndefined()
    expect(await unseal(sealed.with(0, 2), nodePacker)).toBeUndefined()
  })

  it('is read wherever in a buffer it lies', async () => {
    const within = new Uint8Array(20)
    within.set(seal(payload), 7)
    expect(await unseal(within.subarray(7, 15), nodePacker)).toEqual(payload)
  })
})

describe('where a record lies', () => {
  const key = { tier: 'quarter', node: 3, fromMs: DAY_MS, toMs: 2 * DAY_MS } as const

  it('is its resolution, node and time', () => {
    expect(keyOf(key)).toEqual([2, 3, DAY_MS, 2 * DAY_MS])
    expect(recordKeyOf('quarter', keyOf(key))).toEqual(key)
    expect(deleteOf(key)).toEqual({
      kind: 'delete',
      range: { table: 'rows', from: keyOf(key), to: [...keyOf(key), 0] },
    })
  })

  it.each([[[0, 'a', 1, 2]], [[0, 1, 'a', 2]], [[0, 1, 2, 'a']], [[0, 1, 2]], [[]]])(
    'is nowhere for the key %j',
    (given) => {
      expect(recordKeyOf('samples', given)).toBeUndefined()
    },
  )

  it('is looked for from the start of the block that a range begins in', () => {
    expect(recordsIn('samples', 5, 3 * DAY_MS + 7, 4 * DAY_MS)).toEqual({
      table: 'rows',
      from: [0, 5, 3 * DAY_MS],
      to: [0, 5, 4 * DAY_MS],
    })
    expect(recordsIn('hour', 5, 30 * DAY_MS, 31 * DAY_MS).from).toEqual([3, 5, 28 * DAY_MS])
  })
})

describe('a write-ahead record', () => {
  const threeRows = () => {
    const series = createSeries()
    for (const atMs of [1_000, 2_000, 3_000]) {
      const sample: Sample = { node: 'n', atMs, latencyMs: 5, outcome: 'answered', status: 'ACTIVE' }
      appendSample(series, sample, 100)
    }
    return series
  }
  const gaps: readonly Gap[] = [
    { fromMs: 10.4, toMs: 20.6, reason: 'asleep' },
    { fromMs: 5_000, toMs: 0, reason: 'clock-step' },
    { fromMs: -7, toMs: 30, reason: 'closed' },
  ]
  const written = () => encodeWalRecord({ gaps, carried: 2, rows: threeRows(), nodes: [1, 300, 1] })

  it('comes back, with its gaps to the whole millisecond', () => {
    const record = decodeWalRecord(written())
    expect(record?.gaps).toEqual([{ fromMs: 10, toMs: 21, reason: 'asleep' }, ...gaps.slice(1)])
    expect(record?.carried).toBe(2)
    expect(record && rowsOf(record.rows)).toEqual(rowsOf(threeRows()))
    expect(record && Array.from(record.nodes)).toEqual([1, 300, 1])
  })

  it('may be of nothing, or carry every row', () => {
    const empty = { gaps: [], carried: 0, rows: createSeries(1), nodes: [] }
    expect(decodeWalRecord(encodeWalRecord(empty))).toMatchObject({
      gaps: [],
      carried: 0,
      rows: { length: 0 },
    })
    expect(
      decodeWalRecord(encodeWalRecord({ gaps: [], carried: 3, rows: threeRows(), nodes: [1, 1, 1] }))
        ?.carried,
    ).toBe(3)
  })

  it('is refused with a byte too few or too many, a reason that is none, or more carried rows than rows', () => {
    expect(decodeWalRecord(written().slice(0, -1))).toBeUndefined()
    expect(decodeWalRecord(new Uint8Array([...written(), 0]))).toBeUndefined()
    expect(
      decodeWalRecord(encodeWalRecord({ gaps: [], carried: 4, rows: threeRows(), nodes: [1, 1, 1] })),
    ).toBeUndefined()
    const gap = encodeWalRecord({ gaps: gaps.slice(0, 1), carried: 0, rows: threeRows(), nodes: [1, 1, 1] })
    expect(Array.from(gap.subarray(0, 4))).toEqual([1, 20, 42, 0])
    expect(decodeWalRecord(gap.with(3, 2))?.gaps[0]?.reason).toBe('closed')
    expect(decodeWalRecord(gap.with(3, 3))).toBeUndefined()
  })
})

describe('what a page remembers of the history', () => {
  const good = { version: 1, segments: { 'immune-history-samples-1': 5 }, lastMs: 9 }

  it('is read back, without numbers that are none', () => {
    expect(readSentinel(good)).toEqual(good)
    expect(readSentinel({ ...good, surplus: 1, segments: { a: 1, b: '2', c: Number.NaN, d: 0 } })).toEqual({
      ...good,
      segments: { a: 1, d: 0 },
    })
    expect(readSentinel({ ...good, segments: {} })).toEqual({ ...good, segments: {} })
    expect(readSentinel({ ...good, generation: 3 })).toStrictEqual({ ...good, generation: 3 })
    expect(readSentinel({ ...good, generation: '3' })).toStrictEqual(good)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'version'],
    ['another version', { ...good, version: 2 }],
    ['no time', { version: 1, segments: {} }],
    ['a time that is a text', { ...good, lastMs: '9' }],
    ['an endless time', { ...good, lastMs: Number.POSITIVE_INFINITY }],
    ['no segments', { version: 1, lastMs: 9 }],
    ['segments that are null', { ...good, segments: null }],
    ['segments that are a text', { ...good, segments: 'x' }],
  ])('is nothing where it is %s', (_, value) => {
    expect(readSentinel(value)).toBeUndefined()
  })
})

describe('pieces of one record each', () => {
  const rollupAt = (hours: readonly number[]) => {
    const rollup = createRollup(60_000, false, [])
    for (const hour of hours) addPollTime(rollup, addRow(rollup, hour * HOUR_MS), hour)
    return rollup
  }

  it('are those of the hours, or days, in which steps begin', () => {
    const hours = [30, 30.5, 31, 33, 33.25]
    const pieces = rollupPieces('minute', 7, rollupAt(hours))
    expect(pieces.map(({ key, content }) => [key.fromMs / HOUR_MS, content.firstPollMs])).toEqual([
      [30, [30, 30.5]],
      [31, [31]],
      [33, [33, 33.25]],
    ])
    expect(pieces[0]?.key).toEqual({ tier: 'minute', node: 7, fromMs: 30 * HOUR_MS, toMs: 31 * HOUR_MS })
    expect(rollupPieces('quarter', 7, rollupAt(hours)).map(({ key }) => [key.fromMs, key.toMs])).toEqual([
      [DAY_MS, 2 * DAY_MS],
    ])
    const one = rollupAt([5])
    expect(rollupPieces('minute', 7, one)[0]?.content).toBe(one)
    expect(rollupPieces('minute', 7, rollupAt([]))).toEqual([])
  })

  it('are of the rows that are meant alone', () => {
    const series = createSeries()
    for (const minute of [10, 20, 70, 80, 90])
      appendSample(series, { node: 'n', atMs: minute * 60_000, latencyMs: 5, outcome: 'answered' }, 100)
    const minutesIn = (from: number, to: number) =>
      seriesPieces(3, series, from, to).map(({ key, content: { columns, length } }) => [
        key.fromMs / HOUR_MS,
        Array.from(columns.atMs.subarray(0, length), (atMs) => atMs / 60_000),
        columns.atMs.length,
      ])
    expect(minutesIn(1, 4)).toEqual([
      [0, [20], 1],
      [1, [70, 80], 2],
    ])
    expect(seriesPieces(3, series, 1, 2)[0]?.key).toEqual({
      tier: 'samples',
      node: 3,
      fromMs: 0,
      toMs: HOUR_MS,
    })
  })
})

describe('records that are read', () => {
  const ID = { kind: 'samples', index: 0 } as const
  const seriesAt = (...hours: readonly number[]) => {
    const series = createSeries()
    for (const hour of hours)
      appendSample(series, { node: 'n', atMs: hour * HOUR_MS, latencyMs: 5, outcome: 'answered' }, 100)
    return series
  }
  const timesOf = ({ columns, length }: Series) =>
    Array.from(columns.atMs.subarray(0, length), (atMs) => atMs / HOUR_MS)

  async function stored() {
    const storage = createMemoryStorage()
    const segments = createSegments(storage, 'me', () => undefined)
    const damaged: number[] = []
    const put = async (series: Series) => {
      const done = await segments.use(ID, async (segment) => {
        const changes: Change[] = []
        const pieces = seriesPieces(numberOf(segment, 'a', changes), series, 0, series.length)
        const placed = await placePieces(segment, SERIES_FORM, pieces, nodePacker)
        return placed.ok ? writeTo(segment, [...changes, ...placed.value.changes], segment.meta) : placed
      })
      if (!done.ok) throw new Error(done.error)
    }
    const read = async (node: string, fromHour: number, toHour: number) => {
      const ports = { segments, packer: nodePacker, onDamaged: () => damaged.push(1) }
      const parts = await readParts(ports, SERIES_FORM, 'samples', node, fromHour * HOUR_MS, toHour * HOUR_MS)
      return parts.ok ? parts.value.map(timesOf) : parts.error
    }
    await put(seriesAt(1, 2, 2.5, 4))
    return { storage, put, read, damaged, rows: () => storage.databases.get(segmentName(ID))?.get('rows') }
  }

  it('are those that reach into the range', async () => {
    const { read } = await stored()
    expect(await read('a', 2, 4)).toEqual([[2, 2.5]])
    expect(await read('a', 1.9, 4.1)).toEqual([[1], [2, 2.5], [4]])
  })

  it('are none of a node that the segment does not know, for which nothing is read', async () => {
    const { read, storage } = await stored()
    const before = storage.counts.read
    expect(await read('b', 0, 9)).toEqual([])
    expect(storage.counts.read).toBe(before)
  })

  it('take in what comes beside what they hold, whatever else lies there', async () => {
    const { read, put, rows, damaged } = await stored()
    const key = [0, 1, 0, 'x']
    rows()?.set(JSON.stringify(key), { key, value: 'text' })
    await put(seriesAt(1.5, 2.25, 3))
    expect(await read('a', 0, 9)).toEqual([[1, 1.5], [2, 2.25, 2.5], [3], [4]])
    expect([rows()?.size, damaged]).toEqual([5, []])
  })
})

it('rollups for charts have the distributions that are drawn, and those alone', () => {
  const rollup = createRollup(900_000, true)
  const row = addRow(rollup, 0)
  const one = { buckets: [3], counts: [2] }
  for (const id of ['answerTime', 'participation']) rolledValues(rollup, id)?.spread?.splice(row, 1, one)
  const read = chartForm(METRICS).decode(encodeRollup(rollup))
  const spreadOf = (id: string) => read && rolledValues(read, id)?.spread
  expect(spreadOf('answerTime')).toEqual([one])
  expect(spreadOf('participation')).toEqual([{ buckets: [], counts: [] }])
})
