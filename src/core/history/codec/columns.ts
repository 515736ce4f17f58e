import * as v from 'valibot'

/**
 * Limits the values in one record, however small it is: three times a flush of 300,000 rows after an outage.
 */
const VALUES_MAX = 2 ** 25
/** Decimals with more digits after the point are written as doubles. */
const DIGITS_MAX = 9
const SCALES = [1e-3, ...Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits)]
const DOUBLES = SCALES.length
/** Differences of whole numbers up to this are exact, and their zigzag form fits a varint. */
const WHOLE_MAX = 2 ** 50
const LOW = 0x80
const WHOLE_32 = 0x7fff_ffff
/** Bytes of a length. */
const LENGTH = 4

/** Written instead of a difference: a run of values that equal the one before, or are absent. */
const SAME = 0
const ABSENT = 1

/** The result of `read`, or undefined if it throws, as decoders do for bytes that no encoder wrote. */
export function decoded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Stored with each record, so that a build that does not know the metric keeps its columns. */
export const MetricShape = v.object({
  id: v.string(),
  kind: v.picklist(['state', 'gauge', 'counter', 'timestamp', 'fingerprint']),
  exact: v.optional(v.boolean()),
  distribution: v.optional(v.picklist(['values', 'complement'])),
  measured: v.optional(v.literal('latencyMs')),
})

type Bytes = { bytes: Uint8Array<ArrayBuffer>; at: number }

/**
 * Encodes plain data as a head, followed by columns of numbers; NaN means absent. Whole numbers and decimals
 * with few digits are written as zigzag varints of their differences, other numbers as doubles. Values stay
 * exact, except that -0 becomes 0.
 */
export function encodeTable(
  head: { readonly rows: number },
  columns: Iterable<ArrayLike<number>>,
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const writer: Bytes = { bytes: new Uint8Array(LENGTH + text.length), at: LENGTH + text.length }
  new DataView(writer.bytes.buffer).setUint32(0, text.length)
  writer.bytes.set(text, LENGTH)
  for (const values of columns)
    writeColumn(writer, values instanceof Float64Array ? values : new Float64Array(values))
  return writer.bytes.slice(0, writer.at)
}

function writeColumn(writer: Bytes, values: Float64Array): void {
  reserve(writer, values.length * 9 + 32)
  const start = writer.at + LENGTH
  const digits = SCALES.findIndex((scale) => isWhole(values, scale))
  writer.at = start
  writer.bytes[writer.at++] = digits < 0 ? DOUBLES : digits
  if (digits < 0) {
    writer.bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), writer.at)
    writer.at += values.byteLength
  } else writeWholes(writer, values, SCALES[digits] ?? 1)
  new DataView(writer.bytes.buffer).setUint32(start - LENGTH, writer.at - start)
}

function isWhole(values: Float64Array, scale: number): boolean {
  let last = Number.NaN
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    if (value === last || (scale === 1 && (value | 0) === value)) continue
    last = value
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

/**
 * Reads the head of a table and its encoded columns, for `readColumn`. Throws if the bytes are not a table.
 */
export function readTable<Head extends { readonly rows: number }>(
  bytes: Uint8Array,
  shape: v.GenericSchema<unknown, Head>,
): { readonly head: Head; readonly columns: readonly Uint8Array[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const columns: Uint8Array[] = []
  let end = LENGTH + view.getUint32(0)
  const head = v.parse(shape, JSON.parse(new TextDecoder().decode(bytes.subarray(LENGTH, end))))
  while (end < bytes.length) {
    const start = end + LENGTH
    end = start + view.getUint32(end)
    columns.push(bytes.subarray(start, end))
  }
  // A few bytes must not make it allocate gigabytes.
  if (end > bytes.length || !(head.rows * columns.length <= VALUES_MAX)) throw new RangeError()
  return { head, columns }
}

type Reader = { readonly bytes: Uint8Array; at: number }

/** Decodes a column of `count` values. Throws if it has another length. */
export function readColumn(bytes: Uint8Array | undefined, count: number): Float64Array<ArrayBuffer> {
  const mode = bytes?.[0]
  if (bytes === undefined || mode === undefined || count > VALUES_MAX) throw new RangeError()
  const reader = { bytes, at: 1 }
  const scale = SCALES[mode]
  const values =
    scale === undefined ? new Float64Array(bytes.slice(1).buffer) : readWholes(reader, count, scale)
  if (values.length !== count || (scale !== undefined && reader.at !== bytes.length)) throw new RangeError()
  return values
}

function readWholes(reader: Reader, count: number, scale: number): Float64Array<ArrayBuffer> {
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
    if (end === at || end > count) throw new RangeError()
    values.fill(token === ABSENT ? Number.NaN : last / scale, at, end)
    at = end
  }
  return values
}

function readVarint(reader: Reader): number {
  const { bytes } = reader
  let byte = bytes[reader.at++] ?? Number.NaN
  if (byte < LOW) return byte
  let value = byte & 0x7f
  let scale = LOW
  do {
    byte = bytes[reader.at++] ?? Number.NaN
    value += (byte & 0x7f) * scale
    scale *= LOW
  } while (byte >= LOW)
  if (!(value <= Number.MAX_SAFE_INTEGER)) throw new RangeError()
  return value
}
