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
  type ByteWriter,
} from './byte-stream.ts'
import { readRuns, writeRuns } from './step-codec.ts'
import type { Gap } from '#history/history.ts'
import { readSeries, writeSeries } from './series-codec.ts'
import type { Series } from '#history/series.ts'

/**
 * What one flush keeps, of the whole fleet: gaps, then rows in the order in which they came.
 * The first `carried` rows are kept elsewhere too, and only say what held before the others.
 */
export type WalRecord = {
  readonly gaps: readonly Gap[]
  readonly carried: number
  readonly rows: Series
  /** For each row its node's number in the database. */
  readonly nodes: ArrayLike<number>
}

const REASONS: readonly Gap['reason'][] = ['asleep', 'clock-step', 'closed']

/** A write-ahead record as bytes, but for whose its rows are. */
export type WalStart = { readonly writer: ByteWriter; readonly at: number }

export const encodeWalRecord = ({ nodes, ...rest }: WalRecord): Uint8Array<ArrayBuffer> =>
  endWalRecord(beginWalRecord({ ...rest, from: 0, to: rest.rows.length }), nodes)

/** Of `rows` those in `[from, to)`. */
export function beginWalRecord({
  gaps,
  carried,
  rows,
  from,
  to,
}: Omit<WalRecord, 'nodes'> & { readonly from: number; readonly to: number }): WalStart {
  const writer = createWriter(256 + (to - from) * 12)
  writeVarint(writer, gaps.length)
  for (const { fromMs, toMs, reason } of gaps) {
    writeSigned(writer, Math.round(fromMs))
    writeSigned(writer, Math.round(toMs))
    writeByte(writer, REASONS.indexOf(reason))
  }
  writeVarint(writer, carried)
  writeSeries(writer, rows, from, to)
  return { writer, at: writer.at }
}

/** The same start can be ended more than once; what came of it before is written over then. */
export function endWalRecord({ writer, at }: WalStart, nodes: WalRecord['nodes']): Uint8Array<ArrayBuffer> {
  writer.at = at
  writeRuns(writer, nodes, 0, nodes.length)
  return writer.bytes.subarray(0, writer.at)
}

/** Undefined for bytes that no write-ahead record was written as. */
export function decodeWalRecord(bytes: Uint8Array): WalRecord | undefined {
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
