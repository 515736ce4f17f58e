import { base58, base64, base64url, hex } from '@scure/base'

/** Bytes that own a plain ArrayBuffer, as WebCrypto's types require. */
export type Bytes = Uint8Array<ArrayBuffer>

/**
 * A buffer for a secret that zeroing clears completely. An array created by its length alone may start in the JavaScript heap,
 * which leaves copies behind when it moves the array.
 */
export const secretBytes = (length: number): Bytes => new Uint8Array(new ArrayBuffer(length))

export function copySecret(secret: Uint8Array): Bytes {
  const copy = secretBytes(secret.length)
  copy.set(secret)
  return copy
}

export const bytesToHex = (bytes: Uint8Array): string => hex.encode(bytes)

/** Accepts either case, without a prefix. Undefined for an odd length or any other character. */
export const hexToBytes = (text: string): Bytes | undefined =>
  text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text) ? new Uint8Array(hex.decode(text)) : undefined

/** RFC 4648 section 4, with padding. */
export const bytesToBase64 = (bytes: Uint8Array): string => base64.encode(bytes)

/** RFC 4648 section 5, without padding. */
export const bytesToBase64Url = (bytes: Uint8Array): string => base64url.encode(bytes).replace(/=+$/, '')

/**
 * Reads base64 or base64url, padded or not. Undefined for anything else, and for text whose unused last bits are not zero,
 * because then two texts would stand for the same bytes.
 */
export function base64ToBytes(text: string): Bytes | undefined {
  const [, digits, padding = ''] = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text) ?? []
  if (digits === undefined || (padding !== '' && text.length % 4 !== 0)) return undefined
  const padded = digits.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat(-digits.length & 3)
  try {
    return new Uint8Array(base64.decode(padded))
  } catch {
    return undefined // A digit is missing, or bits are left over.
  }
}

/** Base58 with Bitcoin's alphabet; a leading zero byte becomes a leading "1". */
export const bytesToBase58 = (bytes: Uint8Array): string => base58.encode(bytes)
