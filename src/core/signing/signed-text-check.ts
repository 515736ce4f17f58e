import { bindingOf } from './profile-lint.ts'
import { signedTemplates, templateOf, type Profile } from './profile.ts'
import { DERIVED_COMPONENTS } from './rfc9421.ts'
import {
  type TemplateValues,
  fillTemplate,
  isParameter,
  namesAbsentParameter,
  parseTemplate,
  placeholdersOf,
} from './template.ts'
import { signingValues, type SigningInput } from './signing-values.ts'
import { DAY_MS } from '#base/time.ts'

/**
 * `foreign-origin`: an address other than the service's own. `fixed-time`: a time that does not come from the signer.
 * `odd-character`: one that no template needs and that could hide or escape something. `origin-missing`: the profile names the
 * service's address, but this request's text leaves it out. `found`: without escapes.
 */
export type SignedTextProblem =
  | { readonly kind: 'foreign-origin' | 'fixed-time' | 'odd-character'; readonly found: string }
  | { readonly kind: 'origin-missing' }

/**
 * Why the signer refuses this profile for this service; undefined if it signs. Checks the filled-in text, so that text and
 * placeholders can't combine into an address or a time. `otherHosts`: hosts of the other configured services. Does not detect
 * addresses that are encoded, spelled out or split, times in words without a digit, or bare host names of services that are not
 * configured here.
 */
export function signedTextProblem(
  profile: Profile,
  input: SigningInput,
  otherHosts: readonly string[] = [],
): SignedTextProblem | undefined {
  const values = signingValues(profile, input)
  const pieces = piecesOf(profile, values)
  const request = { own: new URL(input.baseUrl), otherHosts, nowMs: input.nowMs }
  for (const { kind, appliesTo, find } of RULES)
    for (const piece of pieces) {
      const found = appliesTo === 'all' || piece.isSigned ? find(piece, request) : undefined
      if (found !== undefined) return { kind, found }
    }
  const notTime = timesOf(profile).find(({ isTime }) => !isTime)
  if (notTime !== undefined) return { kind: 'fixed-time', found: notTime.template }
  const holdsOwn = pieces.some(
    ({ isSigned, names }) => isSigned && names.some((name) => OWN_ADDRESS.test(name)),
  )
  return bindingOf(profile).host && !holdsOwn ? { kind: 'origin-missing' } : undefined
}

type Request = { readonly own: URL; readonly otherHosts: readonly string[]; readonly nowMs: number }

/** The checks, in order. `appliesTo`: only the signed text, or also the headers. */
const RULES: readonly {
  readonly kind: Exclude<SignedTextProblem['kind'], 'origin-missing'>
  readonly appliesTo: 'signed' | 'all'
  readonly find: (piece: Piece, request: Request) => string | undefined
}[] = [
  { kind: 'foreign-origin', appliesTo: 'signed', find: foreignOriginIn },
  { kind: 'fixed-time', appliesTo: 'all', find: fixedTimeIn },
  { kind: 'odd-character', appliesTo: 'signed', find: ({ fixed }) => NOT_PLAIN.exec(fixed)?.[0] },
]

const OWN_ADDRESS = /^(origin|authority|url)$/

/** A part of a filled-in text, from the profile's own text, the signer's time, the node id, or another placeholder. */
type Part = { readonly text: string; readonly source: 'profile' | 'time' | 'node' | 'other' }

/** A filled-in text of the signature or of a header. */
type Piece = {
  /** Without empty ones. */
  readonly parts: readonly Part[]
  readonly text: string
  /** The profile's own text; all other characters are replaced by line breaks. */
  readonly fixed: string
  readonly names: readonly string[]
  readonly isSigned: boolean
}

