import {
  HEADER_BYTES_MAX,
  isForbiddenHeader,
  parameterTemplate,
  signedTemplates,
  type Profile,
  type Rfc9421Message,
} from './profile.ts'
import { usesToken } from './profile-needs.ts'
import { DERIVED_COMPONENTS, queryParameterOf } from './rfc9421.ts'
import { parseTemplate, placeholdersOf } from './template.ts'

export type Grade = 'A' | 'B' | 'C' | 'D' | 'E' | 'F'

type Severity = 'error' | 'warning' | 'info'

type Facts = {
  readonly profile: Profile
  readonly binding: ReturnType<typeof bindingOf>
  readonly sent: readonly string[]
}

/** Applies to the whole profile, or to single headers. */
type Rule = { readonly severity: Severity } & (
  | { readonly holds: (facts: Facts) => boolean }
  | { readonly holdsFor: (header: string, template: string) => boolean }
)

const isSigned = ({ profile }: Facts): boolean => profile.message.kind !== 'none'
const isPermanent = ({ binding }: Facts): boolean => !binding.time && !binding.singleUse
const sendsToken = ({ profile, sent }: Facts): boolean => usesToken(profile) && sent.includes('token')

const whenSigned = (severity: Severity, holds: (facts: Facts) => boolean): Rule => ({
  severity,
  holds: (facts) => isSigned(facts) && holds(facts),
})
const whenUnsigned = (severity: Severity, holds: (facts: Facts) => boolean): Rule => ({
  severity,
  holds: (facts) => !isSigned(facts) && holds(facts),
})

/** Each possible defect of a profile: its severity, and when it applies. */
const RULES = {
  'nothing-signed': whenUnsigned('warning', ({ profile }) => !usesToken(profile)),
  'secret-sent': whenUnsigned('error', sendsToken),
  'token-unbound': whenUnsigned('error', sendsToken),
  'token-not-sent': whenUnsigned('error', (facts) => usesToken(facts.profile) && !sendsToken(facts)),
  'permanent-password': whenSigned('error', isPermanent),
  'no-time': whenSigned('error', (facts) => !facts.binding.time && !isPermanent(facts)),
  'no-host': whenSigned('error', ({ binding }) => !binding.host),
  'no-node': whenSigned('warning', ({ binding }) => !binding.node),
  replayable: whenSigned('warning', ({ binding }) => binding.time && !binding.singleUse),
  'reused-nonce': whenSigned(
    'warning',
    ({ binding, profile }) => binding.singleUse && profile.reuseSeconds !== undefined,
  ),
  'no-fixed-tag': whenSigned('warning', ({ profile }) => !startsWithFixedTag(profile)),
  'signature-not-sent': whenSigned('error', ({ sent }) => !some(sent, /^(sig\..+|jwt|sigHeader)$/)),
  'time-not-sent': whenSigned('error', (facts) => isNeededAndMissing(facts, /^(ts\.(s|ms|iso)|exp\..+)$/)),
  'nonce-not-sent': whenSigned('error', (facts) => isNeededAndMissing(facts, /^nonce\./)),
  'key-not-sent': whenSigned('info', ({ binding }) => !binding.identitySent),
  'headers-too-long': whenSigned('error', ({ profile }) => literalBytes(profile) > HEADER_BYTES_MAX),
  'header-dropped': { severity: 'error', holdsFor: isForbiddenHeader },
  'fixed-secret': {
    severity: 'error',
    holdsFor: (header, template) =>
      /^(proxy-)?authorization$/i.test(header) && placeholdersOf(template).length === 0,
  },
} as const satisfies Readonly<Record<string, Rule>>

export type FindingCode = keyof typeof RULES

export type Finding = {
  readonly code: FindingCode
  readonly severity: Severity
  readonly header?: string
}

/** The parts of a request that the signature binds, according to the placeholders of the signed text. */
export function bindingOf(profile: Profile) {
  const signed = namesSigned(profile)
  const sent = namesSent(profile)
  return {
    time: some(signed, /^(ts|exp)\./),
    singleUse: some(signed, /^nonce\./),
    // Without the service's name, a receiver of the signature can use it elsewhere.
    host: some(signed, /^(origin|authority|url)$/),
    node: some(signed, /^(query|sortedQuery|target|url|param\.node_id)$/),
    method: some(signed, /^method$/),
    identitySent: some(sent, /^(kid|kid\.thumbprint|key\..+)$/),
  }
}

