import type { Bytes } from '#base/bytes.ts'
import type { Vault } from './vault.ts'

/** Where a new key is to be kept. A passphrase is lent: the signer zeroes it after use. */
export type Place =
  | { readonly custody: 'device' }
  | { readonly custody: 'session' }
  | { readonly custody: 'vault'; readonly passphrase: Bytes }

/**
 * `chain-key`: a key that can spend or be punished is not put where whoever has the disk can
 * read it. `not-secure`: on plain http, or in a browser without the algorithm, nothing is kept.
 */
export type PlaceProblem = 'chain-key' | 'not-secure' | 'passphrase-short'

/** Twelve letters chosen by a person withstand guessing at 64 MiB a guess; fewer don't. */
export const PASSPHRASE_BYTES_MIN = 12

/** More than anybody types; a bound for what is hashed. */
export const PASSPHRASE_BYTES_MAX = 1_024

export const isPassphrase = ({ length }: Uint8Array): boolean =>
  length >= PASSPHRASE_BYTES_MIN && length <= PASSPHRASE_BYTES_MAX

/** Why a key can't be kept there; undefined when it can. */
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