function piecesOf(profile: Profile, values: TemplateValues): readonly Piece[] {
  const { message } = profile
  if (message.kind === 'none') return []
  const { components = [], tag = '' } = message.kind === 'rfc9421' ? message : {}
  const signed = signedTemplates(profile)
    // A member of a token is left out without its parameter.
    .filter(({ template }) => message.kind !== 'jwt' || !namesAbsentParameter(template, values))
    .flatMap(({ name = '', template }) => [fixedPiece(name), pieceOf(template, values)])
  const headers = Object.entries(profile.headers).flatMap(([name, template]) => {
    const isSigned = components.includes(name.toLowerCase())
    return [pieceOf(template, values, isSigned), ...(isSigned ? [fixedPiece(name)] : [])]
  })
  const derived = components.map((component) => pieceFrom([], [DERIVED_COMPONENTS.get(component) ?? '']))
  return [...signed, fixedPiece(tag), ...derived, ...headers]
}

function pieceFrom(given: readonly Part[], names: readonly string[] = [], isSigned = true): Piece {
  const parts = given.filter(({ text }) => text !== '')
  const fixed = parts.map(({ text, source }) => (source === 'profile' ? text : '\n'.repeat(text.length)))
  return { parts, text: parts.map(({ text }) => text).join(''), fixed: fixed.join(''), names, isSigned }
}

const fixedPiece = (text: string): Piece => pieceFrom([{ text, source: 'profile' }])

function pieceOf(template: string, values: TemplateValues, isSigned?: boolean): Piece {
  const parsed = parseTemplate(template)
  const parts = (parsed.ok ? parsed.value : []).map((part): Part => {
    if (part.kind === 'text') return { text: part.text, source: 'profile' }
    return { text: filledPlaceholder(part.name, values), source: sourceOf(part.name) }
  })
  return pieceFrom(parts, placeholdersOf(template), isSigned)
}

const sourceOf = (name: string): Part['source'] => {
  if (/^(ts|exp)\./.test(name)) return 'time'
  return isParameter(name) ? 'node' : 'other'
}

/** Placeholders that cannot be filled in are refused when signing. */
const filledPlaceholder = (name: string, values: TemplateValues): string => {
  const filled = fillTemplate(`{${name}}`, values)
  return filled.ok ? filled.value : ''
}

