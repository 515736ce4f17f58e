import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { isAnswerStatus, type ProxyFailure } from '#protocol/ports.ts'
import {
  BLOCKED_CODE,
  isHostBlocked,
  lookupWithin,
  resolveByDns,
  type Reach,
  type Resolve,
} from './address-guard.ts'
import type { LookupFunction } from 'node:net'

export type UpstreamReply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** `gone`: nobody waits for the answer any more. */
export type UpstreamFailure = ProxyFailure | 'gone'

/** A GET to a service: the whole answer, or why there is none. Never throws. */
export type AskUpstream = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
  reach: Reach,
) => Promise<Result<UpstreamReply, UpstreamFailure>>

export type Upstream = { readonly ask: AskUpstream; readonly close: () => void }

/**
 * Connections to one service; further requests wait for one, and their timeout runs meanwhile. More than one page asks for
 * at once, so that those of its nodes that hang take none from others.
 */
const CONNECTIONS_PER_SERVICE_MAX = 2 * DEFAULTS.inFlightMultiplexedMax
/** This many pages waiting on one dead service are enough. */
const WAITING_PER_SERVICE_MAX = 256

type After = Clock['after']

const afterBySystem: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

export function createUpstream(resolve: Resolve = resolveByDns, after: After = afterBySystem): Upstream {
  const agentsFor = (reach: Reach) => {
    const lookup = lookupWithin(reach, resolve)
    const options = { keepAlive: true, maxSockets: CONNECTIONS_PER_SERVICE_MAX, maxFreeSockets: 4, lookup }
    return { http: new http.Agent(options), https: new https.Agent(options) }
  }
  // Apart, since a connection that is used again is not looked up again.
  const agents = {
    anywhere: agentsFor('anywhere'),
    'not-link-local': agentsFor('not-link-local'),
    public: agentsFor('public'),
  }
  const waitingByOrigin = new Map<string, number>()

  const ask: AskUpstream = async (url, headers, timeoutMs, signal, reach) => {
    if (isHostBlocked(url.hostname, reach)) return err('blocked')
    const waiting = waitingByOrigin.get(url.origin) ?? 0
    if (waiting >= WAITING_PER_SERVICE_MAX) return err('timeout')
    waitingByOrigin.set(url.origin, waiting + 1)
    try {
      return await askOnce(
        url,
        headers,
        timeoutMs,
        signal,
        url.protocol === 'https:' ? agents[reach].https : agents[reach].http,
        lookupWithin(reach, resolve),
        after,
      )
    } finally {
      const left = (waitingByOrigin.get(url.origin) ?? 1) - 1
      if (left > 0) waitingByOrigin.set(url.origin, left)
      else waitingByOrigin.delete(url.origin)
    }
  }

  return {
    ask,
    close: () => {
      for (const { http: plain, https: secure } of Object.values(agents)) {
        plain.destroy()
        secure.destroy()
      }
    },
  }
}

function askOnce(
  url: URL,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
  agent: http.Agent,
  lookup: LookupFunction,
  after: After,
): Promise<Result<UpstreamReply, UpstreamFailure>> {
  return new Promise((resolve) => {
    let request: ClientRequest | undefined
    let settled = false
    const settle = (result: Result<UpstreamReply, UpstreamFailure>) => {
      settled = true
      cancel()
      signal.removeEventListener('abort', onGone)
      resolve(result)
      if (!result.ok) request?.destroy()
    }
    const onGone = () => settle(err('gone'))
    const cancel = after(timeoutMs, () => settle(err('timeout')))
    signal.addEventListener('abort', onGone)
    if (signal.aborted) return onGone()

    const send = (by: http.Agent | false) => {
      const sent = (url.protocol === 'https:' ? https : http).get(url, {
        headers,
        agent: by,
        lookup,
        maxHeaderSize: DEFAULTS.headersMaxBytes,
      })
      request = sent
      let answered = false
      onAnswer(
        sent,
        (response) => {
          answered = true
          collect(response, settle)
        },
        () => settle(err('bad-status')),
      )
      sent.on('error', (error) => {
        // A request that was given up here ends with a reset, too; sent again it would have no end at all.
        if (settled) return
        if (answered) return settle(err('cut-off'))
        // The service closed an idle connection in the very moment of its reuse: that is no failure.
        if (sent.reusedSocket && isReset(error)) return send(false)
        settle(err(failureOfError(error)))
      })
    }
    send(agent)
  })
}

