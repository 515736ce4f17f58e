import { getRandomValues } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { err, ok } from '#base/result.ts'
import { bytesToHex } from '#base/bytes.ts'
import { createPlainKey, publicKeyOf } from '#keys/signing-key.ts'
import {
  addPasskey,
  changePassphrase,
  movableVault,
  openVault,
  sealSeed,
  withoutPasskey,
  type VaultPorts,
  type VaultSecret,
  ARGON2_CEILING,
  ARGON2_DEFAULT,
  ARGON2_FLOOR,
  grantsHeader,
  readVault,
  readVaultFile,
  slotHeader,
  SLOTS_MAX,
  VAULT_INPUT_BYTES_MAX,
  vaultHeader,
  type Vault,
} from '#keys/vault.ts'
import { argon2id } from '#keys/passphrase-key.ts'
import { serviceIdOf } from '#record/service.ts'
import type { SigningGrant } from '#signing/signing-grant.ts'
import { isAll } from '#test/fuzz/random.ts'
import { quickly } from '#test/support/quick-derivation.ts'
import { valueOf } from '#test/support/value-of.ts'

const SEED = new Uint8Array(32).fill(0x42)
const PUBLIC_KEY = bytesToHex(publicKeyOf(SEED))
const PASSPHRASE = new TextEncoder().encode('correct horse battery')
const OTHER = new TextEncoder().encode('correct horse batterz')
const PASSKEY = { credentialId: 'Y3JlZA', prfSalt: 'A'.repeat(43), secret: new Uint8Array(32).fill(7) }

const ports = { deriveKey: quickly, randomBytes: (length: number) => getRandomValues(new Uint8Array(length)) }

const byPassphrase = (passphrase = PASSPHRASE): VaultSecret => ({ kind: 'passphrase', passphrase })
const byPasskey = (over: Partial<typeof PASSKEY> = {}): VaultSecret => ({
  kind: 'passkey',
  ...PASSKEY,
  ...over,
})

/** Its passphrase slot has the lowest cost allowed. */
let vault: Vault
beforeAll(async () => {
  const sealed = await sealSeed(
    SEED,
    PASSPHRASE,
    { family: 'plain', createdMs: 1_790_000_000_000, cost: ARGON2_FLOOR },
    ports,
  )
  vault = valueOf(await addPasskey(sealed, byPassphrase(), PASSKEY, ports))
})

afterEach(() => vi.restoreAllMocks())

const opens = async (candidate: Vault, secret: VaultSecret, using: VaultPorts = ports) => {
  const opened = await openVault(candidate, secret, using)
  return opened.ok ? 'open' : opened.error
}

describe('a vault', () => {
  it('opens to a key that signs like the seed and cannot be exported', async () => {
    const opened = valueOf(await openVault(vault, byPasskey(), ports))
    const message = new TextEncoder().encode('a message')
    const { key } = opened
    expect(bytesToHex(key.publicKey)).toBe(PUBLIC_KEY)
    expect(await key.sign(message)).toEqual(await createPlainKey(SEED).sign(message))
    await expect(crypto.subtle.exportKey('pkcs8', key.cryptoKey)).rejects.toThrow()
    await expect(crypto.subtle.exportKey('jwk', key.cryptoKey)).rejects.toThrow()
    expect(opened.vault).toBe(vault)
  })

  it('survives a round trip through its text, which does not contain the seed', () => {
    const text = JSON.stringify(vault)
    expect(readVaultFile(new TextEncoder().encode(text))).toEqual(ok(vault))
    expect(text).not.toContain(bytesToHex(SEED))
    expect(text).not.toContain(Buffer.from(SEED).toString('base64url').slice(0, 20))
  })

  it('never uses a salt or a nonce twice', async () => {
    const again = valueOf(
      await addPasskey(vault, byPasskey(), { ...PASSKEY, credentialId: 'b3RoZXI' }, ports),
    )
    const used = [vault.id, vault.iv, ...again.slots.flatMap(({ salt, iv }) => [salt, iv])]
    expect(new Set(used).size).toBe(used.length)
  })

  it.each([
    ['another passphrase', byPassphrase(OTHER)],
    ['no passphrase', byPassphrase(new Uint8Array())],
    ['a wrong secret of the passkey', byPasskey({ secret: new Uint8Array(32).fill(8) })],
    ['another passkey', byPasskey({ credentialId: 'b3RoZXI' })],
  ])('stays closed to %s', async (_what, secret) => {
    expect(await opens(vault, secret)).toBe('wrong-secret')
  })

  it('derives nothing for a slot above the cost ceiling', async () => {
    const [slot] = vault.slots
    if (slot?.kind !== 'passphrase') throw new Error('no passphrase slot')
    const dear = { ...vault, slots: [{ ...slot, memoryKib: ARGON2_CEILING.memoryKib + 1 }] }
    const refusing = { ...ports, deriveKey: () => Promise.reject(new Error('derived')) }
    expect(await openVault(dear, byPassphrase(), refusing)).toEqual(err('wrong-secret'))
  })
})

