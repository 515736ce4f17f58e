import { sha512 } from '@noble/hashes/sha2.js'
import { nextTick } from '@noble/hashes/utils.js'
import { blowfishTables, createBlowfish, type BlowfishTables } from './blowfish.ts'
import type { Scratch } from './reading.ts'

const BLOCK_BYTES = 32
const MIXINGS = 64
const MAGIC = 'OxychromaticBlowfishSwatDynamite'

type BcryptInput = {
  readonly passphrase: Uint8Array
  readonly salt: Uint8Array
  readonly rounds: number
  readonly keyBytes: number
  /** How often a round mixes the key in; key files have it 64 times. */
  readonly mixings?: number
}

/**
 * OpenBSD's bcrypt_pbkdf, which OpenSSH protects key files with. Lets other work of this
 * thread in after every round: the signer goes on signing. Our own, because the package that
 * has it is not kept up and brings a second, older tweetnacl along.
 */
export async function bcryptPbkdf(input: BcryptInput, scratch: Scratch): Promise<Uint8Array> {
  const { passphrase, salt, rounds, keyBytes, mixings = MIXINGS } = input
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
      last = scratch.keep(bcryptHash(tables, mixings, pass, scratch.keep(sha512(last))))
      for (let i = 0; i < BLOCK_BYTES; i++) sum[i] = (sum[i] ?? 0) ^ (last[i] ?? 0)
      // Each round needs the one before; this is where other work gets in.
      await nextTick()
    }
    // The blocks are interleaved, so that no part of the key is cheaper to guess than another.
    for (let at = block; at < keyBytes; at += blocks) key[at] = sum[(at - block) / blocks] ?? 0
  }
  return key
}

function bcryptHash(tables: BlowfishTables, mixings: number, pass: Uint8Array, salt: Uint8Array): Uint8Array {
  const blowfish = createBlowfish(tables)
  blowfish.expand(pass, salt)
  for (let i = 0; i < mixings; i++) {
    blowfish.expand(salt)
    blowfish.expand(pass)
  }
  const out = new Uint8Array(BLOCK_BYTES)
  const view = new DataView(out.buffer)
  for (let i = 0; i < BLOCK_BYTES; i++) out[i] = MAGIC.charCodeAt(i)
  const words = Uint32Array.from({ length: BLOCK_BYTES / 4 }, (_, i) => view.getUint32(i * 4))
  for (let i = 0; i < mixings; i++) for (let at = 0; at < words.length; at += 2) blowfish.encrypt(words, at)
  words.forEach((word, i) => view.setUint32(i * 4, word, true))
  words.fill(0)
  blowfish.wipe()
  return out
}
