import type { Result } from '#base/result.ts'

/** The signature is in `headers`. */
export type TransportRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** For headers and body together, from dispatch. */
  readonly timeoutMs: number
  /** In decoded bytes; a longer body is aborted. */
  readonly bodyMaxBytes: number
}

/** A header is undefined if it was not sent or the browser hides it from this page. */
export type HttpReply = {
  readonly status: number
  readonly body: string
  readonly date?: string
  readonly retryAfter?: string
  readonly age?: string
  readonly contentType?: string
  /** WWW-Authenticate of a refusal. */
  readonly challenge?: string
  /** Set by the dashboard server's proxy if it got no answer: see `PROXY_FAILURE_HEADER`. */
  readonly proxyFailure?: string
  /** Set by the dashboard server if the answer comes from a collector: see `COLLECTED_AGE_HEADER`. */
  readonly collectedAge?: string
  /** A reverse proxy in front of the dashboard server answered in its place. */
  readonly isOfFront?: true
}

/** The failures of the dashboard server's proxy that say why a service was not reached. */
export type UnreachableDetail = Exclude<
  ProxyFailure,
  'timeout' | 'cut-off' | 'too-large' | 'headers-too-large' | 'view-only' | 'signed-out'
>

export type TransportFailure =
  | { readonly kind: 'unreachable'; readonly detail?: UnreachableDetail }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  /** Headers arrived, but the body was incomplete or could not be decoded. */
  | { readonly kind: 'cut-off'; readonly encoding?: string }
  | { readonly kind: 'too-large'; readonly limitBytes: number; readonly part?: 'headers' }
  | { readonly kind: 'redirected' }
  | { readonly kind: 'aborted' }

/** Sends a GET. Never throws; ends at the timeout. */
export type Transport = (
  request: TransportRequest,
  signal: AbortSignal,
) => Promise<Result<HttpReply, TransportFailure>>

/** What the browser reveals about an answer that no page may read. */
export type OpaqueAnswer = 'answered' | 'nothing' | 'timeout' | 'unknown'

export type LocalNetworkPermission = 'granted' | 'prompt' | 'denied' | 'unknown'

/** Probes the network without reading answers. Never throws. Sends no headers, so nothing is signed. */
export type NetworkProbe = {
  readonly opaque: (url: string, timeoutMs: number) => Promise<OpaqueAnswer>
  readonly localNetwork: (url: string) => Promise<LocalNetworkPermission>
}

/** Age of a collected answer in whole seconds. */
export const COLLECTED_AGE_HEADER = 'X-Collected-Age'

/** Set by the dashboard server on everything that it sends or passes on. */
export const ANSWERED_BY_HEADER = 'X-Answered-By'
/**
 * The scheme of a service's challenge that is not passed on, because the browser would ask for a password in this dashboard's
 * name.
 */
export const CHALLENGE_HEADER = 'X-Challenge'
/** The status of the service or receiver, set if the dashboard server must not answer with that status itself. */
export const UPSTREAM_STATUS_HEADER = 'X-Upstream-Status'

/** Only for answers of the dashboard server: a service or receiver could send the header too. */
export function upstreamStatus({ status, headers }: Pick<Response, 'status' | 'headers'>): number {
  const passed = Number(headers.get(UPSTREAM_STATUS_HEADER))
  return isAnswerStatus(passed) ? passed : status
}

/** Path prefix of the dashboard server's proxy. */
export const PROXY_PREFIX = '/proxy/'

/** Set if the dashboard server's proxy failed instead of the service; values in `PROXY_FAILURES`. */
export const PROXY_FAILURE_HEADER = 'X-Proxy-Failure'
export const PROXY_FAILURES = [
  'refused',
  'no-route',
  /** The proxy in `HTTPS_PROXY` or `HTTP_PROXY` can't be reached or gives no connection to the service. */
  'no-tunnel',
  'dns',
  'tls',
  /** The TLS connection failed for another reason. */
  'tls-handshake',
  'not-http',
  'reset',
  'timeout',
  'cut-off',
  'too-large',
  'headers-too-large',
  'bad-status',
  'not-allowed',
  'blocked',
  /** No collector has a current answer. */
  'not-collected',
  /** The query API does not answer the dashboard server. */
  'query-failed',
  'view-only',
  /** This visitor exceeded the dashboard server's rate limit. */
  'limited',
  /** The dashboard server signs for the service, but signing failed. */
  'not-signed',
  /** The user must sign in to the dashboard server first. */
  'signed-out',
] as const
export type ProxyFailure = (typeof PROXY_FAILURES)[number]

/**
 * Whether an answer may have this status. 101 would turn the connection behind a reverse proxy into a tunnel; other statuses
 * below 200 are not final, and HTTP has none above 599.
 */
export const isAnswerStatus = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status <= 599

/** An interim response, which is skipped. */
export const isInterimStatus = (status: number): boolean => status >= 100 && status <= 199 && status !== 101
