import { HEADER_BYTES_MAX, isForbiddenHeader, signedTemplates, type Profile } from './profile.ts'
import { usesToken } from './profile-needs.ts'
import { queryParameterOf } from './rfc9421.ts'
import { parseTemplate, placeholdersOf } from './template-parts.ts'

export type Binding = {
  readonly time: boolean
  readonly singleUse: boolean
  /** The service's own name: else a receiver of the signature can use it elsewhere. */
  readonly host: boolean
  readonly node: boolean
  readonly method: boolean
  readonly identitySent: boolean
}

export type Grade = 'A' | 'B' | 'C' | 'D' | 'E' | 'F'

export const FINDINGS = {
  'nothing-signed': 'warning',
  'secret-sent': 'error',
  'token-unbound': 'error',
  'token-not-sent': 'error',
  'permanent-password': 'error',
  'no-time': 'error',
  'no-host': 'error',
  'no-node': 'warning',
  replayable: 'warning',
  'reused-nonce': 'warning',
  'no-fixed-tag': 'warning',
  'signature-not-sent': 'error',
  'time-not-sent': 'error',
  'nonce-not-sent': 'error',
  'key-not-sent': 'info',
  'header-dropped': 'error',
  'fixed-secret': 'error',
  'headers-too-long': 'error',
} as const satisfies Readonly<Record<string, 'error' | 'warning' | 'info'>>

export type FindingCode = keyof typeof FINDINGS

export type Finding = {
  readonly code: FindingCode
  readonly severity: 'error' | 'warning' | 'info'
  readonly header?: string
}

/** What of a request the signature speaks for, by the placeholders of what is signed. */
export function bindingOf(profile: Profile): Binding {
  const signed = namesSigned(profile)
  const sent = namesSent(profile)
  return {
    time: some(signed, /^(ts|exp)\./),
    singleUse: some(signed, /^nonce\./),
    host: some(signed, /^(origin|authority|url)$/),
    node: some(signed, /^(query|sortedQuery|target|url|param\.node_id)$/),
    method: some(signed, /^method$/),
    identitySent: some(sent, /^(kid|kid\.thumbprint|key\..+)$/),
  }
}

/** The table of the presets as a rule: a single-use number without a time helps only while the service remembers it. */
export function gradeOf(profile: Profile): Grade {
  const { time, singleUse, host, node } = bindingOf(profile)
  if (!time) return singleUse ? 'E' : 'F'
  if (!host) return node ? 'C' : 'D'
  if (!node) return 'C'
  return singleUse && profile.reuseSeconds === undefined ? 'A' : 'B'
}

/** What a profile lacks, the worst first. Says nothing about whether a service accepts it. */
export function lintProfile(profile: Profile): readonly Finding[] {
  const codes = profile.message.kind === 'none' ? unsignedFindings(profile) : signedFindings(profile)
  const findings: Finding[] = codes.map((code) => ({ code, severity: FINDINGS[code] }))
  for (const [header, template] of Object.entries(profile.headers)) {
    if (isForbiddenHeader(header)) findings.push(about('header-dropped', header))
    if (/^(proxy-)?authorization$/i.test(header) && placeholdersOf(template).length === 0)
      findings.push(about('fixed-secret', header))
  }
  return findings.toSorted((a, b) => RANKS.indexOf(a.severity) - RANKS.indexOf(b.severity))
}

/**
 * Whether every message begins with the same eight printable characters, so that it can't be
 * a transaction of some chain in disguise. A key of a chain signs nothing else.
 */
export function startsWithFixedTag({ message }: Profile): boolean {
  switch (message.kind) {
    case 'template': {
      const parts = parseTemplate(message.template)
      const first = parts.ok ? parts.value[0] : undefined
      return message.prehash === undefined && first?.kind === 'text' && /^[\x20-\x7e]{8}/.test(first.text)
    }
    case 'jwt':
      return true // eyJhbGciOi…: the header's first member is always alg
    case 'rfc9421':
      // A derived component's name is fixed; a header's own name could be as short as one letter.
      return /^@[a-z-]+$/.test(message.components[0] ?? '')
    case 'none':
      return false
  }
}

