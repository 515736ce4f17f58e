/** Rows that one record may hold: a node asked every second has 86,400 a day, and a flush after an outage 300,000. */
const ROWS_MAX = 2_000_000
/** Values of one record, however few bytes it is: three times those of 300,000 rows. */
export const VALUES_MAX = 2 ** 25
/** Decimals with more digits after the point are written as doubles. */
const DIGITS_MAX = 9
const SCALES = Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits)
/** Differences of whole numbers up to this are exact, and fit a varint once their sign is folded in. */
const WHOLE_MAX = 2 ** 51
const LOW = 0x80
const WHOLE_32 = 0x7fff_ffff

/** How a column is written: all absent, doubles as they are, or whole numbers: 2 + digits after the point. */
const ABSENT = 0
const DOUBLES = 1
const WHOLE = 2

/** `near`: what each value is expected to be; else the value before it is. */
export type Column = { readonly values: ArrayLike<number>; readonly near?: ArrayLike<number> | undefined }

/** Thrown for bytes that can't be what an encoder wrote; `decoded` makes a value of it. */
class Damaged extends Error {}

export function refuse(): never {
  throw new Damaged()
}

/** What `read` returns, or undefined where the bytes are not what an encoder wrote. */
export function decoded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Damaged) return undefined
    throw error
  }
}

type Writer = { bytes: Uint8Array<ArrayBuffer>; at: number }

/**
 * A head that is plain data, then columns of numbers, NaN where there is none. Whole numbers and decimals with few digits
 * are written as differences in units of their greatest common divisor, zigzag and varint, with the length of each stretch
 * of zeros; other numbers as doubles. Nothing is rounded, but -0 becomes 0.
 */
export function encodeTable(head: object, columns: readonly Column[]): Uint8Array<ArrayBuffer> {
  const writer: Writer = { bytes: new Uint8Array(4_096), at: 0 }
  const sizes = columns.map(({ values, near }) => {
    const start = writer.at
    writeColumn(writer, doubles(values), near && doubles(near))
    return writer.at - start
  })
  const text = new TextEncoder().encode(JSON.stringify({ ...head, sizes }))
  const table = new Uint8Array(4 + text.length + writer.at)
  new DataView(table.buffer).setUint32(0, text.length)
  table.set(text, 4)
  table.set(writer.bytes.subarray(0, writer.at), 4 + text.length)
  return table
}

/** Of one kind inside, whatever is given: code that meets many kinds of arrays is many times slower. */
const doubles = (values: ArrayLike<number>): Float64Array =>
  values instanceof Float64Array ? values : new Float64Array(values)

export type TableReader = {
  readonly head: ReadonlyMap<string, unknown>
  /** The next column, which has so many values. */
  readonly next: (count: number, near?: ArrayLike<number>) => Float64Array<ArrayBuffer>
  /** Passes over the next column without a look at it. */
  readonly skip: () => void
  /** Refuses what has more columns than were read. */
  readonly end: () => void
}

export function readTable(bytes: Uint8Array): TableReader {
  if (bytes.length < 4) refuse()
  const start = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const head = new Map<string, unknown>(Object.entries(parsedHead(bytes.subarray(4, start))))
  const sizes = numbersIn(head.get('sizes'))
  let at = start
  let column = 0
  let left = VALUES_MAX
  const pass = (): Uint8Array => {
    const from = at
    at += sizes[column++] ?? refuse()
    return at > bytes.length ? refuse() : bytes.subarray(from, at)
  }
  return {
    head,
    next: (count, near) => {
      left -= count
      return left < 0 ? refuse() : readColumn(pass(), rowCount(count), near && doubles(near))
    },
    skip: () => void pass(),
    end: () => (column === sizes.length && at === bytes.length ? undefined : refuse()),
  }
}

function parsedHead(bytes: Uint8Array): object {
  try {
    const head: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof head === 'object' && head !== null ? head : refuse()
  } catch {
    return refuse()
  }
}