const textOf = (header: Uint8Array): string => new TextDecoder().decode(header)
const ids = { version: 1, id: 'aWQ', publicKey: 'ab', family: 'chain', createdMs: 5 } as const
const shared = { salt: 'c2FsdA', iv: 'aXY' }

it('the authenticated headers of a vault never change, because no existing vault would open', () => {
  expect(textOf(vaultHeader(ids))).toBe('immune-node-vault\n1\naWQ\nab\nchain\n5')
  expect(textOf(grantsHeader(ids))).toBe('immune-node-vault-grants\n1\naWQ\nab')
  expect(
    textOf(slotHeader(ids, { kind: 'passphrase', memoryKib: 65_536, passes: 3, lanes: 1, ...shared })),
  ).toBe('immune-node-vault-passphrase\n1\naWQ\nab\n65536\n3\n1\nc2FsdA')
  expect(textOf(slotHeader(ids, { kind: 'passkey', credentialId: 'Y3I', prfSalt: 'cHI', ...shared }))).toBe(
    'immune-node-vault-passkey\n1\naWQ\nab\nY3I\ncHI\nc2FsdA',
  )
})

describe('the grants of a vault', () => {
  const granted = (host: string) => ({ serviceId: serviceIdOf(`https://${host}.example`), profiles: [] })
  const sealWith = async (grants: readonly SigningGrant[]): Promise<Vault> =>
    sealSeed(SEED, PASSPHRASE, { family: 'plain', createdMs: 1, grants }, ports)
  const grantsIn = async (candidate: Vault) => {
    const opened = await openVault(candidate, byPassphrase(), ports)
    return opened.ok ? opened.value.grants : opened.error
  }

  it('are encrypted in it and returned on opening', async () => {
    const sealed = await sealWith([granted('a'), granted('b')])
    expect(readVault(sealed)).toEqual(ok(sealed))
    expect(JSON.stringify(sealed)).not.toContain(granted('a').serviceId)
    expect(await grantsIn(sealed)).toEqual([granted('a'), granted('b')])
  })

  it('are an absent member if none were named', async () => {
    const sealed = await sealWith([])
    expect(sealed).not.toHaveProperty('grants')
    expect(await grantsIn(sealed)).toEqual([])
  })

  it('are empty if truncated, changed or copied from another vault of the same key', async () => {
    const [one, other] = [await sealWith([granted('a')]), await sealWith([granted('b')])]
    if (one.grants === undefined || other.grants === undefined) throw new Error('nothing sealed')
    const { iv, sealed } = one.grants
    for (const grants of [
      other.grants,
      { iv: other.grants.iv, sealed },
      { iv, sealed: other.grants.sealed },
      { iv, sealed: sealed.slice(0, 8) },
      { iv: '*', sealed },
      { iv, sealed: '*' },
    ])
      expect(await grantsIn({ ...one, grants })).toEqual([])
  })

  it('are sealed again only if they change', async () => {
    const sealed = await sealWith([granted('a')])
    const same = await openVault(sealed, byPassphrase(), ports, (grants) => [...grants])
    expect(same.ok && same.value.vault).toBe(sealed)
    const more = valueOf(
      await openVault(sealed, byPassphrase(), ports, (grants) => [...grants, granted('b')]),
    )
    expect(more.grants).toEqual([granted('a'), granted('b')])
    expect(more.vault.grants?.iv).not.toBe(sealed.grants?.iv)
    expect(await grantsIn(more.vault)).toEqual(more.grants)
  })
})

