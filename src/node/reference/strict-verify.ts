import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  isOnCurve,
  pointProblem,
  PUBLIC_KEY_BYTES,
  signatureProblem,
  type PointProblem,
} from '#proof/proof-statement.ts'

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

export type QueryPair = { readonly name: string; readonly value: string }

/** Pairs as name=value, percent-encoded, sorted as text, joined with "&"; empty for none. */
export const sortedQuery = (query: readonly QueryPair[]): string =>
  query
    .map(({ name, value }) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')

/** RFC 3986: only unreserved characters stay. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Splits a query as it was sent; undefined when an escape is broken. A plus is a plus, as
 * RFC 3986 has it: reading it as a space is a habit of HTML forms.
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
    return undefined // decodeURIComponent throws for a broken escape
  }
}

export type NonceCache = ReturnType<typeof createNonceCache>

/** How far the time of a request may be off the service's, both ways. */
export const WINDOW_S = 60
/** 1,000 nodes asked every 5 s need 180,000 entries; at the limit it is about 100 MB. */
export const NONCES_MAX = 500_000
/** Far longer than the window, so that a clock that is set back by less refuses nothing. */
const NONCE_KEPT_S = 900

/** Ages by the clock that also decides which times are accepted: by another one, a step of that clock would let requests be replayed. */
export function createNonceCache(nowS: () => number, entriesMax = NONCES_MAX) {
  const signedSOf = new Map<string, number>()
  /** From and to when the forgotten ones were signed. */
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
  /** All that can't be accepted now. Looks at each entry, so once a second at most. */
  const dropClosed = (now: number): void => {
    if (sweptS === now) return
    sweptS = now
    for (const [entry, signedS] of signedSOf) if (now - signedS > WINDOW_S) forget(entry, signedS)
  }

  return {
    /**
     * Call only after the signature was found good, or anyone could fill the cache. `forgotten`: what was signed at
     * that time may have been taken already, and its nonce is no longer here.
     */
    use: (keyHex: string, nonce: string, signedS: number): 'fresh' | 'used' | 'forgotten' | 'full' => {
      const now = nowS()
      dropOld(now)
      const entry = `${keyHex}.${nonce}`
      if (signedSOf.has(entry)) return 'used'
      if (forgotten !== undefined && signedS >= forgotten.fromS && signedS <= forgotten.toS)
        return 'forgotten'
      if (signedSOf.size >= entriesMax) dropClosed(now)
      // Dropping one that would still be accepted would let its request be replayed.
      if (signedSOf.size >= entriesMax) return 'full'
      signedSOf.set(entry, signedS)
      return 'fresh'
    },
    size: (): number => signedSOf.size,
  }
}