/** A number of rows that one record may have. */
export const rowCount = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= ROWS_MAX ? value : refuse()

export const numbersIn = (value: unknown): readonly number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number' && one >= 0) ? value : refuse()

export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : refuse()

function writeColumn(writer: Writer, values: Float64Array, near: Float64Array | undefined): void {
  const runs = presenceOf(values)
  reserve(writer, values.length * 9 + runs.length * 9 + 32)
  const { bytes } = writer
  if (runs.length === 2 && runs[0] === 0) {
    bytes[writer.at++] = ABSENT
    return
  }
  const digits = wholeDigits(values, near)
  bytes[writer.at++] = digits === undefined ? DOUBLES : WHOLE + digits
  writer.at = putVarint(bytes, writer.at, runs.length)
  for (const run of runs) writer.at = putVarint(bytes, writer.at, run)
  writer.at = digits === undefined ? putDoubles(bytes, writer.at, values) : putWholes(bytes, writer.at)
}

/** Lengths of stretches, by turns of what is there and what is not; none where all are there. */
function presenceOf(values: Float64Array): readonly number[] {
  const runs: number[] = []
  let at = 0
  while (at < values.length) {
    const from = at
    const isThere = runs.length % 2 === 0
    while (at < values.length && (values[at] === values[at]) === isThere) at++
    runs.push(at - from)
  }
  return runs.length === 1 ? [] : runs
}

/** What `wholeDigits` found: differences from what was expected, and their greatest common divisor but for the first. */
let differences = new Float64Array(1_024)
let found = { count: 0, unit: 1 }

/** With so many digits after the point all values are whole; undefined where they are not. */
function wholeDigits(values: Float64Array, near: Float64Array | undefined): number | undefined {
  if (differences.length < values.length) differences = new Float64Array(values.length * 2)
  for (let digits = 0; digits <= DIGITS_MAX;) {
    const stopped = subtract(values, near, SCALES[digits] ?? 1)
    if (stopped === values.length) return digits
    do digits++
    while (digits <= DIGITS_MAX && !isWhole(values[stopped] ?? 0, SCALES[digits] ?? 1))
  }
  return undefined
}

function isWhole(value: number, scale: number): boolean {
  if (scale === 1) return (value | 0) === value || (Math.floor(value) === value && isSmall(value))
  const whole = Math.round(value * scale)
  return whole / scale === value && isSmall(whole)
}

const isSmall = (whole: number): boolean => whole <= WHOLE_MAX && whole >= -WHOLE_MAX

/** Index of the first value that is not whole at this scale. */
function subtract(values: Float64Array, near: Float64Array | undefined, scale: number): number {
  let count = 0
  let last = 0
  let unit = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    if (value !== value) continue
    if (!isWhole(value, scale)) return at
    const whole = scale === 1 ? value : Math.round(value * scale)
    const difference = whole - (near === undefined ? last : expected(near, at, scale))
    last = whole
    if (count > 0 && unit !== 1 && difference !== 0) unit = commonDivisor(unit, Math.abs(difference))
    differences[count++] = difference
  }
  found = { count, unit: unit === 0 ? 1 : unit }
  return values.length
}

const expected = (near: Float64Array, at: number, scale: number): number => {
  const whole = Math.round((near[at] ?? 0) * scale)
  return isSmall(whole) ? whole : 0
}

function commonDivisor(one: number, other: number): number {
  let [a, b] = [one, other]
  while (b !== 0) [a, b] = [b, a % b]
  return a
}

function putWholes(bytes: Uint8Array, from: number): number {
  const { count, unit } = found
  let at = putVarint(bytes, from, unit)
  for (let place = 0; place < count;) {
    const difference = differences[place++] ?? 0
    if (difference === 0) {
      const start = place
      while (place < count && differences[place] === 0) place++
      bytes[at++] = 0
      at = putVarint(bytes, at, place - start)
    } else at = putSigned(bytes, at, unit === 1 || place === 1 ? difference : difference / unit)
  }
  return at
}

