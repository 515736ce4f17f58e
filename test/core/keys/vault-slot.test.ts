import { getRandomValues } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  addPasskey,
  changePassphrase,
  openVault,
  sealSeed,
  type VaultPorts,
  type VaultSecret,
  ARGON2_DEFAULT,
  ARGON2_FLOOR,
  readVault,
  type Vault,
} from '#keys/vault.ts'
import { quickly } from '#test/support/quick-derivation.ts'
import { valueOf } from '#test/support/value-of.ts'

const PASSPHRASE = new TextEncoder().encode('correct horse battery')
const PASSKEY = { credentialId: 'Y3JlZA', prfSalt: 'A'.repeat(43), secret: new Uint8Array(32).fill(7) }
const BY_PASSPHRASE: VaultSecret = { kind: 'passphrase', passphrase: PASSPHRASE }
const BY_PASSKEY: VaultSecret = { kind: 'passkey', ...PASSKEY }

const ports: VaultPorts = {
  deriveKey: quickly,
  randomBytes: (length) => getRandomValues(new Uint8Array(length)),
}

afterEach(() => vi.restoreAllMocks())

const sealed = async (cost = ARGON2_DEFAULT as typeof ARGON2_DEFAULT | typeof ARGON2_FLOOR): Promise<Vault> =>
  sealSeed(
    new Uint8Array(32).fill(0x42),
    PASSPHRASE,
    { family: 'plain', createdMs: 1_790_000_000_000, cost },
    ports,
  )

const withPasskey = async (vault: Vault): Promise<Vault> =>
  valueOf(await addPasskey(vault, BY_PASSPHRASE, PASSKEY, ports))

describe('a new vault', () => {
  it('leaves nothing of the seed in what was encrypted', async () => {
    const encrypt = vi.spyOn(crypto.subtle, 'encrypt')
    await sealed()
    expect(encrypt.mock.calls.map(([, , data]) => data)).toEqual([new Uint8Array(48)])
  })
})

describe('the keys between a secret and a seed', () => {
  it('can be read by nobody, but for a data key that is wrapped anew', async () => {
    const vault = await withPasskey(await sealed())
    const unwrapKey = vi.spyOn(crypto.subtle, 'unwrapKey')
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    const deriveKey = vi.spyOn(crypto.subtle, 'deriveKey')
    for (const secret of [BY_PASSPHRASE, BY_PASSKEY])
      expect(await openVault(vault, secret, ports)).toMatchObject({ ok: true })
    expect(unwrapKey.mock.calls.map(([format, , , , , extractable]) => [format, extractable])).toEqual([
      ['raw', false],
      ['pkcs8', false],
      ['raw', false],
      ['pkcs8', false],
    ])
    expect(await changePassphrase(vault, BY_PASSKEY, PASSPHRASE, ports)).toMatchObject({ ok: true })
    expect(unwrapKey.mock.calls.at(-1)?.[5]).toBe(true)
    expect(importKey.mock.calls.map(([, , , extractable]) => extractable)).not.toContain(true)
    expect(deriveKey.mock.calls.map(([, , , extractable]) => extractable)).toEqual([false, false])
  })
})

describe('a document', () => {
  const refused = { ok: false, error: 'not-a-vault' }

  it.each<[string, object]>([
    ['an id of one letter', { id: 'A' }],
    ['an id with a letter that is none', { id: `${'A'.repeat(21)}*` }],
    ['a digit in front of its public key', { publicKey: 'a'.repeat(65) }],
    ['a letter in front of its public key', { publicKey: `x${'a'.repeat(64)}` }],
    ['a letter behind its public key', { publicKey: `${'a'.repeat(64)}x` }],
    ['a letter in front of sealed grants', { grants: { iv: 'A'.repeat(16), sealed: '*A' } }],
    ['a letter behind sealed grants', { grants: { iv: 'A'.repeat(16), sealed: 'A*' } }],
  ])('with %s is no vault', async (_, part) => {
    const vault = await sealed()
    expect(readVault(vault)).toEqual({ ok: true, value: vault })
    expect(readVault({ ...vault, ...part })).toEqual(refused)
  })
})
