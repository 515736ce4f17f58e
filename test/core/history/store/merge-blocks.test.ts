import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import type { Sample } from '#history/history.ts'
import { rollSeries } from '#history/roll-series.ts'
import { appendSample, createSeries } from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import { mergeBlocks } from '#history/store/merge-blocks.ts'
import {
  placePieces,
  readParts,
  ROLLUP_FORM,
  rollupPieces,
  SERIES_FORM,
  seriesPieces,
} from '#history/store/records.ts'
import { createSegments, numberOf, writeTo } from '#history/store/segments.ts'
import { segmentName, TIERS, type SegmentId, type TierName } from '#history/tiers.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { quickPacker } from './kept-history.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** All that is tried lies in the first segment of each kind. */
const SAMPLES: SegmentId = { kind: 'samples', index: 0 }
const COARSE: SegmentId = { kind: 'coarse', index: 0 }

/** A store in memory; each time at which a node was polled becomes a record of its own part. */
function laid() {
  const storage = createMemoryStorage()
  const segments = createSegments(storage, 'me', () => undefined)
  let damaged = 0
  let yields = 0
  const ports = {
    segments,
    packer: quickPacker,
    onDamaged: () => {
      damaged++
    },
    yieldToEventLoop: async () => {
      yields++
    },
  }
  const seriesAt = (atMs: number) => {
    const series = createSeries()
    const sample: Sample = { node: 'n', atMs, latencyMs: 5, everyMs: 60_000, outcome: 'answered', stake: 32 }
    appendSample(series, sample, 100)
    return series
  }
  const put = (id: SegmentId, node: string, times: readonly number[], tier: TierName = 'samples') =>
    segments.use(id, async (segment) => {
      const changes: Parameters<typeof numberOf>[2] = []
      const number = numberOf(segment, node, changes)
      const placed =
        tier === 'samples'
          ? await placePieces(
              segment,
              SERIES_FORM,
              times.flatMap((atMs) => seriesPieces(number, seriesAt(atMs), 0, 1)),
              quickPacker,
            )
          : await placePieces(
              segment,
              ROLLUP_FORM,
              times.flatMap((atMs) => {
                const window = { fromMs: atMs, toMs: atMs + 60_000 }
                return rollupPieces(
                  tier,
                  number,
                  rollSeries(seriesAt(atMs), window, TIERS[tier].stepMs, true),
                )
              }),
              quickPacker,
            )
      if (!placed.ok) return placed
      const bytes = segment.meta.bytes + placed.value.bytes
      return writeTo(segment, [...changes, ...placed.value.changes], { ...segment.meta, bytes })
    })
  const rows = (id: SegmentId) => storage.databases.get(segmentName(id))?.get('rows') ?? new Map()
  return {
    storage,
    put,
    rows,
    damaged: () => damaged,
    yields: () => yields,
    merge: (id: SegmentId, completeMs: number) => mergeBlocks(ports, id, completeMs),
    /** Records by node, and from which hour to which they are. */
    keys: (id: SegmentId) =>
      Array.from(rows(id).values(), ({ key: [, node, fromMs, toMs] }): readonly number[] => [
        node,
        fromMs / HOUR_MS,
        toMs / HOUR_MS,
      ]).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0)),
    /** What the segment says that its records take, and what they do. */
    bytes: async (id: SegmentId) => {
      const said = await segments.use(id, async ({ meta }) => ok(meta.bytes))
      const lengths = Array.from(rows(id).values(), ({ value }): number => value.length)
      return [said.ok && said.value, lengths.reduce((sum, length) => sum + length, 0)]
    },
    timesOf: async (node: string) => {
      const parts = await readParts(ports, SERIES_FORM, 'samples', node, 0, 7 * DAY_MS)
      return parts.ok
        ? parts.value.map(({ columns, length }) =>
            Array.from(columns.atMs.subarray(0, length), (atMs) => atMs / HOUR_MS),
          )
        : parts.error
    },
  }
}
const hours = (...all: readonly number[]) => all.map((hour) => hour * HOUR_MS)

