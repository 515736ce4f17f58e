import { bytesToHex } from '#base/bytes.ts'

export const PUBLIC_KEY_BYTES = 32
export const SIGNATURE_BYTES = 64

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

export type PointProblem = 'not-canonical' | 'small-order'

/**
 * What is wrong with an encoded point before anything is computed with it. With a key of small
 * order one signature fits every message, and a second encoding of the same point would be a
 * second identity. Verifiers take some of these, each its own, and one of them crashes on them.
 */
export function pointProblem(encoded: Uint8Array): PointProblem | undefined {
  const y = yOf(encoded)
  if (y >= P) return 'not-canonical'
  return SMALL_ORDER_Y.has(y) ? 'small-order' : undefined
}

export type SignatureProblem = 'wrong-length' | 's-not-canonical' | PointProblem

/** What is wrong with a signature before any message is looked at. */
export function signatureProblem(signature: Uint8Array): SignatureProblem | undefined {
  if (signature.length !== SIGNATURE_BYTES) return 'wrong-length'
  if (littleEndian(signature.subarray(32)) >= L) return 's-not-canonical'
  return pointProblem(signature.subarray(0, 32))
}

/** Whether x² = (y² - 1) / (d y² + 1) has a solution, by Euler's criterion. Dear: a millisecond. */
export function isOnCurve(encoded: Uint8Array): boolean {
  const y = yOf(encoded)
  const ySquared = (y * y) % P
  const residue = power((((ySquared - 1n + P) % P) * ((D * ySquared + 1n) % P)) % P, (P - 1n) / 2n)
  return residue === 0n || residue === 1n
}

/** The y coordinate: 255 bits; the sign of x is in the last bit and does not matter here. */
const yOf = (encoded: Uint8Array): bigint => littleEndian(encoded) & (2n ** 255n - 1n)

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes.toReversed())}`)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = base, left = exponent; left > 0n; left >>= 1n, square = (square * square) % P) {
    if ((left & 1n) === 1n) result = (result * square) % P
  }
  return result
}
