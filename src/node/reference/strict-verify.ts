import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'

/** An Ed25519 public key whose point was checked. Made by `readPublicKey` only. */
export type StrictPublicKey = { readonly hex: string; readonly key: KeyObject }

export type PublicKeyProblem = 'wrong-length' | 'not-canonical' | 'small-order' | 'not-on-curve'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64

/** The field's prime and the order of the base point, RFC 8032 section 5.1. */
const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const D =
  37_095_705_934_669_439_343_138_083_508_754_565_189_542_113_879_843_219_016_388_785_533_085_940_283_555n

/** The y coordinate of two points of order eight; two more have its negative. */
const ORDER_EIGHT_Y =
  2_707_385_501_144_840_649_318_225_287_225_658_788_936_804_267_575_313_519_463_743_609_750_303_402_022n

/** The y coordinates of the eight points of small order. */
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([0n, 1n, P - 1n, ORDER_EIGHT_Y, P - ORDER_EIGHT_Y])

/**
 * Reads a key as it is registered or presented. Refuses what OpenSSL takes: with a key of
 * small order one signature fits every message, and a second encoding of the same point
 * would be a second identity.
 */
export function readPublicKey(bytes: Uint8Array): Result<StrictPublicKey, PublicKeyProblem> {
  if (bytes.length !== KEY_BYTES) return err('wrong-length')
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
  return read.ok && !isOnCurve(yOf(bytes)) ? err('not-on-curve') : read
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

export type SignatureProblem = 'wrong-length' | 's-not-canonical' | 'not-canonical' | 'small-order'

/** What is wrong with a signature before any message is looked at. OpenSSL checks part of this, each version its own. */
export function signatureProblem(signature: Uint8Array): SignatureProblem | undefined {
  if (signature.length !== SIGNATURE_BYTES) return 'wrong-length'
  if (littleEndian(signature.subarray(32)) >= L) return 's-not-canonical'
  return pointProblem(signature.subarray(0, 32))
}

function pointProblem(encoded: Uint8Array): 'not-canonical' | 'small-order' | undefined {
  const y = yOf(encoded)
  if (y >= P) return 'not-canonical'
  return SMALL_ORDER_Y.has(y) ? 'small-order' : undefined
}

/** The y coordinate: 255 bits; the sign of x is in the last bit and does not matter here. */
const yOf = (encoded: Uint8Array): bigint => littleEndian(encoded) & (2n ** 255n - 1n)

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes.toReversed())}`)

/** Whether x² = (y² - 1) / (d y² + 1) has a solution, by Euler's criterion. */
function isOnCurve(y: bigint): boolean {
  const ySquared = (y * y) % P
  const residue = power((((ySquared - 1n + P) % P) * ((D * ySquared + 1n) % P)) % P, (P - 1n) / 2n)
  return residue === 0n || residue === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = base, left = exponent; left > 0n; left >>= 1n, square = (square * square) % P) {
    if ((left & 1n) === 1n) result = (result * square) % P
  }
  return result
}
