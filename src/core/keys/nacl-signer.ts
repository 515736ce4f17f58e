import nacl from 'tweetnacl'
import type { Bytes } from '#base/bytes.ts'
import type { SigningKey } from './signing-key.ts'

/**
 * The public half of a seed. The other way, exporting a WebCrypto key as a JWK, would leave
 * the private key in memory as a string, which nothing can zero.
 */
export function publicKeyOf(seed: Uint8Array): Bytes {
  const pair = nacl.sign.keyPair.fromSeed(seed)
  pair.secretKey.fill(0)
  return new Uint8Array(pair.publicKey)
}

/** Whether a signature is right. For this product's own keys only: a hostile one could have been chosen to pass. */
export const verifies = (message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean =>
  nacl.sign.detached.verify(message, signature, publicKey)

/**
 * A signer in plain JavaScript, for pages without WebCrypto; a hundred times slower. Only
 * ever made from the 32-byte seed: tweetnacl hashes whatever public half a 64-byte key
 * carries, and with a wrong one two signatures give the private key away.
 */
export function createNaclKey(seed: Uint8Array): SigningKey {
  const pair = nacl.sign.keyPair.fromSeed(seed)
  let forgotten = false
  return {
    publicKey: new Uint8Array(pair.publicKey),
    sign: async (message) => {
      if (forgotten) throw new Error('this key was forgotten')
      return new Uint8Array(nacl.sign.detached(message, pair.secretKey))
    },
    forget: () => {
      forgotten = true
      pair.secretKey.fill(0)
    },
  }
}