/** Removes the escapes that JSON and URLs allow, so that the text reads as a verifier would read it. */
const unescaped = (text: string): string =>
  text
    .replace(/%(2f|3a|2e|5b|5d|25)/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
    .replace(/\\u00([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\', '')

const readable = (text: string): string => unescaped(unescaped(text)).toLowerCase()

const URL_IN_TEXT = /([a-z][a-z0-9+.-]*):\/\/([^\s"'<>/?#|,;]*)/gi
const ADDRESS_IN_TEXT =
  /(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|\[[0-9a-f:.]+\](?::\d+)?|(?:[a-z0-9-]+\.)+[a-z0-9-]+:\d{2,5}(?!\d)|\blocalhost\b/gi

function foreignOriginIn({ text, parts, fixed }: Piece, { own, otherHosts }: Request): string | undefined {
  if (!parts.some(({ source }) => source === 'profile')) return undefined
  const scheme = own.protocol.slice(0, -1)
  for (const { 0: url, 1: found = '', 2: host } of readable(text).matchAll(URL_IN_TEXT)) {
    // Text before the placeholder could become part of its scheme.
    if (!found.endsWith(scheme) || host !== own.host) return url
  }
  // Addresses without a scheme: checks only the profile's own text, not the service's placeholders.
  const words = readable(fixed)
  const addresses = words.match(ADDRESS_IN_TEXT) ?? []
  const isForeign = (host: string): boolean => host !== own.host && host !== own.hostname
  return addresses.find(isForeign) ?? otherHosts.find((host) => isForeign(host) && containsHost(words, host))
}

/** As a complete host name, not as part of a longer one. */
const containsHost = (text: string, host: string): boolean =>
  new RegExp(`(?<![a-z0-9.-])${host.replace(/[.[\]]/g, '\\$&')}(?![a-z0-9-])`).test(text)

function fixedTimeIn(piece: Piece, { nowMs, own }: Request): string | undefined {
  const { fixed, isSigned } = piece
  const words = fixed.replaceAll(own.host, '\n').replaceAll(own.hostname, '\n')
  return (
    writtenTimeIn(words, nowMs) ??
    (isSigned ? encodedIn(words) : undefined) ??
    joinedTimeIn(piece) ??
    (isSigned ? nodeTimeIn(piece) : undefined)
  )
}

/** Digits joined to a placeholder, or a time joined to other digits, read as a different number. */
function joinedTimeIn({ text, fixed, parts, isSigned }: Piece): string | undefined {
  let at = 0
  for (const [index, { text: part, source: left }] of parts.entries()) {
    const right = parts[index + 1]?.source
    at += part.length
    if (right === undefined) return undefined
    const [before, after] = [text.slice(0, at), text.slice(at)]
    const hasTime = left === 'time' || right === 'time'
    const isJoined =
      (left === 'profile' && (hasTime ? NUMBER_BEFORE : /\d$/).test(fixed.slice(0, at))) ||
      (right === 'profile' && (hasTime ? NUMBER_AFTER : /^\d/).test(fixed.slice(at))) ||
      (left !== 'other' && right !== 'other' && /\d$/.test(before) && /^\d/.test(after))
    if (isJoined && (hasTime || isSigned))
      return `${/\w*\W?$/.exec(before)?.[0] ?? ''}${/^\W?\w*/.exec(after)?.[0] ?? ''}`
  }
  return undefined
}

/** Digits, possibly grouped, with an exponent, or in another base. */
const NUMBER_BEFORE = /(?:\d[,_']?|\de[+-]?|0[xob])$/i
const NUMBER_AFTER = /^(?:[.,_']?\d|e[+-]?\d)/i

/** A node id that reads as a number when written without 0x. */
const nodeTimeIn = ({ parts }: Piece): string | undefined =>
  parts.find(({ source, text }) => source === 'node' && /^(?:\d{9,}|\d+e\d+)$/i.test(text))?.text

const ONE_TIME = /^\{(?:ts|exp)\.(?:s|ms|iso|window)\}$/
/** RFC 7519: seconds. A verifier would read milliseconds as a time in 50,000 years. */
const ONE_TIME_OF_JWT = /^\{(?:ts|exp)\.s\}$/

/** Templates that are times by name or kind, and whether each is exactly one of the signer's times. */
function timesOf({
  message,
  headers,
}: Profile): readonly { readonly template: string; readonly isTime: boolean }[] {
  if (message.kind === 'rfc9421')
    return Object.entries(headers).flatMap(([name, template]) =>
      isNameOfTime(name) && message.components.includes(name.toLowerCase())
        ? [{ template, isTime: ONE_TIME.test(template) }]
        : [],
    )
  const { header = {}, claims = {} } = message.kind === 'jwt' ? message : {}
  return [...Object.entries(header), ...Object.entries(claims)].flatMap(([name, claim]) => {
    const template = templateOf(claim)
    if (/^(?:exp|nbf|iat)$/i.test(name)) return [{ template, isTime: ONE_TIME_OF_JWT.test(template) }]
    if (isNameOfTime(name)) return [{ template, isTime: ONE_TIME.test(template) }]
    // Other numeric claims may be a short number, such as a version.
    return typeof claim === 'string'
      ? []
      : [{ template, isTime: ONE_TIME.test(template) || /^\d{1,3}$/.test(template) }]
  })
}

/**
 * The profile's own text. Every number could be a time for some service, so this allows what a template needs (a tag, a
 * version, a short number, the date of an interface's version) and refuses everything else, however it is written.
 */

/**
 * A character that no template needs in signed text: an escaped digit or letter (\u0039, %39, &#57;), or a look-alike (full
 * width, another script).
 */
const NOT_PLAIN = /\r(?!\n)|[^\t\r\n\x20-\x7e]|[\\%]|&#/u

/** Digits, possibly grouped, as in ISO 8601 times. */
const GROUPED = /\d+(?:[,._':/t-]\d+| \d{3}(?!\d))*/gi
/** Every Unix time since 1973 has more digits. */
const DIGITS_MAX = 8
const EXPONENT = /\d\.?\d*e[+-]?\d+|0[xob][\da-f]+/i
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const MONTH_AND_NUMBER = new RegExp(
  `(?<![a-z])${MONTH}[^a-z\\d\\n]{0,4}\\d+|\\d(?:st|nd|rd|th)?[^a-z\\d\\n]{0,4}(?:of )?${MONTH}(?![a-z])`,
  'i',
)
const DAY = /(?<!\d)(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)/g
const NUMBER_ALONE = /(?<![a-z\d])(\d{4}|\d{8})(?![a-z\d])(?:[-/.]\d+)*/gi
const SHORT_DATE = /(?<!\d)(\d{1,2})([/. -])(\d{1,2})\2(\d{1,2})(?!\d)/g

/** The first written time in the text. Days before `nowMs` are allowed, because they extend no validity. */
function writtenTimeIn(text: string, nowMs: number): string | undefined {
  const fresh = text.replace(DAY, (found, year: string, _, month: string, day: string) =>
    isOver(Date.UTC(Number(year), Number(month) - 1, Number(day)), nowMs) ? '\n' : found,
  )
  const grouped = text.match(GROUPED)?.find((found) => found.replace(/\D/g, '').length > DIGITS_MAX)
  return grouped ?? EXPONENT.exec(text)?.[0] ?? MONTH_AND_NUMBER.exec(fresh)?.[0] ?? dateIn(fresh, nowMs)
}

const isOver = (atMs: number, nowMs: number): boolean => atMs < nowMs - DAY_MS

/** The current or a later year, alone or in a date. */
function dateIn(text: string, nowMs: number): string | undefined {
  const year = new Date(nowMs).getUTCFullYear()
  const isYear = (digits: string): boolean => Number(digits) >= year
  for (const [found, digits = ''] of text.matchAll(NUMBER_ALONE)) {
    const [first, last] = [digits.slice(0, 4), digits.slice(4)]
    if (isYear(first) && (last === '' || isMonthAndDay(last.slice(0, 2), last.slice(2)))) return found
    if (isYear(last) && isMonthAndDay(first.slice(0, 2), first.slice(2))) return found
  }
  for (const [found, first = '', , second = '', third = ''] of text.matchAll(SHORT_DATE)) {
    const isShortYear = (digits: string): boolean => digits.length === 2 && Number(digits) >= year % 100
    if (isShortYear(third) && isMonthAndDay(first, second)) return found
    if (isShortYear(first) && isMonthAndDay(second, third)) return found
  }
  return undefined
}

/** In either order. */
const isMonthAndDay = (one: string, other: string): boolean => {
  const [low = 0, high = 0] = [Number(one), Number(other)].toSorted((a, b) => a - b)
  return low >= 1 && low <= 12 && high <= 31
}

/** Shortest length at which a hex number could be an expiry time. */
const WORD = /[A-Za-z\d]{8,}/g
const HEX_OR_BASE32 = /^(?:(?=.*\D)(?:[\da-f]+|[\dA-F]+)|(?=.*\d)[A-Z2-7]{14,})$|A{4}/
const SYLLABLES = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g
/** Letters per change of case or number: words have more (agentId), base64 has fewer. */
const SYLLABLE_MIN = 2.2

/** A string that is not a word: it could be a time in hex, base32 or base64. */
const encodedIn = (text: string): string | undefined =>
  text
    .match(WORD)
    ?.find(
      (word) => HEX_OR_BASE32.test(word) || word.length / (word.match(SYLLABLES)?.length ?? 1) < SYLLABLE_MIN,
    )

const TIME_WORDS: ReadonlySet<string> = new Set(
  'exp expires expiry expiration nbf iat issued created ts time timestamp date until'.split(' '),
)

const isNameOfTime = (name: string): boolean =>
  name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((word) => TIME_WORDS.has(word.toLowerCase()))
