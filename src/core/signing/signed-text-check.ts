import { bindingOf } from './profile-lint.ts'
import type { Profile } from './profile.ts'
import { isParameter, parseTemplate, placeholdersOf } from './template-parts.ts'
import { fillTemplate, type TemplateValues } from './template.ts'
import { signingValues, type SigningInput } from './signing-values.ts'

/**
 * `foreign-origin`: an address other than the service's own. `fixed-time`: a time that the signer
 * did not put there. `origin-missing`: the profile names the service's own address, and what would
 * be signed for this request leaves it out. `found`: as it reads once escapes are taken away.
 */
export type SignedTextProblem =
  | { readonly kind: 'foreign-origin' | 'fixed-time'; readonly found: string }
  | { readonly kind: 'origin-missing' }

/**
 * Why the signer signs nothing by this profile for this service; undefined where it does. Looks at
 * what would be signed, filled in, so that parts of an address or a time can't be put together from
 * text and placeholders. `otherHosts`: of the other services that are configured.
 *
 * Not found: addresses and times that are themselves encoded (base64, hex), in words, or cut up by
 * other characters, and bare host names of services that are not configured here.
 */
export function signedTextProblem(
  profile: Profile,
  input: SigningInput,
  otherHosts: readonly string[] = [],
): SignedTextProblem | undefined {
  const values = signingValues(profile, input)
  const pieces = piecesOf(profile, values)
  const own = new URL(input.baseUrl)
  for (const piece of pieces) {
    const found = foreignOriginIn(piece, own, otherHosts)
    if (found !== undefined) return { kind: 'foreign-origin', found }
  }
  for (const piece of pieces) {
    const found = fixedTimeIn(piece, input.nowMs)
    if (found !== undefined) return { kind: 'fixed-time', found }
  }
  const holdsOwn = pieces.some(({ names }) => names.some((name) => OWN_ADDRESS.test(name)))
  return bindingOf(profile).host && !holdsOwn ? { kind: 'origin-missing' } : undefined
}

const OWN_ADDRESS = /^(origin|authority|url)$/

/** Whose a character is: the profile's own, a time of the signer's, of the node's id, or of something else. */
type Source = 'profile' | 'time' | 'node' | 'other'

/** One text of what is signed, and whose each of its characters is. */
type Piece = {
  readonly text: string
  readonly sources: readonly Source[]
  readonly names: readonly string[]
}

/** The placeholders that say what a derived component of RFC 9421 says. */
const DERIVED_NAMES: Readonly<Record<string, string>> = {
  '@target-uri': 'url',
  '@authority': 'authority',
}

function piecesOf(profile: Profile, values: TemplateValues): readonly Piece[] {
  const { message } = profile
  switch (message.kind) {
    case 'none':
      return []
    case 'template':
      return [pieceOf(message.template, values)]
    case 'jwt':
      return [...Object.entries(message.header), ...Object.entries(message.claims)].flatMap(
        ([name, claim]) => {
          const template = typeof claim === 'string' ? claim : claim.number
          // A member that needs a parameter which this request lacks is left out.
          const isLeftOut = placeholdersOf(template).some((one) => isParameter(one) && !values.texts.has(one))
          return isLeftOut ? [] : [fixedPiece(name), pieceOf(template, values)]
        },
      )
    case 'rfc9421':
      return [
        ...(message.keyid === undefined ? [] : [pieceOf(message.keyid, values)]),
        ...(message.tag === undefined ? [] : [fixedPiece(message.tag)]),
        ...message.components.flatMap((component) => {
          const derived = DERIVED_NAMES[component]
          if (derived !== undefined) return [{ text: '', sources: [], names: [derived] }]
          const header = Object.entries(profile.headers).find(([name]) => name.toLowerCase() === component)
          return header === undefined ? [] : [fixedPiece(component), pieceOf(header[1], values)]
        }),
      ]
  }
}

const fixedPiece = (text: string): Piece => ({
  text,
  sources: Array.from({ length: text.length }, () => 'profile'),
  names: [],
})

function pieceOf(template: string, values: TemplateValues): Piece {
  const parts = parseTemplate(template)
  let text = ''
  const sources: Source[] = []
  for (const part of parts.ok ? parts.value : []) {
    const filled = part.kind === 'text' ? part.text : filledPlaceholder(part.name, values)
    const source = part.kind === 'text' ? 'profile' : sourceOf(part.name)
    text += filled
    for (let at = 0; at < filled.length; at++) sources.push(source)
  }
  return { text, sources, names: placeholdersOf(template) }
}

