import nacl from 'tweetnacl'
import { bytesToHex } from '#base/bytes.ts'
import { putNewest } from '#base/newest-last.ts'
import type { VerifySignature } from '#signing/signer.ts'
import { hasWebCrypto, type WebCryptoKey } from './web-crypto.ts'

/** Recently used public keys that are cached, because importing one takes as long as a verification. */
const KEYS_KEPT_MAX = 4_096

/**
 * Verifies signatures with WebCrypto if available, otherwise in JavaScript. Accepts any bytes, but does not check the encoding
 * of points: the caller must reject small-order and non-canonical points first.
 */
export function createVerifier(): VerifySignature {
  let chosen: Promise<VerifySignature> | undefined
  return async (publicKey, message, signature) => {
    chosen ??= chooseVerifier()
    try {
      return await (
        await chosen
      )(publicKey, message, signature)
    } catch {
      return false // The point is not on the curve or a length is wrong; engines differ in which of these they reject.
    }
  }
}

const chooseVerifier = async (): Promise<VerifySignature> =>
  (await hasWebCrypto())
    ? webCryptoVerifier()
    : async (publicKey, message, signature) => nacl.sign.detached.verify(message, signature, publicKey)

function webCryptoVerifier(): VerifySignature {
  const kept = new Map<string, WebCryptoKey>()
  return async (publicKey, message, signature) => {
    const name = bytesToHex(publicKey)
    const key =
      kept.get(name) ?? (await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']))
    putNewest(kept, name, key, KEYS_KEPT_MAX)
    return crypto.subtle.verify('Ed25519', key, signature, message)
  }
}
