import { bytesToBase64Url, bytesToHex, type Bytes } from '#base/bytes.ts'
import type { Profile } from './profile.ts'
import type { TemplateValues } from './template.ts'
import { sha256, sha512 } from '@noble/hashes/sha2.js'

export type SigningInput = {
  /** The service's own address in normal form, even if the request goes through a proxy. */
  readonly baseUrl: string
  /** As sent; undefined: the default node. */
  readonly nodeId: string | undefined
  readonly publicKey: Uint8Array
  readonly nowMs: number
  /** 16 random bytes, used once. */
  readonly nonce: Uint8Array
  /** Value of {token}; see `usesToken`. */
  readonly token?: string | undefined
}

export const NONCE_BYTES = 16

export function signingValues(profile: Profile, input: SigningInput): TemplateValues {
  const { baseUrl, nodeId, publicKey, nonce } = input
  const query = statusQuery(nodeId)
  const url = new URL(statusUrl(baseUrl, query))
  const texts = new Map([
    ['method', 'GET'],
    ['scheme', url.protocol.slice(0, -1)],
    ['authority', url.host],
    ['origin', url.origin],
    ['path', url.pathname],
    ['query', query],
    ['sortedQuery', query], // The query has a single parameter, so it is already sorted.
    ['target', url.pathname + url.search],
    ['url', url.href],
    ['kid', bytesToHex(publicKey)],
    ['kid.thumbprint', thumbprint(publicKey)],
    ...times(profile, input.nowMs),
  ])
  if (nodeId !== undefined) {
    texts.set('param.node_id', writtenAs(profile.nodeId ?? 'typed', nodeId))
    texts.set('sent.node_id', percentEncode(nodeId))
  }
  if (input.token !== undefined) texts.set('token', input.token)
  return {
    texts,
    bytes: new Map([
      ['key', publicKey],
      ['nonce', nonce],
    ]),
  }
}

function times({ validitySeconds, timestamp }: Profile, nowMs: number): readonly [string, string][] {
  const seconds = Math.floor(nowMs / 1_000)
  const all: [string, string][] = [
    ['ts.s', String(seconds)],
    ['ts.ms', String(nowMs)],
    ['ts.iso', new Date(nowMs).toISOString()],
  ]
  if (timestamp?.floorSeconds !== undefined)
    all.push(['ts.window', String(Math.floor(seconds / timestamp.floorSeconds))])
  if (validitySeconds === undefined) return all
  const endMs = nowMs + validitySeconds * 1_000
  return [
    ...all,
    ['exp.s', String(seconds + validitySeconds)],
    ['exp.ms', String(endMs)],
    ['exp.iso', new Date(endMs).toISOString()],
  ]
}

function writtenAs(form: NonNullable<Profile['nodeId']>, nodeId: string): string {
  const text = form.startsWith('lower') ? nodeId.toLowerCase() : nodeId
  return form.endsWith('no-0x') ? text.replace(/^0x/i, '') : text
}

const thumbprints = new WeakMap<Uint8Array, string>()

/** RFC 7638 for an Ed25519 key: its required members in alphabetical order. */
function thumbprint(publicKey: Uint8Array): string {
  const known = thumbprints.get(publicKey)
  if (known !== undefined) return known
  const member = bytesToBase64Url(publicKey)
  const document = new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${member}"}`)
  const made = bytesToBase64Url(hashOf('sha-256', document))
  thumbprints.set(publicKey, made)
  return made
}

type Prehash = 'sha-256' | 'sha-512'

/** In JavaScript, because pages on plain http have no WebCrypto and a message has only a few hundred bytes. */
export const hashOf = (hash: Prehash, bytes: Uint8Array): Bytes =>
  new Uint8Array((hash === 'sha-256' ? sha256 : sha512)(bytes))

/** The query of a status request: "node_id=0x…" or "". */
export const statusQuery = (nodeId: string | undefined): string =>
  nodeId === undefined ? '' : `node_id=${percentEncode(nodeId)}`

/** URL of a status request below the service or the proxy's path for it. */
export const statusUrl = (base: string, query: string): string =>
  `${base}/node/status${query === '' ? '' : `?${query}`}`

/** RFC 3986: encodes everything except unreserved characters, with upper-case hex digits. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
