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
  while (from < to && isSpace(bytes[from])) from++
  while (to > from && isSpace(bytes[to - 1])) to--
  return bytes.subarray(from, to)
}

/** Undefined when it is not hex with two digits for each byte. A leading 0x is passed over. */
export function decodeHex(text: Uint8Array): Uint8Array | undefined {
  const digits = hexDigits(text)
  if (digits === undefined || digits.length % 2 !== 0) return undefined
  const bytes = new Uint8Array(digits.length / 2)
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
  while (length > 0 && text.length - length < 2 && text[length - 1] === 0x3d) length--
  if (length === 0 || length % 4 === 1) return undefined
  if (length !== text.length && text.length % 4 !== 0) return undefined
  const bytes = new Uint8Array(Math.floor((length * 3) / 4))
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
