import { ed25519 } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { secretBytes, type Bytes } from '#base/bytes.ts'
import type { KeyFamily } from '#protocol/key-kinds.ts'
import type { GrantedService } from '#signing/signing-grant.ts'
import type { WebCryptoKey } from './web-crypto.ts'

/** An Ed25519 private key that can sign but cannot be read. Stays inside the signer: other layers see only `Signer`. */
export type SigningKey = {
  /** 32 bytes. */
  readonly publicKey: Bytes
  /** 64 bytes, deterministic (RFC 8032). Rejects once the key is forgotten. */
  readonly sign: (message: Bytes) => Promise<Bytes>
  /** Zeroes what can be zeroed and releases the rest. */
  readonly forget: () => void
}

export type UsableKey = SigningKey & {
  /** `chain`: belongs to a chain wallet or validator, so it signs nothing that could be a transaction. */
  readonly family: KeyFamily
  readonly accepts: (service: GrantedService) => boolean
}

export type WebCryptoSigningKey = SigningKey & {
  /** Non-extractable: can be stored in IndexedDB, but no script can read it. */
  readonly cryptoKey: WebCryptoKey
}

/** `javascript` if this scope has no WebCrypto with Ed25519: on plain http, or in an old browser. */
export type Cryptography = 'webcrypto' | 'javascript'

/** Only a key with a `cryptoKey` can be stored on the device. */
export type MadeKey = SigningKey & { readonly cryptoKey?: WebCryptoKey }

const SEED_BYTES = 32

function assertSeed({ length }: Uint8Array): void {
  if (length !== SEED_BYTES) throw new Error(`a seed has ${SEED_BYTES} bytes, not ${length}`)
}

/** The caller zeroes the seed. */
export async function keyOfSeed(seed: Uint8Array, cryptography: Cryptography): Promise<MadeKey> {
  return cryptography === 'webcrypto' ? createWebCryptoKey(seed) : createPlainKey(seed)
}

/** The caller zeroes the result. */
export const newSeed = (randomBytes: (length: number) => Bytes): Bytes => randomBytes(SEED_BYTES)

export async function newKey(
  cryptography: Cryptography,
  randomBytes: (length: number) => Bytes,
): Promise<MadeKey> {
  if (cryptography === 'webcrypto') return generateWebCryptoKey()
  const seed = newSeed(randomBytes)
  try {
    return createPlainKey(seed)
  } finally {
    seed.fill(0)
  }
}

/** PKCS#8 version 1 of an Ed25519 key up to the seed: the only private key format that all engines import. */
const PKCS8_PREFIX = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
]

/** The caller zeroes both seed and result. */
export function pkcs8Of(seed: Uint8Array): Bytes {
  assertSeed(seed)
  const pkcs8 = secretBytes(PKCS8_PREFIX.length + SEED_BYTES)
  pkcs8.set(PKCS8_PREFIX)
  pkcs8.set(seed, PKCS8_PREFIX.length)
  return pkcs8
}

/** Imports a 32-byte seed as a non-extractable key. The caller zeroes the seed. */
export async function createWebCryptoKey(seed: Uint8Array): Promise<WebCryptoSigningKey> {
  const pkcs8 = pkcs8Of(seed)
  try {
    const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
    return webCryptoSigningKey(key, publicKeyOf(seed))
  } finally {
    pkcs8.fill(0)
  }
}

/** The seed never leaves WebCrypto. */
export async function generateWebCryptoKey(): Promise<WebCryptoSigningKey> {
  const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  // Some type libraries merge the results of all algorithms; Ed25519 always gives a pair.
  if (!('privateKey' in pair)) throw new Error('generateKey returned a single key')
  const publicKey = await crypto.subtle.exportKey('raw', pair.publicKey)
  return webCryptoSigningKey(pair.privateKey, new Uint8Array(publicKey))
}

/** For a key loaded from storage. */
export function webCryptoSigningKey(cryptoKey: WebCryptoKey, publicKey: Bytes): WebCryptoSigningKey {
  let current: WebCryptoKey | undefined = cryptoKey
  return {
    cryptoKey,
    publicKey,
    sign: async (message) => {
      if (current === undefined) throw new Error('this key was forgotten')
      return new Uint8Array(await crypto.subtle.sign('Ed25519', current, message))
    },
    forget: () => {
      current = undefined
    },
  }
}

/**
 * Ed25519 (RFC 8032) on the group of @noble/curves, with hashes that are zeroed. The `sign` of that library or of tweetnacl
 * leaves the hash of the seed, or the seed itself, in buffers that can't be zeroed.
 */
const { BASE, Fn } = ed25519.Point
const HALF_BYTES = 32

function hash(...parts: readonly Uint8Array[]): Bytes {
  const out = secretBytes(2 * HALF_BYTES)
  const hasher = sha512.create()
  for (const part of parts) hasher.update(part)
  hasher.digestInto(out)
  hasher.destroy()
  return out
}

/**
 * Little-endian, reduced by the order of the base point. The library's own function converts through a hex string, which cannot
 * be zeroed.
 */
function scalarOf(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let number = 0n
  for (let at = bytes.length - 8; at >= 0; at -= 8) number = (number << 64n) | view.getBigUint64(at, true)
  return Fn.create(number)
}

/** The scalar followed by the prefix for nonces; the caller zeroes it. */
function expanded(seed: Uint8Array): Bytes {
  assertSeed(seed)
  const secret = hash(seed)
  secret[0] = (secret[0] ?? 0) & 248
  secret[31] = ((secret[31] ?? 0) & 127) | 64
  return secret
}

function signed(message: Uint8Array, secret: Uint8Array, publicKey: Uint8Array): Bytes {
  const digest = hash(secret.subarray(HALF_BYTES), message)
  const nonce = scalarOf(digest)
  digest.fill(0)
  const signature = new Uint8Array(2 * HALF_BYTES)
  signature.set(BASE.multiply(nonce).toBytes())
  const challenge = scalarOf(hash(signature.subarray(0, HALF_BYTES), publicKey, message))
  const answer = Fn.create(nonce + challenge * scalarOf(secret.subarray(0, HALF_BYTES)))
  signature.set(Fn.toBytes(answer), HALF_BYTES)
  return signature
}

/**
 * Derives the public key from the seed. Exporting a WebCrypto key as JWK instead would leave the private key in memory as a
 * string, which cannot be zeroed.
 */
export function publicKeyOf(seed: Uint8Array): Bytes {
  const secret = expanded(seed)
  const publicKey = BASE.multiply(scalarOf(secret.subarray(0, HALF_BYTES))).toBytes()
  secret.fill(0)
  return new Uint8Array(publicKey)
}

/**
 * A signer in plain JavaScript, for pages without WebCrypto. Takes only the seed: with a public key that does not belong to the
 * seed, two signatures would reveal the private key.
 */
export function createPlainKey(seed: Uint8Array): SigningKey {
  const publicKey = publicKeyOf(seed)
  const secret = expanded(seed)
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

export const fitsSignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  ed25519.verify(signature, message, publicKey, { zip215: false })

/** Whether 32 bytes encode a point. Takes about a millisecond. */
export function isOnCurve(encoded: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(encoded, true)
    return true
  } catch {
    return false
  }
}
