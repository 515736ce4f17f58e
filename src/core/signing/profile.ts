import * as v from 'valibot'
import { Label, whole } from '#base/schemas.ts'
import { hiddenIn } from '#base/visible-text.ts'
import { componentProblem } from './rfc9421.ts'
import { parseTemplate, ENCODINGS, isParameter } from './template.ts'

const Template = v.pipe(v.string(), v.maxLength(4_096))

const HeaderName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, 'is not a header name'),
  v.check((name) => !isForbiddenHeader(name), 'is a header that browsers do not let a page set'),
)

const Seconds = whole(1, 86_400)

const MemberName = v.pipe(v.string(), v.minLength(1), v.maxLength(64))

const TemplateMessage = v.strictObject({
  kind: v.literal('template'),
  template: Template,
  /** Signs the 32 or 64 bytes of this hash instead of the text. */
  prehash: v.optional(v.picklist(['sha-256', 'sha-512'])),
})

const JwtMessage = v.strictObject({
  kind: v.literal('jwt'),
  /** RFC 8037 names it EdDSA; RFC 9864 deprecates that for Ed25519. Services accept one or both. */
  alg: v.picklist(['EdDSA', 'Ed25519']),
  header: v.pipe(
    v.record(MemberName, Template),
    v.check((record) => Object.keys(record).length <= 8, 'has more than 8 members'),
  ),
  /** In this order. A claim whose template names an absent parameter is left out. */
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

/** Signs nothing: for a service that is open, that uses a fixed token, or whose requests a proxy signs. */
const NoMessage = v.strictObject({
  kind: v.literal('none'),
  /**
   * Headers may contain {token}, which the operator types into the signer. The profile never contains the token, because
   * profiles are shared.
   */
  token: v.optional(v.literal('operator-typed')),
  /** The dashboard server signs. Only the server sets this, for the services that it signs for. */
  signer: v.optional(v.literal('dashboard-server')),
})

/**
 * How a request is signed, as data: the signed text and the headers that carry the signature, both with placeholders. Contains
 * no expressions and no code.
 */
const ProfileFields = v.strictObject({
  v: v.optional(v.literal(1), 1),
  title: v.optional(Label),
  /** Intended validity of a signature in seconds; {exp.s} is the signing time plus this. */
  validitySeconds: v.optional(Seconds),
  timestamp: v.optional(
    v.strictObject({
      /** {ts.window} is the number of whole windows of this length since 1970. */
      floorSeconds: v.optional(Seconds),
    }),
  ),
  /** How {param.node_id} is written in the signed text and in headers. The request's query has it as typed. */
  nodeId: v.optional(v.picklist(['typed', 'lower', 'typed-no-0x', 'lower-no-0x'])),
  /** A signature is reused for the same node for this long, in seconds; absent: a new one for every request. */
  reuseSeconds: v.optional(whole(1, 3_600)),
  message: v.variant('kind', [TemplateMessage, JwtMessage, Rfc9421Message, NoMessage]),
  headers: v.pipe(
    v.record(HeaderName, Template),
    v.check((record) => Object.keys(record).length <= 8, 'has more than 8 headers'),
  ),
})

export const ProfileSchema = v.pipe(
  ProfileFields,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const message of profileProblems(dataset.value)) addIssue({ message })
  }),
)

export type Profile = v.InferOutput<typeof ProfileSchema>
export type ProfileMessage = Profile['message']
export type JwtMessage = Extract<ProfileMessage, { kind: 'jwt' }>
export type Rfc9421Message = Extract<ProfileMessage, { kind: 'rfc9421' }>

export type JwtMember = readonly [name: string, claim: JwtMessage['claims'][string]]

/** The template of a claim, which becomes a text or a number. */
export const templateOf = (claim: JwtMember[1]): string => (typeof claim === 'string' ? claim : claim.number)

/** The template of a signature's parameter. */
export function parameterTemplate(name: Rfc9421Message['params'][number], message: Rfc9421Message): string {
  switch (name) {
    case 'created':
      return '{ts.s}'
    case 'expires':
      return '{exp.s}'
    case 'nonce':
      return '{nonce.base64url}'
    case 'keyid':
      return message.keyid ?? ''
    case 'alg':
      return 'ed25519'
    case 'tag':
      // A fixed text, so its braces are escaped.
      return (message.tag ?? '').replace(/[{}]/g, '$&$&')
  }
}

type LocatedTemplate = {
  readonly where: string
  readonly place: Place
  readonly template: string
  /** Of a token's member; signed too. */
  readonly name?: string
}

