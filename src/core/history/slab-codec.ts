import {
  createReader,
  createWriter,
  guarded,
  readByte,
  readCount,
  readSigned,
  readVarint,
  refuse,
  writeByte,
  writeSigned,
  writeVarint,
  written,
} from './byte-stream.ts'
import { readRuns, writeRuns } from './step-codec.ts'
import type { Gap } from './history.ts'
import { readSeries, writeSeries } from './series-codec.ts'
import type { Series } from './series.ts'

/**
 * What one flush keeps, of the whole fleet: gaps, then rows in the order in which they came.
 * The first `carried` rows are kept elsewhere too, and only say what held before the others.
 */
export type Slab = {
  readonly gaps: readonly Gap[]
  readonly carried: number
  readonly rows: Series
  /** For each row its node's number in the database. */
  readonly nodes: ArrayLike<number>
}

const REASONS: readonly Gap['reason'][] = ['asleep', 'clock-step', 'closed']

export function encodeSlab({ gaps, carried, rows, nodes }: Slab): Uint8Array<ArrayBuffer> {
  const writer = createWriter(256 + rows.length * 24)
  writeVarint(writer, gaps.length)
  for (const { fromMs, toMs, reason } of gaps) {
    writeSigned(writer, Math.round(fromMs))
    writeSigned(writer, Math.round(toMs))
    writeByte(writer, REASONS.indexOf(reason))
  }
  writeVarint(writer, carried)
  writeSeries(writer, rows, 0, rows.length)
  writeRuns(writer, nodes, 0, rows.length)
  return written(writer)
}

/** Undefined for bytes that no slab was written as. */
export function decodeSlab(bytes: Uint8Array): Slab | undefined {
  return guarded(() => {
    const reader = createReader(bytes)
    const gaps = Array.from({ length: readCount(reader) }, (): Gap => {
      const fromMs = readSigned(reader)
      const toMs = readSigned(reader)
      return { fromMs, toMs, reason: REASONS[readByte(reader)] ?? refuse() }
    })
    const carried = readVarint(reader)
    const rows = readSeries(reader)
    const nodes = new Uint32Array(rows.length)
    readRuns(reader, rows.length, 2 ** 32, nodes)
    return reader.at === bytes.length && carried <= rows.length ? { gaps, carried, rows, nodes } : refuse()
  })
}
