import type { Result } from '#base/result.ts'

/** One request as it goes out. What was signed travels in `headers`. */
export type TransportRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers and body together, from dispatch. */
  readonly timeoutMs: number
  /** Decoded bytes after which the body is given up. */
  readonly bodyMaxBytes: number
}

/** What came back. A header is undefined when it was not sent or when the browser hides it from this page. */
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
  /** Asked for through the dashboard's server, which neither gave nor passed on this answer: something in front of it did. */
  readonly isOfFront?: true
}

/** What a browser hides from a page, and its server can see. */
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
  /** The caller's signal ended it. */
  | { readonly kind: 'aborted' }

/** Sends a GET. Never throws; ends by itself at the deadline. */
export type Transport = (
  request: TransportRequest,
  signal: AbortSignal,
) => Promise<Result<HttpReply, TransportFailure>>

/** What a request tells whose answer no page may read. `unknown`: this browser does not tell. */
export type OpaqueAnswer = 'answered' | 'nothing' | 'timeout' | 'unknown'

/** Whether the browser lets this page reach addresses of the local network; `unknown` where it does not say. */
export type LocalNetworkPermission = 'granted' | 'prompt' | 'denied' | 'unknown'

/** Looks at the network without reading anything. Never throws; has no place for headers, so nothing is signed. */
export type NetworkProbe = {
  readonly opaque: (url: string, timeoutMs: number) => Promise<OpaqueAnswer>
  readonly localNetwork: (url: string) => Promise<LocalNetworkPermission>
}

/** The header by which the dashboard's server says how long ago a collector had the answer, in whole seconds. */
export const COLLECTED_AGE_HEADER = 'X-Collected-Age'

/** The header that the dashboard's server sets on whatever it gives or passes on. */
export const ANSWERED_BY_HEADER = 'X-Answered-By'
/** The scheme of a service's challenge that would have the browser ask for a password in this dashboard's name. */
export const CHALLENGE_HEADER = 'X-Challenge'
/** The path under which the dashboard's server asks services. */
export const PROXY_PREFIX = '/proxy/'

/** The header by which the same-origin proxy says that it, not the service, failed; values in `PROXY_FAILURES`. */
export const PROXY_FAILURE_HEADER = 'X-Proxy-Failure'
export const PROXY_FAILURES = [
  'refused',
  /** This server's own network leads nowhere near it. */
  'no-route',
  'dns',
  /** Its certificate is not trusted. */
  'tls',
  /** No TLS connection came about for another reason. */
  'tls-handshake',
  /** Its answer is none that HTTP allows. */
  'not-http',
  'reset',
  'timeout',
  'cut-off',
  'too-large',
  'headers-too-large',
  /** Its status is none that an answer can have: see `isAnswerStatus`. */
  'bad-status',
  'not-allowed',
  /** Its address is one that this server does not ask. */
  'blocked',
  /** No collector has an answer that still holds. */
  'not-collected',
  /** The engine that collectors tell does not answer this server. */
  'query-failed',
  /** Of messages: this page was not opened by the address that the server printed. */
  'view-only',
  /** More requests came from this page than this server takes of one. */
  'limited',
  /** This server is to sign for the service, and could not. */
  'not-signed',
  /** Nobody was asked: whoever is at this page has to sign in to the dashboard's server first. */
  'signed-out',
] as const
export type ProxyFailure = (typeof PROXY_FAILURES)[number]

/**
 * Whether an answer may have this status. 101 would make a tunnel of the connection behind a server in front; other
 * statuses below 200 are no answers, and HTTP has none above 599.
 */
export const isAnswerStatus = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status <= 599

/** Comes before an answer, and is skipped. */
export const isInterimStatus = (status: number): boolean => status >= 100 && status <= 199 && status !== 101
