import type { Result } from '#base/result.ts'
import type { SigningGrant } from '#signing/signing-grant.ts'
import type { ServiceId } from '#record/service.ts'
import type { Vault } from './vault.ts'
import type { WebCryptoKey } from './web-crypto.ts'
import type { Bytes } from '#base/bytes.ts'

/** Notes about a key; none is secret. */
export type KeyNotes = {
  readonly label: string
  /** Expiry at the service, if the operator has entered one. Unix ms. */
  readonly notAfterMs?: number
  /** Unix ms, accurate to the hour. */
  readonly lastUsedMs?: number
  /** Services that the key may sign for; absent: none. */
  readonly grants?: readonly SigningGrant[]
}

/** A key as stored. Scripts cannot read the seed: it is inside `key` or encrypted in `vault`. */
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

/** Stores tokens on this device by service. Never throws and never hangs. */
export type TokenStore = {
  readonly load: () => Promise<Result<ReadonlyMap<string, string>, 'unavailable'>>
  readonly put: (serviceId: ServiceId, token: string) => Promise<Result<undefined, 'unavailable'>>
  readonly remove: (serviceId: ServiceId) => Promise<Result<undefined, 'unavailable'>>
}

/** Never throws and never hangs: each call ends within a few seconds. */
export type KeyStore = {
  readonly load: () => Promise<Result<readonly StoredKey[], 'unavailable'>>
  /** Adds a key or replaces the one with the same public key. Ok only once it is on disk. */
  readonly put: (key: StoredKey) => Promise<Result<undefined, 'unavailable'>>
  /** Replaces a key's notes without writing the key itself again, because each write leaves a copy on disk. */
  readonly note: (publicKey: string, notes: KeyNotes) => Promise<Result<undefined, 'unavailable'>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'unavailable'>>
  /** Minutes without input until the vaults lock; undefined if not set. */
  readonly loadLockMinutes: () => Promise<number | undefined>
  readonly putLockMinutes: (minutes: number) => Promise<Result<undefined, 'unavailable'>>
  /** When a round of profile attempts was last opened for each service, in Unix ms; empty if unknown. */
  readonly loadTryRounds: () => Promise<ReadonlyMap<string, number>>
  readonly putTryRounds: (opened: ReadonlyMap<string, number>) => Promise<Result<undefined, 'unavailable'>>
  readonly tokens: TokenStore
  /** Whether written bytes are read back unchanged and are gone after they are deleted. */
  readonly keepsBytes: (bytes: Uint8Array) => Promise<Result<boolean, 'unavailable'>>
}

/** Where to store a new key. The signer zeroes the passphrase after use. */
export type Place =
  | { readonly custody: 'device' }
  | { readonly custody: 'session' }
  | { readonly custody: 'vault'; readonly passphrase: Bytes }

/**
 * `chain-key`: a key that can spend funds or be slashed must not be stored readable on disk. `not-secure`: nothing is stored on
 * plain http or in a browser without Ed25519.
 */
export type PlaceProblem = 'chain-key' | 'not-secure' | 'passphrase-short'

/** Twelve letters chosen by a person resist guessing at 64 MiB per guess; fewer do not. */
export const PASSPHRASE_BYTES_MIN = 12

/** Limits the input of the key derivation. */
const PASSPHRASE_BYTES_MAX = 1_024

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
