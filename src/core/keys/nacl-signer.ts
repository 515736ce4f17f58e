import { sha512 } from '@noble/hashes/sha2.js'
import nacl from 'tweetnacl'
import { secretBytes, type Bytes } from '#base/bytes.ts'
import { SEED_BYTES, type SigningKey } from './signing-key.ts'

/*
 * Ed25519 (RFC 8032) on the arithmetic of tweetnacl. Not by its own `sign`: its SHA-512 copies
 * the seed into a block that it never zeroes, at each signature and each public key.
 */

type Field = Float64Array
type Point = readonly [Field, Field, Field, Field]

/** What tweetnacl exports and does not declare. */
type Arithmetic = {
  readonly M: (product: Field, a: Field, b: Field) => void
  readonly S: (square: Field, a: Field) => void
  /** `a` to the power of 2^252 - 3. */
  readonly pow2523: (power: Field, a: Field) => void
  readonly pack25519: (into: Uint8Array, a: Field) => void
  readonly scalarbase: (product: Point, scalar: Uint8Array) => void
  /** Reduces 64 digits of base 256, which it uses up, by the order of the base point. */
  readonly modL: (into: Uint8Array, digits: Float64Array) => void
}

const NAMES = ['M', 'S', 'pow2523', 'pack25519', 'scalarbase', 'modL']

const isArithmetic = (value: unknown): value is Arithmetic =>
  typeof value === 'object' &&
  value !== null &&
  NAMES.every((name) => typeof Object.getOwnPropertyDescriptor(value, name)?.value === 'function')

/** What this module is built on; throws where a version of tweetnacl has it no more. */
export function arithmeticOf(library: object): Arithmetic {
  const lowlevel: unknown = Object.getOwnPropertyDescriptor(library, 'lowlevel')?.value
  if (!isArithmetic(lowlevel)) throw new Error('tweetnacl has no arithmetic')
  return lowlevel
}

const { M, S, pow2523, pack25519, scalarbase, modL } = arithmeticOf(nacl)

const HALF_BYTES = 32
const HASH_BYTES = 64

function hash(...parts: readonly Uint8Array[]): Bytes {
  const out = secretBytes(HASH_BYTES)
  const hasher = sha512.create()
  for (const part of parts) hasher.update(part)
  hasher.digestInto(out)
  hasher.destroy()
  return out
}

/** The scalar and, behind it, the prefix for nonces; the caller's to zero. */
function expanded(seed: Uint8Array): Bytes {
  if (seed.length !== SEED_BYTES) throw new Error(`a seed has ${SEED_BYTES} bytes, not ${seed.length}`)
  const secret = hash(seed)
  secret[0] = (secret[0] ?? 0) & 248
  secret[31] = ((secret[31] ?? 0) & 127) | 64
  return secret
}

const field = (): Field => new Float64Array(16)

/** The scalar's multiple of the base point, as 32 bytes. */
function multiple(scalar: Uint8Array): Bytes {
  const [x, y, z] = [field(), field(), field()]
  scalarbase([x, y, z, field()], scalar)
  const inverse = inverted(z)
  M(x, x, inverse)
  M(y, y, inverse)
  const packed = new Uint8Array(HALF_BYTES)
  pack25519(packed, x)
  const sign = (packed[0] ?? 0) & 1
  pack25519(packed, y)
  packed[31] = (packed[31] ?? 0) ^ (sign << 7)
  return packed
}

/** To the power of 2^255 - 21, which is 8 (2^252 - 3) + 3. */
function inverted(a: Field): Field {
  const power = field()
  pow2523(power, a)
  for (let squaring = 0; squaring < 3; squaring++) S(power, power)
  for (let factor = 0; factor < 3; factor++) M(power, power, a)
  return power
}

const digitsOf = (bytes: Uint8Array): Float64Array => {
  const digits = new Float64Array(HASH_BYTES)
  digits.set(bytes)
  return digits
}

/** In place, by the order of the base point; the upper half is zero then. */
function reduce(bytes: Uint8Array): void {
  const digits = digitsOf(bytes)
  bytes.fill(0)
  modL(bytes, digits)
  digits.fill(0)
}

function signed(message: Uint8Array, secret: Uint8Array, publicKey: Uint8Array): Bytes {
  const nonce = hash(secret.subarray(HALF_BYTES), message)
  reduce(nonce)
  const signature = new Uint8Array(2 * HALF_BYTES)
  signature.set(multiple(nonce))
  const challenge = hash(signature.subarray(0, HALF_BYTES), publicKey, message)
  reduce(challenge)
  const digits = digitsOf(nonce)
  for (let i = 0; i < HALF_BYTES; i++)
    for (let j = 0; j < HALF_BYTES; j++)
      digits[i + j] = (digits[i + j] ?? 0) + (challenge[i] ?? 0) * (secret[j] ?? 0)
  modL(signature.subarray(HALF_BYTES), digits)
  digits.fill(0)
  nonce.fill(0)
  return signature
}

/**
 * The public half of a seed. The other way, exporting a WebCrypto key as a JWK, would leave
 * the private key in memory as a string, which nothing can zero.
 */
export function publicKeyOf(seed: Uint8Array): Bytes {
  const secret = expanded(seed)
  const publicKey = multiple(secret)
  secret.fill(0)
  return publicKey
}

/** Whether a signature is right. For this product's own keys only: a hostile one could have been chosen to pass. */
export const verifies = (message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean =>
  nacl.sign.detached.verify(message, signature, publicKey)

/**
 * A signer in plain JavaScript, for pages without WebCrypto; a hundred times slower. Only
 * ever made from the 32-byte seed: a public half that is not the seed's own would have two
 * signatures give the private key away.
 */
export function createNaclKey(seed: Uint8Array): SigningKey {
  const secret = expanded(seed)
  const publicKey = multiple(secret)
  let forgotten = false
  return {
    publicKey: new Uint8Array(publicKey),
    sign: async (message) => {
      if (forgotten) throw new Error('this key was forgotten')
      return signed(message, secret, publicKey)
    },
    forget: () => {
      forgotten = true
      secret.fill(0)
    },
  }
}
