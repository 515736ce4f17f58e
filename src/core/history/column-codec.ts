import {
  putSigned,
  readByte,
  readDouble,
  readSigned,
  readVarint,
  refuse,
  reserve,
  writeByte,
  writeDouble,
  writeVarint,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'

/** Rows that one record may hold: more is no record of ours. A node asked every second has 86,400 a day. */
export const ROWS_MAX = 2_000_000

/** How a column of numbers is written. */
const NOTHING = 0
const ONE_VALUE = 1
const DOUBLES = 2
const DOUBLE_RUNS = 3
/** Decimals with so many digits after the point are written as whole numbers: 10 + digits. */
const WHOLE = 10
const DIGITS_MAX = 9
/** Differences of whole numbers up to this are whole, and fit a varint. */
const WHOLE_MAX = 2 ** 51

/**
 * Numbers, exactly as they are (-0 as 0); NaN where there is none. Decimals with few digits are written
 * as whole numbers, each as its difference from `near`, or else from the one before: what is
 * expected costs a byte. What has more digits is written as it lies in memory.
 */
export function writeNumbers(
  writer: ByteWriter,
  given: ArrayLike<number>,
  start: number,
  end: number,
  expected?: ArrayLike<number>,
): void {
  const values = doubles(given)
  const near = expected && doubles(expected)
  const { present, constant, digits, runs } = survey(values, start, end)
  if (present === 0) return writeByte(writer, NOTHING)
  const mode =
    digits <= DIGITS_MAX && !(constant && near === undefined)
      ? WHOLE + digits
      : constant
        ? ONE_VALUE
        : runs * 2 < present
          ? DOUBLE_RUNS
          : DOUBLES
  writeByte(writer, mode)
  writePresence(writer, values, start, end, present)
  if (mode >= WHOLE) writeWhole(writer, values, start, end, 10 ** digits, near)
  else if (mode === DOUBLES) eachPresent(values, start, end, (value) => writeDouble(writer, value))
  else if (mode === ONE_VALUE) writeDouble(writer, firstPresent(values, start, end))
  else writeDoubleRuns(writer, values, start, end)
}

/** Of one kind inside, whatever is given: code that meets many kinds of lists is many times slower. */
const doubles = (values: ArrayLike<number>): Float64Array =>
  values instanceof Float64Array ? values : new Float64Array(values)

export function readNumbers(
  reader: ByteReader,
  count: number,
  values: { [place: number]: number },
  near?: ArrayLike<number>,
): void {
  const mode = readByte(reader)
  if (mode === NOTHING) {
    for (let place = 0; place < count; place++) values[place] = Number.NaN
    return
  }
  const absent = readPresence(reader, count, values)
  if (mode >= WHOLE && mode <= WHOLE + DIGITS_MAX)
    readWhole(reader, count, values, absent, 10 ** (mode - WHOLE), near)
  else if (mode === ONE_VALUE) {
    const value = readDouble(reader)
    for (let place = 0; place < count; place++) if (!isAbsent(absent, values, place)) values[place] = value
  } else if (mode === DOUBLES) {
    for (let place = 0; place < count; place++)
      if (!isAbsent(absent, values, place)) values[place] = readDouble(reader)
  } else if (mode === DOUBLE_RUNS) readDoubleRuns(reader, count, values, absent)
  else refuse()
}

const SCALES = Array.from({ length: DIGITS_MAX + 2 }, (_, digits) => 10 ** digits)

function survey(values: Float64Array, start: number, end: number) {
  let present = 0
  let runs = 0
  let digits = 0
  let scale = 1
  let most = 0
  let last = Number.NaN
  for (let place = start; place < end; place++) {
    const value = values[place] ?? Number.NaN
    if (value !== value) continue
    present++
    if (value === last) continue
    runs++
    last = value
    most = Math.max(most, Math.abs(value))
    while (digits <= DIGITS_MAX && !isWholeAt(value, scale)) scale = SCALES[++digits] ?? 0
  }
  // The digits of one value must not take a bigger one, seen before it, out of what is whole.
  if (most * scale > WHOLE_MAX) digits = DIGITS_MAX + 1
  return { present, constant: runs === 1, digits, runs }
}

function isWholeAt(value: number, scale: number): boolean {
  if (scale === 1 && (value | 0) === value) return true // nearly all are, and a division takes its time
  const whole = Math.round(value * scale)
  return whole / scale === value && whole <= WHOLE_MAX && whole >= -WHOLE_MAX
}

function writePresence(
  writer: ByteWriter,
  values: Float64Array,
  start: number,
  end: number,
  present: number,
): void {
  if (present === end - start) return writeVarint(writer, 0)
  const lengths: number[] = []
  let isThere = true
  let length = 0
  for (let place = start; place < end; place++) {
    const value = values[place] ?? Number.NaN
    if ((value === value) !== isThere) {
      lengths.push(length)
      length = 0
      isThere = !isThere
    }
    length++
  }
  lengths.push(length)
  writeVarint(writer, lengths.length)
  for (const run of lengths) writeVarint(writer, run)
}

/** Marks what is absent by NaN and returns true, or false where nothing is. */
function readPresence(reader: ByteReader, count: number, values: { [place: number]: number }): boolean {
  const runs = readVarint(reader)
  if (runs === 0) return false
  let place = 0
  for (let run = 0; run < runs; run++) {
    const length = readVarint(reader)
    if (length > count - place) refuse()
    for (const end = place + length; place < end; place++) values[place] = run % 2 === 0 ? 0 : Number.NaN
  }
  if (place !== count) refuse()
  return true
}

function isAbsent(absent: boolean, values: { [place: number]: number }, place: number): boolean {
  if (!absent) return false
  const value = values[place] ?? 0
  return value !== value
}

function writeWhole(
  writer: ByteWriter,
  values: Float64Array,
  start: number,
  end: number,
  scale: number,
  near: Float64Array | undefined,
): void {
  reserve(writer, end - start)
  const { bytes } = writer
  let at = writer.at
  let last = 0
  for (let place = start; place < end; place++) {
    const value = values[place] ?? Number.NaN
    if (value !== value) continue
    const whole = scale === 1 ? value + 0 : Math.round(value * scale)
    at = putSigned(bytes, at, whole - (near === undefined ? last : nearby(near, place, scale)))
    last = whole
  }
  writer.at = at
}

function readWhole(
  reader: ByteReader,
  count: number,
  values: { [place: number]: number },
  absent: boolean,
  scale: number,
  near: ArrayLike<number> | undefined,
): void {
  let last = 0
  for (let place = 0; place < count; place++) {
    if (isAbsent(absent, values, place)) continue
    const whole = readSigned(reader) + (near === undefined ? last : nearby(near, place, scale))
    values[place] = scale === 1 ? whole : whole / scale
    last = whole
  }
}

const nearby = (near: ArrayLike<number>, place: number, scale: number): number => {
  const whole = Math.round((near[place] ?? 0) * scale)
  return whole <= WHOLE_MAX && whole >= -WHOLE_MAX ? whole : 0
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

function readDoubleRuns(
  reader: ByteReader,
  count: number,
  values: { [place: number]: number },
  absent: boolean,
): void {
  let value = 0
  let left = 0
  for (let place = 0; place < count; place++) {
    if (isAbsent(absent, values, place)) continue
    if (left === 0) {
      value = readDouble(reader)
      left = readVarint(reader)
      if (left === 0) refuse()
    }
    values[place] = value
    left--
  }
}

function eachPresent(values: Float64Array, start: number, end: number, visit: (value: number) => void): void {
  for (let place = start; place < end; place++) {
    const value = values[place] ?? Number.NaN
    if (value === value) visit(value)
  }
}

function firstPresent(values: Float64Array, start: number, end: number): number {
  for (let place = start; place < end; place++) {
    const value = values[place] ?? Number.NaN
    if (value === value) return value
  }
  return Number.NaN
}
