/*
 * Codes of wallets, from bytes into bytes like those of seed-text. Each gives undefined for
 * anything that is not exactly its own; what they give is the caller's to zero.
 */

import { secretBytes } from '#base/bytes.ts'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/** The longest text that is read: 64 bytes have 88 digits. The work grows with the square. */
const BASE58_DIGITS_MAX = 120

const valueIn = (alphabet: string, byte: number): number => alphabet.indexOf(String.fromCharCode(byte))

/** Bitcoin's alphabet, as Solana and NEAR use it. */
export function decodeBase58(text: Uint8Array): Uint8Array | undefined {
  if (text.length === 0 || text.length > BASE58_DIGITS_MAX) return undefined
  const digits = secretBytes(text.length) // base 256, least significant first
  let length = 0
  for (const byte of text) {
    let carry = valueIn(BASE58, byte)
    if (carry === -1) {
      digits.fill(0)
      return undefined
    }
    for (let i = 0; i < length; i++) {
      carry += (digits[i] ?? 0) * 58
      digits[i] = carry & 0xff
      carry >>= 8
    }
    if (carry > 0) digits[length++] = carry
  }
  for (let i = 0; text[i] === 0x31; i++) length++
  const bytes = secretBytes(length)
  for (let i = 0; i < length; i++) bytes[i] = digits[length - 1 - i] ?? 0
  digits.fill(0)
  return bytes
}

/** RFC 4648 section 6 in capitals without padding, as Stellar uses it. */
export function decodeBase32(text: Uint8Array): Uint8Array | undefined {
  return regroup(text, (byte) => valueIn(BASE32, byte))
}

/**
 * BIP 173: the bytes behind the prefix and its "1". Undefined for a wrong checksum, other
 * prefix, or mixed case.
 */
export function decodeBech32(text: Uint8Array, prefix: string): Uint8Array | undefined {
  const from = prefix.length + 1
  if (text.length < from + CHECKSUM_DIGITS) return undefined
  let sum = 1
  for (let i = 0; i < prefix.length; i++) sum = bech32Step(sum, prefix.charCodeAt(i) >> 5)
  sum = bech32Step(sum, 0)
  for (let i = 0; i < prefix.length; i++) sum = bech32Step(sum, prefix.charCodeAt(i) & 31)
  for (const byte of text.subarray(from)) {
    const value = valueIn(BECH32, byte)
    if (value === -1) return undefined
    sum = bech32Step(sum, value)
  }
  if (sum !== 1) return undefined
  return regroup(text.subarray(from, text.length - CHECKSUM_DIGITS), (byte) => valueIn(BECH32, byte))
}

const CHECKSUM_DIGITS = 6
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

function bech32Step(sum: number, value: number): number {
  let next = ((sum & 0x1ffffff) << 5) ^ value
  GENERATOR.forEach((term, bit) => {
    if (((sum >> (25 + bit)) & 1) === 1) next ^= term
  })
  return next
}

/** Digits of five bits as bytes; undefined where a digit is none, or bits are left over that are not zero. */
function regroup(text: Uint8Array, valueOf: (byte: number) => number): Uint8Array | undefined {
  const bytes = secretBytes(Math.floor((text.length * 5) / 8))
  let buffer = 0
  let bits = 0
  let at = 0
  let isGood = true
  for (const byte of text) {
    const value = valueOf(byte)
    isGood &&= value !== -1
    buffer = ((buffer << 5) | (value & 31)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (buffer >> bits) & 0xff
  }
  if (isGood && bits < 5 && (buffer & ((1 << bits) - 1)) === 0) return bytes
  bytes.fill(0)
  return undefined
}

/** CRC-16/XMODEM, which Stellar puts behind its keys. */
export function crc16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ ((sum & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff
  }
  return sum
}

/*
 * Hex and base64 of secrets, read from bytes into bytes. Apart from the functions of
 * core/base because no string may be made on the way: a string can't be zeroed.
 */

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

/** Whether all bytes are printable ASCII or white space. */
export const isPrintable = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => isSpace(byte) || (byte > 0x20 && byte < 0x7f))

/** A view without the white space at both ends; no copy. */
export function trimmed(bytes: Uint8Array): Uint8Array {
  let from = 0
  let to = bytes.length
  // Past either end there is no white space.
  while (isSpace(bytes[from])) from++
  while (isSpace(bytes[to - 1])) to--
  return bytes.subarray(from, to)
}

/** Undefined when it is not hex with two digits for each byte. A leading 0x is passed over. */
export function decodeHex(text: Uint8Array): Uint8Array | undefined {
  const digits = hexDigits(text)
  if (digits === undefined || digits.length % 2 !== 0) return undefined
  const bytes = secretBytes(digits.length / 2)
  for (let i = 0; i < digits.length; i++) {
    const at = i >> 1
    bytes[at] = ((bytes[at] ?? 0) << 4) | hexValue(digits[i] ?? 0)
  }
  return bytes
}

/** A view of the digits without a leading 0x; undefined when there are none, or others among them. */
export function hexDigits(text: Uint8Array): Uint8Array | undefined {
  const hasPrefix = text[0] === 0x30 && (text[1] === 0x78 || text[1] === 0x58)
  const digits = hasPrefix ? text.subarray(2) : text
  return digits.length > 0 && digits.every((digit) => hexValue(digit) !== -1) ? digits : undefined
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/**
 * Undefined when it is neither base64 nor base64url, padded fully or not at all. Text whose
 * unused last bits are set is refused: it was damaged, or typed by hand.
 */
export function decodeBase64(text: Uint8Array): Uint8Array | undefined {
  let length = text.length
  while (text.length - length < 2 && text[length - 1] === 0x3d) length--
  if (length === 0 || length % 4 === 1) return undefined
  if (length !== text.length && text.length % 4 !== 0) return undefined
  const bytes = secretBytes(Math.floor((length * 3) / 4))
  let buffer = 0
  let bits = 0
  let at = 0
  for (let i = 0; i < length; i++) {
    const value = base64Value(text[i] ?? 0)
    if (value === -1) {
      bytes.fill(0)
      return undefined
    }
    buffer = ((buffer << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (buffer >> bits) & 0xff
  }
  if ((buffer & ((1 << bits) - 1)) === 0) return bytes
  bytes.fill(0)
  return undefined
}

function base64Value(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52
  if (code === 0x2b || code === 0x2d) return 62
  if (code === 0x2f || code === 0x5f) return 63
  return -1
}
