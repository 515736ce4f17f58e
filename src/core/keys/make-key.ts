import type { Bytes } from '#base/bytes.ts'
import type { WebCryptoKey } from './web-crypto-signer.ts'
import { createNaclKey } from './nacl-signer.ts'
import { SEED_BYTES, type SigningKey } from './signing-key.ts'
import { createWebCryptoKey, generateWebCryptoKey } from './web-crypto-signer.ts'

/** `javascript` where this scope has no WebCrypto with Ed25519: plain http, or an old browser. */
export type Cryptography = 'webcrypto' | 'javascript'

/** A key of either kind; only one with a `cryptoKey` can be kept on the device. */
export type MadeKey = SigningKey & { readonly cryptoKey?: WebCryptoKey }

/** The seed stays the caller's to zero. */
export async function keyOfSeed(seed: Uint8Array, cryptography: Cryptography): Promise<MadeKey> {
  return cryptography === 'webcrypto' ? createWebCryptoKey(seed) : createNaclKey(seed)
}

/** The caller's to zero. */
export const newSeed = (randomBytes: (length: number) => Bytes): Bytes => randomBytes(SEED_BYTES)

/** A new key from this machine's randomness. */
export async function newKey(
  cryptography: Cryptography,
  randomBytes: (length: number) => Bytes,
): Promise<MadeKey> {
  if (cryptography === 'webcrypto') return generateWebCryptoKey()
  const seed = newSeed(randomBytes)
  try {
    return createNaclKey(seed)
  } finally {
    seed.fill(0)
  }
}
