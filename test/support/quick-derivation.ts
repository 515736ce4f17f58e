import { createHash, getRandomValues } from 'node:crypto'
import { KeyRing } from '#keys/key-ring.ts'
import type { DeriveKey } from '#keys/passphrase-key.ts'

/** In the place of Argon2id where a test is about what is done with vaults, not about the cost of guessing. */
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
