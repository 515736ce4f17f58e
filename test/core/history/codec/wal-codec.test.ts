import { describe, expect, it } from 'vitest'
import { beginWalRecord, decodeWalRecord, endWalRecord } from '#history/codec/wal-codec.ts'
import type { Sample } from '#history/history.ts'
import { rowsOf, seriesOf } from '#test/core/history/samples.ts'

describe('a write-ahead record that is begun', () => {
  const rowsNow = () =>
    seriesOf(
      Array.from({ length: 50 }, (_, n): Sample => ({
        node: 'n',
        atMs: 1_000 + n * n,
        latencyMs: n,
        outcome: 'answered',
        status: `S${n}`,
        stake: Math.sqrt(n),
      })),
    )

  it('is of a part of the rows', () => {
    const rows = rowsNow()
    const start = beginWalRecord({ gaps: [], carried: 1, rows, from: 10, to: 40 })
    const nodes = Array.from({ length: 30 }, (_, n) => n % 3)
    const record = decodeWalRecord(endWalRecord(start, nodes))
    expect(record && rowsOf(record.rows)).toEqual(rowsOf(rows).slice(10, 40))
    expect(record && Array.from(record.nodes)).toEqual(nodes)
    expect(record?.carried).toBe(1)
  })

  it('can be ended more than once, with other nodes each time', () => {
    const rows = rowsNow()
    const start = beginWalRecord({ gaps: [], carried: 0, rows, from: 0, to: 3 })
    for (const nodes of [
      [1, 2, 3],
      [2 ** 32 - 1, 7, 7],
      [5, 5, 5],
    ]) {
      const record = decodeWalRecord(endWalRecord(start, nodes))
      expect(record && Array.from(record.nodes)).toEqual(nodes)
      expect(record && rowsOf(record.rows)).toEqual(rowsOf(rows).slice(0, 3))
    }
  })

  it('is refused with a node’s number that is too large, or for fewer rows than there are', () => {
    const rows = rowsNow()
    const start = beginWalRecord({ gaps: [], carried: 0, rows, from: 0, to: 3 })
    expect(decodeWalRecord(endWalRecord(start, [1, 2, 2 ** 32]))).toBeUndefined()
    expect(decodeWalRecord(endWalRecord(start, [1, 2]))).toBeUndefined()
  })

  it.each([
    [2, 2],
    [3, undefined],
  ])('that says %d of its two rows are kept elsewhere is read as saying %s', (carried, read) => {
    const start = beginWalRecord({ gaps: [], carried, rows: rowsNow(), from: 0, to: 2 })
    expect(decodeWalRecord(endWalRecord(start, [1, 2]))?.carried).toBe(read)
  })

  it('is refused with a byte too many', () => {
    const start = beginWalRecord({ gaps: [], carried: 0, rows: rowsNow(), from: 0, to: 2 })
    const bytes = endWalRecord(start, [1, 2])
    expect(decodeWalRecord(bytes)?.carried).toBe(0)
    expect(decodeWalRecord(Uint8Array.of(...bytes, 0))).toBeUndefined()
  })
})
