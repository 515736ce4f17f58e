import { argon2idAsync } from '@noble/hashes/argon2.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { pbkdf2Async } from '@noble/hashes/pbkdf2.js'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { copySecret, type Bytes } from '#base/bytes.ts'
import type { Scratch } from './reading.ts'
import { DATA_KEY_BYTES, type Argon2Cost } from './vault.ts'

export type PassphraseHash = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512'

/** Ten times what current tools write, and minutes in plain JavaScript. */
const PBKDF2_ROUNDS_MAX = 10_000_000

/** Twice what any wallet asks for; minisign's 1 GiB is more than a tab is sure to get. */
const SCRYPT_BYTES_MAX = 256 * 1024 * 1024
const SCRYPT_LANES_MAX = 16

/** Bytes fed to the hash in one go before other work of this thread is let in. */
const SLICE_MS = 20

type Pbkdf2Input = {
  readonly passphrase: Uint8Array
  readonly salt: Uint8Array
  readonly rounds: number
  readonly hash: PassphraseHash
  readonly keyBytes: number
}

/** A key of the passphrase; undefined when the file asks for more work than a browser should do. */
export async function pbkdf2Key(input: Pbkdf2Input, scratch: Scratch): Promise<Uint8Array | undefined> {
  if (input.rounds > PBKDF2_ROUNDS_MAX) return undefined
  return scratch.keep((await nativePbkdf2(input)) ?? (await plainPbkdf2(input)))
}

/** On plain http the property is missing, whatever its declared type says. */
type SubtleCryptoMaybe = typeof crypto.subtle | undefined

/** Many times faster than ours, but not there on plain http. */
async function nativePbkdf2(input: Pbkdf2Input): Promise<Uint8Array | undefined> {
  const subtle: SubtleCryptoMaybe = globalThis.crypto.subtle
  if (subtle === undefined) return undefined
  const { salt, rounds, hash, keyBytes } = input
  // Copies that own their buffers, as WebCrypto's types ask for.
  const passphrase = copySecret(input.passphrase)
  try {
    const base = await subtle.importKey('raw', passphrase, 'PBKDF2', false, ['deriveBits'])
    const algorithm = { name: 'PBKDF2', salt: new Uint8Array(salt), iterations: rounds, hash }
    return new Uint8Array(await subtle.deriveBits(algorithm, base, keyBytes * 8))
  } finally {
    passphrase.fill(0)
  }
}

const HASHES = { 'SHA-1': sha1, 'SHA-256': sha256, 'SHA-384': sha384, 'SHA-512': sha512 } as const

const plainPbkdf2 = async ({ passphrase, salt, rounds, hash, keyBytes }: Pbkdf2Input): Promise<Uint8Array> =>
  pbkdf2Async(HASHES[hash], passphrase, salt, { c: rounds, dkLen: keyBytes, asyncTick: SLICE_MS })

type ScryptInput = {
  readonly passphrase: Uint8Array
  readonly salt: Uint8Array
  /** `cost` is N of RFC 7914, a power of two; `blocks` is r, `lanes` is p. */
  readonly cost: number
  readonly blocks: number
  readonly lanes: number
  readonly keyBytes: number
}

/** As `pbkdf2Key`, and undefined too for numbers that scrypt does not have. */
export async function scryptKey(
  input: ScryptInput,
  scratch: Scratch,
  bytesMax = SCRYPT_BYTES_MAX,
): Promise<Uint8Array | undefined> {
  const { passphrase, salt, cost, blocks, lanes, keyBytes } = input
  if (lanes > SCRYPT_LANES_MAX || 128 * cost * blocks * lanes > bytesMax) return undefined
  const numbers = { N: cost, r: blocks, p: lanes, dkLen: keyBytes, asyncTick: SLICE_MS }
  try {
    return scratch.keep(await scryptAsync(passphrase, salt, numbers))
  } catch {
    return undefined // no such numbers, or this browser does not have as much memory to give
  }
}

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
