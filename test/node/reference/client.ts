import { randomBytes, sign, type KeyObject } from 'node:crypto'
import { request } from 'node:http'
import { ed25519Key } from '#test/support/ed25519-key.ts'

/** A test client of the reference service. It builds every signed text by hand, without src. */
export type TestKey = { readonly privateKey: KeyObject; readonly hex: string }

export const testKey: (seedByte: number) => TestKey = ed25519Key

export type Ask = {
  readonly key: TestKey
  /** The service's origin as signed; default: that of the request. */
  readonly origin?: string
  readonly method?: string
  readonly path?: string
  /** As sent, without "?". */
  readonly query?: string
  /** As signed; default: as sent. */
  readonly signedQuery?: string
  /** Unix seconds. */
  readonly timestamp?: number
  readonly nonce?: string
  /** Headers to change or omit (undefined) after signing; an array repeats one. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly signal?: AbortSignal
}

/** Omits the headers that sign a request. */
export const NO_CREDENTIALS = {
  Authorization: undefined,
  'X-Node-Key': undefined,
  'X-Node-Timestamp': undefined,
  'X-Node-Nonce': undefined,
}

export const newNonce = (): string => randomBytes(16).toString('base64url')

export function signedHeaders(baseUrl: string, ask: Ask): Record<string, string> {
  const timestamp = String(ask.timestamp ?? Math.floor(Date.now() / 1_000))
  const nonce = ask.nonce ?? newNonce()
  const text = [
    'immune-node-auth-v1',
    ask.method ?? 'GET',
    ask.origin ?? new URL(baseUrl).origin,
    ask.path ?? '/node/status',
    ask.signedQuery ?? ask.query ?? '',
    timestamp,
    nonce,
    ask.key.hex,
  ].join('\n')
  return {
    Authorization: `Bearer ${sign(null, Buffer.from(text), ask.key.privateKey).toString('hex')}`,
    'X-Node-Key': ask.key.hex,
    'X-Node-Timestamp': timestamp,
    'X-Node-Nonce': nonce,
  }
}

export type TestReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
  readonly json: () => Record<string, unknown>
}

/** Sends a signed request over its own socket. Rejects with Node's error if the answer is incomplete. */
export const askStatus = (baseUrl: string, ask: Ask): Promise<TestReply> => {
  const headers: Record<string, string | readonly string[] | undefined> = {
    ...signedHeaders(baseUrl, ask),
    ...ask.headers,
  }
  const query = ask.query === undefined || ask.query === '' ? '' : `?${ask.query}`
  return send(
    `${baseUrl}${ask.path ?? '/node/status'}${query}`,
    ask.method ?? 'GET',
    headers,
    undefined,
    ask.signal,
  )
}

export function send(
  url: string,
  method = 'GET',
  headers: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  body?: string,
  signal?: AbortSignal,
): Promise<TestReply> {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]] as const],
  )
  return new Promise((done, failed) => {
    // node:http does not normalize the path of an options object, so that odd queries arrive as written.
    const { hostname, port } = new URL(url)
    const path = url.slice(url.indexOf('/', 'http://'.length))
    const options = {
      hostname,
      port,
      path,
      method,
      headers: Object.fromEntries(given),
      agent: false,
      ...(signal && { signal }),
    }
    const outgoing = request(options, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', failed)
      response.on('end', () => {
        const bytes = Buffer.concat(parts)
        const text = bytes.toString('utf8')
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text,
          json: () => JSON.parse(text) as Record<string, unknown>,
        })
      })
    })
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}
