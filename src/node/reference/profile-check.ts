import { err, ok, type Result } from '#base/result.ts'
import { lintProfile } from '#signing/profile-lint.ts'
import type { Profile } from '#signing/profile.ts'
import type { KeyEntry } from './keys-file.ts'
import type { RegisteredKeys } from './registered-keys.ts'
import { OptionsError } from './options.ts'
import type { ProblemCode } from './problem.ts'
import { isReadable, presentedBy, type Presented } from './profile-messages.ts'
import { thumbprintOf, type Claimed } from './profile-values.ts'
import {
  readPublicKey,
  verifyStrictly,
  WINDOW_S,
  type NonceCache,
  type QueryPair,
  type StrictPublicKey,
} from './strict-verify.ts'

export type SignedRequest = {
  readonly method: string
  readonly path: string
  readonly query: readonly QueryPair[]
  /** As it was sent, without "?". */
  readonly rawQuery: string
  /** Names in lower case, each with all its values: a repeated header is seen as repeated. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>
}

export type Authority = {
  readonly keys: RegisteredKeys
  readonly nonces: NonceCache
  /** The addresses under which clients know this service. Never taken from a request. */
  readonly origins: () => readonly string[]
  readonly nowMs: () => number
  readonly startedMs: () => number
}

export type Authenticate = (
  request: SignedRequest,
  authority: Authority,
) => Result<Pick<KeyEntry, 'nodes'>, ProblemCode>

/** Keys that are tried where the request does not say whose it is. */
const CANDIDATES_MAX = 64

/**
 * The check of a signing profile, in the order that shows an attacker least. Only a right signature learns whether its
 * key is registered: any other is answered as a wrong signature, after the same work. Throws `OptionsError`
 * for a profile that can't be checked by what a request carries.
 */
export function createProfileCheck(profile: Profile): Authenticate {
  const unusable = lintProfile(profile).find(({ code }) => UNCHECKABLE.has(code))
  if (unusable !== undefined)
    throw new OptionsError(
      unusable.code === 'secret-sent'
        ? '--profile: this profile sends a token; say which with --token-file.'
        : `--profile: requests of this profile can't be checked (${unusable.code}).`,
    )
  const unread = Object.entries(profile.headers).find(([, template]) => !isReadable(template))
  if (unread !== undefined)
    throw new OptionsError(
      `--profile: the header ${unread[0]} can't be read back: {jwt}, {sigInput} or {sigHeader} must be the only placeholder in it, and its end.`,
    )
  return (request, authority) => {
    const headers = onlyHeaders(profile, request)
    if (!headers.ok) return headers
    const offered = authority.origins().flatMap((origin) => {
      const presented = presentedBy(headers.value, { ...request, origin, profile })
      return presented === undefined ? [] : [presented]
    })
    const [first] = offered
    if (first === undefined) return err('credentials-malformed')
    const late = timeProblem(first.claimed, authority)
    if (late !== undefined) return err(late)

    const key = signingKey(offered, candidates(first.claimed, request, authority), profile, authority)
    if (key === undefined) return err('signature-invalid')
    return admitted(key, first.claimed, authority)
  }
}

const UNCHECKABLE: ReadonlySet<string> = new Set([
  'nothing-signed',
  'secret-sent',
  'token-not-sent',
  'signature-not-sent',
  'time-not-sent',
  'nonce-not-sent',
])

/** RFC 9110 has schemes in any case. */
const BEARER = /^bearer /i

function onlyHeaders(
  profile: Profile,
  { headers }: SignedRequest,
): Result<ReadonlyMap<string, string>, ProblemCode> {
  const names = Object.keys(profile.headers).map((name) => name.toLowerCase())
  const all = names.map((name) => [name, headers[name] ?? []] as const)
  const isGone = ([name, values]: (typeof all)[number]): boolean =>
    name === 'authorization' && values.length === 0
  // Also where only Authorization is missing: proxies drop it and let the others through.
  if (all.every(([, values]) => values.length === 0) || all.some(isGone)) return err('credentials-missing')
  if (all.some(([, values]) => values.length !== 1)) return err('credentials-malformed')
  return ok(new Map(all.map(([name, [value = '']]) => [name, value.replace(BEARER, 'Bearer ')])))
}

function timeProblem({ timeS, nonce }: Claimed, authority: Authority): ProblemCode | undefined {
  if (timeS === undefined) return undefined
  if (Math.abs(Math.floor(authority.nowMs() / 1_000) - timeS) > WINDOW_S) return 'time-outside-window'
  // Only where a nonce is remembered does it matter that those of an earlier run are not.
  const isEarlier = nonce !== undefined && timeS < Math.floor(authority.startedMs() / 1_000)
  return isEarlier ? 'signed-before-start' : undefined
}

/** The key that the request names; where it names none, those that may read the node. */
function candidates(
  claimed: Claimed,
  request: SignedRequest,
  { keys }: Authority,
): readonly StrictPublicKey[] {
  if (claimed.key !== undefined) {
    const named = readPublicKey(Buffer.from(claimed.key, 'hex'))
    return named.ok ? [named.value] : []
  }
  const nodeId = request.query.find(({ name }) => name === 'node_id')?.value.toLowerCase()
  return keys
    .list()
    .filter(({ nodes }) => nodes === '*' || nodeId === undefined || nodes.includes(nodeId))
    .map(({ key }) => key)
    .filter(({ hex }) => claimed.thumbprint === undefined || thumbprintOf(hex) === claimed.thumbprint)
    .slice(0, CANDIDATES_MAX)
}

function signingKey(
  offered: readonly Presented[],
  keys: readonly StrictPublicKey[],
  profile: Profile,
  authority: Authority,
): StrictPublicKey | undefined {
  const windows = windowsNow(profile, authority)
  return keys.find((key) =>
    offered.some(({ bytes, claimed }) =>
      windows.some((window) => {
        const message = bytes(key.hex, window)
        const signature = Buffer.from(claimed.signature ?? '', 'hex')
        return message !== undefined && verifyStrictly(key, message, signature)
      }),
    ),
  )
}

/** A window's edge, and a clock that is a little off, must not refuse: the neighbours count too. */
function windowsNow({ timestamp }: Profile, { nowMs }: Authority): readonly (number | undefined)[] {
  if (timestamp?.floorSeconds === undefined) return [undefined]
  const now = Math.floor(nowMs() / 1_000 / timestamp.floorSeconds)
  return [now, now - 1, now + 1]
}

function admitted(
  key: StrictPublicKey,
  { nonce, timeS }: Claimed,
  authority: Authority,
): Result<KeyEntry, ProblemCode> {
  const entry = authority.keys.find(key.hex) ?? authority.keys.enroll(key)
  if (entry === undefined) return err('key-not-registered')
  if (entry.notAfterMs !== undefined && authority.nowMs() > entry.notAfterMs) return err('key-expired')
  if (nonce === undefined) return ok(entry)
  // Only now, so that a client without a key can't fill the cache or use up another's nonce.
  const signedS = timeS ?? Math.floor(authority.nowMs() / 1_000)
  const problem = nonceProblem(authority.nonces.use(key.hex, nonce, signedS))
  return problem === undefined ? ok(entry) : err(problem)
}

function nonceProblem(use: ReturnType<NonceCache['use']>): ProblemCode | undefined {
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
