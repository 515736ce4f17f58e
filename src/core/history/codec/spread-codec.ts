import {
  readCount,
  readVarint,
  refuse,
  skipVarints,
  writeVarint,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'
import { BUCKETS, EMPTY_HISTOGRAM, type Histogram } from '#history/histogram.ts'

/** All sizes, then all buckets, then all counts: like stands beside like. */
export function writeSpread(writer: ByteWriter, histograms: readonly Histogram[]): void {
  for (const { buckets } of histograms) writeVarint(writer, buckets.length)
  for (const { buckets } of histograms) {
    let last = 0
    for (const bucket of buckets) {
      writeVarint(writer, bucket - last)
      last = bucket
    }
  }
  for (const { counts } of histograms) for (const count of counts) writeVarint(writer, count)
}

/** Where it is not wanted, all of them empty. */
export function readSpread(reader: ByteReader, rows: number, isWanted: boolean): Histogram[] {
  const sizes = new Uint32Array(rows)
  let all = 0
  for (let row = 0; row < rows; row++) {
    const size = readCount(reader)
    sizes[row] = size
    all += size
  }
  if (!isWanted) {
    skipVarints(reader, all * 2)
    return Array.from(sizes, () => EMPTY_HISTOGRAM)
  }
  const buckets: number[] = []
  for (const size of sizes) {
    let last = 0
    for (let place = 0; place < size; place++) buckets.push((last += readVarint(reader)))
    if (last >= BUCKETS) refuse()
  }
  const counts: number[] = []
  for (let place = 0; place < all; place++) counts.push(readVarint(reader))
  let end = 0
  // Cut out of one list: lists that grow one by one are most of the work.
  return Array.from(sizes, (size): Histogram => {
    const start = end
    end += size
    return size === 0
      ? EMPTY_HISTOGRAM
      : { buckets: buckets.slice(start, end), counts: counts.slice(start, end) }
  })
}
