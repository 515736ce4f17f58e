import { secretBytes } from '#base/bytes.ts'
import type { Scratch } from './reading.ts'

/**
 * Text that may contain a secret, processed as bytes because a string can't be zeroed; that rules out libraries that decode
 * strings. Each decoder returns undefined for anything that is not exactly its format, and registers its buffer in the scratch.
 */

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])

export const startsWith = (bytes: Uint8Array, text: string, from = 0): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false
  return true
}

export const isText = (bytes: Uint8Array, text: string): boolean =>
  bytes.length === text.length && startsWith(bytes, text)

export function indexOfText(bytes: Uint8Array, text: string, from = 0): number {
  for (let at = from; at < bytes.length; at++) if (startsWith(bytes, text, at)) return at
  return -1
}

/** Lines as views, without line ends and without empty lines. */
export const linesOf = (bytes: Uint8Array): readonly Uint8Array[] =>
  partsOf(bytes, (byte) => byte === 0x0a || byte === 0x0d)

export const wordsOf = (bytes: Uint8Array): readonly Uint8Array[] => partsOf(bytes, isSpace)

function partsOf(
  bytes: Uint8Array,
  isSeparator: (byte: number | undefined) => boolean,
): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let from = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && !isSeparator(bytes[at])) continue
    if (at > from) parts.push(bytes.subarray(from, at))
    from = at + 1
  }
  return parts
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

/** Removes the quotes of a shell or of JSON. */
export const unquoted = (text: Uint8Array): Uint8Array =>
  text.length > 1 && QUOTES.includes(text[0] ?? 0) && text.at(-1) === text[0] ? text.subarray(1, -1) : text

const QUOTES: readonly number[] = [0x22, 0x27, 0x60]

/** A copy without white space and without `signs`. */
export function withoutSpace(bytes: Uint8Array, scratch: Scratch, signs: readonly number[] = []): Uint8Array {
  const copy = scratch.keep(secretBytes(bytes.length))
  let length = 0
  for (const byte of bytes) if (!isSpace(byte) && !signs.includes(byte)) copy[length++] = byte
  return copy.subarray(0, length)
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/** 64 bytes have 88 digits. The decoding time grows with the square of the length. */
const BASE58_DIGITS_MAX = 120

const valueIn = (alphabet: string, byte: number): number => alphabet.indexOf(String.fromCharCode(byte))

export function decodeBase58(text: Uint8Array, scratch: Scratch): Uint8Array | undefined {
  if (text.length === 0 || text.length > BASE58_DIGITS_MAX) return undefined
  const bytes = scratch.keep(secretBytes(text.length)) // Filled from its end.
  let from = bytes.length
  for (const byte of text) {
    let carry = valueIn(BASE58, byte)
    if (carry === -1) return undefined
    for (let at = bytes.length - 1; at >= from || carry > 0; at--) {
      carry += (bytes[at] ?? 0) * 58
      bytes[at] = carry & 0xff
      carry >>= 8
      from = Math.min(from, at)
    }
  }
  // Each leading "1" stands for a zero byte.
  const zeros = text.findIndex((byte) => byte !== 0x31)
  return bytes.subarray(from - (zeros === -1 ? text.length : zeros))
}

/** RFC 4648, section 6, in capitals without padding, as Stellar uses it. */
export const decodeBase32 = (text: Uint8Array, scratch: Scratch): Uint8Array | undefined =>
  regroup(text, 5, BASE32, scratch)

/** RFC 4648, sections 4 and 5: either alphabet, padded fully or not at all. */
export function decodeBase64(text: Uint8Array, scratch: Scratch): Uint8Array | undefined {
  let length = text.length
  while (text.length - length < 2 && text[length - 1] === 0x3d) length--
  if (length === 0 || (length !== text.length && text.length % 4 !== 0)) return undefined
  return regroup(text.subarray(0, length), 6, BASE64, scratch)
}

/** BIP 173: the bytes after the prefix and its "1". Undefined for a wrong checksum, another prefix, or mixed case. */
export function decodeBech32(text: Uint8Array, prefix: string, scratch: Scratch): Uint8Array | undefined {
  const digits = text.subarray(prefix.length + 1)
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0))
  let sum = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)].reduce(bech32Step, 1)
  for (const digit of digits) sum = bech32Step(sum, valueIn(BECH32, digit))
  return sum === 1 ? regroup(digits.subarray(0, -CHECKSUM_DIGITS), 5, BECH32, scratch) : undefined
}

const CHECKSUM_DIGITS = 6
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

const bech32Step = (sum: number, value: number): number =>
  GENERATOR.reduce(
    (next, term, bit) => (((sum >> (25 + bit)) & 1) === 1 ? next ^ term : next),
    ((sum & 0x1ffffff) << 5) ^ value,
  )

