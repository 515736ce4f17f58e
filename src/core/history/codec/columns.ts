/** Rows that one record may hold: a node asked every second has 86,400 a day, and a flush after an outage 300,000. */
const ROWS_MAX = 2_000_000
/** Values of one record, however few bytes it is: three times those of 300,000 rows. */
export const VALUES_MAX = 2 ** 25
/** Decimals with more digits after the point are written as doubles. */
const DIGITS_MAX = 9
const SCALES = [1e-3, ...Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits)]
const DOUBLES = SCALES.length
/** Differences of whole numbers up to this are exact, and fit a varint once their sign is folded in. */
const WHOLE_MAX = 2 ** 50
const LOW = 0x80
const WHOLE_32 = 0x7fff_ffff

/** Instead of a difference: so many values that are as the one before, or that are absent. */
const SAME = 0
const ABSENT = 1

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

type Bytes = { bytes: Uint8Array<ArrayBuffer>; at: number }

/**
 * A head that is plain data, then columns of numbers, NaN where there is none. Whole numbers and decimals with few digits
 * are written as zigzag varints of their differences; other numbers as doubles. Nothing is rounded, but -0 becomes 0.
 */
export function encodeTable(head: object, columns: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify({ ...head, length: columns.length }))
  const rows = columns.reduce((sum, { length }) => sum + length, 0)
  const writer: Bytes = { bytes: new Uint8Array(4 + text.length + rows * 2 + 64), at: 4 + text.length }
  new DataView(writer.bytes.buffer).setUint32(0, text.length)
  writer.bytes.set(text, 4)
  for (const values of columns)
    writeColumn(writer, values instanceof Float64Array ? values : new Float64Array(values))
  return writer.bytes.slice(0, writer.at)
}

function writeColumn(writer: Bytes, values: Float64Array): void {
  reserve(writer, values.length * 9 + 32)
  const digits = SCALES.findIndex((scale) => isWhole(values, scale))
  writer.bytes[writer.at++] = digits < 0 ? DOUBLES : digits
  if (digits < 0) {
    writer.bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), writer.at)
    writer.at += values.byteLength
  } else writeWholes(writer, values, SCALES[digits] ?? 1)
}

function isWhole(values: Float64Array, scale: number): boolean {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    if (scale === 1 && (value | 0) === value) continue
    const whole = Math.round(value * scale)
    if (whole / scale !== value && value === value) return false
    if (whole > WHOLE_MAX || whole < -WHOLE_MAX) return false
  }
  return true
}

function writeWholes(writer: Bytes, values: Float64Array, scale: number): void {
  const { bytes } = writer
  const { length } = values
  let { at: to } = writer
  let last = 0
  for (let at = 0; at < length;) {
    const value = values[at] ?? 0
    const difference = (scale === 1 ? value : Math.round(value * scale)) - last
    if (difference !== 0 && difference === difference) {
      to = putVarint(bytes, to, (difference < 0 ? -difference * 2 - 1 : difference * 2) + 1)
      last += difference
      at++
      continue
    }
    const start = at
    do at++
    while (at < length && (difference === 0 ? values[at] === value : Number.isNaN(values[at])))
    bytes[to++] = difference === 0 ? SAME : ABSENT
    to = putVarint(bytes, to, at - start)
  }
  writer.at = to
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

function reserve(writer: Bytes, count: number): void {
  if (writer.at + count <= writer.bytes.length) return
  const bytes = new Uint8Array(Math.max(writer.bytes.length * 2, writer.at + count))
  bytes.set(writer.bytes.subarray(0, writer.at))
  writer.bytes = bytes
}

export type TableReader = {
  readonly head: ReadonlyMap<string, unknown>
  /** The next column, which has so many values. */
  readonly next: (count: number) => Float64Array<ArrayBuffer>
  /** Refuses what has more columns than were read. */
  readonly end: () => void
}

export function readTable(given: Uint8Array): TableReader {
  const bytes = new Uint8Array(given)
  if (bytes.length < 4) refuse()
  const start = 4 + new DataView(bytes.buffer).getUint32(0)
  const head = new Map<string, unknown>(Object.entries(parsedHead(bytes.subarray(4, start))))
  const reader: Bytes = { bytes, at: start }
  let columns = 0
  let left = VALUES_MAX
  return {
    head,
    next: (count) => {
      left -= count
      columns++
      return left < 0 ? refuse() : readColumn(reader, rowCount(count))
    },
    end: () => (columns === head.get('length') && reader.at === bytes.length ? undefined : refuse()),
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

function readColumn(reader: Bytes, count: number): Float64Array<ArrayBuffer> {
  const mode = reader.bytes[reader.at++] ?? refuse()
  if (mode !== DOUBLES) return readWholes(reader, count, SCALES[mode] ?? refuse())
  const end = reader.at + count * 8
  if (end > reader.bytes.length) refuse()
  const values = new Float64Array(reader.bytes.slice(reader.at, end).buffer)
  reader.at = end
  return values
}

function readWholes(reader: Bytes, count: number, scale: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(count)
  let last = 0
  for (let at = 0; at < count;) {
    const token = readVarint(reader)
    if (token > ABSENT) {
      last += token % 2 === 1 ? (token - 1) / 2 : -token / 2
      values[at++] = last / scale
      continue
    }
    const end = at + readVarint(reader)
    if (end === at || end > count) refuse()
    values.fill(token === ABSENT ? Number.NaN : last / scale, at, end)
    at = end
  }
  return values
}

function readVarint(reader: Bytes): number {
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