/** A nonce without a time helps only while the service remembers it. */
export function gradeOf(profile: Profile): Grade {
  const { time, singleUse, host, node } = bindingOf(profile)
  if (!time) return singleUse ? 'E' : 'F'
  if (!host) return node ? 'C' : 'D'
  if (!node) return 'C'
  return singleUse && profile.reuseSeconds === undefined ? 'A' : 'B'
}

/** Most severe first. Does not show whether a service accepts the profile. */
export function lintProfile(profile: Profile): readonly Finding[] {
  const facts = { profile, binding: bindingOf(profile), sent: namesSent(profile) }
  const findings = CODES.flatMap((code): readonly Finding[] => {
    const rule: Rule = RULES[code]
    const { severity } = rule
    if ('holds' in rule) return rule.holds(facts) ? [{ code, severity }] : []
    return Object.entries(profile.headers).flatMap(([header, template]) =>
      rule.holdsFor(header, template) ? [{ code, severity, header }] : [],
    )
  })
  return findings.toSorted((a, b) => RANKS.indexOf(a.severity) - RANKS.indexOf(b.severity))
}

/**
 * Whether every message begins with the same eight printable characters, so that it cannot be a disguised transaction of a
 * chain. A chain's key signs nothing else.
 */
export function startsWithFixedTag({ message }: Profile): boolean {
  switch (message.kind) {
    case 'template': {
      const parts = parseTemplate(message.template)
      const first = parts.ok ? parts.value[0] : undefined
      return message.prehash === undefined && first?.kind === 'text' && /^[\x20-\x7e]{8}/.test(first.text)
    }
    case 'jwt':
      return true // Every token begins with eyJhbGciOi, because alg is the first member of its header.
    case 'rfc9421':
      // The name of a derived component is fixed; a header's name could be a single letter.
      return /^@[a-z-]+$/.test(message.components[0] ?? '')
    case 'none':
      return false
  }
}

const CODES = Object.keys(RULES).filter((code): code is FindingCode => code in RULES)
const RANKS: readonly Severity[] = ['error', 'warning', 'info']

const isNeededAndMissing = ({ profile, sent }: Facts, pattern: RegExp): boolean =>
  some(namesSigned(profile), pattern) && !some(sent, pattern)

const some = (names: readonly string[], pattern: RegExp): boolean => names.some((name) => pattern.test(name))

function namesSigned(profile: Profile): readonly string[] {
  const names = signedTemplates(profile).flatMap(({ template }) => placeholdersOf(template))
  const { message } = profile
  if (message.kind !== 'rfc9421') return names
  return [...names, ...message.components.flatMap((one) => namesOf(one, profile)), ...parameterNames(message)]
}

/** The placeholders equivalent to a component of RFC 9421. */
function namesOf(component: string, { headers }: Profile): readonly string[] {
  const parameter = queryParameterOf(component)
  if (parameter !== undefined) return [`param.${parameter}`]
  const derived = DERIVED_COMPONENTS.get(component)
  if (derived !== undefined) return [derived]
  const template = Object.entries(headers).find(([name]) => name.toLowerCase() === component)?.[1]
  return template === undefined ? [] : placeholdersOf(template)
}

const parameterNames = (message: Rfc9421Message): readonly string[] =>
  message.params.flatMap((name) => placeholdersOf(parameterTemplate(name, message)))

/** Placeholders in headers, including those inside a token or Signature-Input. */
function namesSent(profile: Profile): readonly string[] {
  const names = Object.values(profile.headers).flatMap(placeholdersOf)
  const { message } = profile
  const inside =
    (message.kind === 'jwt' && names.includes('jwt')) ||
    (message.kind === 'rfc9421' && names.includes('sigInput'))
  if (!inside) return names
  const carried = signedTemplates(profile).flatMap(({ template }) => placeholdersOf(template))
  return [...names, ...carried, ...(message.kind === 'rfc9421' ? parameterNames(message) : [])]
}

const literalBytes = ({ headers }: Profile): number =>
  Object.entries(headers).reduce((sum, [name, template]) => sum + name.length + template.length + 4, 0)
