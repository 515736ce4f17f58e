import { hexToBytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { KeyEntry } from './key-file.ts'
import type { KeyRing } from './key-ring.ts'
import {
  type NonceCache,
  signedText,
  type QueryPair,
  readPublicKey,
  verifyStrictly,
  WINDOW_S,
} from './strict-verify.ts'
import type { ProblemCode } from './problem.ts'

/** A request as far as its signature goes. */
export type SignedRequest = {
  readonly method: string
  readonly path: string
  readonly query: readonly QueryPair[]
  /** Names in lower case, each with all its values: a repeated header is seen as repeated. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>
}

export type Authority = {
  readonly keys: KeyRing
  readonly nonces: NonceCache
  /** The addresses under which clients know this service. Never taken from a request. */
  readonly origins: () => readonly string[]
  /** The service's own time, Unix ms. */
  readonly nowMs: () => number
  /** When the service started, by that same time. */
  readonly startedMs: () => number
}

type Credentials = {
  readonly signature: Uint8Array
  readonly publicKey: Uint8Array
  readonly timestamp: string
  readonly nonce: string
}

/**
 * The checks, in the order that tells an attacker least. Whether a key is registered is
 * said only to who has signed with it: a stranger always hears that the signature is
 * wrong, after the same work.
 */
export function authenticate(request: SignedRequest, authority: Authority): Result<KeyEntry, ProblemCode> {
  const credentials = readCredentials(request.headers)
  if (!credentials.ok) return credentials
  const { timestamp, nonce, publicKey } = credentials.value

  const signedS = Number(timestamp)
  if (Math.abs(Math.floor(authority.nowMs() / 1_000) - signedS) > WINDOW_S) return err('time-outside-window')
  // The nonces of an earlier run are forgotten. Whole seconds: a client may sign in the second of the start.
  if (signedS < Math.floor(authority.startedMs() / 1_000)) return err('signed-before-start')

  const key = readPublicKey(publicKey)
  if (!key.ok) return err('signature-invalid')
  const signed = authority.origins().some((origin) => {
    const text = signedText({ ...request, origin, timestamp, nonce, keyHex: key.value.hex })
    return verifyStrictly(key.value, Buffer.from(text), credentials.value.signature)
  })
  if (!signed) return err('signature-invalid')

  const entry = authority.keys.find(key.value.hex) ?? authority.keys.enroll(key.value)
  if (entry === undefined) return err('key-not-registered')
  if (entry.notAfterMs !== undefined && authority.nowMs() > entry.notAfterMs) return err('key-expired')

  // Only now, so that nobody without a key can fill the cache or use up another's nonce.
  const problem = nonceProblem(authority.nonces.use(key.value.hex, nonce, signedS))
  return problem === undefined ? ok(entry) : err(problem)
}

export function nonceProblem(use: ReturnType<NonceCache['use']>): ProblemCode | undefined {
  switch (use) {
    case 'fresh':
      return undefined
    case 'used':
      return 'nonce-used'
    case 'forgotten':
      return 'time-outside-window'
    case 'full':
      return 'too-many-requests'
  }
}

const HEADERS = ['authorization', 'x-node-key', 'x-node-timestamp', 'x-node-nonce'] as const

function readCredentials(headers: SignedRequest['headers']): Result<Credentials, ProblemCode> {
  const values = HEADERS.map((name) => headers[name] ?? [])
  // Also where only this one is missing: proxies drop it and let the others through.
  if (values[0]?.length === 0) return err('credentials-missing')
  if (values.some((all) => all.length !== 1)) return err('credentials-malformed')
  const [authorization = '', keyHex = '', timestamp = '', nonce = ''] = values.map(([only = '']) => only)
  const signature = hexToBytes(/^Bearer ([0-9a-f]{128})$/i.exec(authorization)?.[1] ?? 'none')
  const publicKey = hexToBytes(/^[0-9a-f]{64}$/i.test(keyHex) ? keyHex : 'none')
  const wellFormed = /^(0|[1-9][0-9]{0,11})$/.test(timestamp) && /^[A-Za-z0-9_-]{22}$/.test(nonce)
  if (signature === undefined || publicKey === undefined || !wellFormed) return err('credentials-malformed')
  return ok({ signature, publicKey, timestamp, nonce })
}
