import type { Result } from '#base/result.ts'
import type { SigningGrant } from '#signing/signing-grant.ts'
import type { ServiceId } from '#record/service.ts'
import type { Vault } from './vault.ts'
import type { WebCryptoKey } from './web-crypto.ts'
import type { Bytes } from '#base/bytes.ts'

/** What the operator and the signer note down about a key; none of it is secret. */
export type KeyNotes = {
  readonly label: string
  /** When the service stops accepting it, where the operator has set that. Unix ms. */
  readonly notAfterMs?: number
  /** Unix ms, to the hour. */
  readonly lastUsedMs?: number
  /** What the key signs for; absent: nothing. */
  readonly grants?: readonly SigningGrant[]
}

/** A key as it is kept: the seed is where scripts can't reach it, inside `key` or encrypted in `vault`. */
export type StoredKey = KeyNotes & {
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

/** Keeps tokens on this device, by service. Never throws and never hangs. */
export type TokenStore = {
  readonly load: () => Promise<Result<ReadonlyMap<string, string>, 'unavailable'>>
  readonly put: (serviceId: ServiceId, token: string) => Promise<Result<undefined, 'unavailable'>>
  readonly remove: (serviceId: ServiceId) => Promise<Result<undefined, 'unavailable'>>
}

/** Never throws and never hangs: each call ends within a few seconds. */
export type KeyStore = {
  readonly load: () => Promise<Result<readonly StoredKey[], 'unavailable'>>
  /** Adds a key or replaces the one with the same public key. Ok only when it is on disk. */
  readonly put: (key: StoredKey) => Promise<Result<undefined, 'unavailable'>>
  /** Replaces the notes of a key without writing the key itself again: each writing leaves a copy on disk. */
  readonly note: (publicKey: string, notes: KeyNotes) => Promise<Result<undefined, 'unavailable'>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'unavailable'>>
  /** The vaults lock after this many minutes without input; undefined while not set. */
  readonly loadLockMinutes: () => Promise<number | undefined>
  readonly putLockMinutes: (minutes: number) => Promise<Result<undefined, 'unavailable'>>
  /** When a round of tries was last opened for each service, in Unix ms; empty where nothing is known. */
  readonly loadTryRounds: () => Promise<ReadonlyMap<string, number>>
  readonly putTryRounds: (opened: ReadonlyMap<string, number>) => Promise<Result<undefined, 'unavailable'>>
  readonly tokens: TokenStore
  /** Whether bytes that are written are read back as they were, and are gone when they are deleted. */
  readonly keepsBytes: (bytes: Uint8Array) => Promise<Result<boolean, 'unavailable'>>
}

/** Where a new key is to be kept. A passphrase is lent: the signer zeroes it after use. */
export type Place =
  | { readonly custody: 'device' }
  | { readonly custody: 'session' }
  | { readonly custody: 'vault'; readonly passphrase: Bytes }

/**
 * `chain-key`: a key that can spend or be punished is not stored where it can be read from the
 * disk. `not-secure`: on plain http, or in a browser without the algorithm, nothing is kept.
 */
export type PlaceProblem = 'chain-key' | 'not-secure' | 'passphrase-short'

/** Twelve letters chosen by a person withstand guessing at 64 MiB a guess; fewer don't. */
export const PASSPHRASE_BYTES_MIN = 12

/** A bound for what is hashed. */
export const PASSPHRASE_BYTES_MAX = 1_024

export const isPassphrase = ({ length }: Uint8Array): boolean =>
  length >= PASSPHRASE_BYTES_MIN && length <= PASSPHRASE_BYTES_MAX

export function placeProblem(
  place: Place,
  family: Vault['family'],
  cryptography: 'webcrypto' | 'javascript',
): PlaceProblem | undefined {
  if (place.custody === 'session') return undefined
  if (cryptography === 'javascript') return 'not-secure'
  if (place.custody === 'device') return family === 'chain' ? 'chain-key' : undefined
  return isPassphrase(place.passphrase) ? undefined : 'passphrase-short'
}
