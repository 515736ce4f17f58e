import {
  createReader,
  createWriter,
  guarded,
  readByte,
  readCount,
  readText,
  readVarint,
  refuse,
  writeByte,
  writeText,
  writeVarint,
  written,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'
import { readNumbers, readRowCount, writeNumbers } from './column-codec.ts'
import { readMetric, writeMetric } from './metric-codec.ts'
import { COUNTS, createRollup, type RolledMetric, type Rollup, type TimeBy } from '#history/rollup.ts'
import { readSpread, writeSpread } from './spread-codec.ts'
import { readTimes, writeTimes } from './step-codec.ts'
import { readValues, writeValues } from './value-codec.ts'

/** Every record begins with the number of its layout; what follows names its metrics. */
const LAYOUT = 2

/** A roll-up as bytes, column by column. Nothing is rounded. */
export function encodeRollup(rollup: Rollup): Uint8Array<ArrayBuffer> {
  const writer = createWriter(64 + rollup.startMs.length * 32)
  const { startMs, stepMs, metrics } = rollup
  const rows = startMs.length
  writeByte(writer, LAYOUT)
  writeVarint(writer, stepMs)
  writeVarint(writer, rows)
  writeByte(writer, rollup.withSpread ? 1 : 0)
  writeVarint(writer, metrics.length)
  for (const { metric } of metrics) writeMetric(writer, metric)
  writeTimes(writer, inSteps(startMs, stepMs), 0, rows)
  writeNumbers(writer, rollup.firstPollMs, 0, rows)
  writeNumbers(writer, rollup.lastPollMs, 0, rows)
  writeKeyed(writer, rollup.polls, writeVarint)
  writeKeyed(writer, rollup.outcomeMs, writeVarint)
  for (const rolled of metrics) writeRolled(writer, rollup, rolled)
  return written(writer)
}

function writeRolled(writer: ByteWriter, rollup: Rollup, rolled: RolledMetric): void {
  const rows = rollup.startMs.length
  switch (rolled.kind) {
    case 'gauge':
    case 'timestamp':
      writeValues(writer, rollup, rolled)
      if (rolled.spread !== undefined) writeSpread(writer, rolled.spread)
      break
    case 'counter':
      for (const what of COUNTS) writeNumbers(writer, rolled[what], 0, rows)
      break
    case 'state':
      writeKeyed(writer, rolled.heldMs, writeText)
      break
    case 'fingerprint':
      writeNumbers(writer, rolled.changes, 0, rows)
  }
}

/**
 * Undefined for bytes that no roll-up was written as. `wanted`: the metrics whose distributions are wanted, all where
 * absent; the others are the greater part of the bytes, and come empty.
 */
export function decodeRollup(bytes: Uint8Array, wanted?: readonly string[]): Rollup | undefined {
  return guarded(() => {
    const reader = createReader(bytes)
    const rollup = readRollup(reader, wanted)
    return reader.at === bytes.length ? rollup : refuse()
  })
}

function readRollup(reader: ByteReader, wanted: readonly string[] | undefined): Rollup {
  if (readByte(reader) !== LAYOUT) refuse()
  const stepMs = readVarint(reader)
  const rows = readRowCount(reader)
  const withSpread = readByte(reader)
  if (withSpread > 1) refuse()
  const metrics = Array.from({ length: readCount(reader) }, () => readMetric(reader))
  if (new Set(metrics.map(({ id }) => id)).size < metrics.length) refuse()
  const rollup = createRollup(stepMs, withSpread === 1, metrics)
  readTimes(reader, rows, rollup.startMs)
  for (let row = 0; row < rows; row++) rollup.startMs[row] = (rollup.startMs[row] ?? 0) * stepMs
  readNumbers(reader, rows, rollup.firstPollMs)
  readNumbers(reader, rows, rollup.lastPollMs)
  readKeyed(reader, rows, rollup.polls, readVarint)
  readKeyed(reader, rows, rollup.outcomeMs, readVarint)
  return { ...rollup, metrics: rollup.metrics.map((rolled) => readRolled(reader, rollup, rolled, wanted)) }
}

function readRolled(
  reader: ByteReader,
  rollup: Rollup,
  rolled: RolledMetric,
  wanted: readonly string[] | undefined,
): RolledMetric {
  const rows = rollup.startMs.length
  switch (rolled.kind) {
    case 'gauge':
    case 'timestamp': {
      readValues(reader, rollup, rolled)
      const isWanted = wanted === undefined || wanted.includes(rolled.metric.id)
      return rolled.spread === undefined ? rolled : { ...rolled, spread: readSpread(reader, rows, isWanted) }
    }
    case 'counter':
      for (const what of COUNTS) readNumbers(reader, rows, rolled[what])
      return rolled
    case 'state':
      readKeyed(reader, rows, rolled.heldMs, readText)
      return rolled
    case 'fingerprint':
      readNumbers(reader, rows, rolled.changes)
      return rolled
  }
}

function writeKeyed<K>(
  writer: ByteWriter,
  by: TimeBy<K>,
  writeKey: (writer: ByteWriter, key: K) => void,
): void {
  writeVarint(writer, by.size)
  for (const [key, column] of by) {
    writeKey(writer, key)
    writeNumbers(writer, column, 0, column.length)
  }
}

function readKeyed<K>(
  reader: ByteReader,
  rows: number,
  by: TimeBy<K>,
  readKey: (reader: ByteReader) => K,
): void {
  const size = readCount(reader)
  for (let place = 0; place < size; place++) {
    const key = readKey(reader)
    const column: number[] = []
    readNumbers(reader, rows, column)
    if (by.has(key)) refuse()
    by.set(key, column)
  }
}

const inSteps = (startMs: readonly number[], stepMs: number): readonly number[] =>
  startMs.map((start) => start / stepMs)
