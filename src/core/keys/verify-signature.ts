import nacl from 'tweetnacl'
import { bytesToHex } from '#base/bytes.ts'
import type { VerifySignature } from '#signing/signer.ts'
import { hasWebCrypto, type WebCryptoKey } from './web-crypto.ts'

/** Public keys kept ready, the ones used last; importing one takes as long as a check. */
const KEYS_KEPT_MAX = 4_096

/**
 * Checks signatures by WebCrypto where there is one, else in JavaScript. Takes any bytes, but
 * looks at no point's form: what is small or written oddly is the caller's to refuse before.
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
      return false // no point of the curve, or a wrong length: engines differ in which of them they reject
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
    kept.delete(name) // so that it is the newest in the map's order
    kept.set(name, key)
    const [oldest] = kept.keys()
    if (kept.size > KEYS_KEPT_MAX && oldest !== undefined) kept.delete(oldest)
    return crypto.subtle.verify('Ed25519', key, signature, message)
  }
}
