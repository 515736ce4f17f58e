import {
  createReader,
  createWriter,
  guarded,
  readByte,
  readText,
  readVarint,
  refuse,
  writeByte,
  writeText,
  writeVarint,
  written,
  type ByteReader,
} from './byte-stream.ts'
import { readNumbers, ROWS_MAX, writeNumbers } from './column-codec.ts'
import { readKeyed, writeKeyed } from './keyed-codec.ts'
import { createRollup, SPREAD_VALUES, VALUES, type Rollup, type SpreadName } from '#history/rollup.ts'
import { readSpreads, writeSpread } from './spread-codec.ts'
import { readTimes, writeTimes } from './step-codec.ts'
import { readValues, writeValues } from './value-codec.ts'

/** Every record begins with the number of its layout. */
const LAYOUT = 1

/** A roll-up as bytes, column by column. Nothing is rounded. */
export function encodeRollup(rollup: Rollup): Uint8Array<ArrayBuffer> {
  const writer = createWriter(64 + rollup.startMs.length * 32)
  const { startMs, stepMs, spread } = rollup
  const rows = startMs.length
  writeByte(writer, LAYOUT)
  writeVarint(writer, stepMs)
  writeVarint(writer, rows)
  writeTimes(writer, inSteps(startMs, stepMs), 0, rows)
  writeNumbers(writer, rollup.firstPollMs, 0, rows)
  writeNumbers(writer, rollup.lastPollMs, 0, rows)
  writeKeyed(writer, rollup.polls, writeVarint)
  for (const name of VALUES) writeValues(writer, rollup, name)
  writeKeyed(writer, rollup.outcomeMs, writeVarint)
  writeKeyed(writer, rollup.statusMs, writeText)
  for (const name of COUNTS) writeNumbers(writer, rollup[name], 0, rows)
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
  return guarded(() => {
    const reader = createReader(bytes)
    const rollup = readRollup(reader, spreads)
    return reader.at === bytes.length ? rollup : refuse()
  })
}

function readRollup(reader: ByteReader, spreads: readonly SpreadName[]): Rollup {
  if (readByte(reader) !== LAYOUT) refuse()
  const stepMs = readVarint(reader)
  const rows = readVarint(reader)
  if (rows > ROWS_MAX) refuse()
  const rollup = createRollup(stepMs, false)
  readTimes(reader, rows, rollup.startMs)
  for (let row = 0; row < rows; row++) rollup.startMs[row] = (rollup.startMs[row] ?? 0) * stepMs
  readNumbers(reader, rows, rollup.firstPollMs)
  readNumbers(reader, rows, rollup.lastPollMs)
  readKeyed(reader, rows, rollup.polls, readVarint)
  for (const name of VALUES) readValues(reader, rollup, name)
  readKeyed(reader, rows, rollup.outcomeMs, readVarint)
  readKeyed(reader, rows, rollup.statusMs, readText)
  for (const name of COUNTS) readNumbers(reader, rows, rollup[name])
  const hasSpread = readByte(reader)
  if (hasSpread > 1) refuse()
  return hasSpread === 0 ? rollup : { ...rollup, spread: readSpreads(reader, rows, spreads) }
}

const COUNTS = ['threatIncrease', 'restarts', 'proofChanges'] as const

const inSteps = (startMs: readonly number[], stepMs: number): readonly number[] =>
  startMs.map((start) => start / stepMs)
