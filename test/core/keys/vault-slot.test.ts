import { getRandomValues } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  ARGON2_CEILING,
  ARGON2_DEFAULT,
  ARGON2_FLOOR,
  isCostAllowed,
  readVault,
  type Vault,
} from '#keys/vault.ts'
import { addPasskey, changePassphrase, openVault, sealSeed } from '#keys/vault-seal.ts'
import { openSlot, slotsFor, type VaultPorts, type VaultSecret } from '#keys/vault-slot.ts'
import { quickly } from '#test/support/quick-derivation.ts'

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

const withPasskey = async (vault: Vault): Promise<Vault> => {
  const both = await addPasskey(vault, BY_PASSPHRASE, PASSKEY, ports)
  if (!both.ok) throw new Error(both.error)
  return both.value
}

describe('a new vault', () => {
  it('signs for nothing where nothing was named', async () => {
    expect(await sealed()).not.toHaveProperty('grants')
  })

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

describe('the slot that a secret opens', () => {
  it('is of its own kind, and of its own passkey', async () => {
    const vault = await withPasskey(await sealed())
    const kindsFor = (secret: VaultSecret) => slotsFor(vault, secret).map(({ kind }) => kind)
    expect(kindsFor(BY_PASSPHRASE)).toEqual(['passphrase'])
    expect(kindsFor(BY_PASSKEY)).toEqual(['passkey'])
    expect(kindsFor({ ...BY_PASSKEY, credentialId: 'b3RoZXI' })).toEqual([])
  })

  it.each([
    ['of another passphrase', { passphrase: new Uint8Array(3) }, {}],
    ['with a salt that is no base64', {}, { salt: '*' }],
    ['with a nonce that is no base64', {}, { iv: '*' }],
    ['with a wrapped key that is no base64', {}, { wrappedKey: '*' }],
    ['of a cost that is refused', {}, { passes: ARGON2_CEILING.passes + 1 }],
  ])('stays closed %s', async (_, other, part) => {
    const vault = await sealed()
    const [slot] = vault.slots
    if (slot?.kind !== 'passphrase') throw new Error('no passphrase slot')
    const secret = { ...BY_PASSPHRASE, ...other }
    expect(await openSlot(vault, { ...slot, ...part }, secret, { ...ports, extractable: false })).toEqual({
      ok: false,
      error: 'wrong-secret',
    })
  })

  it('stays of its cost where it does not open once more', async () => {
    const vault = await sealed(ARGON2_FLOOR)
    let asked = 0
    const once: VaultPorts = {
      ...ports,
      deriveKey: async (passphrase, salt, cost) => quickly(asked++ === 0 ? passphrase : salt, salt, cost),
    }
    const opened = await openVault(vault, BY_PASSPHRASE, once)
    expect(opened.ok && opened.value.vault).toBe(vault)
    expect(asked).toBe(2)
  })
})

describe('the cost of a passphrase slot', () => {
  it('is allowed from the floor to the ceiling', () => {
    for (const cost of [ARGON2_FLOOR, ARGON2_DEFAULT, ARGON2_CEILING]) expect(isCostAllowed(cost)).toBe(true)
    for (const part of [
      { memoryKib: ARGON2_FLOOR.memoryKib - 1 },
      { passes: ARGON2_FLOOR.passes - 1 },
      { memoryKib: ARGON2_CEILING.memoryKib + 1 },
      { passes: ARGON2_CEILING.passes + 1 },
    ])
      expect(isCostAllowed({ ...ARGON2_DEFAULT, ...part }), JSON.stringify(part)).toBe(false)
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

  it.each(['', '*Y3JlZA', 'Y3JlZA*', 'A'.repeat(1_365)])(
    'whose passkey is called %j is no vault',
    async (credentialId) => {
      const vault = await withPasskey(await sealed())
      expect(readVault(vault)).toEqual({ ok: true, value: vault })
      const slots = vault.slots.map((slot) => (slot.kind === 'passkey' ? { ...slot, credentialId } : slot))
      expect(readVault({ ...vault, slots })).toEqual(refused)
    },
  )
})
