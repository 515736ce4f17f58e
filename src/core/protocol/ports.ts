import type { Bytes } from '#base/bytes.ts'
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
  /** WWW-Authenticate of a refusal. */
  readonly challenge?: string
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

/** What a request tells whose answer no page may read. `unknown`: this browser does not tell. */
export type OpaqueAnswer = 'answered' | 'nothing' | 'timeout' | 'unknown'

/** Whether the browser lets this page reach addresses of the local network; `unknown` where it does not say. */
export type LocalNetworkPermission = 'granted' | 'prompt' | 'denied' | 'unknown'

/** Looks at the network without reading anything. Never throws; has no place for headers, so nothing is signed. */
export type NetworkProbe = {
  readonly opaque: (url: string, deadlineMs: number) => Promise<OpaqueAnswer>
  readonly localNetwork: (url: string) => Promise<LocalNetworkPermission>
}

export type SignedHeaders = {
  readonly headers: Readonly<Record<string, string>>
  /** The query that was signed, without "?"; the request must carry exactly this. */
  readonly query: string
  /** The operator's token, where the headers carry it: for hiding it in what is shown, see `shownHeaders`. */
  readonly token?: string
}

/**
 * `chain-key`: the key is that of a chain wallet or validator, and what the profile has signed
 * could be a transaction. `time-not-allowed`: the time asked for is too far from the signer's
 * own, see `mayCorrect`. `no-token`: the profile sends a token, and none was typed. Nothing was signed.
 */
export type SignFailure =
  | 'no-key'
  | 'no-token'
  | 'key-locked'
  | 'chain-key'
  | 'not-configured'
  | 'no-answer'
  | 'error'
  | 'time-not-allowed'

/**
 * Signs status requests of configured services, and nothing else: there is no way to have
 * it sign bytes of one's choice. `nodeId` undefined asks for the node of the key itself.
 * `correctionMs` moves the time that is signed, for a service whose clock is another: whole
 * ms, and only as far as the signer allows.
 */
export type Signer = {
  readonly signStatusRequest: (
    serviceId: ServiceId,
    nodeId: string | undefined,
    correctionMs?: number,
  ) => Promise<Result<SignedHeaders, SignFailure>>
}

/** Signs for a service as it is being tested, which need not be saved, and apart from what is polled. */
export type DraftSigner = {
  /** `draftId`: of the test, so that tests that run side by side each have their own. */
  readonly signDraft: (
    draftId: number,
    ...request: Parameters<Signer['signStatusRequest']>
  ) => ReturnType<Signer['signStatusRequest']>
}

/**
 * Whether an Ed25519 signature fits. For keys and signatures from outside whose points were
 * checked before: see `proofStatement`. Never throws or rejects.
 */
export type VerifySignature = (publicKey: Bytes, message: Bytes, signature: Bytes) => Promise<boolean>

/** Signs in one of the ways of `PROFILE_TRIES`, in a round that the operator opened; `correctionMs` as for a `Signer`. */
export type TrySigner = {
  readonly signTry: (
    serviceId: ServiceId,
    nodeId: string | undefined,
    tryId: string,
    correctionMs?: number,
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