/**
 * Converts digits of `width` bits to bytes. Undefined for an invalid digit, or if leftover bits are set, because then the text
 * is damaged. Characters beyond the alphabet's length are alternatives for its last two digits.
 */
function regroup(text: Uint8Array, width: 5 | 6, alphabet: string, scratch: Scratch): Uint8Array | undefined {
  const bytes = scratch.keep(secretBytes(Math.floor((text.length * width) / 8)))
  let buffer = 0
  let bits = 0
  let at = 0
  for (const byte of text) {
    const digit = valueIn(alphabet, byte)
    if (digit === -1) return undefined
    buffer = ((buffer << width) | (digit < 1 << width ? digit : digit - 2)) & 0xffff
    bits += width
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (buffer >> bits) & 0xff
  }
  return bits < width && (buffer & ((1 << bits) - 1)) === 0 ? bytes : undefined
}

/** CRC-16/XMODEM, the checksum of Stellar's keys. */
export function crc16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ ((sum & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff
  }
  return sum
}

export const isPrintable = (bytes: Uint8Array): boolean => bytes.every(isPrintableByte)

const isPrintableByte = (byte: number): boolean => isSpace(byte) || (byte > SPACE && byte < 0x7f)

/**
 * Decodes the escapes of JSON, a shell or an `.env` file: line breaks and tabs as white space, `\/`, and `\u00..` for printable
 * characters. Other escapes, in particular `\"`, stay unchanged.
 */
export function unescaped(text: Uint8Array, scratch: Scratch): Uint8Array {
  if (!text.includes(BACKSLASH)) return text
  const plain = scratch.keep(secretBytes(text.length))
  let length = 0
  for (let at = 0; at < text.length;) {
    let sign = at
    while (text[sign] === BACKSLASH) sign++
    const escape = sign === at ? undefined : escapeAt(text, sign)
    const end = escape === undefined ? Math.max(sign, at + 1) : sign + escape.length
    plain.set(escape === undefined ? text.subarray(at, end) : [escape.byte], length)
    length += escape === undefined ? end - at : 1
    at = end
  }
  return plain.subarray(0, length)
}

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ['n', 0x0a],
  ['r', 0x20],
  ['t', 0x20],
  ['/', 0x2f],
])

/** An escape after its backslash; undefined if it is not decoded. */
function escapeAt(
  text: Uint8Array,
  at: number,
): { readonly byte: number; readonly length: number } | undefined {
  const single = ESCAPES.get(String.fromCharCode(text[at] ?? 0))
  if (single !== undefined) return { byte: single, length: 1 }
  if (!startsWith(text, 'u00', at)) return undefined
  const [high, low] = [hexValue(text[at + 3]), hexValue(text[at + 4])]
  const byte = (high << 4) | low
  const isPlain = high !== -1 && low !== -1 && isPrintableByte(byte) && byte !== QUOTE && byte !== BACKSLASH
  return isPlain ? { byte, length: 5 } : undefined
}

export function trimmed(bytes: Uint8Array): Uint8Array {
  let from = 0
  let to = bytes.length
  // Indexes outside the array give undefined, which is not white space.
  while (isSpace(bytes[from])) from++
  while (isSpace(bytes[to - 1])) to--
  return bytes.subarray(from, to)
}

/**
 * Hex as tools print it: in either case, on several lines, with `0x`, `\x`, commas, colons, dashes or white space between
 * bytes, as a list in source code, or as a dump by xxd, hexdump or od. `odd`: an odd number of digits. `words`: a dump in
 * 16-bit words, whose byte order is unknown. Undefined for anything else.
 */
export function decodeHex(text: Uint8Array, scratch: Scratch): Uint8Array | 'odd' | 'words' | undefined {
  const items = listItems(text)
  if (items === undefined) return 'odd'
  const read: HexRead = { bytes: scratch.keep(secretBytes(text.length)), count: 0, half: -1 }
  // Where the last digit may have been cut off; a list ends with a bracket instead.
  const cut = items === text ? text.byteOffset + text.length : undefined
  const lines = linesOf(items)
  const start = dumpStart(wordsOf(lines[0] ?? items))
  for (const line of lines) {
    const [offset, word] = wordsOf(line)
    if (offset === undefined) continue
    if (start !== undefined) {
      // An offset that does not match the number of bytes means that lines are missing.
      if (!isBehind(offset, start, read.count)) return undefined
      if (start.at(-1) !== COLON && word !== undefined && word.length !== 2) return 'words'
    }
    const problem = addDigits(read, start === undefined ? line : dataColumn(line, offset), cut)
    if (problem !== undefined) return problem === 'odd' ? 'odd' : undefined
  }
  if (read.half !== -1) return 'odd'
  return read.count === 0 ? undefined : read.bytes.subarray(0, read.count)
}

