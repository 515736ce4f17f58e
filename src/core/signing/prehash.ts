import { sha256, sha512 } from '@noble/hashes/sha2.js'
import type { Bytes } from '#base/bytes.ts'

export type Prehash = 'sha-256' | 'sha-512'

/** In JavaScript: pages on plain http have no WebCrypto, and a message is a few hundred bytes. */
export const hashOf = (hash: Prehash, bytes: Uint8Array): Bytes =>
  new Uint8Array((hash === 'sha-256' ? sha256 : sha512)(bytes))
