import type { Bytes } from '#base/bytes.ts'

/** An Ed25519 private key that can be used and not read. Stays inside the signer: other layers see only `Signer`. */
export type SigningKey = {
  /** 32 bytes. */
  readonly publicKey: Bytes
  /** 64 bytes, deterministic (RFC 8032). Rejects once the key is forgotten. */
  readonly sign: (message: Bytes) => Promise<Bytes>
  /** Zeroes what can be zeroed and lets go of the rest. */
  readonly forget: () => void
}

export const SEED_BYTES = 32
