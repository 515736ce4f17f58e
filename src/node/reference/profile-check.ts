import { err, ok, type Result } from '#base/result.ts'
import { lintProfile } from '#signing/profile-lint.ts'
import type { Profile } from '#signing/profile.ts'
import type { KeyEntry } from './keys-file.ts'
import type { RegisteredKeys } from './registered-keys.ts'
import { OptionsError } from './options.ts'
import type { ProblemCode } from './problem.ts'
import { isReadable, presentedBy, type Presented } from './profile-messages.ts'
import { thumbprintOf, type Claimed, type Known } from './profile-values.ts'
import {
  readPublicKey,
  verifyStrictly,
  WINDOW_S,
  type NonceCache,
  type StrictPublicKey,
} from './strict-verify.ts'

export type SignedRequest = Omit<Known, 'origin' | 'profile'> & {
  /** Names in lower case, each with all its values, so that a repeated header is detected. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>
}

export type Authority = {
  readonly keys: RegisteredKeys
  readonly nonces: NonceCache
  /** The addresses by which clients know this service. Never taken from a request. */
  readonly origins: () => readonly string[]
  readonly nowMs: () => number
  readonly startedMs: () => number
}

export type Authenticate = (
  request: SignedRequest,
  authority: Authority,
) => Result<Pick<KeyEntry, 'nodes'>, ProblemCode>

/** Keys that are tried if the request does not name its key. */
const CANDIDATES_MAX = 64

/**
 * Checks requests by a signing profile, in the order that reveals least. Only a valid signature reveals whether its key is
 * registered; every other request gets the answer of a wrong signature, after the same work. Throws `OptionsError` for a
 * profile that can't be checked from a request alone.
 */
export function createProfileCheck(profile: Profile): Authenticate {
  const unusable = lintProfile(profile).find(({ code }) => UNCHECKABLE.has(code))
  if (unusable !== undefined)
    throw new OptionsError(
      unusable.code === 'secret-sent'
        ? '--profile: this profile sends a token. Add --token-file FILE.'
        : `--profile: requests with this profile can't be checked (${unusable.code}).`,
    )
  const unread = Object.entries(profile.headers).find(([, template]) => !isReadable(template))
  if (unread !== undefined)
    throw new OptionsError(
      `--profile: the header ${unread[0]} can't be read back: {jwt}, {sigInput} or {sigHeader} must be its only placeholder and come last.`,
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

/** In RFC 9110 schemes ignore case. */
const BEARER = /^bearer /i

function onlyHeaders(
  profile: Profile,
  { headers }: SignedRequest,
): Result<ReadonlyMap<string, string>, ProblemCode> {
  const names = Object.keys(profile.headers).map((name) => name.toLowerCase())
  const all = names.map((name) => [name, headers[name] ?? []] as const)
  const isGone = ([name, values]: (typeof all)[number]): boolean =>
    name === 'authorization' && values.length === 0
  // Also applies if only Authorization is missing, because some proxies drop it and pass the others on.
  if (all.every(([, values]) => values.length === 0) || all.some(isGone)) return err('credentials-missing')
  if (all.some(([, values]) => values.length !== 1)) return err('credentials-malformed')
  return ok(new Map(all.map(([name, [value = '']]) => [name, value.replace(BEARER, 'Bearer ')])))
}

function timeProblem({ timeS, nonce }: Claimed, authority: Authority): ProblemCode | undefined {
  if (timeS === undefined) return undefined
  if (Math.abs(Math.floor(authority.nowMs() / 1_000) - timeS) > WINDOW_S) return 'time-outside-window'
  // Nonces of an earlier run are not remembered, so requests with a nonce must be signed after the start.
  const isEarlier = nonce !== undefined && timeS < Math.floor(authority.startedMs() / 1_000)
  return isEarlier ? 'signed-before-start' : undefined
}

/** The key that the request names; otherwise the keys that may read the node. */
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

/** Accepts the neighbouring windows too, because of window edges and slightly wrong clocks. */
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
  // Only after the check, so that a client without a key cannot fill the cache or use up another client's nonce.
  const signedS = timeS ?? Math.floor(authority.nowMs() / 1_000)
  const problem = NONCE_PROBLEMS[authority.nonces.use(key.hex, nonce, signedS)]
  return problem === undefined ? ok(entry) : err(problem)
}

const NONCE_PROBLEMS = {
  fresh: undefined,
  used: 'nonce-used',
  forgotten: 'time-outside-window',
  full: 'too-many-requests',
} as const satisfies Record<ReturnType<NonceCache['use']>, ProblemCode | undefined>
