import { startsWith } from './ascii.ts'
import { damaged, foreign, type Found } from './key-kinds.ts'
import type { Reading } from './reading.ts'
import { decodeBase58 } from './text-codes.ts'

export const NEAR_PREFIX = 'ed25519:'

/** What stands behind `ed25519:` in NEAR's texts: 64 bytes of a private key, 32 of a public one. */
export function nearBytes(text: Uint8Array, { scratch }: Reading): Uint8Array | Found {
  if (startsWith(text, 'secp256k1:')) return foreign('secp256k1')
  if (!startsWith(text, NEAR_PREFIX)) return damaged('near')
  const bytes = decodeBase58(text.subarray(NEAR_PREFIX.length))
  return bytes === undefined ? damaged('near') : scratch.keep(bytes)
}
