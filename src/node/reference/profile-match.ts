import { decodeAs, textOf, type Claimed, type Known } from './profile-values.ts'

/** Splits a template into texts and placeholder names. */
export const piecesOf = (template: string): readonly { readonly text?: string; readonly name?: string }[] =>
  Array.from(template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+/g), ([whole, name]) =>
    name === undefined ? { text: whole === '{{' || whole === '}}' ? whole.charAt(0) : whole } : { name },
  )

const TIMES: Readonly<Record<string, string>> = {
  s: '(?:0|[1-9][0-9]{0,11})',
  ms: '(?:0|[1-9][0-9]{0,14})',
  iso: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z',
}

const BYTES: Readonly<Record<string, string>> = {
  hex: '[0-9a-fA-F]+',
  '0xhex': '0x[0-9a-fA-F]+',
  base64: '[A-Za-z0-9+/]+={0,2}',
  'base64-nopad': '[A-Za-z0-9+/]+',
  base64url: '[A-Za-z0-9_-]+',
  base58: '[1-9A-HJ-NP-Za-km-z]+',
}

const LENGTHS: Readonly<Record<string, number>> = { key: 32, nonce: 16, sig: 64 }

/** The pattern of a placeholder whose value the client chooses; undefined if the service knows the value. */
function shapeOf(name: string): string | undefined {
  if (name === 'kid') return '[0-9a-fA-F]{64}'
  if (name === 'kid.thumbprint') return '[A-Za-z0-9_-]{43}'
  const [what = '', form = ''] = name.split('.')
  if (name !== 'ts.window' && (what === 'ts' || what === 'exp')) return TIMES[form]
  return Object.hasOwn(LENGTHS, what) ? BYTES[form] : undefined
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * Reads a client's claims from a header value by its template. Undefined if the value does not match, or contradicts an earlier
 * claim.
 */
export function claimedIn(
  template: string,
  value: string,
  known: Known,
  before: Claimed,
): Claimed | undefined {
  const names: string[] = []
  const windows = known.profile.timestamp === undefined ? '' : '\\d{1,12}'
  const source = piecesOf(template).map(({ text, name = '' }) => {
    if (text !== undefined) return escaped(text)
    const shape = shapeOf(name)
    if (shape === undefined) return name === 'ts.window' ? windows : escaped(textOf(name, known, {}) ?? '')
    names.push(name)
    return `(${shape})`
  })
  const match = new RegExp(`^${source.join('')}$`).exec(value)
  if (match === null) return undefined
  return names.reduce<Claimed | undefined>((claimed, name, index) => {
    const more = claimOf(name, match[index + 1] ?? '', known.profile.validitySeconds ?? 0)
    return claimed === undefined || more === undefined ? undefined : merged(claimed, more)
  }, before)
}

function claimOf(name: string, text: string, validityS: number): Claimed | undefined {
  const [what = '', form = ''] = name.split('.')
  if (name === 'kid') return { key: text.toLowerCase() }
  if (name === 'kid.thumbprint') return { thumbprint: text }
  if (what === 'ts' || what === 'exp') return timeClaim(form, text, what === 'exp' ? validityS : 0)
  const hex = decodeAs(form, text, LENGTHS[what] ?? 0)
  if (hex === undefined) return undefined
  return what === 'key' ? { key: hex } : what === 'nonce' ? { nonce: hex } : { signature: hex }
}

function timeClaim(form: string, text: string, lessS: number): Claimed | undefined {
  if (form === 's') return { timeS: Number(text) - lessS }
  const ms = (form === 'ms' ? Number(text) : Date.parse(text)) - lessS * 1_000
  return Number.isFinite(ms) ? { timeMs: ms, timeS: Math.floor(ms / 1_000) } : undefined
}

function merged(one: Claimed, two: Claimed): Claimed | undefined {
  const all: Record<string, string | number> = {}
  for (const [name, value] of [...Object.entries(one), ...Object.entries(two)]) {
    if (Object.hasOwn(all, name) && all[name] !== value) return undefined
    all[name] = value
  }
  return all
}
