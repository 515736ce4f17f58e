import { argon2idAsync } from '@noble/hashes/argon2.js'
import type { Bytes } from '#base/bytes.ts'
import { DATA_KEY_BYTES, type Argon2Cost } from './vault.ts'

/** 32 bytes from a passphrase; the result is the caller's to zero. */
export type DeriveKey = (passphrase: Uint8Array, salt: Bytes, cost: Argon2Cost) => Promise<Bytes>

/**
 * Argon2id, version 1.3, in plain JavaScript: a compiled one is three to four times faster
 * and would need a hole in the signer's policy, through which any code could be compiled.
 * Gives way to other work every few milliseconds, so that other keys go on signing; the
 * package zeroes its own memory.
 */
export const argon2id: DeriveKey = async (passphrase, salt, { memoryKib, passes, lanes }) =>
  new Uint8Array(
    await argon2idAsync(passphrase, salt, { m: memoryKib, t: passes, p: lanes, dkLen: DATA_KEY_BYTES }),
  )