it('the key derived from a passphrase is zeroed once the vault is open', async () => {
  const derived: Uint8Array[] = []
  const keeping = {
    ...ports,
    deriveKey: async (...question: Parameters<typeof quickly>) => {
      const key = await quickly(...question)
      derived.push(key)
      return key
    },
  }
  expect((await openVault(vault, byPassphrase(), keeping)).ok).toBe(true)
  expect(derived.map((key) => key.every((byte) => byte === 0))).toEqual([true])
})

it('sealing a vault zeroes the plaintext that it encrypted', async () => {
  const encrypt = vi.spyOn(crypto.subtle, 'encrypt')
  await sealSeed(SEED, PASSPHRASE, { family: 'plain', createdMs: 1 }, ports)
  expect(encrypt.mock.calls.map(([, , data]) => data)).toEqual([new Uint8Array(48)])
})

it('the keys between a secret and a seed are not extractable, except one being wrapped again', async () => {
  const sealed = await sealSeed(SEED, PASSPHRASE, { family: 'plain', createdMs: 1 }, ports)
  const both = valueOf(await addPasskey(sealed, byPassphrase(), PASSKEY, ports))
  const unwrapKey = vi.spyOn(crypto.subtle, 'unwrapKey')
  const importKey = vi.spyOn(crypto.subtle, 'importKey')
  const deriveKey = vi.spyOn(crypto.subtle, 'deriveKey')
  for (const secret of [byPassphrase(), byPasskey()]) expect(await opens(both, secret)).toBe('open')
  expect(unwrapKey.mock.calls.map(([format, , , , , extractable]) => [format, extractable])).toEqual([
    ['raw', false],
    ['pkcs8', false],
    ['raw', false],
    ['pkcs8', false],
  ])
  valueOf(await changePassphrase(both, byPasskey(), PASSPHRASE, ports))
  expect(unwrapKey.mock.calls.at(-1)?.[5]).toBe(true)
  expect(importKey.mock.calls.map(([, , , extractable]) => extractable)).not.toContain(true)
  expect(deriveKey.mock.calls.map(([, , , extractable]) => extractable)).toEqual([false, false])
})

/** Caches derivations, because the real Argon2id is slow. */
function remembering(derive: typeof argon2id): {
  readonly deriveKey: typeof argon2id
  readonly asked: () => number
} {
  const answers = new Map<string, Promise<Uint8Array>>()
  return {
    asked: () => answers.size,
    deriveKey: async (passphrase, salt, cost) => {
      const question = `${bytesToHex(passphrase)} ${bytesToHex(salt)} ${cost.memoryKib} ${cost.passes} ${cost.lanes}`
      const answer = answers.get(question) ?? derive(passphrase, salt, cost)
      answers.set(question, answer)
      return (await answer).slice() // The vault zeroes the bytes that it gets.
    },
  }
}

