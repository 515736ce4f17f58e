import { jsonIn, membersOf } from '#base/stored.ts'
import { createHash } from 'node:crypto'
import type { Profile } from '#signing/profile.ts'
import { claimedIn, piecesOf } from './profile-match.ts'
import { parameter, textOf, type Claimed, type Known } from './profile-values.ts'

/** A request's claims, and the bytes that its signature must match for a given window and key. */
export type Presented = {
  readonly claimed: Claimed
  readonly bytes: (keyHex: string, window: number | undefined) => Uint8Array | undefined
}

type Message<TKind> = Extract<Profile['message'], { kind: TKind }>

const CARRIED = /\{(?:jwt|sigInput|sigHeader)\}/
/** Fixed text before such a value and nothing after it; otherwise its bounds are ambiguous. */
const READABLE = /^([^{}]*)\{(jwt|sigInput|sigHeader)\}$/

export const isReadable = (template: string): boolean => !CARRIED.test(template) || READABLE.test(template)

/** Reads the headers of a profile; undefined if they do not match it. */
export function presentedBy(headers: ReadonlyMap<string, string>, known: Known): Presented | undefined {
  const { message, headers: templates } = known.profile
  let claimed: Claimed | undefined = {}
  let presented: ((claimed: Claimed) => Presented | undefined) | undefined
  for (const [name, template] of Object.entries(templates)) {
    const value = headers.get(name.toLowerCase()) ?? ''
    const inner = READABLE.exec(template)
    if (inner === null) claimed = claimed && claimedIn(template, value, known, claimed)
    else if (!value.startsWith(inner[1] ?? '')) return undefined
    else {
      const carried = value.slice(inner[1]?.length)
      if (inner[2] === 'jwt' && message.kind === 'jwt')
        presented = (so) => tokenPresented(carried, message, known, so)
      if (inner[2] === 'sigInput' && message.kind === 'rfc9421')
        presented = (so) => basePresented(carried, message, known, so, headers)
      if (inner[2] === 'sigHeader' && message.kind === 'rfc9421')
        claimed = claimed && claimedIn(`${message.label}=:{sig.base64}:`, carried, known, claimed)
    }
    if (claimed === undefined) return undefined
  }
  if (message.kind === 'template') return textPresented(message, known, claimed)
  return presented?.(claimed)
}

function textPresented(message: Message<'template'>, known: Known, claimed: Claimed): Presented {
  return {
    claimed,
    bytes: (key, window) => {
      let text = ''
      for (const { text: fixed, name = '' } of piecesOf(message.template)) {
        const part = fixed ?? textOf(name, known, { ...claimed, key }, window)
        if (part === undefined) return undefined
        text += part
      }
      if (message.prehash === undefined) return Buffer.from(text)
      return createHash(message.prehash.replace('-', '')).update(text).digest()
    },
  }
}

/** The signature covers the token as received; header and claims must be exactly those of the profile. */
function tokenPresented(
  token: string,
  message: Message<'jwt'>,
  known: Known,
  before: Claimed,
): Presented | undefined {
  const [head, body, signature, ...more] = token.split('.')
  if (head === undefined || body === undefined || signature === undefined || more.length > 0) return undefined
  const signed = claimedIn('{sig.base64url}', signature, known, before)
  const header = signed && membersClaim(head, { alg: message.alg, ...message.header }, known, signed)
  const claimed = header && membersClaim(body, message.claims, known, header)
  return claimed && { claimed, bytes: () => Buffer.from(`${head}.${body}`) }
}

function membersClaim(
  encoded: string,
  templates: Message<'jwt'>['claims'],
  known: Known,
  before: Claimed,
): Claimed | undefined {
  const members = membersOf(jsonIn(Buffer.from(encoded, 'base64url').toString('utf8')))
  const expected = Object.entries(templates).filter(([, claim]) => !needsAbsent(claim, known))
  if (members === undefined || Object.keys(members).length !== expected.length) return undefined
  let claimed: Claimed | undefined = before
  for (const [name, claim] of expected) {
    const value = members[name]
    const wanted = typeof claim === 'string' ? 'string' : 'number'
    if (typeof value !== wanted || claimed === undefined) return undefined
    claimed = claimedIn(typeof claim === 'string' ? claim : claim.number, String(value), known, claimed)
  }
  return claimed
}

const needsAbsent = (claim: string | { readonly number: string }, known: Known): boolean =>
  piecesOf(typeof claim === 'string' ? claim : claim.number).some(
    ({ name = '' }) =>
      name.startsWith('param.') && parameter(name.slice('param.'.length), known) === undefined,
  )

/** RFC 9421 section 3.2: rebuilds the base, with the parameters as received. */
function basePresented(
  input: string,
  message: Message<'rfc9421'>,
  known: Known,
  before: Claimed,
  headers: ReadonlyMap<string, string>,
): Presented | undefined {
  const lines = message.components.flatMap((component) => {
    const value = componentValue(component, known, headers)
    return value === undefined ? [] : [[identifier(component), value] as const]
  })
  const parameters = message.params.map((name) => `;${name}=${parameterTemplate(name, message)}`).join('')
  const template = `${message.label}=(${lines.map(([name]) => name).join(' ')})${parameters}`
  const claimed = claimedIn(template, input, known, before)
  const params = input.slice(message.label.length + 1)
  const base = [...lines, ['"@signature-params"', params]]
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  return claimed && { claimed, bytes: () => Buffer.from(base) }
}

const identifier = (component: string): string => component.replace(/^([^;]*)/, '"$1"')

function componentValue(
  component: string,
  known: Known,
  headers: ReadonlyMap<string, string>,
): string | undefined {
  const name = /^@query-param;name="([^"]*)"$/.exec(component)?.[1]
  if (name !== undefined) {
    const value = known.query.find((pair) => pair.name === name)?.value
    return value === undefined ? undefined : encodeURIComponent(value)
  }
  if (component === '@query') return `?${known.rawQuery}`
  if (component === '@target-uri') return textOf('url', known, {})
  if (component === '@request-target') return textOf('target', known, {})
  return component.startsWith('@') ? textOf(component.slice(1), known, {}) : headers.get(component)?.trim()
}

const PARAMETERS: Readonly<Partial<Record<string, string>>> = {
  created: '{ts.s}',
  expires: '{exp.s}',
  nonce: '"{nonce.base64url}"',
  alg: '"ed25519"',
}

function parameterTemplate(name: string, { keyid = '', tag = '' }: Message<'rfc9421'>): string {
  const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`
  return PARAMETERS[name] ?? (name === 'keyid' ? quoted(keyid) : quoted(tag).replace(/[{}]/g, '$&$&'))
}
