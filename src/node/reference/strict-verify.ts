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

/** What a signature binds. Everything comes from the request's own line and headers, but the origin, which is configured. */
type SignedParts = {
  readonly method: string
  /** scheme://host[:port] in lower case, without a default port. */
  readonly origin: string
  readonly path: string
  /** Decoded names and values, in any order. */
  readonly query: readonly QueryPair[]
  /** Unix time in seconds, as sent. */
  readonly timestamp: string
  readonly nonce: string
  /** 64 hex digits in lower case. */
  readonly keyHex: string
}

export type QueryPair = { readonly name: string; readonly value: string }

/**
 * The text of profile `bearer-v1`: eight lines, LF, no line end after the last. Written
 * here a second time on purpose, apart from the client's template, so that one wrong
 * reading of the profile can't hide in shared code.
 */
export const signedText = (parts: SignedParts): string =>
  [
    'immune-node-auth-v1',
    parts.method,
    parts.origin,
    parts.path,
    sortedQuery(parts.query),
    parts.timestamp,
    parts.nonce,
    parts.keyHex,
  ].join('\n')

/** Pairs as name=value, percent-encoded, sorted as text, joined with "&"; empty for none. */
const sortedQuery = (query: readonly QueryPair[]): string =>
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

/** Nonces that were used, so that no request is taken twice. */
export type NonceCache = {
  /** Call only after the signature was found good, or anyone could fill the cache. */
  readonly use: (keyHex: string, nonce: string) => 'fresh' | 'used' | 'full'
  readonly size: () => number
}

/** 1,000 nodes asked every 5 s need 25,000 entries; this is 20 times as much, about 100 MB. */
export const NONCES_MAX = 500_000
/** Twice the time window, and some: a request dated ahead is good for longer. */
const NONCE_KEPT_MS = 125_000

export function createNonceCache(monotonicMs: () => number, entriesMax = NONCES_MAX): NonceCache {
  // All entries live equally long, so the order of insertion is the order in which they end.
  const endsMs = new Map<string, number>()

  const dropEnded = (): void => {
    const nowMs = monotonicMs()
    for (const [entry, endMs] of endsMs) {
      if (endMs > nowMs) return
      endsMs.delete(entry)
    }
  }

  return {
    use: (keyHex, nonce) => {
      dropEnded()
      const entry = `${keyHex}.${nonce}`
      if (endsMs.has(entry)) return 'used'
      // Dropping a living entry to make room would let its request be replayed.
      if (endsMs.size >= entriesMax) return 'full'
      endsMs.set(entry, monotonicMs() + NONCE_KEPT_MS)
      return 'fresh'
    },
    size: () => endsMs.size,
  }
}
