import { describe, expect, it } from 'vitest'
import type { SegmentSize } from '#history/store/database.ts'
import { removals } from '#history/store/retention.ts'
import { segmentAt, segmentFromMs, segmentToMs, type SegmentKind } from '#history/tiers.ts'

const DAY_MS = 86_400_000

it.each([
  ['samples', 7 * DAY_MS],
  ['minute', 28 * DAY_MS],
  ['coarse', 28 * DAY_MS],
] as const)('a segment of %s starts where the one before ends', (kind, spanMs) => {
  expect(segmentAt(kind, 3 * spanMs - 1)).toEqual({ kind, index: 2 })
  expect(segmentAt(kind, 3 * spanMs)).toEqual({ kind, index: 3 })
  expect(segmentAt(kind, -1)).toEqual({ kind, index: -1 })
  expect(segmentFromMs({ kind, index: 3 })).toBe(3 * spanMs)
  expect(segmentToMs({ kind, index: 3 })).toBe(4 * spanMs)
})

describe('retention', () => {
  const size = (kind: SegmentKind, index: number, bytes = 10): SegmentSize => ({
    id: { kind, index },
    bytes,
    firstMs: 0,
  })
  const settings = { samplesDays: 14, rollupsDays: 56, budgetBytes: 1e9 }
  const going = (sizes: readonly SegmentSize[], budgetBytes: number, nowMs: number) =>
    removals(sizes, settings, budgetBytes, nowMs).map(({ id, reason }) => `${id.kind} ${id.index} ${reason}`)

  it('removes a segment of samples as soon as its last moment is too old', () => {
    const sizes = [size('samples', 0), size('samples', 1)]
    expect(going(sizes, 1e9, 21 * DAY_MS - 1)).toEqual([])
    expect(going(sizes, 1e9, 21 * DAY_MS)).toEqual(['samples 0 age'])
  })

  it('removes a segment of rollups by their own age limit', () => {
    const sizes = [size('minute', 0), size('coarse', 0), size('samples', 11)]
    expect(going(sizes, 1e9, 84 * DAY_MS - 1)).toEqual([])
    expect(going(sizes, 1e9, 84 * DAY_MS)).toEqual(['minute 0 age', 'coarse 0 age'])
  })

  it('removes the oldest segments until the rest fits; of equal ages samples first, then minutes', () => {
    const nowMs = 30 * DAY_MS
    const sizes = [
      size('coarse', 0),
      size('minute', 0),
      size('samples', 3),
      size('samples', 4),
      size('coarse', 1),
    ]
    expect(going(sizes, 50, nowMs)).toEqual([])
    expect(going(sizes, 49, nowMs)).toEqual(['samples 3 budget'])
    expect(going(sizes, 40, nowMs)).toEqual(['samples 3 budget'])
    expect(going(sizes, 39, nowMs)).toEqual(['samples 3 budget', 'minute 0 budget'])
    expect(going(sizes, 25, nowMs)).toEqual(['samples 3 budget', 'minute 0 budget', 'coarse 0 budget'])
  })

  it('keeps the segment being written, but removes a future one that a wrong clock wrote', () => {
    const nowMs = 30 * DAY_MS
    expect(going([size('samples', 4), size('coarse', 1), size('samples', 900)], 0, nowMs)).toEqual([
      'samples 900 budget',
    ])
    // A segment is being written from its first moment to its last.
    expect(going([size('samples', 3)], 0, 21 * DAY_MS)).toEqual([])
    expect(going([size('samples', 3)], 0, 28 * DAY_MS - 1)).toEqual([])
    expect(going([size('samples', 3)], 0, 28 * DAY_MS)).toEqual(['samples 3 budget'])
    expect(going([size('samples', 3)], 0, 21 * DAY_MS - 1)).toEqual(['samples 3 budget'])
  })

  it('removes by age first, and counts what that frees towards the budget', () => {
    const sizes = [size('samples', 0, 100), size('samples', 3, 10), size('samples', 4, 10)]
    expect(going(sizes, 20, 30 * DAY_MS)).toEqual(['samples 0 age'])
    expect(going(sizes, 19, 30 * DAY_MS)).toEqual(['samples 0 age', 'samples 3 budget'])
  })
})