/** All templates of the signed text; in an RFC 9421 message only the key id is one. */
export function signedTemplates({ message }: Profile): readonly LocatedTemplate[] {
  const signed = (where: string, template: string) => ({ where, place: 'signed', template }) as const
  const member = (where: string, name: string, template: string) =>
    ({ ...signed(`${where} ${name}`, template), name }) as const
  switch (message.kind) {
    case 'template':
      return [signed('the message', message.template)]
    case 'jwt':
      return [
        ...Object.entries(message.header).map(([name, text]) => member('header member', name, text)),
        ...Object.entries(message.claims).map(([name, claim]) => member('claim', name, templateOf(claim))),
      ]
    case 'rfc9421':
      return message.keyid === undefined ? [] : [signed('keyid', message.keyid)]
    case 'none':
      return []
  }
}

/** Problems beyond the format of single fields, as sentences; empty if the profile can be used. */
function profileProblems(profile: Profile): readonly string[] {
  const { kind } = profile.message
  const located = [...signedTemplates(profile), ...headerTemplates(profile)]
  return [
    ...located.flatMap((each) => templateProblems(each, kind, profile)),
    ...(profile.message.kind === 'jwt' ? jwtProblems(profile.message) : []),
    ...(profile.message.kind === 'rfc9421' ? rfc9421Problems(profile.message, profile) : []),
    ...repeatedHeaders(profile.headers),
  ]
}

const headerTemplates = ({ headers }: Profile): readonly LocatedTemplate[] =>
  Object.entries(headers).map(([name, template]) => ({ where: `header ${name}`, place: 'header', template }))

function templateProblems(
  { where, place, template }: LocatedTemplate,
  kind: MessageKind,
  profile: Profile,
): readonly string[] {
  const parts = parseTemplate(template)
  if (!parts.ok) return [`${where}: a brace is not closed at "${parts.error.at}"; write {{ or }} for a brace`]
  return parts.value.flatMap((part) => {
    if (part.kind === 'text') return hiddenProblems(where, part.text)
    const problem = placeholderProblem(part.name, place, kind) ?? missingSetting(part.name, profile)
    return problem === undefined ? [] : [`${where}: {${part.name.slice(0, 40)}} ${problem}`]
  })
}

function missingSetting(name: string, { timestamp, validitySeconds, message }: Profile): string | undefined {
  if (name === 'token' && message.kind === 'none' && message.token === undefined)
    return 'needs message.token set to "operator-typed"'
  if (name === 'ts.window' && timestamp?.floorSeconds === undefined) return 'needs timestamp.floorSeconds'
  return name.startsWith('exp.') && validitySeconds === undefined ? 'needs validitySeconds' : undefined
}

/** `alg` has its own field; the other members would make the reader treat the token differently. */
const jwtProblems = ({ header, claims }: JwtMessage): readonly string[] => [
  ...[...Object.keys(header), ...Object.keys(claims)].flatMap((name) =>
    hiddenProblems('a member’s name', name),
  ),
  ...['alg', 'b64', 'crit', 'jku', 'jwk', 'x5u', 'x5c']
    .filter((name) => Object.hasOwn(header, name))
    .map((name) => `header member ${name} can’t be set`),
]

function hiddenProblems(where: string, text: string): readonly string[] {
  const hidden = hiddenIn(text)
  return hidden === undefined ? [] : [`${where}: ${hidden} is invisible on the screen`]
}

function rfc9421Problems(
  { components, params, keyid, tag }: Rfc9421Message,
  { headers, validitySeconds }: Profile,
): readonly string[] {
  const problems = components.flatMap((component) => componentProblem(component, headers) ?? [])
  if (new Set(components).size !== components.length) problems.push('a component is listed twice')
  if (new Set(params).size !== params.length) problems.push('a signature parameter is listed twice')
  if (params.includes('keyid') && keyid === undefined) problems.push('parameter keyid needs the field keyid')
  if (params.includes('tag') && tag === undefined) problems.push('parameter tag needs the field tag')
  if (params.includes('expires') && validitySeconds === undefined)
    problems.push('parameter expires needs validitySeconds')
  return problems
}

/** Header names ignore case: fetch would join the values of two spellings. */
function repeatedHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  return new Set(names).size === names.length ? [] : ['a header is listed twice']
}

