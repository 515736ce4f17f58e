import type { Result } from '#base/result.ts'
import type { SigningGrant } from '#signing/signing-grant.ts'
import type { TokenStore } from './token-ring.ts'
import type { Vault } from './vault.ts'
import type { WebCryptoKey } from './web-crypto-signer.ts'

/** What the operator and the signer note down about a key; none of it is secret. */
export type KeyNotes = {
  readonly label: string
  /** When the service stops taking it, as far as the operator said. Unix ms. */
  readonly notAfterMs?: number
  /** Unix ms, to the hour. */
  readonly lastUsedMs?: number
  /** What the key signs for; absent: nothing. */
  readonly grants?: readonly SigningGrant[]
}

/** A key as it is kept: the seed is where scripts can't reach it, inside `key` or encrypted in `vault`. */
export type StoredKey = KeyNotes & {
  /** 64 hex digits; the key's id. */
  readonly publicKey: string
  readonly createdMs: number
} & (
    | {
        /** Non-extractable, for signing with Ed25519. */
        readonly key: WebCryptoKey
        readonly vault?: never
      }
    | { readonly vault: Vault; readonly key?: never }
  )

/** Keeps keys on this device. Never throws and never hangs: each call ends within a few seconds. */
export type KeyStore = {
  readonly load: () => Promise<Result<readonly StoredKey[], 'unavailable'>>
  /** Adds a key or replaces the one with the same public key. Ok only when it is on disk. */
  readonly put: (key: StoredKey) => Promise<Result<undefined, 'unavailable'>>
  /** Replaces the notes of a key without writing the key itself again: each writing leaves a copy on disk. */
  readonly note: (publicKey: string, notes: KeyNotes) => Promise<Result<undefined, 'unavailable'>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'unavailable'>>
  /** How many minutes without a hand on the computer lock the vaults; undefined as long as nobody said. */
  readonly loadLockMinutes: () => Promise<number | undefined>
  readonly putLockMinutes: (minutes: number) => Promise<Result<undefined, 'unavailable'>>
  /** When a round of tries was last opened for each service, in Unix ms; empty where nothing is known. */
  readonly loadTryRounds: () => Promise<ReadonlyMap<string, number>>
  readonly putTryRounds: (opened: ReadonlyMap<string, number>) => Promise<Result<undefined, 'unavailable'>>
  readonly tokens: TokenStore
  /** Whether bytes that are written are read back as they were, and are gone when they are deleted. */
  readonly keepsBytes: (bytes: Uint8Array) => Promise<Result<boolean, 'unavailable'>>
}