describe('the records of a block', () => {
  it('become one where its days are over, for each node and block', async () => {
    const store = laid()
    await store.put(SAMPLES, 'a', hours(1, 2, 30, 31))
    await store.put(SAMPLES, 'b', hours(0, 23))
    expect(await store.merge(SAMPLES, 2 * DAY_MS)).toEqual(ok(3))
    expect(store.keys(SAMPLES)).toEqual([
      [1, 0, 3],
      [1, 24, 32],
      [2, 0, 24],
    ])
    expect(await store.timesOf('a')).toEqual([
      [1, 2],
      [30, 31],
    ])
    expect(await store.timesOf('b')).toEqual([[0, 23]])
    const [said, are] = await store.bytes(SAMPLES)
    expect(said).toBe(are)
    // A record of a format that says that it is packed.
    expect(Array.from(store.rows(SAMPLES).values(), ({ value }) => value[0])).toEqual([2, 2, 2])
    // After each node others have their turn.
    expect(store.yields()).toBe(2)
  })

  it('stay as they are before that, and where there is one alone', async () => {
    const store = laid()
    await store.put(SAMPLES, 'a', hours(1, 30, 31))
    const before = store.storage.counts.write
    expect(await store.merge(SAMPLES, 32 * HOUR_MS - 1)).toEqual(ok(0))
    expect(store.storage.counts.write).toBe(before)
    expect(await store.merge(SAMPLES, 32 * HOUR_MS)).toEqual(ok(1))
    expect(store.keys(SAMPLES)).toEqual([
      [1, 1, 2],
      [1, 24, 32],
    ])
    expect(await store.merge(SAMPLES, 32 * HOUR_MS)).toEqual(ok(0))
  })

  it('are packed, and those of a part are not', async () => {
    const store = laid()
    const formats = () => Array.from(store.rows(SAMPLES).values(), ({ value }) => value[0])
    await store.put(SAMPLES, 'a', hours(1, 3))
    expect(formats()).toEqual([1, 1])
    await store.merge(SAMPLES, DAY_MS)
    // What comes late lies in its time.
    await store.put(SAMPLES, 'a', hours(2))
    expect([store.keys(SAMPLES), formats()]).toEqual([[[1, 0, 4]], [2]])
    expect(await store.timesOf('a')).toEqual([[1, 2, 3]])
  })

  it('take in what comes late', async () => {
    const store = laid()
    await store.put(SAMPLES, 'a', hours(1, 5))
    await store.merge(SAMPLES, DAY_MS)
    await store.put(SAMPLES, 'a', hours(9))
    expect(await store.merge(SAMPLES, DAY_MS)).toEqual(ok(1))
    expect(store.keys(SAMPLES)).toEqual([[1, 0, 10]])
    expect(await store.timesOf('a')).toEqual([[1, 5, 9]])
  })

  it('are of a week for quarters and of four for hours', async () => {
    const store = laid()
    for (const tier of ['quarter', 'hour'] as const) await store.put(COARSE, 'a', hours(0, 24, 200), tier)
    expect(await store.merge(COARSE, 28 * DAY_MS)).toEqual(ok(2))
    const places = Array.from(store.rows(COARSE).values(), ({ key: [place, , fromMs, toMs] }) => [
      place,
      fromMs / HOUR_MS,
      toMs / HOUR_MS,
    ])
    expect(places.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])).toEqual([
      [TIERS.quarter.place, 0, 48],
      [TIERS.quarter.place, 192, 216],
      [TIERS.hour.place, 0, 216],
    ])
    const [said, are] = await store.bytes(COARSE)
    expect(said).toBe(are)
  })

  it('are those that can be read; the others are counted, and go', async () => {
    const store = laid()
    await store.put(SAMPLES, 'a', hours(1, 2, 3))
    await store.put(SAMPLES, 'b', hours(1, 2))
    const rows = store.rows(SAMPLES)
    for (const [name, { key, value }] of rows)
      if (key[1] === 2 || key[2] === HOUR_MS) rows.set(name, { key, value: value.with(9, value[9] ^ 1) })
    expect(await store.merge(SAMPLES, DAY_MS)).toEqual(ok(2))
    expect(store.damaged()).toBe(3)
    expect(store.keys(SAMPLES)).toEqual([[1, 0, 4]])
    expect(await store.timesOf('a')).toEqual([[2, 3]])
    const [said, are] = await store.bytes(SAMPLES)
    expect(said).toBe(are)
  })

  it('are bytes; what is none goes, and a row whose key is none is left alone', async () => {
    const store = laid()
    await store.put(SAMPLES, 'a', hours(1, 2, 3))
    const rows = store.rows(SAMPLES)
    for (const [name, { key }] of rows) if (key[2] === HOUR_MS) rows.set(name, { key, value: 'text' })
    const odd = [TIERS.samples.place, 1, 'x', 7]
    rows.set(JSON.stringify(odd), { key: odd, value: new Uint8Array(3) })
    const bytesIn = () =>
      Array.from(rows.values()).reduce(
        (sum, { value }) => sum + (value instanceof Uint8Array ? value.length : 0),
        0,
      )
    const [said] = await store.bytes(SAMPLES)
    const before = bytesIn()
    expect(await store.merge(SAMPLES, DAY_MS)).toEqual(ok(1))
    expect([store.damaged(), rows.has(JSON.stringify(odd)), rows.size]).toEqual([1, true, 2])
    expect(await store.timesOf('a')).toEqual([[2, 3]])
    // What is no bytes takes none.
    expect((await store.bytes(SAMPLES))[0]).toBe(Number(said) - before + bytesIn())
  })

  it.each([
    ['opened', 'open'],
    ['read', 'read'],
    ['written', 'write'],
  ] as const)('stay where the store can’t be %s, which is said', async (_, operation) => {
    const store = laid()
    await store.put(SAMPLES, 'a', hours(1, 2))
    const failing = (of: string): StorageFailure | undefined => (of === operation ? 'full' : undefined)
    store.storage.fault = failing
    const id = operation === 'open' ? COARSE : SAMPLES
    expect(await store.merge(id, DAY_MS)).toEqual({ ok: false, error: 'full' })
    store.storage.fault = () => undefined
    expect(await store.timesOf('a')).toEqual([[1], [2]])
  })

  it('stay where the second look at the store fails', async () => {
    const store = laid()
    await store.put(SAMPLES, 'a', hours(1, 2))
    let reads = 0
    store.storage.fault = (operation) => (operation === 'read' && ++reads === 2 ? 'full' : undefined)
    expect(await store.merge(SAMPLES, DAY_MS)).toEqual({ ok: false, error: 'full' })
    expect(await store.timesOf('a')).toEqual([[1], [2]])
  })
})
