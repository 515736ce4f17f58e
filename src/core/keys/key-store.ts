import type { Result } from '#base/result.ts'
import type { WebCryptoKey } from './web-crypto-signer.ts'

/** A key as it is kept: the seed is inside `key`, where scripts can't reach it. */
export type StoredKey = {
  /** 64 hex digits; the key's id. */
  readonly publicKey: string
  readonly label: string
  readonly createdMs: number
  /** Non-extractable, for signing with Ed25519. */
  readonly key: WebCryptoKey
}

/** Keeps keys on this device. Never throws and never hangs: each call ends within a few seconds. */
export type KeyStore = {
  readonly load: () => Promise<Result<readonly StoredKey[], 'unavailable'>>
  /** Adds a key or replaces the one with the same public key. Ok only when it is on disk. */
  readonly put: (key: StoredKey) => Promise<Result<undefined, 'unavailable'>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'unavailable'>>
}
