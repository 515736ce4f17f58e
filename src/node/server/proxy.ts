import type { IncomingMessage, ServerResponse } from 'node:http'
import { PROXY_FAILURE_HEADER, type ProxyFailure } from '#protocol/ports.ts'
import { proxyTarget, replyHeaders, upstreamHeaders, upstreamUrl } from './proxy-request.ts'
import { sendMethodNotAllowed, sendProblem } from './reply.ts'
import { isCrossOrigin, isEmbedded } from './request-guard.ts'
import { DOCUMENT_HEADERS } from './security-headers.ts'
import type { ServiceList } from './service-list.ts'
import { PROXY_PROBLEMS } from './upstream-failure.ts'
import type { AskUpstream, UpstreamReply } from './upstream.ts'

/**
 * Passes a status request on to a service of the list, and the answer back. Holds no key:
 * the browser signed for the service's own origin. Refuses anything else, follows no redirect.
 */
export async function proxyStatus(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: string,
  services: ServiceList,
  ask: AskUpstream,
) {
  // This server's own time must not be taken for the service's.
  response.sendDate = false
  if (request.method !== 'GET') return sendMethodNotAllowed(response, 'GET')
  const target = proxyTarget(path, query)
  const service = target === undefined ? undefined : services.find(target.serviceId)
  if (
    target === undefined ||
    service === undefined ||
    isCrossOrigin(request.headers) ||
    isEmbedded(request.headers)
  )
    return sendFailure(response, 'not-allowed')
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const reply = await ask(
    upstreamUrl(service, target.query),
    upstreamHeaders(request.headers, service),
    service.timeoutMs,
    gone.signal,
  )
  if (reply.ok) sendReply(response, reply.value)
  else if (reply.error !== 'gone') sendFailure(response, reply.error)
}

function sendReply(response: ServerResponse, { status, headers, body }: UpstreamReply) {
  response.writeHead(status, {
    ...DOCUMENT_HEADERS,
    ...replyHeaders(headers),
    'content-length': body.length,
  })
  response.end(body)
}

function sendFailure(response: ServerResponse, failure: ProxyFailure) {
  const { status, detail } = PROXY_PROBLEMS[failure]
  sendProblem(
    response,
    { status, title: status === 403 ? 'Not allowed' : 'No answer from the service', detail },
    { [PROXY_FAILURE_HEADER]: failure },
  )
}
