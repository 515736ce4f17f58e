import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ServerResponse, IncomingMessage } from 'node:http'
import { readBytes } from '#node/read-bytes.ts'
import { BATCH_MAX } from '#protocol/batch.ts'
import { PROXY_FAILURE_HEADER, UPSTREAM_STATUS_HEADER, type ProxyFailure } from '#protocol/transport.ts'
import type { Visitor } from './access.ts'
import { DOCUMENT_HEADERS, type Headers } from './security-headers.ts'

/** A request of a visitor with access. `path` is below the base path; `query` has no "?". */
export type Visit = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: string
  readonly visitor: Visitor
}

export function sendJson(response: ServerResponse, status: number, document: object, headers: Headers = {}) {
  sendBody(response, status, 'application/json', bytesOf(document), headers)
}

export type Problem = {
  readonly status: number
  /** Short and the same for every occurrence. */
  readonly title: string
  /** The remedy. Must not quote the request. */
  readonly detail: string
  readonly problems?: readonly { readonly path: string; readonly message: string }[]
}

export const problemOf = (status: number, title: string, detail: string): Problem => ({
  status,
  title,
  detail,
})

/** The problem of a request from another page; `what` only this server's own page may do. */
export const foreignOrigin = (what: string): Problem =>
  problemOf(403, 'Origin not allowed', `Only a page of this dashboard may ${what}.`)

export function sendProblem(response: ServerResponse, problem: Problem, headers: Headers = {}) {
  sendAnswer(response, problemAnswer(problem, headers))
}

const LIMITED = problemOf(
  429,
  'Too many requests',
  'You sent more requests than the server accepts. Try again later.',
)

/** The header tells the page that this server refused the request, not the service. */
export const sendLimited = (response: ServerResponse, waitS: number) =>
  sendProblem(response, LIMITED, { 'Retry-After': String(waitS), [PROXY_FAILURE_HEADER]: 'limited' })

/** The answer if this server has a defect. */
export const SERVER_ERROR = problemOf(500, 'Server error', 'Try again.')

export const problemAnswer = (problem: Problem, headers: Headers = {}): Answer => ({
  status: problem.status,
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  body: bytesOf({ type: 'about:blank', ...problem }),
})

/** This server's own answer when a service or receiver gave none. */
export function proxyFailureAnswer(
  failure: ProxyFailure,
  from: 'service' | 'receiver',
  detail: string,
): Answer {
  const status = statusOfFailure(failure)
  const title = status === 403 ? 'Not allowed' : `No answer from the ${from}`
  return problemAnswer({ status, title, detail }, { [PROXY_FAILURE_HEADER]: failure })
}

function statusOfFailure(failure: ProxyFailure): number {
  if (failure === 'signed-out') return 401
  if (failure === 'not-allowed' || failure === 'blocked' || failure === 'view-only') return 403
  return failure === 'timeout' ? 504 : 502
}

/**
 * Statuses that a browser does not just hand to the page: fetch reports 407 as a network error, and Chromium sends the request
 * again after 408 (up to five times) and 421.
 */
const HANDLED_BY_BROWSERS: readonly number[] = [407, 408, 421]

/** The status and header with which this server passes on the status of a service or receiver. */
export const passedStatus = (status: number): { readonly status: number; readonly headers: Headers } =>
  HANDLED_BY_BROWSERS.includes(status)
    ? { status: 502, headers: { [UPSTREAM_STATUS_HEADER]: String(status) } }
    : { status, headers: {} }

export const sendBody = (
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: Headers = {},
) => sendAnswer(response, { status, headers: { 'Content-Type': contentType, ...headers }, body })

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: string | Buffer }

export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer) {
  response.writeHead(status, {
    ...DOCUMENT_HEADERS,
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}

const bytesByDocument = new WeakMap<object, Buffer>()

/** Serialized once and shared by all slow readers. */
function bytesOf(document: object): Buffer {
  const known = bytesByDocument.get(document)
  if (known !== undefined) return known
  const bytes = Buffer.from(JSON.stringify(document))
  bytesByDocument.set(document, bytes)
  return bytes
}

const tagByBytes = new WeakMap<Buffer, string>()

/** For a document that many clients request and that seldom changes; answers 304 to a client that has it. */
export function sendUnlessKnown(request: IncomingMessage, response: ServerResponse, document: object): void {
  const bytes = bytesOf(document)
  const tag = tagByBytes.get(bytes) ?? `"${createHash('sha256').update(bytes).digest('base64url')}"`
  tagByBytes.set(bytes, tag)
  if (isUnchanged(request.headers['if-none-match'], tag))
    response.writeHead(304, { ...DOCUMENT_HEADERS, ETag: tag }).end()
  else sendJson(response, 200, document, { ETag: tag })
}

export const isUnchanged = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((known) => known.trim().replace(/^W\//, '') === etag)

export function sendRedirect(
  response: ServerResponse,
  status: 303 | 308,
  location: string,
  more: Headers = {},
) {
  response.writeHead(status, { ...DOCUMENT_HEADERS, Location: location, 'Content-Length': 0, ...more })
  response.end()
}

/** `allowed` as in the Allow header. */
export const sendMethodNotAllowed = (response: ServerResponse, allowed: string) =>
  sendProblem(response, problemOf(405, 'Method not allowed', `This address accepts only ${allowed}.`), {
    Allow: allowed,
  })

/** The unread rest of a refused body must not be read as the next request. */
export const refuseBody = (response: ServerResponse, problem: Problem) =>
  sendProblem(response, problem, { Connection: 'close' })

/** Fires when the client leaves. */
export function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  setMaxListeners(BATCH_MAX, gone.signal) // Each request of a batch adds one.
  response.once('close', () => gone.abort())
  return gone.signal
}

/** A body of at most `maxBytes`, and of JSON if `thing` names what it should be. Undefined: the request was refused. */
export async function bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  thing?: string,
): Promise<Buffer | undefined> {
  // A form of another site cannot send this content type without a preflight.
  if (thing !== undefined && !/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    refuseBody(response, problemOf(415, 'Not JSON', `Send the ${thing} as application/json.`))
    return undefined
  }
  const body = await readBytes(request, maxBytes)
  if (body === undefined) refuseBody(response, problemOf(413, 'Too large', `Send at most ${maxBytes} bytes.`))
  return body
}
