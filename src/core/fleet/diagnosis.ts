import type { ByHeartbeats, ClockOffset } from '#record/clock-offset.ts'
import type { AnswerWords } from '#protocol/answer-words.ts'
import type { LocalNetworkPermission, OpaqueAnswer, TransportFailure } from '#protocol/transport.ts'

/**
 * A corrected signing time. `used`: this request was signed with it. `refused`: it was used, and the service refused the
 * request anyway. `ask`: the correction exceeds what the signer does without consent, so nothing was signed with it.
 */
export type Correction = { readonly ms: number; readonly state: 'used' | 'refused' | 'ask' }

export type ProbeAnswer =
  | { readonly kind: 'answered'; readonly words: AnswerWords }
  | { readonly kind: Exclude<TransportFailure['kind'], 'aborted'> }

/** Probes that were not sent are absent. */
export type Probes = {
  /** The same URL without signature headers: a request that needs no preflight. */
  readonly unsigned?: ProbeAnswer
  /** With headers of the same names but without a signature: shows whether such headers arrive. */
  readonly headersWithoutSignature?: ProbeAnswer
  /** A request without CORS, which needs no permission and whose answer cannot be read. */
  readonly opaque?: OpaqueAnswer
  /** Only if the browser requires this permission. */
  readonly permission?: LocalNetworkPermission
  readonly ownServer?: 'answers' | 'silent'
}

export type LikelyCause =
  | 'clock'
  | 'key-not-registered'
  /** The service cannot decode the credentials. */
  | 'encoding'
  /** The service reads the signature, but expects a different signed text. */
  | 'message'
  /** The signature headers did not reach the service. */
  | 'header-stripped'
  /** The service accepted a request with this nonce before. */
  | 'repeated'
  | 'in-front'
  /** The CORS preflight (OPTIONS) is refused or not answered. */
  | 'preflight'
  /** The service answers, but CORS does not let this page read the answer. */
  | 'cors'
  /** This page could read the service's answers before: the service drops requests, or something else answers. */
  | 'was-readable'
  /** CORS lets this page read other answers, but not those to signed requests. */
  | 'cors-signed'
  | 'local-network'
  /** Connection refused, unknown host name, or an untrusted certificate. */
  | 'nothing-answers'
  | 'own-server'
  | 'too-slow'
  | 'redirect'
  | 'captive-portal'
  | 'sign-in-page'

export type Clue =
  | { readonly kind: 'said'; readonly words: AnswerWords }
  /** Compares the answers to requests without a signature and with empty signature headers. */
  | { readonly kind: 'unsigned'; readonly answer: ProbeAnswer; readonly same: boolean | undefined }
  | {
      readonly kind: 'headersWithoutSignature'
      readonly answer: ProbeAnswer
      readonly same: boolean | undefined
    }
  | { readonly kind: 'opaque'; readonly answer: NonNullable<Probes['opaque']> }
  | { readonly kind: 'permission'; readonly state: NonNullable<Probes['permission']> }
  | { readonly kind: 'own-server'; readonly state: NonNullable<Probes['ownServer']> }
  /** Undefined: the service's time cannot be read. */
  | ({ readonly kind: 'clocks'; readonly offset: ClockOffset | undefined } & ByHeartbeats)
  /** The request was signed again with the service's time and refused too, or not signed because the offset is too large. */
  | { readonly kind: 'correction'; readonly correction: Correction }
  | { readonly kind: 'plain-http' }

/** Most likely first. If there are several, the evidence does not decide between them. */
export type Diagnosis = {
  readonly likely: readonly [LikelyCause, ...LikelyCause[]]
  readonly clues: readonly Clue[]
}

export type Diagnosed = {
  /** See `failureLook`: of the failure that was probed. */
  readonly look: string
  readonly diagnosis: Diagnosis
}
