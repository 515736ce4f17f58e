import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { isForbiddenHeader, profileProblems } from './profile-rules.ts'

const Template = v.pipe(v.string(), v.maxLength(4_096))

const HeaderName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, 'is not a header name'),
  v.check((name) => !isForbiddenHeader(name), 'is a header that browsers do not let a page set'),
)

const Seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(86_400))

const MemberName = v.pipe(v.string(), v.minLength(1), v.maxLength(64))

const TemplateMessage = v.strictObject({
  kind: v.literal('template'),
  template: Template,
  /** The signature is over the 32 or 64 bytes of this hash instead of the text. */
  prehash: v.optional(v.picklist(['sha-256', 'sha-512'])),
})

const JwtMessage = v.strictObject({
  kind: v.literal('jwt'),
  /** RFC 8037 calls it EdDSA; RFC 9864 deprecates that for Ed25519. Services know one or both. */
  alg: v.picklist(['EdDSA', 'Ed25519']),
  /** Further members of the header; `alg` is its first. */
  header: v.pipe(
    v.record(MemberName, Template),
    v.check((record) => Object.keys(record).length <= 8, 'has more than 8 members'),
  ),
  /** In this order. One whose template names an absent parameter is left out. */
  claims: v.pipe(
    v.record(MemberName, v.union([Template, v.strictObject({ number: Template })])),
    v.check((record) => Object.keys(record).length <= 16, 'has more than 16 claims'),
  ),
})

export const SIGNATURE_PARAMETERS = ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'] as const

const Rfc9421Message = v.strictObject({
  kind: v.literal('rfc9421'),
  label: v.pipe(v.string(), v.regex(/^[a-z*][a-z0-9_.*-]{0,31}$/, 'is not a signature label')),
  /** Derived components, `@query-param;name="node_id"`, and lower-case names of headers of this profile. */
  components: v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.minLength(1), v.maxLength(16)),
  params: v.pipe(v.array(v.picklist(SIGNATURE_PARAMETERS)), v.maxLength(SIGNATURE_PARAMETERS.length)),
  keyid: v.optional(Template),
  tag: v.optional(v.pipe(v.string(), v.regex(/^[\x20-\x7e]{0,64}$/, 'is not printable ASCII'))),
})

/** Nothing is signed: a service that is open, one where a proxy signs, or one that takes a fixed token. */
const NoMessage = v.strictObject({
  kind: v.literal('none'),
  /** Headers may have {token}, which the operator types into the signer. Never the token itself: profiles are shared. */
  token: v.optional(v.literal('operator-typed')),
  /** The dashboard's own server signs on the way. It says so itself, of the services that it signs for. */
  signer: v.optional(v.literal('dashboard-server')),
})

/**
 * How a request is signed, as data: the text that is signed and the headers that carry the
 * signature, both with placeholders. No expressions and no code.
 */
export const ProfileSchema = v.pipe(
  v.strictObject({
    v: v.optional(v.literal(1), 1),
    title: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(60))),
    /** How long a signature is meant to be good for, in seconds: {exp.s} is the time of signing and this. */
    validitySeconds: v.optional(Seconds),
    timestamp: v.optional(
      v.strictObject({
        /** {ts.window} is the number of whole windows of this length since 1970. */
        floorSeconds: v.optional(Seconds),
      }),
    ),
    /** How {param.node_id} is written in what is signed and in headers. The request's own query has it as typed. */
    nodeId: v.optional(v.picklist(['typed', 'lower', 'typed-no-0x', 'lower-no-0x'])),
    /** A signature is used again for the same node for this long; absent: a new one for every request. */
    reuseSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_600))),
    message: v.variant('kind', [TemplateMessage, JwtMessage, Rfc9421Message, NoMessage]),
    headers: v.pipe(
      v.record(HeaderName, Template),
      v.check((record) => Object.keys(record).length <= 8, 'has more than 8 headers'),
    ),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const message of profileProblems(dataset.value)) addIssue({ message })
  }),
)

export type Profile = v.InferOutput<typeof ProfileSchema>
export type ProfileMessage = Profile['message']
export type JwtMessage = Extract<ProfileMessage, { kind: 'jwt' }>
export type Rfc9421Message = Extract<ProfileMessage, { kind: 'rfc9421' }>

export type ProfileProblem = { readonly path: string; readonly message: string }

const PROBLEMS_MAX = 20

/** Reads a profile's document: a file that somebody shared, or what an editor holds. */
export function parseProfile(input: unknown): Result<Profile, readonly ProfileProblem[]> {
  const parsed = v.safeParse(ProfileSchema, input)
  if (parsed.success) return ok(parsed.output)
  return err(
    parsed.issues
      .slice(0, PROBLEMS_MAX)
      .map((issue) => ({ path: v.getDotPath(issue) ?? '', message: issue.message })),
  )
}
