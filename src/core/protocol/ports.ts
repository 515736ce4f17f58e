import type { Result } from '#base/result.ts'
import type { ServiceId } from './service.ts'

/** One request as it goes out. What was signed travels in `headers`. */
export type TransportRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers and body together, from dispatch. */
  readonly deadlineMs: number
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
  /** Set by the dashboard's own proxy when it could not get an answer: see `PROXY_FAILURE_HEADER`. */
  readonly proxyFailure?: string
}

export type TransportFailure =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  /** Headers came, the body broke off or could not be decoded. */
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'too-large'; readonly limitBytes: number }
  | { readonly kind: 'redirected' }
  /** The caller's signal ended it. */
  | { readonly kind: 'aborted' }

/** Sends a GET. Never throws; ends by itself at the deadline. */
export type Transport = (
  request: TransportRequest,
  signal: AbortSignal,
) => Promise<Result<HttpReply, TransportFailure>>

export type SignedHeaders = {
  readonly headers: Readonly<Record<string, string>>
  /** The query that was signed, without "?"; the request must carry exactly this. */
  readonly query: string
}

export type SignFailure = 'no-key' | 'key-locked' | 'not-configured' | 'no-answer' | 'error'

/**
 * Signs status requests of configured services, and nothing else: there is no way to have
 * it sign bytes of one's choice. `nodeId` undefined asks for the node of the key itself.
 */
export type Signer = {
  readonly signStatusRequest: (
    serviceId: ServiceId,
    nodeId: string | undefined,
  ) => Promise<Result<SignedHeaders, SignFailure>>
}

/** Signs in one of the ways of `PROFILE_TRIES`, in a round that the operator opened. */
export type TrySigner = {
  readonly signTry: (
    serviceId: ServiceId,
    nodeId: string | undefined,
    tryId: string,
  ) => Promise<Result<SignedHeaders, SignFailure>>
}

/** The header by which the same-origin proxy says that it, not the service, failed; values in `PROXY_FAILURES`. */
export const PROXY_FAILURE_HEADER = 'X-Proxy-Failure'
export const PROXY_FAILURES = [
  'refused',
  'dns',
  'tls',
  'reset',
  'timeout',
  'cut-off',
  'too-large',
  'not-allowed',
] as const
export type ProxyFailure = (typeof PROXY_FAILURES)[number]