const RANKS: readonly Finding['severity'][] = ['error', 'warning', 'info']

const about = (code: FindingCode, header: string): Finding => ({ code, severity: FINDINGS[code], header })

function unsignedFindings(profile: Profile): readonly FindingCode[] {
  if (!usesToken(profile)) return ['nothing-signed']
  return namesSent(profile).includes('token') ? ['secret-sent', 'token-unbound'] : ['token-not-sent']
}

function signedFindings(profile: Profile): readonly FindingCode[] {
  const binding = bindingOf(profile)
  const permanent = !binding.time && !binding.singleUse
  const sent = namesSent(profile)
  const found: readonly (readonly [FindingCode, boolean])[] = [
    ['permanent-password', permanent],
    ['no-time', !binding.time && !permanent],
    ['no-host', !binding.host],
    ['no-node', !binding.node],
    ['replayable', binding.time && !binding.singleUse],
    ['reused-nonce', binding.singleUse && profile.reuseSeconds !== undefined],
    ['no-fixed-tag', !startsWithFixedTag(profile)],
    ['signature-not-sent', !some(sent, /^(sig\..+|jwt|sigHeader)$/)],
    ['time-not-sent', isNeededAndMissing(profile, sent, /^(ts\.(s|ms|iso)|exp\..+)$/)],
    ['nonce-not-sent', isNeededAndMissing(profile, sent, /^nonce\./)],
    ['key-not-sent', !binding.identitySent],
    ['headers-too-long', literalBytes(profile) > HEADER_BYTES_MAX],
  ]
  return found.flatMap(([code, holds]) => (holds ? [code] : []))
}

const isNeededAndMissing = (profile: Profile, sent: readonly string[], pattern: RegExp): boolean =>
  some(namesSigned(profile), pattern) && !some(sent, pattern)

const some = (names: readonly string[], pattern: RegExp): boolean => names.some((name) => pattern.test(name))

function namesSigned(profile: Profile): readonly string[] {
  const names = signedTemplates(profile).flatMap(({ template }) => placeholdersOf(template))
  const { message } = profile
  if (message.kind !== 'rfc9421') return names
  return [
    ...names,
    ...message.components.flatMap((one) => namesOf(one, profile)),
    ...parameterNames(message.params),
  ]
}

/** A component of RFC 9421 by the placeholders that say the same. */
function namesOf(component: string, { headers }: Profile): readonly string[] {
  const parameter = queryParameterOf(component)
  if (parameter !== undefined) return [`param.${parameter}`]
  const derived = { '@target-uri': 'url', '@request-target': 'target' }[component]
  if (component.startsWith('@')) return [derived ?? component.slice(1)]
  const template = Object.entries(headers).find(([name]) => name.toLowerCase() === component)?.[1]
  return template === undefined ? [] : placeholdersOf(template)
}

const PARAMETER_NAMES: Readonly<Record<string, string>> = {
  created: 'ts.s',
  expires: 'exp.s',
  nonce: 'nonce.base64url',
}

const parameterNames = (params: readonly string[]): readonly string[] =>
  params.flatMap((name) => PARAMETER_NAMES[name] ?? [])

/** What headers carry, looking into a token and into Signature-Input. */
function namesSent(profile: Profile): readonly string[] {
  const names = Object.values(profile.headers).flatMap(placeholdersOf)
  const { message } = profile
  const inside =
    (message.kind === 'jwt' && names.includes('jwt')) ||
    (message.kind === 'rfc9421' && names.includes('sigInput'))
  if (!inside) return names
  const carried = signedTemplates(profile).flatMap(({ template }) => placeholdersOf(template))
  return [...names, ...carried, ...(message.kind === 'rfc9421' ? parameterNames(message.params) : [])]
}

const literalBytes = ({ headers }: Profile): number =>
  Object.entries(headers).reduce((sum, [name, template]) => sum + name.length + template.length + 4, 0)
