import { argon2idAsync } from '@noble/hashes/argon2.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { pbkdf2Async } from '@noble/hashes/pbkdf2.js'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { copySecret, type Bytes } from '#base/bytes.ts'
import type { Scratch } from './reading.ts'
import { webCrypto } from './web-crypto.ts'
import { nextTick } from '@noble/hashes/utils.js'

/** Ten times what current tools use; in plain JavaScript this takes minutes. */
const PBKDF2_ROUNDS_MAX = 10_000_000

/** Twice what any wallet uses. minisign's 1 GiB is more than a tab can rely on. */
const SCRYPT_BYTES_MAX = 256 * 1024 * 1024
const SCRYPT_LANES_MAX = 16

/** Longest time in ms before the hash lets other work of this thread run. */
const SLICE_MS = 20

type Derivation = { readonly passphrase: Uint8Array; readonly salt: Uint8Array; readonly keyBytes: number }

const HASHES = { 'SHA-1': sha1, 'SHA-256': sha256, 'SHA-384': sha384, 'SHA-512': sha512 } as const

export type PassphraseHash = keyof typeof HASHES

type Pbkdf2Input = Derivation & { readonly rounds: number; readonly hash: PassphraseHash }

/** Undefined if the file requires more work than `PBKDF2_ROUNDS_MAX`. */
export async function pbkdf2Key(input: Pbkdf2Input, scratch: Scratch): Promise<Uint8Array | undefined> {
  const { passphrase, salt, rounds, hash, keyBytes } = input
  if (rounds > PBKDF2_ROUNDS_MAX) return undefined
  const subtle = webCrypto()
  if (subtle === undefined) {
    const numbers = { c: rounds, dkLen: keyBytes, asyncTick: SLICE_MS }
    return scratch.keep(await pbkdf2Async(HASHES[hash], passphrase, salt, numbers))
  }
  // Many times faster than JavaScript. WebCrypto's types require copies that own their buffers.
  const copy = scratch.keep(copySecret(passphrase))
  const base = await subtle.importKey('raw', copy, 'PBKDF2', false, ['deriveBits'])
  const algorithm = { name: 'PBKDF2', salt: new Uint8Array(salt), iterations: rounds, hash }
  return scratch.keep(new Uint8Array(await subtle.deriveBits(algorithm, base, keyBytes * 8)))
}

/** `cost` is N of RFC 7914, a power of two; `blocks` is r, `lanes` is p. */
type ScryptInput = Derivation & { readonly cost: number; readonly blocks: number; readonly lanes: number }

/** Undefined if the parameters are invalid for scrypt, or require more memory than `SCRYPT_BYTES_MAX`. */
export async function scryptKey(input: ScryptInput, scratch: Scratch): Promise<Uint8Array | undefined> {
  const { passphrase, salt, cost, blocks, lanes, keyBytes } = input
  if (lanes > SCRYPT_LANES_MAX || 128 * cost * blocks * lanes > SCRYPT_BYTES_MAX) return undefined
  const numbers = { N: cost, r: blocks, p: lanes, dkLen: keyBytes, asyncTick: SLICE_MS }
  try {
    return scratch.keep(await scryptAsync(passphrase, salt, numbers))
  } catch {
    return undefined // The parameters are invalid, or this browser lacks the memory.
  }
}

export type Argon2Cost = { readonly memoryKib: number; readonly passes: number; readonly lanes: 1 }

const DERIVED_BYTES = 32

/** Derives 32 bytes from a passphrase; the caller zeroes the result. */
export type DeriveKey = (passphrase: Uint8Array, salt: Bytes, cost: Argon2Cost) => Promise<Bytes>

/**
 * Argon2id, version 1.3, in plain JavaScript. WebAssembly is three to four times faster, but would need a hole in the signer's
 * content security policy. Yields every few milliseconds, so that other keys keep signing. The package zeroes its own memory.
 */
export const argon2id: DeriveKey = async (passphrase, salt, { memoryKib, passes, lanes }) =>
  new Uint8Array(
    await argon2idAsync(passphrase, salt, { m: memoryKib, t: passes, p: lanes, dkLen: DERIVED_BYTES }),
  )

const BLOCK_BYTES = 32
const MIXINGS = 64
const MAGIC = 'OxychromaticBlowfishSwatDynamite'

/**
 * OpenBSD's bcrypt_pbkdf, with which OpenSSH protects key files. Yields after every round, so that the signer keeps signing.
 * Our own implementation, because the existing package is unmaintained and brings a second, older tweetnacl.
 */
export async function bcryptPbkdf(
  { passphrase, salt, rounds, keyBytes }: Derivation & { readonly rounds: number },
  scratch: Scratch,
): Promise<Uint8Array> {
  const tables = blowfishTables()
  const pass = scratch.keep(sha512(passphrase))
  const key = scratch.keep(new Uint8Array(keyBytes))
  const blocks = Math.ceil(keyBytes / BLOCK_BYTES)
  for (let block = 0; block < blocks; block++) {
    const salted = new Uint8Array(salt.length + 4)
    salted.set(salt)
    salted[salted.length - 1] = block + 1
    const sum = scratch.keep(new Uint8Array(BLOCK_BYTES))
    let last: Uint8Array = salted
    for (let round = 0; round < rounds; round++) {
      last = scratch.keep(bcryptHash(tables, pass, scratch.keep(sha512(last))))
      for (let i = 0; i < BLOCK_BYTES; i++) sum[i] = (sum[i] ?? 0) ^ (last[i] ?? 0)
      // Rounds depend on each other, so they cannot run in parallel; other work runs here.
      await nextTick()
    }
    // The blocks are interleaved, so that no part of the key is cheaper to guess than another.
    for (let at = block; at < keyBytes; at += blocks) key[at] = sum[(at - block) / blocks] ?? 0
  }
  return key
}

