import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  isOnCurve,
  pointProblem,
  PUBLIC_KEY_BYTES,
  signatureProblem,
  type PointProblem,
} from '#proof/ed25519-points.ts'

/** An Ed25519 public key whose point was checked. Made by `readPublicKey` only. */
export type StrictPublicKey = { readonly hex: string; readonly key: KeyObject }

export type PublicKeyProblem = 'wrong-length' | PointProblem | 'not-on-curve'

/**
 * Reads a key as it is registered or presented. Refuses what OpenSSL takes: keys of small
 * order and second encodings of the same point.
 */
export function readPublicKey(bytes: Uint8Array): Result<StrictPublicKey, PublicKeyProblem> {
  if (bytes.length !== PUBLIC_KEY_BYTES) return err('wrong-length')
  const problem = pointProblem(bytes)
  if (problem !== undefined) return err(problem)
  return ok({
    hex: bytesToHex(bytes),
    // A JWK is read ten times as fast as DER: OpenSSL 3 tries many decoders for the latter.
    key: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: bytesToBase64Url(bytes) } }),
  })
}

/** Also refuses a key that is no point at all; dear, so for registration only. */
export function readKeyToRegister(bytes: Uint8Array): Result<StrictPublicKey, PublicKeyProblem> {
  const read = readPublicKey(bytes)
  return read.ok && !isOnCurve(bytes) ? err('not-on-curve') : read
}

/**
 * RFC 8032 verification without its freedoms: S below the group's order, R and the key
 * canonical and not of small order, no cofactor. Agrees with libsodium.
 */
export function verifyStrictly(
  publicKey: StrictPublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  return signatureProblem(signature) === undefined && verify(null, message, publicKey.key, signature)
}