function putSigned(bytes: Uint8Array, at: number, value: number): number {
  if (value >= -LOW / 2 && value < LOW / 2) {
    bytes[at] = (value << 1) ^ (value >> 31)
    return at + 1
  }
  return putVarint(bytes, at, value < 0 ? -value * 2 - 1 : value * 2)
}

/** A whole number from 0 to 2^53 - 1, seven bits a byte, lowest first. */
function putVarint(bytes: Uint8Array, from: number, value: number): number {
  let at = from
  let rest = value
  while (rest > WHOLE_32) {
    bytes[at++] = (rest % LOW) | LOW
    rest = Math.floor(rest / LOW)
  }
  while (rest >= LOW) {
    bytes[at++] = (rest & 0x7f) | LOW
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

function putDoubles(bytes: Uint8Array, from: number, values: Float64Array): number {
  const view = new DataView(bytes.buffer)
  let at = from
  for (const value of values) {
    if (value !== value) continue
    view.setFloat64(at, value, true)
    at += 8
  }
  return at
}

function reserve(writer: Writer, count: number): void {
  if (writer.at + count <= writer.bytes.length) return
  const bytes = new Uint8Array(Math.max(writer.bytes.length * 2, writer.at + count))
  bytes.set(writer.bytes.subarray(0, writer.at))
  writer.bytes = bytes
}

type Reader = { readonly bytes: Uint8Array; at: number }

function readColumn(
  bytes: Uint8Array,
  count: number,
  near: Float64Array | undefined,
): Float64Array<ArrayBuffer> {
  const reader: Reader = { bytes, at: 1 }
  const mode = bytes[0] ?? refuse()
  const values = new Float64Array(count)
  if (mode === ABSENT) {
    values.fill(Number.NaN)
    return bytes.length === 1 ? values : refuse()
  }
  readPresence(reader, values)
  if (mode === DOUBLES) readDoubles(reader, values)
  else readWholes(reader, values, near, SCALES[mode - WHOLE] ?? refuse())
  return reader.at === bytes.length ? values : refuse()
}

/** Marks what is absent by NaN. */
function readPresence(reader: Reader, values: Float64Array): void {
  const runs = readVarint(reader)
  let at = 0
  for (let run = 0; run < runs; run++) {
    const end = at + readVarint(reader)
    if (end > values.length) refuse()
    if (run % 2 === 1) values.fill(Number.NaN, at, end)
    at = end
  }
  if (runs > 0 && at !== values.length) refuse()
}

function readDoubles(reader: Reader, values: Float64Array): void {
  const { bytes } = reader
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < values.length; at++) {
    if (values[at] !== values[at]) continue
    if (reader.at + 8 > bytes.length) refuse()
    values[at] = view.getFloat64(reader.at, true)
    reader.at += 8
  }
}

function readWholes(
  reader: Reader,
  values: Float64Array,
  near: Float64Array | undefined,
  scale: number,
): void {
  const unit = readVarint(reader)
  let last = 0
  let zeros = 0
  let isFirst = true
  for (let at = 0; at < values.length; at++) {
    if (values[at] !== values[at]) continue
    let difference = 0
    if (zeros > 0) zeros--
    else {
      const folded = readVarint(reader)
      difference = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2
      if (folded === 0) zeros = readVarint(reader)
      else if (!isFirst) difference *= unit
    }
    isFirst = false
    last = difference + (near === undefined ? last : expected(near, at, scale))
    values[at] = scale === 1 ? last : last / scale
  }
  if (zeros > 0) refuse()
}

function readVarint(reader: Reader): number {
  const { bytes } = reader
  let byte = bytes[reader.at++] ?? refuse()
  if (byte < LOW) return byte
  let value = byte & 0x7f
  let scale = LOW
  do {
    byte = bytes[reader.at++] ?? refuse()
    value += (byte & 0x7f) * scale
    scale *= LOW
  } while (byte >= LOW)
  return value <= Number.MAX_SAFE_INTEGER ? value : refuse()
}
