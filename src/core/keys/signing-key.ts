import type { Bytes } from '#base/bytes.ts'
import type { KeyFamily } from '#protocol/key-file.ts'
import type { GrantedService } from '#signing/signing-grant.ts'

/** An Ed25519 private key that can be used and not read. Stays inside the signer: other layers see only `Signer`. */
export type SigningKey = {
  /** 32 bytes. */
  readonly publicKey: Bytes
  /** 64 bytes, deterministic (RFC 8032). Rejects once the key is forgotten. */
  readonly sign: (message: Bytes) => Promise<Bytes>
  /** Zeroes what can be zeroed and lets go of the rest. */
  readonly forget: () => void
}

/** A key that was found for a request, with what it may be used for. */
export type UsableKey = SigningKey & {
  /** `chain`: of a chain wallet or validator, so that it signs nothing that could be a transaction. */
  readonly family: KeyFamily
  /** Whether the operator lets it sign for this service as it is. */
  readonly accepts: (service: GrantedService) => boolean
}

export const SEED_BYTES = 32
