import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { isOnCurve } from '#keys/signing-key.ts'
import {
  pointProblem,
  PUBLIC_KEY_BYTES,
  signatureProblem,
  type PointProblem,
} from '#proof/proof-statement.ts'

/** An Ed25519 public key whose point was checked. Created by `readPublicKey` only. */
export type StrictPublicKey = { readonly hex: string; readonly key: KeyObject }

export type PublicKeyProblem = 'wrong-length' | PointProblem | 'not-on-curve'

/**
 * Reads a registered or presented key. Refuses keys that OpenSSL accepts: keys of small order and second encodings of the same
 * point.
 */
export function readPublicKey(bytes: Uint8Array): Result<StrictPublicKey, PublicKeyProblem> {
  if (bytes.length !== PUBLIC_KEY_BYTES) return err('wrong-length')
  const problem = pointProblem(bytes)
  if (problem !== undefined) return err(problem)
  return ok({
    hex: bytesToHex(bytes),
    // A JWK is read ten times as fast as DER, for which OpenSSL 3 tries many decoders.
    key: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: bytesToBase64Url(bytes) } }),
  })
}

/** Also refuses keys that are not on the curve; slow, so for registration only. */
export function readKeyToRegister(bytes: Uint8Array): Result<StrictPublicKey, PublicKeyProblem> {
  const read = readPublicKey(bytes)
  return read.ok && !isOnCurve(bytes) ? err('not-on-curve') : read
}

/**
 * Strict RFC 8032 verification: S below the group's order, R and the key canonical and not of small order, no cofactor. Agrees
 * with libsodium.
 */
export function verifyStrictly(
  publicKey: StrictPublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  return signatureProblem(signature) === undefined && verify(null, message, publicKey.key, signature)
}

export type QueryPair = { readonly name: string; readonly value: string }

/** Percent-encoded name=value pairs, sorted as text and joined with "&". */
export const sortedQuery = (query: readonly QueryPair[]): string =>
  query
    .map(({ name, value }) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')

/** RFC 3986: encodes everything except unreserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Splits a query as sent; undefined for a broken escape. A plus stays a plus, as in RFC 3986; only HTML forms read it as a
 * space.
 */
export function readQuery(query: string): readonly QueryPair[] | undefined {
  try {
    return query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', ...rest] = pair.split('=')
        return { name: decodeURIComponent(name), value: decodeURIComponent(rest.join('=')) }
      })
  } catch {
    return undefined // `decodeURIComponent` throws for a broken escape.
  }
}

export type NonceCache = ReturnType<typeof createNonceCache>

/** How far a request's time may differ from the service's, in either direction. */
export const WINDOW_S = 60
/** 1,000 nodes polled every 5 s need 180,000 entries; at the limit the cache takes about 100 MB. */
const NONCES_MAX = 500_000
/** Far longer than the window, so that setting the clock back by less refuses nothing. */
const NONCE_KEPT_S = 900

/** Uses the same clock that decides which times are accepted; with another clock, a clock step would allow replays. */
export function createNonceCache(nowS: () => number, entriesMax = NONCES_MAX) {
  const signedSOf = new Map<string, number>()
  /** The signing times of the earliest and the latest forgotten nonce. */
  let forgotten: { readonly fromS: number; readonly toS: number } | undefined
  let sweptS: number | undefined

  const forget = (entry: string, signedS: number): void => {
    signedSOf.delete(entry)
    const { fromS = signedS, toS = signedS } = forgotten ?? {}
    forgotten = { fromS: Math.min(fromS, signedS), toS: Math.max(toS, signedS) }
  }
  const dropOld = (now: number): void => {
    for (const [entry, signedS] of signedSOf) {
      if (now - signedS <= NONCE_KEPT_S) return
      forget(entry, signedS)
    }
  }
  /** Drops all entries that can no longer be accepted. Scans every entry, so at most once per second. */
  const dropClosed = (now: number): void => {
    if (sweptS === now) return
    sweptS = now
    for (const [entry, signedS] of signedSOf) if (now - signedS > WINDOW_S) forget(entry, signedS)
  }

  return {
    /**
     * Call only after the signature was verified; otherwise anyone could fill the cache. `forgotten`: a request of that time
     * may have been accepted before, but its nonce is no longer stored.
     */
    use: (keyHex: string, nonce: string, signedS: number): 'fresh' | 'used' | 'forgotten' | 'full' => {
      const now = nowS()
      dropOld(now)
      const entry = `${keyHex}.${nonce}`
      if (signedSOf.has(entry)) return 'used'
      if (forgotten !== undefined && signedS >= forgotten.fromS && signedS <= forgotten.toS)
        return 'forgotten'
      if (signedSOf.size >= entriesMax) dropClosed(now)
      // Dropping an entry that is still acceptable would allow a replay.
      if (signedSOf.size >= entriesMax) return 'full'
      signedSOf.set(entry, signedS)
      return 'fresh'
    },
    size: (): number => signedSOf.size,
  }
}