function bcryptHash(tables: BlowfishTables, pass: Uint8Array, salt: Uint8Array): Uint8Array {
  const blowfish = createBlowfish(tables)
  blowfish.expand(pass, salt)
  for (let i = 0; i < MIXINGS; i++) {
    blowfish.expand(salt)
    blowfish.expand(pass)
  }
  const out = new Uint8Array(BLOCK_BYTES)
  const view = new DataView(out.buffer)
  for (let i = 0; i < BLOCK_BYTES; i++) out[i] = MAGIC.charCodeAt(i)
  const words = Uint32Array.from({ length: BLOCK_BYTES / 4 }, (_, i) => view.getUint32(i * 4))
  for (let i = 0; i < MIXINGS; i++) for (let at = 0; at < words.length; at += 2) blowfish.encrypt(words, at)
  words.forEach((word, i) => view.setUint32(i * 4, word, true))
  words.fill(0)
  blowfish.wipe()
  return out
}

/*
 * Blowfish's expensive key schedule, which only bcrypt still needs. Its tables begin as the
 * binary digits of pi; they are computed, because 1,042 numbers can't be reviewed and pi can.
 */

const P_WORDS = 18
const S_WORDS = 4 * 256

type BlowfishTables = { readonly p: Uint32Array; readonly s: Uint32Array }

function createBlowfish(pi: BlowfishTables) {
  const p = pi.p.slice()
  const s = pi.s.slice()

  const encrypt = (words: Uint32Array, at: number): void => {
    let left = words[at] ?? 0
    let right = words[at + 1] ?? 0
    for (let round = 0; round < 16; round++) {
      left ^= p[round] ?? 0
      const sum = ((s[left >>> 24] ?? 0) + (s[256 + ((left >>> 16) & 0xff)] ?? 0)) | 0
      right ^= ((sum ^ (s[512 + ((left >>> 8) & 0xff)] ?? 0)) + (s[768 + (left & 0xff)] ?? 0)) | 0
      const swapped = left
      left = right
      right = swapped
    }
    words[at] = right ^ (p[17] ?? 0)
    words[at + 1] = left ^ (p[16] ?? 0)
  }

  const expand = (key: Uint8Array, salt?: Uint8Array): void => {
    const keyWord = createWords(key)
    const saltWord = salt && createWords(salt)
    for (let i = 0; i < P_WORDS; i++) p[i] = (p[i] ?? 0) ^ keyWord()
    const block = new Uint32Array(2)
    for (const table of [p, s])
      for (let i = 0; i < table.length; i += 2) {
        if (saltWord !== undefined) {
          block[0] = (block[0] ?? 0) ^ saltWord()
          block[1] = (block[1] ?? 0) ^ saltWord()
        }
        encrypt(block, 0)
        table.set(block, i)
      }
    block.fill(0)
  }

  return {
    /** Mixes the key into the tables; with `salt` as in eksblowfish, on which bcrypt is based. */
    expand,
    /** Encrypts the pair of words at `at` in place. */
    encrypt,
    wipe: (): void => {
      p.fill(0)
      s.fill(0)
    },
  }
}

/** Reads the bytes cyclically as big-endian 32-bit words. */
function createWords(bytes: Uint8Array): () => number {
  let at = 0
  return () => {
    let word = 0
    for (let i = 0; i < 4; i++) {
      word = (word << 8) | (bytes[at] ?? 0)
      at = (at + 1) % bytes.length
    }
    return word
  }
}

/** The initial tables; computing them takes tens of milliseconds. */
function blowfishTables(): BlowfishTables {
  const bits = 32 * (P_WORDS + S_WORDS)
  const digits = fractionOfPi(bits)
  const words = new Uint32Array(P_WORDS + S_WORDS)
  for (let i = 0; i < words.length; i++) words[i] = Number.parseInt(digits.slice(i * 8, i * 8 + 8), 16)
  return { p: words.slice(0, P_WORDS), s: words.slice(P_WORDS) }
}

/** The fraction of pi in hex, without leading zeros. By Machin's formula: 16 arctan(1/5) - 4 arctan(1/239). */
function fractionOfPi(bits: number): string {
  const spare = 64
  const one = 1n << BigInt(bits + spare)
  const pi = 16n * arctanOfInverse(5n, one) - 4n * arctanOfInverse(239n, one)
  return ((pi - 3n * one) >> BigInt(spare)).toString(16)
}

function arctanOfInverse(x: bigint, one: bigint): bigint {
  let power = one / x
  let sum = 0n
  for (let odd = 1n; power !== 0n; odd += 2n) {
    sum += odd % 4n === 1n ? power / odd : -(power / odd)
    power /= x * x
  }
  return sum
}
