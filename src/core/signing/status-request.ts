import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import { bytesToBase64, bytesToBase64Url, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { SignedHeaders } from './signer.ts'
import { hashOf, statusQuery, signingValues, type SigningInput } from './signing-values.ts'
import {
  HEADER_BYTES_MAX,
  parameterTemplate,
  templateOf,
  type JwtMember,
  type JwtMessage,
  type Profile,
  type Rfc9421Message,
} from './profile.ts'
import {
  DERIVED_COMPONENTS,
  queryParameterOf,
  signatureBase,
  type SignatureBase,
  type SignatureParameter,
} from './rfc9421.ts'
import { fillTemplate, namesAbsentParameter, type TemplateProblem, type TemplateValues } from './template.ts'
import { offsetMs, offsetUncertaintyMs, type ClockOffset } from '#record/clock-offset.ts'

/** The signed text as bytes, before any prehash. UTF-8, without a final newline unless the template has one. */
export function signedText(profile: Profile, input: SigningInput): Result<Bytes, TemplateProblem> {
  const text = textOf(profile, signingValues(profile, input))
  return text.ok ? ok(new TextEncoder().encode(text.value)) : text
}

/** The exact bytes to sign: the text, or its hash if the profile sets `prehash`. */
export function messageToSign(profile: Profile, input: SigningInput): Result<Bytes, TemplateProblem> {
  const text = signedText(profile, input)
  const { message } = profile
  if (!text.ok || message.kind !== 'template' || message.prehash === undefined) return text
  return ok(hashOf(message.prehash, text.value))
}

function textOf(profile: Profile, values: TemplateValues): Result<string, TemplateProblem> {
  const { message } = profile
  switch (message.kind) {
    case 'template':
      return fillTemplate(message.template, values)
    case 'jwt':
      return jwtSigningInput(message, values)
    case 'rfc9421': {
      const signed = baseOf(message, profile, values)
      return signed.ok ? ok(signed.value.base) : signed
    }
    case 'none':
      return ok('')
  }
}

/** The headers that carry the signature, and the signed query. */
export function signedHeaders(
  profile: Profile,
  input: SigningInput,
  signature: Uint8Array,
): Result<SignedHeaders, TemplateProblem> {
  const values = withSignature(profile, signingValues(profile, input), signature)
  if (!values.ok) return values
  const headers: Record<string, string> = {}
  let bytes = 0
  for (const [name, template] of Object.entries(profile.headers)) {
    const value = headerValue(name, template, values.value)
    if (!value.ok) return value
    headers[name] = value.value
    bytes += name.length + value.value.length + 4
  }
  // The token has a length limit of its own.
  if (bytes > HEADER_BYTES_MAX + (input.token?.length ?? 0))
    return err({ kind: 'too-long', at: `${bytes} bytes` })
  return ok({
    headers,
    query: statusQuery(input.nodeId),
    ...(input.token !== undefined && { token: input.token }),
  })
}

/** A header must be one line of printable ASCII; otherwise fetch fails with an error that does not name the header. */
function headerValue(
  name: string,
  template: string,
  values: TemplateValues,
): Result<string, TemplateProblem> {
  const value = fillTemplate(template, values)
  if (!value.ok) return value
  return /^[\x20-\x7e]*$/.test(value.value) ? value : err({ kind: 'not-printable', at: name })
}

function withSignature(
  profile: Profile,
  values: TemplateValues,
  signature: Uint8Array,
): Result<TemplateValues, TemplateProblem> {
  const { message } = profile
  if (message.kind === 'none') return ok(values)
  const texts = new Map(values.texts)
  if (message.kind === 'jwt') {
    const signed = jwtSigningInput(message, values)
    if (!signed.ok) return signed
    texts.set('jwt', `${signed.value}.${bytesToBase64Url(signature)}`)
  }
  if (message.kind === 'rfc9421') {
    const signed = baseOf(message, profile, values)
    if (!signed.ok) return signed
    texts.set('sigInput', `${message.label}=${signed.value.params}`)
    texts.set('sigHeader', `${message.label}=:${bytesToBase64(signature)}:`)
  }
  return ok({ texts, bytes: new Map([...values.bytes, ['sig', signature]]) })
}

function baseOf(
  message: Rfc9421Message,
  profile: Profile,
  values: TemplateValues,
): Result<SignatureBase, TemplateProblem> {
  const parameters: SignatureParameter[] = []
  for (const name of message.params) {
    const value = fillTemplate(parameterTemplate(name, message), values)
    if (!value.ok) return value
    parameters.push([name, name === 'created' || name === 'expires' ? Number(value.value) : value.value])
  }
  const fields = new Map<string, string>()
  for (const [name, template] of Object.entries(profile.headers)) {
    if (!message.components.includes(name.toLowerCase())) continue
    const value = headerValue(name, template, values)
    if (!value.ok) return value
    fields.set(name.toLowerCase(), value.value.trim())
  }
  return signatureBase(message.components, (name) => componentOf(name, values.texts, fields), parameters)
}

function componentOf(
  component: string,
  texts: ReadonlyMap<string, string>,
  fields: ReadonlyMap<string, string>,
): string | undefined {
  const parameter = queryParameterOf(component)
  if (parameter !== undefined) return texts.get(`sent.${parameter}`)
  if (component === '@query') return `?${texts.get('query') ?? ''}`
  const derived = DERIVED_COMPONENTS.get(component)
  return derived === undefined ? fields.get(component) : texts.get(derived)
}

/** A smaller clock offset needs no correction. */
export const CORRECTION_FROM_MS = 2_000
/** Largest correction that is signed without the operator's consent. */
export const CORRECTION_ALONE_MAX_MS = 10 * MINUTE_MS
/** Largest correction with the operator's consent. For times in the profile's own text see `signedTextProblem`. */
export const CORRECTION_ASKED_MAX_MS = DAY_MS
/** How far a correction may differ from the one that the operator agreed to, because clocks drift and measurements vary. */
export const CORRECTION_SLACK_MS = MINUTE_MS

/**
 * The correction of the signed time for this service in whole ms; undefined if the clocks agree or the difference is uncertain.
 */
export function correctionOf(offset: ClockOffset, usedMs = 0): number | undefined {
  const furtherMs = Math.abs(offsetMs(offset) - usedMs)
  const isNeeded = furtherMs > CORRECTION_FROM_MS && furtherMs > offsetUncertaintyMs(offset)
  return isNeeded ? Math.round(offsetMs(offset)) : undefined
}

/** Whether a signer may sign with its own time shifted by this much. `agreedMs`: the correction that the operator agreed to. */
export function mayCorrect(correctionMs: number, agreedMs: number | undefined): boolean {
  const sizeMs = Math.abs(correctionMs)
  if (!Number.isInteger(correctionMs) || sizeMs > CORRECTION_ASKED_MAX_MS) return false
  if (sizeMs <= CORRECTION_ALONE_MAX_MS) return true
  return agreedMs !== undefined && Math.abs(correctionMs - agreedMs) <= CORRECTION_SLACK_MS
}

/** The JWS signing input (RFC 7515): header and claims in base64url, separated by a dot. */
export function jwtSigningInput(
  { alg, header, claims }: JwtMessage,
  values: TemplateValues,
): Result<string, TemplateProblem> {
  const head = jsonOf([['alg', alg], ...Object.entries(header)], values)
  if (!head.ok) return head
  const body = jsonOf(Object.entries(claims), values)
  if (!body.ok) return body
  return ok(`${encoded(head.value)}.${encoded(body.value)}`)
}

const encoded = (text: string): string => bytesToBase64Url(new TextEncoder().encode(text))

/**
 * Written member by member, which keeps the order even of numeric names and treats `__proto__` as an ordinary name. A member
 * that needs a parameter which this request lacks is left out.
 */
function jsonOf(members: readonly JwtMember[], values: TemplateValues): Result<string, TemplateProblem> {
  const texts: string[] = []
  for (const [name, claim] of members) {
    const template = templateOf(claim)
    if (namesAbsentParameter(template, values)) continue
    const filled = fillTemplate(template, values)
    if (!filled.ok) return filled
    if (typeof claim !== 'string' && !/^(0|-?[1-9][0-9]{0,14})$/.test(filled.value))
      return err({ kind: 'not-a-number', at: name.slice(0, 40) })
    texts.push(
      `${JSON.stringify(name)}:${typeof claim === 'string' ? JSON.stringify(filled.value) : filled.value}`,
    )
  }
  return ok(`{${texts.join(',')}}`)
}
