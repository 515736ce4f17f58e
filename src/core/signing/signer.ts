import type { Bytes } from '#base/bytes.ts'
import type { Result } from '#base/result.ts'
import type { ServiceId } from '#record/service.ts'

export type SignedHeaders = {
  readonly headers: Readonly<Record<string, string>>
  /** The signed query without "?"; the request must use exactly this. */
  readonly query: string
  /** The operator's token, if the headers contain it, so that displays can hide it: see `shownHeaders`. */
  readonly token?: string
}

/**
 * Why nothing was signed. `chain-key`: the profile's text could be a transaction of a wallet or validator key.
 * `time-not-allowed`: the requested time is too far from the signer's own, see `mayCorrect`. `no-token`: the token that the
 * profile needs is missing. `key-not-allowed`: no key may sign for this service. `profile-not-accepted`: the operator has not
 * accepted the profile here. `text-refused`: see `signedTextProblem`.
 */
export type SignFailure =
  | 'no-key'
  | 'no-token'
  | 'key-locked'
  | 'chain-key'
  | 'key-not-allowed'
  | 'profile-not-accepted'
  | 'text-refused'
  | 'not-configured'
  | 'no-answer'
  | 'error'
  | 'time-not-allowed'

/**
 * Absent: a poll of a configured service. `draftId`: a connection test, whose service need not be saved; identifies the test, so
 * that parallel tests do not interfere. `tryId`: signs by this profile of `PROFILE_TRIES`, in a round that the operator opened.
 */
export type SigningPurpose = { readonly draftId: number } | { readonly tryId: string }

/**
 * Signs only status requests of configured services, never arbitrary bytes. `nodeId` undefined: the default node.
 * `correctionMs` shifts the signed time for a service whose clock differs: whole ms, within the signer's limits.
 */
export type Signer = {
  readonly signStatusRequest: (
    serviceId: ServiceId,
    nodeId: string | undefined,
    correctionMs?: number,
    purpose?: SigningPurpose,
  ) => Promise<Result<SignedHeaders, SignFailure>>
}

/**
 * Whether an Ed25519 signature is valid. For untrusted keys and signatures the caller must check the points first: see
 * `proofStatement`. Never throws or rejects.
 */
export type VerifySignature = (publicKey: Bytes, message: Bytes, signature: Bytes) => Promise<boolean>
