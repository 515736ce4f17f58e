import { describe, expect, it } from 'vitest'
import { createReader, createWriter, guarded, written } from '#history/codec/byte-stream.ts'
import { readMetric, writeMetric } from '#history/codec/metric-codec.ts'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { createRollup } from '#history/rollup.ts'
import { createSeries, type StoredMetric } from '#history/series.ts'

const bytesOf = (metric: StoredMetric) => {
  const writer = createWriter()
  writeMetric(writer, metric)
  return written(writer)
}

describe('what is written of a metric', () => {
  it.each<[StoredMetric, readonly number[]]>([
    [{ id: 'a', kind: 'state' }, [0, 0]],
    [{ id: 'a', kind: 'gauge' }, [1, 0]],
    [{ id: 'a', kind: 'counter' }, [2, 0]],
    [{ id: 'a', kind: 'timestamp' }, [3, 0]],
    [{ id: 'a', kind: 'fingerprint' }, [4, 0]],
    [{ id: 'a', kind: 'gauge', distribution: 'values' }, [1, 1]],
    [{ id: 'a', kind: 'gauge', distribution: 'complement' }, [1, 2]],
    [{ id: 'a', kind: 'gauge', exact: true }, [1, 4]],
    [{ id: 'a', kind: 'gauge', measured: 'latencyMs' }, [1, 8]],
    [{ id: 'a', kind: 'gauge', distribution: 'complement', exact: true, measured: 'latencyMs' }, [1, 14]],
  ])('of %j is its id, its kind and its options, %j, and comes back', (metric, bytes) => {
    expect(Array.from(bytesOf(metric))).toEqual([1, 97, ...bytes])
    expect(readMetric(createReader(bytesOf(metric)))).toStrictEqual(metric)
  })

  it.each([
    ['a kind that is none', 5, 0],
    ['an unknown kind of distribution', 1, 3],
    ['an unknown kind of distribution beside other options', 1, 7],
    ['an option that is none', 1, 16],
  ])('is refused with %s', (_, kind, options) => {
    const reader = createReader(Uint8Array.of(1, 97, kind, options))
    expect(guarded(() => readMetric(reader))).toBeUndefined()
  })

  it('is refused where there is one of the same id before it', () => {
    const metric: StoredMetric = { id: 'a', kind: 'gauge' }
    const other: StoredMetric = { id: 'b', kind: 'gauge' }
    expect(decodeSeries(encodeSeries(createSeries(1, [metric, other])))?.columns.metrics).toHaveLength(2)
    expect(decodeSeries(encodeSeries(createSeries(1, [metric, metric])))).toBeUndefined()
    expect(decodeRollup(encodeRollup(createRollup(10, false, [metric, other])))?.metrics).toHaveLength(2)
    expect(decodeRollup(encodeRollup(createRollup(10, false, [metric, metric])))).toBeUndefined()
  })
})
