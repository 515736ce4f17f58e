import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '#base/clock.ts'

/** Reasons for refusing a request: a code for programs, its status, and a sentence for people. */
export const PROBLEMS = {
  'query-malformed': [400, 'The query string has an invalid percent escape.'],
  'node-id-repeated': [400, 'The parameter node_id may occur only once.'],
  'node-id-invalid': [400, 'The parameter node_id must be 0x followed by 64 hexadecimal digits.'],
  'credentials-missing': [
    401,
    'The request is not signed. It needs the headers Authorization, X-Node-Key, X-Node-Timestamp and X-Node-Nonce.',
  ],
  'credentials-malformed': [
    401,
    'Authorization, X-Node-Key, X-Node-Timestamp and X-Node-Nonce must each occur once, in the form that profile bearer-v1 defines.',
  ],
  'time-outside-window': [
    401,
    'The time of the signature differs from the time of this service by more than 60 seconds; compare the Date header.',
  ],
  'signed-before-start': [401, 'The request was signed before this service started. Sign a new one.'],
  'signature-invalid': [
    401,
    'The signature does not match this request, the address of this service or the named key.',
  ],
  'token-wrong': [401, 'This service does not accept the token.'],
  'key-not-registered': [401, 'The signature is valid, but the key is not registered here.'],
  'key-expired': [401, 'The signature is valid, but the registration of the key has expired.'],
  'nonce-used': [401, 'A request with this nonce was already accepted.'],
  'node-not-found': [404, 'No node with this id exists, or this key may not read it.'],
  'path-not-found': [404, 'Nothing exists at this path.'],
  'method-not-allowed': [405, 'This path accepts only GET and HEAD.'],
  'too-many-requests': [429, 'Too many requests. Try again later.'],
} as const satisfies Record<string, readonly [number, string]>

export type ProblemCode = keyof typeof PROBLEMS

/** Replaces the sentences that name the headers of `bearer-v1`. */
const OTHER_PROFILE: Readonly<Partial<Record<ProblemCode, string>>> = {
  'credentials-missing':
    'The request is not signed. It needs the headers of the signing profile of this service.',
  'credentials-malformed':
    'The headers of this service’s signing profile must each occur once, in the form that it defines.',
}

/** Nothing in an answer repeats text of the client. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parts are created as the client reads them, so that a body of a gigabyte needs no memory. */
  readonly body: Uint8Array | Iterable<Uint8Array>
}

const RETRY_AFTER_S = 30

/** RFC 9457 problem details, with the code as a member of its own. */
export function problemAnswer(code: ProblemCode, profile = 'bearer-v1'): Answer {
  const [status, ofDefault] = PROBLEMS[code]
  const ofProfile = profile === 'bearer-v1' ? undefined : OTHER_PROFILE[code]
  const detail = ofProfile ?? ofDefault
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' }
  if (status === 401) headers['WWW-Authenticate'] = challenge(code, profile)
  if (status === 405) headers['Allow'] = 'GET, HEAD, OPTIONS'
  if (status === 429) headers['Retry-After'] = String(RETRY_AFTER_S)
  const type = `urn:immune-node:problem:${code}`
  return {
    status,
    headers,
    body: Buffer.from(JSON.stringify({ type, title: STATUS_CODES[status], status, detail, code })),
  }
}

/** RFC 6750 section 3: no error is named for a request without credentials. */
const challenge = (code: ProblemCode, profile: string): string =>
  `Bearer realm="immune-node", profile="${profile}"${code === 'credentials-missing' ? '' : ', error="invalid_token"'}`

export type Delivery = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly answer: Answer
  readonly clock: Clock
}

export function send({ request, response, answer }: Delivery): void {
  if (response.destroyed) return // The client left while the answer was delayed.
  const { body } = answer
  if (body instanceof Uint8Array) {
    response.writeHead(answer.status, withLength(answer, body.length))
    response.end(body) // Node leaves out the body for HEAD.
    return
  }
  response.writeHead(answer.status, answer.headers)
  if (request.method === 'HEAD') response.end()
  // A client that stops reading ends the pipeline with an error, which is not a defect.
  else pipeline(Readable.from(body), response).catch(() => undefined)
}

export const withLength = (answer: Answer, bytes: number): Record<string, string> =>
  answer.status === 204 || answer.status === 304
    ? answer.headers
    : { ...answer.headers, 'Content-Length': String(bytes) }
