import type { MetricKind } from '#metrics/metric.ts'
import type { StoredMetric } from '#history/series.ts'
import {
  readByte,
  readText,
  refuse,
  writeByte,
  writeText,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'

/** What is written of a metric before its columns, so that also a build that does not know it keeps them. */
const KINDS: readonly MetricKind[] = ['state', 'gauge', 'counter', 'timestamp', 'fingerprint']
const DISTRIBUTIONS: readonly StoredMetric['distribution'][] = [undefined, 'values', 'complement']
const EXACT = 4
const MEASURED = 8

export function writeMetric(
  writer: ByteWriter,
  { id, kind, exact, distribution, measured }: StoredMetric,
): void {
  writeText(writer, id)
  writeByte(writer, KINDS.indexOf(kind))
  writeByte(
    writer,
    DISTRIBUTIONS.indexOf(distribution) +
      (exact === true ? EXACT : 0) +
      (measured === undefined ? 0 : MEASURED),
  )
}

export function readMetric(reader: ByteReader): StoredMetric {
  const id = readText(reader)
  const kind = KINDS[readByte(reader)] ?? refuse()
  const options = readByte(reader)
  if (options >= 2 * MEASURED) refuse()
  const distribution = options % EXACT === EXACT - 1 ? refuse() : DISTRIBUTIONS[options % EXACT]
  return {
    id,
    kind,
    ...(distribution !== undefined && { distribution }),
    ...((options & EXACT) !== 0 && { exact: true }),
    ...((options & MEASURED) !== 0 && { measured: 'latencyMs' }),
  }
}