/** Text placeholders, allowed in every template. */
export const TEXT_PLACEHOLDERS = [
  'method',
  'scheme',
  'authority',
  'origin',
  'path',
  'query',
  'sortedQuery',
  'target',
  'url',
  'param.node_id',
  'ts.s',
  'ts.ms',
  'ts.iso',
  'ts.window',
  'exp.s',
  'exp.ms',
  'exp.iso',
  'kid',
  'kid.thumbprint',
] as const

/** Placeholders for bytes, which need an encoding: {key.hex}. */
export const BYTE_PLACEHOLDERS = ['key', 'nonce', 'sig'] as const

/** Results of signing, or the token; only headers may contain them. */
const RESULT_PLACEHOLDERS = {
  template: [],
  none: ['token'],
  jwt: ['jwt'],
  rfc9421: ['sigInput', 'sigHeader'],
} as const

type MessageKind = keyof typeof RESULT_PLACEHOLDERS

const TEXTS: ReadonlySet<string> = new Set(TEXT_PLACEHOLDERS)
const ENCODED: ReadonlySet<string> = new Set(
  BYTE_PLACEHOLDERS.flatMap((name) => ENCODINGS.map((encoding) => `${name}.${encoding}`)),
)

type Place = 'signed' | 'header'

/** Why a placeholder is not allowed, as the end of a sentence that begins with its name; undefined if it is allowed. */
export function placeholderProblem(name: string, place: Place, kind: MessageKind): string | undefined {
  if (TEXTS.has(name) || isParameter(name)) return undefined
  const isSignature = name.startsWith('sig.')
  if (ENCODED.has(name) && !isSignature) return undefined
  const results: readonly string[] = RESULT_PLACEHOLDERS[kind]
  const isResult = (ENCODED.has(name) && kind !== 'none') || results.includes(name)
  if (!isResult) return `is not a placeholder here${alternativesTo(name, place, kind)}`
  return place === 'header' ? undefined : 'can’t be part of what is signed'
}

/** Suggestions for a name that is nearly right: another encoding, or another placeholder of its family. */
function alternativesTo(name: string, place: Place, kind: MessageKind): string {
  const [family = ''] = name.split('.')
  const isBytes = BYTE_PLACEHOLDERS.some((one) => one === family)
  if (isBytes && (family !== 'sig' || (place === 'header' && kind !== 'none')))
    return `; its encodings are ${ENCODINGS.join(', ')}`
  const others = TEXT_PLACEHOLDERS.filter((one) => one.startsWith(`${family}.`))
  return others.length === 0 ? '' : `; available: ${others.map((one) => `{${one}}`).join(', ')}`
}

/** Fetch silently drops these headers: https://fetch.spec.whatwg.org/#forbidden-request-header. */
const FORBIDDEN =
  /^(accept-charset|accept-encoding|access-control-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|via|x-http-method(-override)?|x-method-override)$/i

export const isForbiddenHeader = (name: string): boolean => FORBIDDEN.test(name)

/** Words in names of headers that carry a signature, or what a service needs to verify one. */
const SIGNING_WORDS =
  /^(sign|signed|signer|signature|sig|key|keyid|apikey|pubkey|publickey|pk|nonce|salt|time|timestamp|ts|date|expires|expiry|exp|token|jwt|auth|authorization|authentication|access|hash|digest|proof|passphrase|wallet|account|validator|node|did|challenge|alg|algorithm)$/
/**
 * Words in headers that could make a proxy or server see another request, client or user: `X-Original-URL`, `X-Client-IP`,
 * `X-Auth-User`.
 */
const ROUTING_WORDS =
  /^(forwarded|original|rewrite|rewritten|override|host|url|uri|path|method|scheme|proto|port|ip|addr|client|remote|real|user|email|group|groups|role|roles|cert|ssl|tls|proxy|control|request)$/

/** Whether a header may belong to signing. Configurations that browsers add for others may use only such headers. */
export function isSigningHeader(name: string): boolean {
  const words = name.toLowerCase().split(/[-_.]/)
  return words.some((word) => SIGNING_WORDS.test(word)) && !words.some((word) => ROUTING_WORDS.test(word))
}

/** Maximum size of all headers of a profile, names and values. Servers refuse more than 8 to 16 KiB in total. */
export const HEADER_BYTES_MAX = 4_096

/** Sent across origins without a preflight. */
const SIMPLE = /^(accept|accept-language|content-language|content-type)$/i

/** Whether a service on another origin must list this header in Access-Control-Allow-Headers. */
export const needsPreflight = (name: string): boolean => !SIMPLE.test(name)
