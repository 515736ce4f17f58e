/** Bytes that grow as they are written. */
export type ByteWriter = { bytes: Uint8Array<ArrayBuffer>; view: DataView<ArrayBuffer>; at: number }

export function createWriter(capacity = 1_024): ByteWriter {
  const bytes = new Uint8Array(capacity)
  return { bytes, view: new DataView(bytes.buffer), at: 0 }
}

/** What was written so far, in a buffer of its own. */
export const written = ({ bytes, at }: ByteWriter): Uint8Array<ArrayBuffer> => bytes.slice(0, at)

/** Most bytes that a number takes. */
const NUMBER_BYTES_MAX = 8
const LOW = 0x80
const WHOLE_32 = 0x7fff_ffff

/** A whole number from 0 to 2^53 - 1, seven bits a byte, lowest first. */
export function writeVarint(writer: ByteWriter, value: number): void {
  if (writer.at + NUMBER_BYTES_MAX > writer.bytes.length) grow(writer, NUMBER_BYTES_MAX)
  writer.at = putVarint(writer.bytes, writer.at, value)
}

/** A whole number of either sign, up to 2^52 - 1 in size: small ones take one byte. */
export const writeSigned = (writer: ByteWriter, value: number): void =>
  writeVarint(writer, value < 0 ? -value * 2 - 1 : value * 2)

/** Sees to it that so many numbers more have room: for `putSigned`. */
export function reserve(writer: ByteWriter, numbers: number): void {
  const by = (numbers + 1) * NUMBER_BYTES_MAX
  if (writer.at + by > writer.bytes.length) grow(writer, by)
}

/** The same as `writeSigned`, where there is room, and without a look at it for every number. Returns where the next one goes. */
export function putSigned(bytes: Uint8Array, at: number, value: number): number {
  if (value >= -LOW / 2 && value < LOW / 2) {
    bytes[at] = (value << 1) ^ (value >> 31)
    return at + 1
  }
  return putVarint(bytes, at, value < 0 ? -value * 2 - 1 : value * 2)
}

/** The same for `writeVarint`. */
export function putVarint(bytes: Uint8Array, from: number, value: number): number {
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

export function writeByte(writer: ByteWriter, value: number): void {
  if (writer.at === writer.bytes.length) grow(writer, 1)
  writer.bytes[writer.at++] = value
}

export function writeDouble(writer: ByteWriter, value: number): void {
  if (writer.at + 8 > writer.bytes.length) grow(writer, 8)
  writer.view.setFloat64(writer.at, value, true)
  writer.at += 8
}

/** A whole number from 0 to 2^32 - 1, in four bytes: for what no fewer would hold. */
export function writeWord(writer: ByteWriter, value: number): void {
  if (writer.at + 4 > writer.bytes.length) grow(writer, 4)
  writer.view.setUint32(writer.at, value, true)
  writer.at += 4
}

/** Any text, code unit by code unit: also what is no valid Unicode comes back as it was. */
export function writeText(writer: ByteWriter, text: string): void {
  writeVarint(writer, text.length)
  for (let place = 0; place < text.length; place++) writeVarint(writer, text.charCodeAt(place))
}

function grow(writer: ByteWriter, by: number): void {
  const bytes = new Uint8Array(Math.max(writer.bytes.length * 2, writer.at + by))
  bytes.set(writer.bytes.subarray(0, writer.at))
  writer.bytes = bytes
  writer.view = new DataView(bytes.buffer)
}

/** Reads what a writer wrote. Running out of bytes throws `EndOfBytes`: `guarded` makes a value of it. */
export type ByteReader = {
  readonly bytes: Uint8Array
  readonly view: DataView
  at: number
  valuesLeft: number
}

/** Values that one record may be read to, however few bytes it is: three times those of 300,000 rows. */
const VALUES_MAX = 2 ** 25

export const createReader = (bytes: Uint8Array): ByteReader => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  at: 0,
  valuesLeft: VALUES_MAX,
})

/** Called before memory is taken for so many values. */
export function countValues(reader: ByteReader, count: number): void {
  reader.valuesLeft -= count
  if (reader.valuesLeft < 0) refuse()
}

class EndOfBytes extends Error {}

/** What `read` returns, or undefined where the bytes are not what they should be. */
export function guarded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof EndOfBytes) return undefined
    throw error
  }
}

/** Ends the reading of bytes that can't be what a writer wrote. */
export function refuse(): never {
  throw new EndOfBytes()
}

export function readByte(reader: ByteReader): number {
  const byte = reader.bytes[reader.at++]
  return byte ?? refuse()
}

export function readVarint(reader: ByteReader): number {
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

/** Passes over so many numbers without looking at them. */
export function skipVarints(reader: ByteReader, count: number): void {
  const { bytes } = reader
  let { at } = reader
  for (let left = count; left > 0; at++) if ((bytes[at] ?? refuse()) < LOW) left--
  reader.at = at
}

export function readSigned(reader: ByteReader): number {
  const byte = reader.bytes[reader.at] ?? refuse()
  if (byte < LOW) {
    reader.at++
    return (byte >>> 1) ^ -(byte & 1)
  }
  const value = readVarint(reader)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

export function readDouble(reader: ByteReader): number {
  if (reader.at + 8 > reader.bytes.length) refuse()
  const value = reader.view.getFloat64(reader.at, true)
  reader.at += 8
  return value
}

export function readWord(reader: ByteReader): number {
  if (reader.at + 4 > reader.bytes.length) refuse()
  const value = reader.view.getUint32(reader.at, true)
  reader.at += 4
  return value
}

export function readText(reader: ByteReader): string {
  const length = readCount(reader)
  let text = ''
  for (let place = 0; place < length; place++) text += String.fromCharCode(readVarint(reader))
  return text
}

/** A number of things that each take a byte at least: bytes that were damaged must not ask for gigabytes. */
export function readCount(reader: ByteReader): number {
  const count = readVarint(reader)
  return count <= reader.bytes.length - reader.at ? count : refuse()
}
