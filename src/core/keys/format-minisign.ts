import { blake2b } from '@noble/hashes/blake2.js'
import { linesOf, sameBytes, startsWith } from './ascii.ts'
import { createByteCursor } from './byte-cursor.ts'
import { damaged, foreign, pair, problem, truncated, type Found } from './key-kinds.ts'
import type { Reading } from './reading.ts'
import { decodeBase64, trimmed } from './seed-text.ts'

const BYTES = 158
const PUBLIC_BYTES = 42
const SIGNIFY_BYTES = 104

/** A comment and a line of base64, as minisign and OpenBSD's signify write them. */
export function readMinisign(bytes: Uint8Array, { scratch }: Reading): Found {
  const [, line] = linesOf(bytes, 2)
  const content = decodeBase64(trimmed(line ?? new Uint8Array()))
  if (content === undefined) return line === undefined ? truncated('minisign') : damaged('minisign')
  scratch.keep(content)
  if (content.length === PUBLIC_BYTES) return foreign('public-key')
  if (content.length === SIGNIFY_BYTES) return foreign('signify')
  if (content.length !== BYTES) return content.length < BYTES ? truncated('minisign') : damaged('minisign')
  const cursor = createByteCursor(content)
  const [algorithm, derivation, checksum] = [cursor.take(2), cursor.take(2), cursor.take(2)]
  cursor.take(SALT_AND_LIMITS_BYTES)
  const sealed = cursor.take(8 + 64)
  if (!algorithm || !derivation || !checksum || !sealed) return damaged('minisign')
  if (!startsWith(algorithm, 'Ed') || !startsWith(checksum, 'B2')) return damaged('minisign')
  // scrypt with 1 GiB of memory, which a tab is not sure to get.
  if (startsWith(derivation, 'Sc')) return problem({ reason: 'too-costly', kind: 'encrypted-minisign' })
  if (!sameBytes(derivation, new Uint8Array(2))) return damaged('minisign')
  const given = cursor.rest()
  const summed = scratch.keep(new Uint8Array(algorithm.length + sealed.length))
  summed.set(algorithm)
  summed.set(sealed, algorithm.length)
  // minisign itself leaves the checksum out of keys without a password; the public half stays as a check.
  const isGood = given.every((byte) => byte === 0) || sameBytes(blake2b(summed, { dkLen: 32 }), given)
  if (!isGood) return damaged('minisign')
  return pair('minisign', sealed.subarray(8))
}

const SALT_AND_LIMITS_BYTES = 32 + 8 + 8
