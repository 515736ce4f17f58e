import type { ServerResponse } from 'node:http'
import { DOCUMENT_HEADERS, type Headers } from './security-headers.ts'

/** Sends a JSON document of this server's own making. */
export function sendJson(response: ServerResponse, status: number, document: unknown, headers: Headers = {}) {
  send(response, status, 'application/json', document, headers)
}

export type Problem = {
  readonly status: number
  /** Short and the same for every occurrence. */
  readonly title: string
  /** What to do about it. Never holds anything of the request: an answer must not echo. */
  readonly detail: string
  readonly problems?: readonly { readonly path: string; readonly message: string }[]
}

/** Sends an error in the form of RFC 9457. */
export function sendProblem(response: ServerResponse, problem: Problem, headers: Headers = {}) {
  send(response, problem.status, 'application/problem+json', { type: 'about:blank', ...problem }, headers)
}

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  document: unknown,
  headers: Headers,
) {
  const body = Buffer.from(JSON.stringify(document))
  response.writeHead(status, {
    ...DOCUMENT_HEADERS,
    'Content-Type': contentType,
    'Content-Length': body.length,
    ...headers,
  })
  response.end(body)
}

/** Refuses a method; `allowed` as in the Allow header. */
export const sendMethodNotAllowed = (response: ServerResponse, allowed: string) =>
  sendProblem(
    response,
    { status: 405, title: 'Method not allowed', detail: `This address answers ${allowed} only.` },
    { Allow: allowed },
  )