/** Calls `take` with an answer, and `refuse` where its status can be none of an answer. */
export function onAnswer(
  request: ClientRequest,
  take: (response: IncomingMessage) => void,
  refuse: () => void,
): void {
  request.on('response', (response) => {
    if (isAnswerStatus(response.statusCode)) return take(response)
    response.destroy()
    refuse()
  })
  // Without a listener the request would end without a word.
  request.on('upgrade', (_response, socket) => {
    socket.destroy()
    refuse()
  })
}

/** Whether a connection ended under a request. */
const isReset = (error: Error): boolean =>
  'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

/** Of an error page without end the status still says what is wrong. */
function withoutBody({ statusCode, headers }: IncomingMessage): Pick<UpstreamReply, 'status' | 'headers'> {
  const { 'content-encoding': _encoding, ...others } = headers
  return { status: statusCode ?? 502, headers: others }
}

/** Takes in a body whole, so that an answer that breaks off is told from one that ends. */
function collect(
  response: IncomingMessage,
  settle: (result: Result<UpstreamReply, UpstreamFailure>) => void,
) {
  const chunks: Buffer[] = []
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= DEFAULTS.bodyMaxBytes) chunks.push(chunk)
    else if (response.statusCode === 200) settle(err('too-large'))
    else {
      settle(ok({ ...withoutBody(response), body: Buffer.alloc(0) }))
      response.destroy()
    }
  })
  response.on('end', () =>
    settle(
      response.complete
        ? ok({ status: response.statusCode ?? 502, headers: response.headers, body: Buffer.concat(chunks) })
        : err('cut-off'),
    ),
  )
  response.on('error', () => settle(err('cut-off')))
}

const FAILURE_BY_CODE: Readonly<Record<string, ProxyFailure>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  EHOSTDOWN: 'no-route',
  EADDRNOTAVAIL: 'refused',
  EACCES: 'refused',
  EPERM: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  ETIMEDOUT: 'timeout',
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_INVALID_STATUS: 'bad-status',
  EPROTO: 'tls',
  [BLOCKED_CODE]: 'blocked',
}

/** Node's names for a certificate or a handshake that failed: OpenSSL's are without a common prefix. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/

/** What went wrong before an answer's headers were there. Everything unknown is a connection that broke. */
export function failureOfError(error: unknown): ProxyFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return FAILURE_BY_CODE[code] ?? (TLS_CODE.test(code) ? 'tls' : 'reset')
}

/** The proxy's own answer: what the operator reads when the service gave none. */
export const PROXY_PROBLEMS: Readonly<
  Record<ProxyFailure, { readonly status: 401 | 403 | 502 | 504; readonly detail: string }>
> = {
  refused: { status: 502, detail: 'The service does not accept connections.' },
  'no-route': { status: 502, detail: 'No network route leads to the service.' },
  dns: { status: 502, detail: "The service's name was not found." },
  tls: { status: 502, detail: "The service's certificate was not accepted." },
  reset: { status: 502, detail: 'The connection to the service broke before it answered.' },
  timeout: { status: 504, detail: 'The service did not answer in time.' },
  'cut-off': { status: 502, detail: "The service's answer broke off." },
  'too-large': { status: 502, detail: "The service's answer is larger than the limit." },
  'headers-too-large': {
    status: 502,
    detail: "The headers of the service's answer are larger than the limit.",
  },
  'bad-status': { status: 502, detail: 'The service answered with a status that no answer can have.' },
  blocked: {
    status: 403,
    detail:
      'The service is at an address of this server’s own network. The server asks there only where its configuration names the service.',
  },
  'not-signed': {
    status: 502,
    detail: 'This server could not sign this request. Its configuration says which key and which profile.',
  },
  limited: { status: 502, detail: 'Too many requests.' },
  'not-collected': {
    status: 502,
    detail: 'No collector has an answer of this node that still holds.',
  },
  'query-failed': {
    status: 502,
    detail: 'The query API that keeps what collectors told did not answer this server.',
  },
  'signed-out': { status: 401, detail: 'Sign in to this dashboard.' },
  'view-only': { status: 403, detail: 'This page can look only.' },
  'not-allowed': {
    status: 403,
    detail: 'This request is not allowed here: only status requests to services that this server knows are.',
  },
}
