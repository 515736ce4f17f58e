import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '#base/bytes.ts'

/** The first 8 bytes of the SHA-256 of a public key, in groups of four hex digits: short enough to read out. */
export const fingerprintOf = (publicKey: Uint8Array): string =>
  bytesToHex(sha256(publicKey).subarray(0, 8)).replace(/.{4}(?=.)/g, '$& ')
