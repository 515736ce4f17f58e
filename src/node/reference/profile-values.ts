import { createHash } from 'node:crypto'
import { base64ToBytes, bytesToHex, hexToBytes } from '#base/bytes.ts'
import type { Profile } from '#signing/profile.ts'
import { sortedQuery, type QueryPair } from './strict-verify.ts'

/*
 * The service's own reading of a signing profile. Nothing here is shared with the client but
 * the document's form, so that one wrong reading can't hide in common code.
 */

/** What the service knows of a request before it looks at what the client claims. */
export type Known = {
  readonly method: string
  readonly origin: string
  readonly path: string
  /** As it was sent, without "?". */
  readonly rawQuery: string
  readonly query: readonly QueryPair[]
  readonly profile: Profile
}

/** What the headers claim, each once: the finest time that was sent, the rest as bytes in hex. */
export type Claimed = {
  readonly timeMs?: number
  readonly timeS?: number
  readonly nonce?: string
  readonly key?: string
  readonly thumbprint?: string
  readonly signature?: string
}

/** The text of a placeholder; undefined when it is not known here, or needs what was not sent. */
export function textOf(name: string, known: Known, claimed: Claimed, window?: number): string | undefined {
  const authority = known.origin.replace(/^https?:\/\//, '')
  const target = known.path + (known.rawQuery === '' ? '' : `?${known.rawQuery}`)
  switch (name) {
    case 'method':
      return known.method
    case 'scheme':
      return known.origin.split(':')[0]
    case 'authority':
      return authority
    case 'origin':
      return known.origin
    case 'path':
      return known.path
    case 'query':
      return known.rawQuery
    case 'sortedQuery':
      return sortedQuery(known.query)
    case 'target':
      return target
    case 'url':
      return known.origin + target
    case 'kid':
      return claimed.key
    case 'kid.thumbprint':
      return claimed.key === undefined ? claimed.thumbprint : thumbprintOf(claimed.key)
    case 'ts.window':
      return window === undefined ? undefined : String(window)
  }
  if (name.startsWith('param.')) return parameter(name.slice('param.'.length), known) ?? ''
  if (name.startsWith('ts.')) return timeAs(name.slice(3), claimed, 0)
  if (name.startsWith('exp.')) return timeAs(name.slice(4), claimed, known.profile.validitySeconds ?? 0)
  const [what, form = ''] = name.split('.')
  const hex = what === 'key' ? claimed.key : what === 'nonce' ? claimed.nonce : undefined
  return hex === undefined ? undefined : encodeAs(form, Buffer.from(hex, 'hex'))
}

/** A parameter as it is signed; undefined when the request does not have it. */
export function parameter(name: string, { query, profile }: Known): string | undefined {
  const value = query.find((pair) => pair.name === name)?.value
  if (value === undefined || name !== 'node_id') return value
  const cased = profile.nodeId?.startsWith('lower') === true ? value.toLowerCase() : value
  return profile.nodeId?.endsWith('no-0x') === true ? cased.replace(/^0x/i, '') : cased
}

function timeAs(form: string, { timeMs, timeS }: Claimed, addS: number): string | undefined {
  if (form === 's') return timeS === undefined ? undefined : String(timeS + addS)
  if (timeMs === undefined) return undefined
  const ms = timeMs + addS * 1_000
  if (form === 'ms') return String(ms)
  return form === 'iso' ? new Date(ms).toISOString() : undefined
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function encodeAs(form: string, bytes: Buffer): string | undefined {
  switch (form) {
    case 'hex':
      return bytes.toString('hex')
    case '0xhex':
      return `0x${bytes.toString('hex')}`
    case 'base64':
      return bytes.toString('base64')
    case 'base64-nopad':
      return bytes.toString('base64').replace(/=+$/, '')
    case 'base64url':
      return bytes.toString('base64url')
    case 'base58':
      return toBase58(bytes)
    default:
      return undefined
  }
}

function toBase58(bytes: Buffer): string {
  let text = ''
  for (let rest = BigInt(`0x0${bytes.toString('hex')}`); rest > 0n; rest /= 58n)
    text = BASE58.charAt(Number(rest % 58n)) + text
  for (const byte of bytes) {
    if (byte !== 0) break
    text = `1${text}`
  }
  return text
}

/** Reads bytes of a known length; undefined for any text that this encoding would not have written. */
export function decodeAs(form: string, text: string, length: number): string | undefined {
  const bytes = form === 'base58' ? fromBase58(text, length) : decoded(form, text)
  if (bytes?.length !== length) return undefined
  const lower = form.endsWith('hex') ? text.toLowerCase() : text
  return encodeAs(form, Buffer.from(bytes)) === lower ? bytesToHex(bytes) : undefined
}

const decoded = (form: string, text: string): Uint8Array | undefined =>
  form.endsWith('hex') ? hexToBytes(text.replace(/^0x/, '')) : base64ToBytes(text)

function fromBase58(text: string, length: number): Uint8Array | undefined {
  let value = 0n
  for (const digit of text) {
    const at = BASE58.indexOf(digit)
    if (at === -1) return undefined
    value = value * 58n + BigInt(at)
  }
  const hex = value.toString(16).padStart(length * 2, '0')
  return hex.length === length * 2 ? Buffer.from(hex, 'hex') : undefined
}

/** RFC 7638. */
export function thumbprintOf(keyHex: string): string {
  const x = Buffer.from(keyHex, 'hex').toString('base64url')
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
}
