import type { Bytes } from '#base/bytes.ts'
import type { Result } from '#base/result.ts'
import type { ServiceId } from '#record/service.ts'

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
 * own, see `mayCorrect`. `no-token`: the profile sends a token, and none was typed. `key-not-allowed`:
 * no key was chosen for this service. `profile-not-accepted`: this profile was not accepted here.
 * `text-refused`: see `signedTextProblem`. Nothing was signed.
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
