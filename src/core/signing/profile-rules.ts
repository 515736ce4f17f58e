import { hiddenIn } from '#base/visible-text.ts'
import { componentProblem } from './rfc9421.ts'
import { parseTemplate, ENCODINGS, isParameter } from './template-parts.ts'

/** The part of a profile that its rules look at; a profile before it is known to keep them. */
type ProfileParts = {
  readonly validitySeconds?: number | undefined
  readonly timestamp?: { readonly floorSeconds?: number | undefined } | undefined
  readonly message:
    | { readonly kind: 'template'; readonly template: string; readonly prehash?: unknown }
    | {
        readonly kind: 'jwt'
        readonly header: Readonly<Record<string, string>>
        readonly claims: Readonly<Record<string, string | { readonly number: string }>>
      }
    | {
        readonly kind: 'rfc9421'
        readonly components: readonly string[]
        readonly params: readonly string[]
        readonly keyid?: string | undefined
        readonly tag?: string | undefined
      }
    | {
        readonly kind: 'none'
        readonly token?: 'operator-typed' | undefined
        readonly signer?: 'dashboard-server' | undefined
      }
  readonly headers: Readonly<Record<string, string>>
}

type Placed = { readonly where: string; readonly place: Place; readonly template: string }

/** Every template of what is signed; of an RFC 9421 message only the key's id is one. */
export function signedTemplates({ message }: ProfileParts): readonly Placed[] {
  const signed = (where: string, template: string): Placed => ({ where, place: 'signed', template })
  switch (message.kind) {
    case 'template':
      return [signed('the message', message.template)]
    case 'jwt':
      return [
        ...Object.entries(message.header).map(([name, text]) => signed(`header member ${name}`, text)),
        ...Object.entries(message.claims).map(([name, claim]) =>
          signed(`claim ${name}`, typeof claim === 'string' ? claim : claim.number),
        ),
      ]
    case 'rfc9421':
      return message.keyid === undefined ? [] : [signed('keyid', message.keyid)]
    case 'none':
      return []
  }
}

/** What is wrong with a profile beyond the form of its fields, as sentences; empty when it can be used. */
export function profileProblems(profile: ProfileParts): readonly string[] {
  const { kind } = profile.message
  const placed = [...signedTemplates(profile), ...headerTemplates(profile)]
  return [
    ...placed.flatMap((each) => templateProblems(each, kind, profile)),
    ...(profile.message.kind === 'jwt' ? jwtProblems(profile.message) : []),
    ...(profile.message.kind === 'rfc9421' ? rfc9421Problems(profile.message, profile) : []),
    ...repeatedHeaders(profile.headers),
  ]
}

const headerTemplates = ({ headers }: ProfileParts): readonly Placed[] =>
  Object.entries(headers).map(([name, template]) => ({ where: `header ${name}`, place: 'header', template }))

function templateProblems(
  { where, place, template }: Placed,
  kind: MessageKind,
  profile: ProfileParts,
): readonly string[] {
  const parts = parseTemplate(template)
  if (!parts.ok)
    return [`${where}: a brace is not closed at "${parts.error.at}"; write {{ or }} for a brace itself`]
  return parts.value.flatMap((part) => {
    if (part.kind === 'text') return hiddenProblems(where, part.text)
    const problem = placeholderProblem(part.name, place, kind) ?? missingSetting(part.name, profile)
    return problem === undefined ? [] : [`${where}: {${part.name.slice(0, 40)}} ${problem}`]
  })
}

function missingSetting(
  name: string,
  { timestamp, validitySeconds, message }: ProfileParts,
): string | undefined {
  if (name === 'token' && message.kind === 'none' && message.token === undefined)
    return 'needs message.token, "operator-typed"'
  if (name === 'ts.window' && timestamp?.floorSeconds === undefined) return 'needs timestamp.floorSeconds'
  return name.startsWith('exp.') && validitySeconds === undefined ? 'needs validitySeconds' : undefined
}

/** `alg` has a field of its own; the others would have the reader treat the token in another way. */
const jwtProblems = ({
  header,
  claims,
}: Extract<ProfileParts['message'], { kind: 'jwt' }>): readonly string[] => [
  ...[...Object.keys(header), ...Object.keys(claims)].flatMap((name) =>
    hiddenProblems('a member’s name', name),
  ),
  ...['alg', 'b64', 'crit', 'jku', 'jwk', 'x5u', 'x5c']
    .filter((name) => Object.hasOwn(header, name))
    .map((name) => `header member ${name} can’t be set`),
]