const sourceOf = (name: string): Source => {
  if (/^(ts|exp)\./.test(name)) return 'time'
  return isParameter(name) ? 'node' : 'other'
}

/** What can't be filled in is refused where it is signed. */
const filledPlaceholder = (name: string, values: TemplateValues): string => {
  const filled = fillTemplate(`{${name}}`, values)
  return filled.ok ? filled.value : ''
}

/** With what JSON and URLs may put before a slash taken away, so that it reads as a verifier would read it. */
const unescaped = (text: string): string =>
  text
    .replace(/%(2f|3a|2e|5b|5d|25)/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
    .replace(/\\u00([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\', '')

const readable = (text: string): string => unescaped(unescaped(text)).toLowerCase()

const URL_IN_TEXT = /([a-z][a-z0-9+.-]*):\/\/([^\s"'<>/?#|,;]*)/gi
const ADDRESS_IN_TEXT =
  /(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|\[[0-9a-f:.]+\](?::\d+)?|(?:[a-z0-9-]+\.)+[a-z0-9-]+:\d{2,5}(?!\d)|\blocalhost\b/gi

function foreignOriginIn(
  { text, sources }: Piece,
  own: URL,
  otherHosts: readonly string[],
): string | undefined {
  if (!sources.includes('profile')) return undefined
  const scheme = own.protocol.slice(0, -1)
  for (const { 0: url, 1: found = '', 2: host } of readable(text).matchAll(URL_IN_TEXT)) {
    // What stands before a placeholder can read as the beginning of its scheme.
    if (!found.endsWith(scheme) || host !== own.host) return url
  }
  // Without a scheme: what the profile itself says, not what stands for the service.
  const said = readable(masked(text, (at) => sources[at] === 'profile'))
  const addresses = said.match(ADDRESS_IN_TEXT) ?? []
  const isForeign = (host: string): boolean => host !== own.host && host !== own.hostname
  return addresses.find(isForeign) ?? otherHosts.find((host) => isForeign(host) && saysHost(said, host))
}

const masked = (text: string, isKept: (at: number) => boolean): string =>
  text.replace(/[^]/g, (char, at: number) => (isKept(at) ? char : '\n'))

/** As a name of its own, not as the end or the beginning of a longer one. */
const saysHost = (text: string, host: string): boolean => {
  for (let at = text.indexOf(host); at !== -1; at = text.indexOf(host, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + host.length)
    if (!/[a-z0-9.-]/.test(before) && !/[a-z0-9-]/.test(after)) return true
  }
  return false
}

/** Unix time in s, ms, µs or ns, from 2001 to 2286. */
const UNIX_TIME_DIGITS: readonly number[] = [10, 13, 16, 19]
const ISO_TIME = /(\d{4})-?(\d{2})-?(\d{2})(?:[t ]\d{2}:?\d{2})?/gi
const DAY_MS = 86_400_000

function fixedTimeIn({ text, sources, names }: Piece, nowMs: number): string | undefined {
  const isFixed = (at: number): boolean => sources[at] === 'profile' || sources[at] === 'node'
  const holdsFixed = (at: number, length: number): boolean =>
    Array.from({ length }, (_, n) => at + n).some(isFixed)
  // A number is not put together with random digits, which are others each time.
  const joined = masked(text, (at) => sources[at] !== 'other')
  for (const { 0: digits, index } of joined.matchAll(/\d+/g)) {
    if (!UNIX_TIME_DIGITS.includes(digits.length) || digits.startsWith('0')) continue
    const isHex = /0x$/i.test(joined.slice(0, index))
    if (!isHex && holdsFixed(index, digits.length) && !isOwnTime(digits, names, nowMs)) return digits
  }
  for (const { 0: found, index, 1: year, 2: month, 3: day } of joined.matchAll(ISO_TIME)) {
    if (!holdsFixed(index, found.length)) continue
    const atMs = Date.UTC(Number(year), Number(month) - 1, Number(day))
    const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31
    // A day that is over is the date of an interface's version, and makes nothing last longer.
    const isPast = found.length <= DATE_CHARS_MAX && atMs < nowMs - DAY_MS
    if (isDate && !isPast && /[-t ]/i.test(found)) return found
  }
  return undefined
}

const DATE_CHARS_MAX = 10

/** Seconds with zeros behind them, for a service that wants another unit. */
const isOwnTime = (digits: string, names: readonly string[], nowMs: number): boolean =>
  names.includes('ts.s') &&
  /^0+$/.test(digits.slice(10)) &&
  digits.startsWith(String(Math.floor(nowMs / 1_000)))