describe('a tampered vault', () => {
  it('is refused if a bit of any byte is flipped', async () => {
    const { deriveKey, asked } = remembering(isAll() ? argon2id : quickly)
    const real = { ...ports, deriveKey }
    const sealed = await sealSeed(
      SEED,
      PASSPHRASE,
      { family: 'plain', createdMs: 1_790_000_000_000, cost: ARGON2_FLOOR },
      real,
    )
    const text = JSON.stringify(valueOf(await addPasskey(sealed, byPassphrase(), PASSKEY, real)))
    const bytes = new TextEncoder().encode(text)
    const [header, passkey] = [text.indexOf('"slots"'), text.indexOf('{"kind":"passkey"')]
    const accepted: string[] = []
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice()
      changed[at] = (changed[at] ?? 0) ^ 1
      const read = readVaultFile(changed)
      if (!read.ok) continue
      // A change inside one slot need not affect the other, so it is tried with that slot's secret only.
      const secrets =
        at < header ? [byPasskey(), byPassphrase()] : [at < passkey ? byPassphrase() : byPasskey()]
      for (const secret of secrets)
        if ((await opens(read.value, secret, real)) === 'open')
          accepted.push(`${at}: ${text.slice(Math.max(0, at - 20), at + 5)}`)
    }
    expect(accepted).toEqual([])
    // Derived: the original, most changed salts and each changed cost within the limits, but no salt that is not base64.
    expect(asked()).toBeGreaterThan(10)
  })

  it('is refused with the header of another vault of the same key', async () => {
    const other = await sealSeed(
      SEED,
      PASSPHRASE,
      { family: 'chain', createdMs: 5, cost: ARGON2_FLOOR },
      ports,
    )
    for (const field of ['id', 'family', 'createdMs'] as const)
      expect(await opens({ ...vault, [field]: other[field] }, byPasskey())).not.toBe('open')
    expect(await opens({ ...vault, iv: other.iv, sealedKey: other.sealedKey }, byPasskey())).toBe('damaged')
    expect(await opens({ ...vault, slots: other.slots }, byPassphrase())).toBe('wrong-secret')
    expect(await opens(other, byPassphrase())).toBe('open')
  })

  it('is refused when its cost was lowered to the floor', async () => {
    const dearer = valueOf(await changePassphrase(vault, byPasskey(), PASSPHRASE, ports))
    const [slot] = dearer.slots
    if (slot?.kind !== 'passphrase') throw new Error('no passphrase slot')
    expect(slot).toMatchObject(ARGON2_DEFAULT)
    const lowered = { ...dearer, slots: [{ ...slot, ...ARGON2_FLOOR }] }
    expect(readVault(lowered).ok).toBe(true)
    expect(await opens(lowered, byPassphrase())).toBe('wrong-secret')
  })

  it.each([
    ['memory below the floor', { memoryKib: ARGON2_FLOOR.memoryKib - 1 }, 'cost-refused'],
    ['passes below the floor', { passes: ARGON2_FLOOR.passes - 1 }, 'cost-refused'],
    ['memory above the ceiling', { memoryKib: ARGON2_CEILING.memoryKib + 1 }, 'cost-refused'],
    ['passes above the ceiling', { passes: ARGON2_CEILING.passes + 1 }, 'cost-refused'],
    ['more lanes', { lanes: 2 }, 'not-a-vault'],
    ['a fraction of a pass', { passes: 2.5 }, 'not-a-vault'],
    ['an unknown member', { more: 1 }, 'not-a-vault'],
    ['a salt of 15 bytes', { salt: 'A'.repeat(20) }, 'not-a-vault'],
    ['a nonce of 13 bytes', { iv: 'A'.repeat(18) }, 'not-a-vault'],
    ['a wrapped key without its tag', { wrappedKey: 'A'.repeat(43) }, 'not-a-vault'],
    ['a salt with padding', { salt: `${'A'.repeat(22)}==` }, 'not-a-vault'],
  ])('is refused with %s', (_what, over, problem) => {
    const [slot, ...others] = vault.slots
    expect(readVault({ ...vault, slots: [{ ...slot, ...over }, ...others] })).toEqual(err(problem))
  })

  it.each([
    ['the floor', ARGON2_FLOOR],
    ['the ceiling', ARGON2_CEILING],
  ])('is readable with a cost at %s', (_what, cost) => {
    const [slot, ...others] = vault.slots
    expect(readVault({ ...vault, slots: [{ ...slot, ...cost }, ...others] }).ok).toBe(true)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'vault'],
    ['a list', []],
    ['a newer version', { version: 2 }],
    ['no slots', { slots: [] }],
    ['too many slots', { slots: 'many' }],
    ['an unknown member', { label: 'x' }],
    ['a public key in upper case', { publicKey: 'A'.repeat(64) }],
    ['a negative time', { createdMs: -1 }],
    ['an unknown family', { family: 'both' }],
    ['another format', { format: 'vault' }],
    ['an id of one letter', { id: 'A' }],
    ['an id with an invalid character', { id: `${'A'.repeat(21)}*` }],
    ['a digit too many in its public key', { publicKey: 'a'.repeat(65) }],
    ['a letter before its public key', { publicKey: `x${'a'.repeat(64)}` }],
    ['a letter after its public key', { publicKey: `${'a'.repeat(64)}x` }],
    ['an invalid character before its sealed grants', { grants: { iv: 'A'.repeat(16), sealed: '*A' } }],
    ['an invalid character after its sealed grants', { grants: { iv: 'A'.repeat(16), sealed: 'A*' } }],
  ])('is not a vault: %s', (_what, over) => {
    const slots = Array<unknown>(SLOTS_MAX + 1).fill(vault.slots[0])
    const input =
      typeof over === 'object' && over !== null && !Array.isArray(over)
        ? { ...vault, ...over, ...('slots' in over && over.slots === 'many' && { slots }) }
        : over
    expect(readVault(input)).toEqual(err('not-a-vault'))
  })

  it.each([
    ['is not JSON', new TextEncoder().encode('{')],
    ['is not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['is empty', new Uint8Array()],
    ['is far too long', new Uint8Array(VAULT_INPUT_BYTES_MAX + 1).fill(0x20)],
  ])('is not a vault when its file %s', (_what, bytes) => {
    expect(readVaultFile(bytes)).toEqual(err('not-a-vault'))
  })
})

