import { bytesToHex, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { SignedHeaders } from './ports.ts'
import type { Profile } from './profile.ts'
import { fillTemplate, type TemplateProblem, type TemplateValues } from './template.ts'

/** Everything that may go into what is signed. */
export type SigningInput = {
  /** The service's own, in normal form; also when the request travels through a proxy. */
  readonly baseUrl: string
  /** As it is sent; undefined asks for the node of the key itself. */
  readonly nodeId: string | undefined
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** Unix time in ms. */
  readonly nowMs: number
  /** 16 random bytes, used once. */
  readonly nonce: Uint8Array
}

export const NONCE_BYTES = 16

/** The path and query of a status request below a base URL: "/node/status" and "node_id=0x…" or "". */
export const statusQuery = (nodeId: string | undefined): string =>
  nodeId === undefined ? '' : `node_id=${percentEncode(nodeId)}`

/** Where a status request goes: below the service itself, or below the proxy's path for it. */
export const statusUrl = (base: string, query: string): string =>
  `${base}/node/status${query === '' ? '' : `?${query}`}`

/** RFC 3986: everything but unreserved characters, upper-case digits. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** The exact bytes to sign for a status request. UTF-8, no final newline unless the template has one. */
export function messageToSign(profile: Profile, input: SigningInput): Result<Bytes, TemplateProblem> {
  const text = fillTemplate(profile.message.template, valuesOf(input))
  return text.ok ? ok(new TextEncoder().encode(text.value)) : text
}

/** The headers that carry a signature, and the query that was signed. */
export function signedHeaders(
  profile: Profile,
  input: SigningInput,
  signature: Uint8Array,
): Result<SignedHeaders, TemplateProblem> {
  const values = valuesOf(input)
  const withSignature = { texts: values.texts, bytes: new Map([...values.bytes, ['sig', signature]]) }
  const headers: Record<string, string> = {}
  for (const [name, template] of Object.entries(profile.headers)) {
    const value = fillTemplate(template, withSignature)
    if (!value.ok) return value
    // A header is one line of printable ASCII; anything else fetch refuses with an error that names nothing.
    if (!/^[\x20-\x7e]*$/.test(value.value)) return err({ kind: 'unknown-placeholder', at: name })
    headers[name] = value.value
  }
  return ok({ headers, query: statusQuery(input.nodeId) })
}

function valuesOf({ baseUrl, nodeId, publicKey, nowMs, nonce }: SigningInput): TemplateValues {
  const url = new URL(statusUrl(baseUrl, statusQuery(nodeId)))
  const query = statusQuery(nodeId)
  const texts = new Map([
    ['method', 'GET'],
    ['scheme', url.protocol.slice(0, -1)],
    ['authority', url.host],
    ['origin', url.origin],
    ['path', url.pathname],
    ['query', query],
    ['sortedQuery', query], // node_id is the only parameter, so it is sorted as it is
    ['target', url.pathname + url.search],
    ['url', url.href],
    ['ts.s', String(Math.floor(nowMs / 1_000))],
    ['ts.ms', String(nowMs)],
    ['ts.iso', new Date(nowMs).toISOString()],
    ['kid', bytesToHex(publicKey)],
  ])
  if (nodeId !== undefined) texts.set('param.node_id', nodeId)
  return {
    texts,
    bytes: new Map([
      ['key', publicKey],
      ['nonce', nonce],
    ]),
  }
}
