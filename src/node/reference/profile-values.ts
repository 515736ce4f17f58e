import { createHash } from 'node:crypto'
import { base58, base64, base64nopad, base64urlnopad, hex, type BytesCoder } from '@scure/base'
import { bytesToHex } from '#base/bytes.ts'
import type { Profile } from '#signing/profile.ts'
import { sortedQuery, type QueryPair } from './strict-verify.ts'

/*
 * The service's own reading of a signing profile. Nothing here is shared with the client but
 * the document's form, so that one wrong reading can't hide in common code.
 */

/** Facts about a request that do not depend on the client's claims. */
export type Known = {
  readonly method: string
  readonly origin: string
  readonly path: string
  /** As sent, without "?". */
  readonly rawQuery: string
  readonly query: readonly QueryPair[]
  readonly profile: Profile
}

/** The headers' claims: the finest time sent, and bytes in hex. */
export type Claimed = {
  readonly timeMs?: number
  readonly timeS?: number
  readonly nonce?: string
  readonly key?: string
  readonly thumbprint?: string
  readonly signature?: string
}

type TextOf = (known: Known, claimed: Claimed, window?: number) => string | undefined

const targetOf = ({ path, rawQuery }: Known): string => path + (rawQuery === '' ? '' : `?${rawQuery}`)

/** Placeholders that stand for one text. */
const TEXTS: ReadonlyMap<string, TextOf> = new Map<string, TextOf>([
  ['method', ({ method }) => method],
  ['scheme', ({ origin }) => origin.split(':')[0]],
  ['authority', ({ origin }) => origin.replace(/^https?:\/\//, '')],
  ['origin', ({ origin }) => origin],
  ['path', ({ path }) => path],
  ['query', ({ rawQuery }) => rawQuery],
  ['sortedQuery', ({ query }) => sortedQuery(query)],
  ['target', targetOf],
  ['url', (known) => known.origin + targetOf(known)],
  ['kid', (_known, { key }) => key],
  ['kid.thumbprint', (_known, { key, thumbprint }) => (key === undefined ? thumbprint : thumbprintOf(key))],
  ['ts.window', (_known, _claimed, window) => window?.toString()],
])

/** The text of a placeholder; undefined if it is unknown here or its input was not sent. */
export function textOf(name: string, known: Known, claimed: Claimed, window?: number): string | undefined {
  const read = TEXTS.get(name)
  if (read !== undefined) return read(known, claimed, window)
  if (name.startsWith('param.')) return parameter(name.slice('param.'.length), known) ?? ''
  if (name.startsWith('ts.')) return timeAs(name.slice(3), claimed, 0)
  if (name.startsWith('exp.')) return timeAs(name.slice(4), claimed, known.profile.validitySeconds ?? 0)
  const [what, form = ''] = name.split('.')
  const found = what === 'key' ? claimed.key : what === 'nonce' ? claimed.nonce : undefined
  return found === undefined ? undefined : encodeAs(form, Buffer.from(found, 'hex'))
}

/** A parameter as signed; undefined if the request does not have it. */
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

const CODECS: Readonly<Record<string, BytesCoder>> = {
  hex,
  '0xhex': {
    encode: (bytes) => `0x${hex.encode(bytes)}`,
    decode: (text) => hex.decode(text.replace(/^0x/, '')),
  },
  base64,
  'base64-nopad': base64nopad,
  base64url: base64urlnopad,
  base58,
}

const encodeAs = (form: string, bytes: Uint8Array): string | undefined => CODECS[form]?.encode(bytes)

/** Decodes bytes of a known length; undefined for any text that this encoding would not produce. */
export function decodeAs(form: string, text: string, length: number): string | undefined {
  const plain = form.endsWith('hex') ? text.replace(/[A-F]/g, (digit) => digit.toLowerCase()) : text
  try {
    const bytes = CODECS[form]?.decode(plain)
    return bytes?.length === length && encodeAs(form, bytes) === plain ? bytesToHex(bytes) : undefined
  } catch {
    return undefined // The text is not in this encoding.
  }
}

/** RFC 7638. */
export function thumbprintOf(keyHex: string): string {
  const x = Buffer.from(keyHex, 'hex').toString('base64url')
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
}