/** `half`: the first digit of an incomplete byte; -1 if there is none. */
type HexRead = { readonly bytes: Uint8Array; count: number; half: number }

function addDigits(read: HexRead, data: Uint8Array, cut: number | undefined): 'odd' | 'other' | undefined {
  for (let at = 0; at < data.length; at++) {
    const value = hexValue(data[at])
    if (isHexPrefix(data, at)) {
      if (read.half !== -1) return 'other'
      at++
      // A list may omit the leading zero.
      const single = hexValue(data[at + 1])
      if (single === -1 || hexValue(data[at + 2]) !== -1) continue
      if (data.byteOffset + at + 2 === cut) return 'odd'
      read.bytes[read.count++] = single
      at++
    } else if (value !== -1) {
      if (read.half !== -1) read.bytes[read.count++] = (read.half << 4) | value
      read.half = read.half === -1 ? value : -1
    } else if (!isSpace(data[at]) && !HEX_SEPARATORS.includes(data[at] ?? 0)) return 'other'
  }
  return undefined
}

const isHexPrefix = (data: Uint8Array, at: number): boolean =>
  (data[at] === DIGIT_0 || data[at] === BACKSLASH) && ((data[at + 1] ?? 0) | 0x20) === SMALL_X

const HEX_SEPARATORS: readonly number[] = Array.from(',:;-', (sign) => sign.charCodeAt(0))
const [SPACE, DIGIT_0, BACKSLASH, SMALL_X, COLON, BAR, QUOTE] = [0x20, 0x30, 0x5c, 0x78, 0x3a, 0x7c, 0x22]

/**
 * The content of a bracketed list whose first item begins with 0x; any other text unchanged. Undefined if the closing bracket
 * is missing.
 */
function listItems(text: Uint8Array): Uint8Array | undefined {
  const open = text.findIndex(
    (byte, at) => (byte === 0x5b || byte === 0x7b) && startsWith(trimmed(text.subarray(at + 1)), '0x'),
  )
  if (open === -1) return text
  const items = text.subarray(open + 1)
  const close = items.findIndex((byte) => byte === 0x5d || byte === 0x7d)
  return close === -1 ? undefined : items.subarray(0, close)
}

/**
 * The first offset of a hex dump, which need not be 0; undefined for other text. An offset is longer than the word after it, or
 * has a colon only at its end, as xxd writes it.
 */
function dumpStart([first, second]: readonly Uint8Array[]): Uint8Array | undefined {
  if (first === undefined) return undefined
  const isColon = first.indexOf(COLON) === first.length - 1 && first.length > 4
  const isLonger = first.length >= 6 && second !== undefined && second.length < first.length
  return isColon || (isLonger && first.every((byte) => hexValue(byte) !== -1)) ? first : undefined
}

/** od prints 7 digits, in octal or decimal; hexdump and xxd print 8 in hex. */
const OD_DIGITS = 7

/** Whether an offset is `count` bytes after `start`. Offsets are not secret, so strings are allowed here. */
function isBehind(word: Uint8Array, start: Uint8Array, count: number): boolean {
  const numberIn = (each: Uint8Array, radix: number): number =>
    Number.parseInt(String.fromCharCode(...each.subarray(0, 16)), radix)
  const radixes = word.length === OD_DIGITS ? [8, 10] : [16]
  return radixes.some((radix) => numberIn(word, radix) - numberIn(start, radix) === count)
}

/** The bytes of a dump's line, without offset and text column: xxd separates the text by two spaces, hexdump by bars. */
function dataColumn(line: Uint8Array, offset: Uint8Array): Uint8Array {
  const rest = trimmed(line.subarray(offset.byteOffset - line.byteOffset + offset.length))
  const end = offset.at(-1) === COLON ? indexOfText(rest, '  ') : rest.indexOf(BAR)
  return end === -1 ? rest : rest.subarray(0, end)
}

const HEX = '0123456789abcdefABCDEF'

/** -1 for any byte that is not a hex digit. */
function hexValue(byte = 0): number {
  const value = valueIn(HEX, byte)
  return value < 16 ? value : value - 6
}

/** Reads from front to back, each byte at most once. Past the end everything is undefined. */
export function createByteCursor(bytes: Uint8Array) {
  let at = 0
  const take = (length: number): Uint8Array | undefined => {
    if (length > bytes.length - at) return undefined
    at += length
    return bytes.subarray(at - length, at)
  }
  const uint32 = (): number | undefined => {
    const four = take(4)
    return four && new DataView(four.buffer, four.byteOffset).getUint32(0)
  }
  return {
    take,
    uint32,
    /** A four-byte big-endian length and that many bytes (RFC 4251, `string`). */
    counted: (): Uint8Array | undefined => {
      const length = uint32()
      return length === undefined ? undefined : take(length)
    },
    rest: (): Uint8Array => bytes.subarray(at),
  }
}
