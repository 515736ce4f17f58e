import type { ByHeartbeats, ClockOffset } from '#record/clock-offset.ts'
import type { AnswerWords } from '#protocol/answer-words.ts'
import type { LocalNetworkPermission, OpaqueAnswer, TransportFailure } from '#protocol/transport.ts'

/**
 * A signed time that was moved. `used`: this request was signed with it. `refused`: so it was,
 * and the service refused it all the same. `ask`: it would have to be moved further than the
 * signer does by itself, so nothing was signed with it.
 */
export type Correction = { readonly ms: number; readonly state: 'used' | 'refused' | 'ask' }

export type ProbeAnswer =
  | { readonly kind: 'answered'; readonly words: AnswerWords }
  | { readonly kind: Exclude<TransportFailure['kind'], 'aborted'> }

/** A probe that was not made is absent. */
export type Probes = {
  readonly atWallMs: number
  /** The same address without any of the headers: a request that needs no preflight. */
  readonly unsigned?: ProbeAnswer
  /** With headers of the same names but without a signature: shows whether such headers arrive. */
  readonly headersWithoutSignature?: ProbeAnswer
  /** The root of the same origin, in a way that needs no permission, and whose answer can't be read. */
  readonly opaque?: OpaqueAnswer
  /** Only where the browser asks for one. */
  readonly permission?: LocalNetworkPermission
  readonly ownServer?: 'answers' | 'silent'
}

export type LikelyCause =
  | 'clock'
  | 'key-not-registered'
  /** The service can't read the credentials. */
  | 'encoding'
  /** The signature is read, and is not the one that the service expects. */
  | 'message'
  /** The headers that carry the signature did not get there. */
  | 'header-stripped'
  | 'in-front'
  /** The browser's own question before a request with such headers (OPTIONS) is refused or not answered. */
  | 'preflight'
  /** The service answers, but does not let this page read it. */
  | 'cors'
  /** This page could read the service's answers before: it drops requests, or something else answers. */
  | 'was-readable'
  /** It lets this page read other answers, but not those to signed requests. */
  | 'cors-signed'
  | 'local-network'
  /** Refused, no such name, or a certificate that is not trusted. */
  | 'nothing-answers'
  | 'own-server'
  | 'too-slow'
  | 'redirect'
  | 'captive-portal'
  | 'sign-in-page'

export type Clue =
  | { readonly kind: 'said'; readonly words: AnswerWords }
  /** How the answers without a signature, and with headers that carry none, compare. */
  | { readonly kind: 'unsigned'; readonly answer: ProbeAnswer; readonly same: boolean | undefined }
  | {
      readonly kind: 'headersWithoutSignature'
      readonly answer: ProbeAnswer
      readonly same: boolean | undefined
    }
  | { readonly kind: 'opaque'; readonly answer: NonNullable<Probes['opaque']> }
  | { readonly kind: 'permission'; readonly state: NonNullable<Probes['permission']> }
  | { readonly kind: 'own-server'; readonly state: NonNullable<Probes['ownServer']> }
  /** Undefined: the service's time can't be read. */
  | ({ readonly kind: 'clocks'; readonly offset: ClockOffset | undefined } & ByHeartbeats)
  /** Signed once more with the service's time, which was refused too; or not, because it is too far away. */
  | { readonly kind: 'correction'; readonly correction: Correction }
  | { readonly kind: 'plain-http' }

/** Likeliest first. More than one: the evidence does not decide between them. */
export type Diagnosis = {
  readonly likely: readonly [LikelyCause, ...LikelyCause[]]
  readonly clues: readonly Clue[]
}

export type Diagnosed = {
  /** The failure's, as in `failureCode`. */
  readonly code: string
  readonly diagnosis: Diagnosis
  readonly atWallMs: number
}
