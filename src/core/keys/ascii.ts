/*
 * Text that may hold a secret, looked at as bytes: a string can't be zeroed, so none is made
 * of it. The texts that it is compared with are words of formats and no secret.
 */

import { secretBytes } from '#base/bytes.ts'

/** What a byte is in ASCII; NaN past the end. */
const charAt = (text: string, at: number): number => text.charCodeAt(at)

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])

export const startsWith = (bytes: Uint8Array, text: string, from = 0): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== charAt(text, i)) return false
  return true
}

export const isText = (bytes: Uint8Array, text: string): boolean =>
  bytes.length === text.length && startsWith(bytes, text)

/** Where the text begins, at `from` or later; -1 where it does not. */
export function indexOfText(bytes: Uint8Array, text: string, from = 0): number {
  for (let at = from; at < bytes.length; at++) if (startsWith(bytes, text, at)) return at
  return -1
}

/** Lines without their ends, as views, at most `max` of them. */
export function linesOf(bytes: Uint8Array, max: number): readonly Uint8Array[] {
  const lines: Uint8Array[] = []
  let from = 0
  while (from < bytes.length && lines.length < max) {
    let to = bytes.indexOf(0x0a, from)
    if (to === -1) to = bytes.length
    lines.push(bytes.subarray(from, bytes[to - 1] === 0x0d ? to - 1 : to))
    from = to + 1
  }
  return lines
}

/** The words of a text as views, at most `max` of them. */
export function wordsOf(bytes: Uint8Array, max: number): readonly Uint8Array[] {
  const words: Uint8Array[] = []
  let from = 0
  for (let at = 0; at <= bytes.length && words.length < max; at++) {
    if (at < bytes.length && !isSpace(bytes[at])) continue
    if (at > from) words.push(bytes.subarray(from, at))
    from = at + 1
  }
  return words
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

/** A copy without white space, which the caller has to zero. */
export function withoutSpace(bytes: Uint8Array): Uint8Array {
  const copy = secretBytes(bytes.length)
  let length = 0
  for (const byte of bytes) if (!isSpace(byte)) copy[length++] = byte
  return copy.subarray(0, length)
}
