import {
  createReader,
  createWriter,
  guarded,
  readByte,
  readCount,
  readText,
  readVarint,
  refuse,
  skipVarints,
  writeByte,
  writeText,
  writeVarint,
  written,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'
import { readNumbers, ROWS_MAX, writeNumbers } from './column-codec.ts'
import { BUCKETS, EMPTY_HISTOGRAM, type Histogram } from './histogram.ts'
import {
  createRollup,
  SPREAD_VALUES,
  VALUES,
  type Rollup,
  type SpreadName,
  type TimeBy,
  type ValueColumns,
} from './rollup.ts'
import { readTimes, writeTimes } from './step-codec.ts'

/** A roll-up as bytes, column by column. Nothing is rounded. */
export function encodeRollup(rollup: Rollup): Uint8Array<ArrayBuffer> {
  const writer = createWriter(64 + rollup.startMs.length * 32)
  const { startMs, spread } = rollup
  const rows = startMs.length
  writeVarint(writer, rollup.stepMs)
  writeVarint(writer, rows)
  writeTimes(writer, inSteps(startMs, rollup.stepMs), 0, rows)
  for (const name of VALUES) writeValues(writer, rollup.values[name])
  writeKeyed(writer, rollup.polls, writeVarint)
  writeNumbers(writer, rollup.firstPollMs, 0, rows)
  writeNumbers(writer, rollup.lastPollMs, 0, rows)
  writeKeyed(writer, rollup.outcomeMs, writeVarint)
  writeKeyed(writer, rollup.statusMs, writeText)
  for (const column of [rollup.threatIncrease, rollup.restarts, rollup.proofChanges])
    writeNumbers(writer, column, 0, rows)
  writeByte(writer, spread === undefined ? 0 : 1)
  if (spread !== undefined) for (const name of SPREAD_VALUES) writeSpread(writer, spread[name])
  return written(writer)
}

/**
 * Undefined for bytes that no roll-up was written as. `spreads`: the distributions that are wanted; the others
 * are the greater part of the bytes, and come empty.
 */
export function decodeRollup(
  bytes: Uint8Array,
  spreads: readonly SpreadName[] = SPREAD_VALUES,
): Rollup | undefined {
  return decodeAs(bytes, true, spreads) ?? decodeAs(bytes, false, spreads)
}

const decodeAs = (
  bytes: Uint8Array,
  hasPollTimes: boolean,
  spreads: readonly SpreadName[],
): Rollup | undefined =>
  guarded(() => {
    const reader = createReader(bytes)
    const rollup = readRollup(reader, hasPollTimes, spreads)
    return reader.at === bytes.length ? rollup : refuse()
  })

/** `hasPollTimes`: false for what the first build wrote, which did not tell when in a step it asked. */
function readRollup(reader: ByteReader, hasPollTimes: boolean, spreads: readonly SpreadName[]): Rollup {
  const stepMs = readVarint(reader)
  const rows = readVarint(reader)
  if (rows > ROWS_MAX) refuse()
  const empty = createRollup(stepMs, false)
  readTimes(reader, rows, empty.startMs)
  for (let row = 0; row < rows; row++) empty.startMs[row] = (empty.startMs[row] ?? 0) * stepMs
  for (const name of VALUES) readValues(reader, rows, empty.values[name])
  readKeyed(reader, rows, empty.polls, readVarint)
  if (hasPollTimes) {
    readNumbers(reader, rows, empty.firstPollMs)
    readNumbers(reader, rows, empty.lastPollMs)
  } else guessPollTimes(empty, rows)
  readKeyed(reader, rows, empty.outcomeMs, readVarint)
  readKeyed(reader, rows, empty.statusMs, readText)
  for (const column of [empty.threatIncrease, empty.restarts, empty.proofChanges])
    readNumbers(reader, rows, column)
  const hasSpread = readByte(reader)
  if (hasSpread > 1) refuse()
  if (hasSpread === 0) return empty
  const [heartbeatAgeMs, participation, latencyMs] = SPREAD_VALUES.map((name) =>
    readSpread(reader, rows, spreads.includes(name)),
  )
  if (heartbeatAgeMs === undefined || participation === undefined || latencyMs === undefined) refuse()
  return { ...empty, spread: { heartbeatAgeMs, participation, latencyMs } }
}

/** Somewhere in the step: one poll in its middle, more over all of it. */
function guessPollTimes({ stepMs, polls, firstPollMs, lastPollMs }: Rollup, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const count = Array.from(polls.values()).reduce((sum, column) => sum + (column[row] ?? 0), 0)
    const margin = count === 1 ? stepMs / 2 : 0
    firstPollMs.push(count === 0 ? Number.NaN : margin)
    lastPollMs.push(count === 0 ? Number.NaN : count === 1 ? margin : stepMs - 1)
  }
}

const inSteps = (startMs: readonly number[], stepMs: number): readonly number[] =>
  startMs.map((start) => start / stepMs)

/** Each value is near another of its row, so that only what differs takes room. */
function writeValues(writer: ByteWriter, { count, first, last, min, max, sum }: ValueColumns): void {
  const rows = count.length
  writeNumbers(writer, count, 0, rows)
  writeNumbers(writer, first, 0, rows)
  writeNumbers(writer, last, 0, rows, first)
  writeNumbers(writer, min, 0, rows, first)
  writeNumbers(writer, max, 0, rows, first)
  writeNumbers(writer, sum, 0, rows, expectedSum(count, first))
}

function readValues(
  reader: ByteReader,
  rows: number,
  { count, first, last, min, max, sum }: ValueColumns,
): void {
  readNumbers(reader, rows, count)
  readNumbers(reader, rows, first)
  readNumbers(reader, rows, last, first)
  readNumbers(reader, rows, min, first)
  readNumbers(reader, rows, max, first)
  readNumbers(reader, rows, sum, expectedSum(count, first))
}

const expectedSum = (count: readonly number[], first: readonly number[]): readonly number[] =>
  count.map((many, row) => (many === 0 ? 0 : many * (first[row] ?? 0)))

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

/** All sizes, then all buckets, then all counts: like stands beside like. */
function writeSpread(writer: ByteWriter, histograms: readonly Histogram[]): void {
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

function readSpread(reader: ByteReader, rows: number, isWanted: boolean): Histogram[] {
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
