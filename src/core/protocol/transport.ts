import type { Result } from '#base/result.ts'

/** What was signed is in `headers`. */
export type TransportRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers and body together, from dispatch. */
  readonly timeoutMs: number
  /** Decoded bytes after which the body is given up. */
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
  /** Set by the dashboard's own proxy when it could not get an answer: see `PROXY_FAILURE_HEADER`. */
  readonly proxyFailure?: string
  /** Set by the dashboard's own server where a collector asked before: see `COLLECTED_AGE_HEADER`. */
  readonly collectedAge?: string
  /** A server in front of the dashboard's server answered in its place. */
  readonly isOfFront?: true
}

export type UnreachableDetail =
  | 'refused'
  | 'no-route'
  | 'dns'
  | 'tls'
  | 'tls-handshake'
  | 'not-http'
  | 'reset'
  | 'not-allowed'
  | 'blocked'
  | 'not-collected'
  | 'query-failed'
  | 'limited'
  | 'not-signed'
  | 'bad-status'

export type TransportFailure =
  | { readonly kind: 'unreachable'; readonly detail?: UnreachableDetail }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  /** Headers came, the body broke off or could not be decoded. */
  | { readonly kind: 'cut-off'; readonly encoding?: string }
  | { readonly kind: 'too-large'; readonly limitBytes: number; readonly part?: 'headers' }
  | { readonly kind: 'redirected' }
  | { readonly kind: 'aborted' }

/** Sends a GET. Never throws; ends by itself at the deadline. */
export type Transport = (
  request: TransportRequest,
  signal: AbortSignal,
) => Promise<Result<HttpReply, TransportFailure>>

/** What the browser reveals of an answer that no page may read. */
export type OpaqueAnswer = 'answered' | 'nothing' | 'timeout' | 'unknown'

/** Whether this page may reach addresses of the local network. */
export type LocalNetworkPermission = 'granted' | 'prompt' | 'denied' | 'unknown'

/** Probes the network without reading anything. Never throws; has no headers, so nothing is signed. */
export type NetworkProbe = {
  readonly opaque: (url: string, timeoutMs: number) => Promise<OpaqueAnswer>
  readonly localNetwork: (url: string) => Promise<LocalNetworkPermission>
}

/** Age of a collected answer in whole seconds. */
export const COLLECTED_AGE_HEADER = 'X-Collected-Age'

/** Set by the dashboard's server on everything that it sends or passes on. */
export const ANSWERED_BY_HEADER = 'X-Answered-By'
/** The scheme of a service's challenge that would have the browser ask for a password in this dashboard's name. */
export const CHALLENGE_HEADER = 'X-Challenge'
/** The path under which the dashboard's server asks services. */
export const PROXY_PREFIX = '/proxy/'

/** Set by the dashboard's proxy when it failed, and not the service; values in `PROXY_FAILURES`. */
export const PROXY_FAILURE_HEADER = 'X-Proxy-Failure'
export const PROXY_FAILURES = [
  'refused',
  'no-route',
  'dns',
  'tls',
  /** No TLS connection came about for another reason. */
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
  /** The query API does not answer this server. */
  'query-failed',
  'view-only',
  /** More requests from this page than this server accepts from one. */
  'limited',
  /** This server should sign for the service, and could not. */
  'not-signed',
  /** The person at this page has to sign in to the dashboard's server first. */
  'signed-out',
] as const
export type ProxyFailure = (typeof PROXY_FAILURES)[number]

/**
 * Whether an answer may have this status. 101 would make a tunnel of the connection behind a server in front; other
 * statuses below 200 are no answers, and HTTP has none above 599.
 */
export const isAnswerStatus = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status <= 599

/** Precedes an answer, and is skipped. */
export const isInterimStatus = (status: number): boolean => status >= 100 && status <= 199 && status !== 101