describe('slots', () => {
  it('replace the passphrase and keep the passkey', async () => {
    const changed = valueOf(await changePassphrase(vault, byPassphrase(), OTHER, ports))
    expect(await opens(changed, byPassphrase())).toBe('wrong-secret')
    expect(await opens(changed, byPassphrase(OTHER))).toBe('open')
    expect(await opens(changed, byPasskey())).toBe('open')
    expect(changed.sealedKey).toBe(vault.sealedKey)
    expect(await changePassphrase(vault, byPassphrase(OTHER), OTHER, ports)).toEqual(err('wrong-secret'))
  })

  it('for passkeys are added only with a secret that opens, up to a limit, and can be removed', async () => {
    const wrong = byPasskey({ secret: new Uint8Array(32) })
    expect(await addPasskey(vault, wrong, PASSKEY, ports)).toEqual(err('wrong-secret'))
    const full = { ...vault, slots: Array<Vault['slots'][number]>(SLOTS_MAX).fill(vault.slots[1] ?? never()) }
    expect(await addPasskey(full, byPasskey(), PASSKEY, ports)).toEqual(err('too-many'))
    expect(withoutPasskey(vault, 'b3RoZXI').slots).toEqual(vault.slots)
    const without = withoutPasskey(vault, PASSKEY.credentialId)
    expect(without.slots).toEqual([vault.slots[0]])
    expect(await opens(without, byPasskey())).toBe('wrong-secret')
  })

  it('for passkeys are dropped from a vault to be moved', async () => {
    const moved = movableVault(vault)
    expect(moved.slots.map(({ kind }) => kind)).toEqual(['passphrase'])
    expect(await opens(moved, byPassphrase())).toBe('open')
  })
})

it('Argon2id matches hash-wasm and leaves the passphrase intact', async () => {
  const salt = new Uint8Array(16).fill(3)
  const cost = { memoryKib: 64, passes: 2, lanes: 1 } as const
  // Computed by hash-wasm 4.13.0, which is compiled from C.
  const passphrase = PASSPHRASE.slice()
  expect(bytesToHex(await argon2id(passphrase, salt, cost))).toBe(
    '3eb6a17a8bc1e2ca7994b13b70e3380f09d6ccb3e2c378888c4018fbe2734231',
  )
  expect(passphrase).toEqual(PASSPHRASE)
})

const never = (): never => {
  throw new Error('no such slot')
}
