import { createHash, getRandomValues } from 'node:crypto'
import { KeyRing } from '#keys/key-ring.ts'
import type { DeriveKey } from '#keys/passphrase-key.ts'

/** Replaces Argon2id in tests of what is done with vaults, where the cost of guessing does not matter. */
export const quickly: DeriveKey = async (passphrase, salt, { memoryKib, passes }) =>
  new Uint8Array(
    createHash('sha256').update(passphrase).update(salt).update(`${memoryKib} ${passes}`).digest(),
  )

/** A ring whose vaults open at once. */
export const quickRing = (given: Partial<ConstructorParameters<typeof KeyRing>[0]> = {}): KeyRing =>
  new KeyRing({
    store: undefined,
    cryptography: 'webcrypto',
    deriveKey: quickly,
    wallMs: () => 1_000,
    randomBytes: (length) => getRandomValues(new Uint8Array(length)),
    ...given,
  })