function hiddenProblems(where: string, text: string): readonly string[] {
  const hidden = hiddenIn(text)
  return hidden === undefined ? [] : [`${where}: ${hidden} can’t be seen where it is shown`]
}

function rfc9421Problems(
  { components, params, keyid, tag }: Extract<ProfileParts['message'], { kind: 'rfc9421' }>,
  { headers, validitySeconds }: ProfileParts,
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

/** Header names have no case: the second of two spellings would be joined to the first. */
function repeatedHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  return new Set(names).size === names.length ? [] : ['a header is listed twice']
}

/** What stands for a text wherever a profile has a template. */
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

/** What stands for bytes, and takes an encoding: {key.hex}. */
export const BYTE_PLACEHOLDERS = ['key', 'nonce', 'sig'] as const

/** The results of signing, or what is there in place of it, which only a header can carry. */
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

/** Why a name can't stand where it does, as the end of a sentence that begins with it; undefined when it can. */
export function placeholderProblem(name: string, place: Place, kind: MessageKind): string | undefined {
  if (TEXTS.has(name) || isParameter(name)) return undefined
  const isSignature = name.startsWith('sig.')
  if (ENCODED.has(name) && !isSignature) return undefined
  const results: readonly string[] = RESULT_PLACEHOLDERS[kind]
  const isResult = (ENCODED.has(name) && kind !== 'none') || results.includes(name)
  if (!isResult) return `is not a placeholder here${alternativesTo(name, place, kind)}`
  return place === 'header' ? undefined : 'can’t be part of what is signed'
}

/** What can be written in place of a name that is nearly one: another encoding, or another of its family. */
function alternativesTo(name: string, place: Place, kind: MessageKind): string {
  const [family = ''] = name.split('.')
  const isBytes = BYTE_PLACEHOLDERS.some((one) => one === family)
  if (isBytes && (family !== 'sig' || (place === 'header' && kind !== 'none')))
    return `; its encodings are ${ENCODINGS.join(', ')}`
  const others = TEXT_PLACEHOLDERS.filter((one) => one.startsWith(`${family}.`))
  return others.length === 0 ? '' : `; there are ${others.map((one) => `{${one}}`).join(', ')}`
}

/** Fetch drops these in silence, whatever a page asks for: https://fetch.spec.whatwg.org/#forbidden-request-header. */
const FORBIDDEN =
  /^(accept-charset|accept-encoding|access-control-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|via|x-http-method(-override)?|x-method-override)$/i

export const isForbiddenHeader = (name: string): boolean => FORBIDDEN.test(name)

/** Words by which headers are named that carry a signature, or what a service needs to check one. */
const SIGNING_WORDS =
  /^(sign|signed|signer|signature|sig|key|keyid|apikey|pubkey|publickey|pk|nonce|salt|time|timestamp|ts|date|expires|expiry|exp|token|jwt|auth|authorization|authentication|access|hash|digest|proof|passphrase|wallet|account|validator|node|did|challenge|alg|algorithm)$/
/** By which servers on the way are told another request, client or user: `X-Original-URL`, `X-Client-IP`, `X-Auth-User`. */
const ROUTING_WORDS =
  /^(forwarded|original|rewrite|rewritten|override|host|url|uri|path|method|scheme|proto|port|ip|addr|client|remote|real|user|email|group|groups|role|roles|cert|ssl|tls|proxy|control|request)$/

/** Whether a header is one that signing needs: what browsers add for others may name no other. */
export function isSigningHeader(name: string): boolean {
  const words = name.toLowerCase().split(/[-_.]/)
  return words.some((word) => SIGNING_WORDS.test(word)) && !words.some((word) => ROUTING_WORDS.test(word))
}

/** What all headers of a profile may take, names and values. Servers refuse more than 8 to 16 KiB in all. */
export const HEADER_BYTES_MAX = 4_096

/** Sent across origins without a preflight; every other header is asked for first. */
const SIMPLE = /^(accept|accept-language|content-language|content-type)$/i

/** Whether a service on another origin has to list this header in Access-Control-Allow-Headers. */
export const needsPreflight = (name: string): boolean => !SIMPLE.test(name)
