import {
  countValues,
  readByte,
  readDouble,
  readVarint,
  refuse,
  reserve,
  writeByte,
  writeDouble,
  writeVarint,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'
import { DIGITS_MAX, isWholeAt, putWholes, readWholes, SCALES } from './whole-codec.ts'

/** Rows that one record may hold: more is no record of ours. A node asked every second has 86,400 a day. */
export const ROWS_MAX = 2_000_000

/** How many rows a record says that it has. */
export function readRowCount(reader: ByteReader): number {
  const rows = readVarint(reader)
  return rows <= ROWS_MAX ? rows : refuse()
}

/** How a column of numbers is written. */
const NOTHING = 0
const DOUBLES = 1
const DOUBLE_RUNS = 2
/** Whole numbers that differ by multiples of 1,000, as whole seconds do in ms. */
const THOUSANDS = 3
/** Decimals with so many digits after the point are written as whole numbers: 4 + digits. */
const WHOLE = 4

/** `near`: what is expected, place by place; else the number before is. `thousands`: try whether they differ by such. */
export type Expected = { readonly near?: ArrayLike<number>; readonly thousands?: boolean }

/**
 * Numbers, exactly as they are (-0 as 0); NaN where there is none. Decimals with few digits are written
 * as whole numbers, each as its difference from what is expected. What has more digits is written as it
 * lies in memory.
 */
export function writeNumbers(
  writer: ByteWriter,
  given: ArrayLike<number>,
  start: number,
  end: number,
  { near, thousands = false }: Expected = {},
): void {
  const values = doubles(given)
  const presence = presenceOf(values, start, end)
  if (presence[0] === 0 && presence.length < 3) return writeByte(writer, NOTHING)
  const begin = writer.at
  const expected = near && doubles(near)
  const writeAs = (mode: number): void => {
    writer.at = begin
    writeByte(writer, mode)
    writeVarint(writer, presence.length)
    for (const run of presence) writeVarint(writer, run)
  }
  /** Place of the first that is not whole so. */
  const tryWhole = (mode: number, scale: number, grain: number): number => {
    writeAs(mode)
    reserve(writer, end - start)
    const put = putWholes(writer.bytes, writer.at, values, start, end, { scale, grain, near: expected })
    writer.at = put.at
    return put.place
  }
  if (thousands && tryWhole(THOUSANDS, 1, 1_000) === end) return
  for (let digits = 0; digits <= DIGITS_MAX;) {
    const stopped = tryWhole(WHOLE + digits, SCALES[digits] ?? 1, 1)
    if (stopped === end) return
    const value = values[stopped] ?? 0
    do digits++
    while (digits <= DIGITS_MAX && !isWholeAt(value, SCALES[digits] ?? 1))
  }
  if (isInRuns(values, start, end)) {
    writeAs(DOUBLE_RUNS)
    writeDoubleRuns(writer, values, start, end)
  } else {
    writeAs(DOUBLES)
    eachPresent(values, start, end, (value) => writeDouble(writer, value))
  }
}

/** Of one kind inside, whatever is given: code that meets many kinds of lists is many times slower. */
const doubles = (values: ArrayLike<number>): Float64Array =>
  values instanceof Float64Array ? values : new Float64Array(values)

export function readNumbers(
  reader: ByteReader,
  count: number,
  values: { [place: number]: number },
  { near }: Expected = {},
): void {
  countValues(reader, count)
  const mode = readByte(reader)
  if (mode === NOTHING) {
    for (let place = 0; place < count; place++) values[place] = Number.NaN
    return
  }
  readPresence(reader, count, values)
  const expected = near && doubles(near)
  if (mode === DOUBLES) fillPresent(count, values, () => readDouble(reader))
  else if (mode === DOUBLE_RUNS) readDoubleRuns(reader, count, values)
  else {
    const [scale, grain] = mode === THOUSANDS ? [1, 1_000] : [SCALES[mode - WHOLE] ?? refuse(), 1]
    readWholes(reader, count, values, { scale, grain, near: expected })
  }
}

/** Lengths of stretches, by turns of what is there and what is not; none where all are there. */
function presenceOf(values: Float64Array, start: number, end: number): readonly number[] {
  const lengths: number[] = []
  let place = start
  do {
    const from = place
    const isThere = lengths.length % 2 === 0
    while (place < end && (values[place] === values[place]) === isThere) place++
    lengths.push(place - from)
  } while (place < end)
  return lengths.length === 1 && start < end ? [] : lengths
}

/** Marks what is absent by NaN, and all others by 0. */
function readPresence(reader: ByteReader, count: number, values: { [place: number]: number }): void {
  const runs = readVarint(reader)
  let place = 0
  for (let run = 0; run < runs; run++) {
    const length = readVarint(reader)
    if (length > count - place) refuse()
    for (const end = place + length; place < end; place++) values[place] = run % 2 === 0 ? 0 : Number.NaN
  }
  if (runs > 0 && place !== count) refuse()
  for (; place < count; place++) values[place] = 0
}

/** Whether stretches of one value take less than each value alone. */
function isInRuns(values: Float64Array, start: number, end: number): boolean {
  let present = 0
  let runs = 0
  let last = Number.NaN
  eachPresent(values, start, end, (value) => {
    present++
    if (value !== last) runs++
    last = value
  })
  return runs * 2 < present
}

function writeDoubleRuns(writer: ByteWriter, values: Float64Array, start: number, end: number): void {
  let last = Number.NaN
  let length = 0
  eachPresent(values, start, end, (value) => {
    if (length > 0 && value !== last) {
      writeDouble(writer, last)
      writeVarint(writer, length)
      length = 0
    }
    last = value
    length++
  })
  writeDouble(writer, last)
  writeVarint(writer, length)
}

function readDoubleRuns(reader: ByteReader, count: number, values: { [place: number]: number }): void {
  let value = 0
  let left = 0
  fillPresent(count, values, () => {
    if (left === 0) {
      value = readDouble(reader)
      left = readVarint(reader)
      if (left === 0) refuse()
    }
    left--
    return value
  })
}

function eachPresent(values: Float64Array, start: number, end: number, visit: (value: number) => void): void {
  for (let place = start; place < end; place++) {
    const value = values[place] ?? Number.NaN
    if (value === value) visit(value)
  }
}

/** In order, where nothing is absent. */
function fillPresent(count: number, values: { [place: number]: number }, next: () => number): void {
  for (let place = 0; place < count; place++) {
    const there = values[place] ?? 0
    if (there === there) values[place] = next()
  }
}
