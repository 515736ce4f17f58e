import type { VaultSecret } from '#keys/vault.ts'

/** The code that gets a secret zeroes it, so each test makes its own. */
export const words = (text = 'twelve or more letters') => new TextEncoder().encode(text)
export const inVault = (passphrase = words()) => ({ custody: 'vault', passphrase }) as const
export const byWords = (text?: string): VaultSecret => ({ kind: 'passphrase', passphrase: words(text) })
export const passkey = () => ({
  credentialId: 'aWQ',
  prfSalt: 'B'.repeat(43),
  secret: new Uint8Array(32).fill(5),
})
export const byPasskey = (): VaultSecret => ({ kind: 'passkey', ...passkey() })

export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
