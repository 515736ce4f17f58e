/** Bytes that own a plain ArrayBuffer, as WebCrypto asks for them. */
export type Bytes = Uint8Array<ArrayBuffer>

/**
 * Room for a secret, which zeroing clears for good. An array that is made by its length alone
 * may begin inside the JavaScript heap, which leaves copies of it behind when it moves.
 */
export const secretBytes = (length: number): Bytes => new Uint8Array(new ArrayBuffer(length))

export function copySecret(secret: Uint8Array): Bytes {
  const copy = secretBytes(secret.length)
  copy.set(secret)
  return copy
}

const HEX = '0123456789abcdef'

/** Lower-case hex, two digits a byte. */
export function bytesToHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX.charAt(byte >> 4) + HEX.charAt(byte & 15)
  return text
}

/** Reads hex of either case without a prefix. Undefined for an odd length or any other character. */
export function hexToBytes(text: string): Bytes | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(i * 2, i * 2 + 2), 16)
  return bytes
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BASE64_URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** RFC 4648 section 4, with padding. */
export const bytesToBase64 = (bytes: Uint8Array): string => {
  const text = encode64(bytes, BASE64)
  return text + '='.repeat((4 - (text.length % 4)) % 4)
}

/** RFC 4648 section 5, without padding. */
export const bytesToBase64Url = (bytes: Uint8Array): string => encode64(bytes, BASE64_URL)

function encode64(bytes: Uint8Array, alphabet: string): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = Math.min(3, bytes.length - i)
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    for (let digit = 0; digit <= left; digit++) text += alphabet.charAt((group >> (18 - 6 * digit)) & 63)
  }
  return text
}

/**
 * Reads base64 or base64url, padded or not. Undefined for anything else, and for text
 * whose unused last bits are not zero: it could stand for the same bytes in two ways.
 */
export function base64ToBytes(text: string): Bytes | undefined {
  const match = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text)
  const digits = match?.[1]
  const padding = match?.[2]
  if (digits === undefined || padding === undefined || digits.length % 4 === 1) return undefined
  if (padding !== '' && (digits.length + padding.length) % 4 !== 0) return undefined
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let buffer = 0
  let bits = 0
  let at = 0
  for (const digit of digits) {
    const value = BASE64.includes(digit) ? BASE64.indexOf(digit) : BASE64_URL.indexOf(digit)
    buffer = ((buffer << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (buffer >> bits) & 255
  }
  return (buffer & ((1 << bits) - 1)) === 0 ? bytes : undefined
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Base58 with Bitcoin's alphabet; a leading zero byte becomes a leading "1". */
export function bytesToBase58(bytes: Uint8Array): string {
  const digits: number[] = []
  for (const byte of bytes) {
    let carry = byte
    for (let i = 0; i < digits.length; i++) {
      carry += (digits[i] ?? 0) << 8
      digits[i] = carry % 58
      carry = Math.floor(carry / 58)
    }
    while (carry > 0) {
      digits.push(carry % 58)
      carry = Math.floor(carry / 58)
    }
  }
  const zeros = bytes.findIndex((byte) => byte !== 0)
  const leading = '1'.repeat(zeros === -1 ? bytes.length : zeros)
  return (
    leading +
    digits
      .toReversed()
      .map((digit) => BASE58.charAt(digit))
      .join('')
  )
}
