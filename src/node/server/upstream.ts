import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  createHttpClient,
  type AnswerHeaders,
  type HttpAnswer,
  type HttpClientOptions,
  type HttpFailure,
  type HttpRequest,
} from '#node/http-client.ts'
import type { ProxyFailure } from '#protocol/transport.ts'

type UpstreamReply = Pick<HttpAnswer, 'status' | 'headers' | 'body'>

type UpstreamFailure = HttpFailure | Exclude<HttpAnswer['end'], 'whole'>

export type Upstream = ReturnType<typeof createUpstream>

/**
 * Connections to one service; further requests wait while their timeout runs. Twice what one page uses at once, so that hung
 * requests of one page leave connections for others.
 */
const CONNECTIONS_PER_SERVICE_MAX = 2 * DEFAULTS.inFlightMultiplexedMax
const WAITING_PER_SERVICE_MAX = 256

export function createUpstream(options: Pick<HttpClientOptions, 'after' | 'resolve'>) {
  const { send, close } = createHttpClient({
    after: options.after,
    resolve: options.resolve,
    connections: CONNECTIONS_PER_SERVICE_MAX,
  })
  const waitingByOrigin = new Map<string, number>()

  /** Sends a GET to a service. Returns the whole answer, or why there is none. Never throws. */
  const ask = async (
    request: Required<Pick<HttpRequest, 'url' | 'headers' | 'timeoutMs' | 'reach'>>,
    signal: AbortSignal,
  ): Promise<Result<UpstreamReply, UpstreamFailure>> => {
    const { origin } = request.url
    const waiting = waitingByOrigin.get(origin) ?? 0
    if (waiting >= WAITING_PER_SERVICE_MAX) return err('timeout')
    waitingByOrigin.set(origin, waiting + 1)
    try {
      const answer = await send({ ...request, bodyMaxBytes: DEFAULTS.bodyMaxBytes }, signal)
      return answer.ok ? replyOf(answer.value) : answer
    } finally {
      const left = (waitingByOrigin.get(origin) ?? 1) - 1
      if (left > 0) waitingByOrigin.set(origin, left)
      else waitingByOrigin.delete(origin)
    }
  }

  return { ask, close }
}

/** If an error page is too large, its status still shows what is wrong. */
function replyOf({ status, headers, body, end }: HttpAnswer): Result<UpstreamReply, UpstreamFailure> {
  if (end === 'whole') return ok({ status, headers, body })
  if (end === 'cut-off' || status === 200) return err(end)
  const others: AnswerHeaders = { ...headers, 'content-encoding': undefined }
  return ok({ status, headers: others, body: Buffer.alloc(0) })
}

/** Why there is no answer, in words for services and receivers alike. */
export const failureDetails = (of: 'service' | 'receiver') => ({
  refused: `The ${of} refused the connection.`,
  'no-tunnel': `The ${of} can't be reached through the proxy in HTTPS_PROXY or HTTP_PROXY.`,
  dns: `The ${of}'s host name could not be resolved.`,
  tls: `The ${of}'s certificate is not trusted.`,
  reset: `The connection to the ${of} was lost before it answered.`,
  timeout: `The ${of} did not answer in time.`,
  'bad-status': `The ${of} answered with an invalid HTTP status.`,
  blocked: `The ${of} is at an address in this server’s own network. The server connects there only if its configuration names the ${of}.`,
})

export const PROXY_DETAILS: Readonly<Record<ProxyFailure, string>> = {
  ...failureDetails('service'),
  'no-route': 'There is no network route to the service.',
  'tls-handshake': 'The TLS handshake with the service failed.',
  'not-http': "The service's answer is not valid HTTP.",
  'cut-off': "The service's answer is incomplete.",
  'too-large': "The service's answer is larger than the limit.",
  'headers-too-large': "The headers of the service's answer are larger than the limit.",
  'not-signed':
    'This server could not sign the request. Check the key and the signing profile in its configuration.',
  limited: 'Too many requests.',
  'not-collected': 'No collector has a current answer for this node.',
  'query-failed': 'The query API for this service did not answer the dashboard server.',
  'signed-out': 'Sign in to this dashboard.',
  'view-only': 'This page is view-only.',
  'not-allowed': 'This server forwards only status requests, and only to listed services.',
}
