import { createHash } from 'node:crypto'
import type { ServerResponse, IncomingMessage } from 'node:http'
import { DOCUMENT_HEADERS, type Headers } from './security-headers.ts'

export function sendJson(response: ServerResponse, status: number, document: object, headers: Headers = {}) {
  send(response, status, 'application/json', document, headers)
}

export type Problem = {
  readonly status: number
  /** Short and the same for every occurrence. */
  readonly title: string
  /** The remedy. Must not quote the request. */
  readonly detail: string
  readonly problems?: readonly { readonly path: string; readonly message: string }[]
}

export function sendProblem(response: ServerResponse, problem: Problem, headers: Headers = {}) {
  send(response, problem.status, 'application/problem+json', { type: 'about:blank', ...problem }, headers)
}

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  document: object,
  headers: Headers,
) {
  const body = bytesOf(document)
  response.writeHead(status, {
    ...DOCUMENT_HEADERS,
    'Content-Type': contentType,
    'Content-Length': body.length,
    ...headers,
  })
  response.end(body)
}

const bytesByDocument = new WeakMap<object, Buffer>()

/** Serialised once and shared by all slow readers. */
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

/** `allowed` as in the Allow header. */
export const sendMethodNotAllowed = (response: ServerResponse, allowed: string) =>
  sendProblem(
    response,
    { status: 405, title: 'Method not allowed', detail: `This address answers ${allowed} only.` },
    { Allow: allowed },
  )
