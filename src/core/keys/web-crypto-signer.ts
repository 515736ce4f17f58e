import { secretBytes, type Bytes } from '#base/bytes.ts'
import { publicKeyOf } from './nacl-signer.ts'
import { SEED_BYTES, type SigningKey } from './signing-key.ts'

/** Derived, because the global name CryptoKey is not declared in every library that this is compiled against. */
export type WebCryptoKey = Parameters<typeof crypto.subtle.sign>[1]

export type WebCryptoSigningKey = SigningKey & {
  /** Non-extractable: may be put into IndexedDB, gives its bytes to no script. */
  readonly cryptoKey: WebCryptoKey
}

/** PKCS#8 version 1 of an Ed25519 key, up to the seed: the only private form that all engines import. */
const PKCS8_PREFIX = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
]

/** Whether this global scope can make and use Ed25519 keys: a secure context, in a browser that has the algorithm. */
export async function hasWebCrypto(): Promise<boolean> {
  const subtle: SubtleCryptoMaybe = globalThis.crypto.subtle
  if (subtle === undefined) return false
  try {
    await subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    return true
  } catch {
    return false // browsers before Ed25519 reject with NotSupportedError
  }
}

/** On plain http the property is missing, whatever its declared type says. */
type SubtleCryptoMaybe = typeof crypto.subtle | undefined

/** A seed of 32 bytes as PKCS#8. Both are the caller's to zero. */
export function pkcs8Of(seed: Uint8Array): Bytes {
  if (seed.length !== SEED_BYTES) throw new Error(`a seed has ${SEED_BYTES} bytes, not ${seed.length}`)
  const pkcs8 = secretBytes(PKCS8_PREFIX.length + SEED_BYTES)
  pkcs8.set(PKCS8_PREFIX)
  pkcs8.set(seed, PKCS8_PREFIX.length)
  return pkcs8
}

/** Imports a seed of 32 bytes as a non-extractable key. The seed is the caller's to zero. */
export async function createWebCryptoKey(seed: Uint8Array): Promise<WebCryptoSigningKey> {
  const pkcs8 = pkcs8Of(seed)
  try {
    const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
    return webCryptoSigningKey(key, publicKeyOf(seed))
  } finally {
    pkcs8.fill(0)
  }
}

/** Makes a new key whose seed was never outside the browser's own cryptography. */
export async function generateWebCryptoKey(): Promise<WebCryptoSigningKey> {
  const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  // Some libraries declare the result for every algorithm at once; Ed25519 always gives a pair.
  if (!('privateKey' in pair)) throw new Error('generateKey gave a single key')
  const publicKey = await crypto.subtle.exportKey('raw', pair.publicKey)
  return webCryptoSigningKey(pair.privateKey, new Uint8Array(publicKey))
}

/** A key that comes back from storage. */
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
