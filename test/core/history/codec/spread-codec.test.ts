import { describe, expect, it } from 'vitest'
import { createReader, createWriter, guarded, written } from '#history/codec/byte-stream.ts'
import { readSpread, writeSpread } from '#history/codec/spread-codec.ts'
import { BUCKETS, EMPTY_HISTOGRAM, type Histogram } from '#history/histogram.ts'

const bytesOf = (histograms: readonly Histogram[]): Uint8Array => {
  const writer = createWriter()
  writeSpread(writer, histograms)
  return written(writer)
}

describe('distributions', () => {
  const histograms = [{ buckets: [3, 500], counts: [300, 1] }, EMPTY_HISTOGRAM, { buckets: [4], counts: [2] }]

  it.each([
    ['come back where they are wanted', true, histograms],
    ['are empty where they are not', false, histograms.map(() => EMPTY_HISTOGRAM)],
  ])('%s, and are passed over', (_, isWanted, read) => {
    const reader = createReader(bytesOf(histograms))
    expect(readSpread(reader, 3, isWanted)).toEqual(read)
    expect(reader.at).toBe(reader.bytes.length)
  })

  it('hold no bucket behind the last one', () => {
    const read = (bucket: number) =>
      guarded(() => readSpread(createReader(bytesOf([{ buckets: [1, bucket], counts: [1, 1] }])), 1, true))
    expect(read(BUCKETS - 1)).toEqual([{ buckets: [1, BUCKETS - 1], counts: [1, 1] }])
    expect(read(BUCKETS)).toBeUndefined()
  })
})
