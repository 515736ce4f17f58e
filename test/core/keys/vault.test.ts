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

/** Its passphrase slot is of the floor's cost. */
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
  it('opens to a key that signs as the seed does and gives its bytes to nobody', async () => {
    const opened = valueOf(await openVault(vault, byPasskey(), ports))
    const message = new TextEncoder().encode('a message')
    const { key } = opened
    expect(bytesToHex(key.publicKey)).toBe(PUBLIC_KEY)
    expect(await key.sign(message)).toEqual(await createPlainKey(SEED).sign(message))
    await expect(crypto.subtle.exportKey('pkcs8', key.cryptoKey)).rejects.toThrow()
    await expect(crypto.subtle.exportKey('jwk', key.cryptoKey)).rejects.toThrow()
    expect(opened.vault).toBe(vault)
  })

  it('is a document that comes back from its own text, and says nothing of the seed', () => {
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
    ['another secret of the passkey', byPasskey({ secret: new Uint8Array(32).fill(8) })],
    ['another passkey', byPasskey({ credentialId: 'b3RoZXI' })],
  ])('stays closed to %s', async (_what, secret) => {
    expect(await opens(vault, secret)).toBe('wrong-secret')
  })

  it('does not derive at all what costs more than the ceiling', async () => {
    const [slot] = vault.slots
    if (slot?.kind !== 'passphrase') throw new Error('no passphrase slot')
    const dear = { ...vault, slots: [{ ...slot, memoryKib: ARGON2_CEILING.memoryKib + 1 }] }
    const refusing = { ...ports, deriveKey: () => Promise.reject(new Error('derived')) }
    expect(await openVault(dear, byPassphrase(), refusing)).toEqual(err('wrong-secret'))
  })
})

describe('what a vault is bound to', () => {
  const textOf = (header: Uint8Array): string => new TextDecoder().decode(header)
  const ids = { version: 1, id: 'aWQ', publicKey: 'ab', family: 'chain', createdMs: 5 } as const
  const shared = { salt: 'c2FsdA', iv: 'aXY' }

  it('is written as ever, or no vault from before would open', () => {
    expect(textOf(vaultHeader(ids))).toBe('immune-node-vault\n1\naWQ\nab\nchain\n5')
    expect(textOf(grantsHeader(ids))).toBe('immune-node-vault-grants\n1\naWQ\nab')
    expect(
      textOf(slotHeader(ids, { kind: 'passphrase', memoryKib: 65_536, passes: 3, lanes: 1, ...shared })),
    ).toBe('immune-node-vault-passphrase\n1\naWQ\nab\n65536\n3\n1\nc2FsdA')
    expect(textOf(slotHeader(ids, { kind: 'passkey', credentialId: 'Y3I', prfSalt: 'cHI', ...shared }))).toBe(
      'immune-node-vault-passkey\n1\naWQ\nab\nY3I\ncHI\nc2FsdA',
    )
  })
})

describe('what a vault signs for', () => {
  const granted = (host: string) => ({ serviceId: serviceIdOf(`https://${host}.example`), profiles: [] })
  const sealWith = async (grants: readonly SigningGrant[]): Promise<Vault> =>
    sealSeed(SEED, PASSPHRASE, { family: 'plain', createdMs: 1, grants }, ports)
  const grantsIn = async (candidate: Vault) => {
    const opened = await openVault(candidate, byPassphrase(), ports)
    return opened.ok ? opened.value.grants : opened.error
  }

  it('is sealed in it, readable to nobody, and what opens it finds', async () => {
    const sealed = await sealWith([granted('a'), granted('b')])
    expect(readVault(sealed)).toEqual(ok(sealed))
    expect(JSON.stringify(sealed)).not.toContain(granted('a').serviceId)
    expect(await grantsIn(sealed)).toEqual([granted('a'), granted('b')])
  })

  it('is nothing, and no member of it, where nothing was named', async () => {
    const sealed = await sealWith([])
    expect(sealed).not.toHaveProperty('grants')
    expect(await grantsIn(sealed)).toEqual([])
  })

  it('is nothing where that was cut, changed, or is of another vault of the same key', async () => {
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

  it('is sealed anew only where it changes', async () => {
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

it('what was derived from a passphrase is zero once a vault is open', async () => {
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

it('a new vault leaves nothing of the seed in what was encrypted', async () => {
  const encrypt = vi.spyOn(crypto.subtle, 'encrypt')
  await sealSeed(SEED, PASSPHRASE, { family: 'plain', createdMs: 1 }, ports)
  expect(encrypt.mock.calls.map(([, , data]) => data)).toEqual([new Uint8Array(48)])
})

it('the keys between a secret and a seed can be read by nobody, but for one that is wrapped anew', async () => {
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

/** One question is worked out once, however often it is asked. */
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
      return (await answer).slice() // the vault's code zeroes what it was given
    },
  }
}

describe('a vault that was changed', () => {
  it('is refused whichever byte of it is flipped', async () => {
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
      // Each slot must hold by itself: what is not its own is left to the other's turn.
      const secrets =
        at < header ? [byPasskey(), byPassphrase()] : [at < passkey ? byPassphrase() : byPasskey()]
      for (const secret of secrets)
        if ((await opens(read.value, secret, real)) === 'open')
          accepted.push(`${at}: ${text.slice(Math.max(0, at - 20), at + 5)}`)
    }
    expect(accepted).toEqual([])
    // Itself, most other salts, and each other cost within the limits; a salt that is no base64 any more is not asked for.
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

  it('is refused when its cost was lowered, within the floor or beyond it', async () => {
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
    ['part of a pass', { passes: 2.5 }, 'not-a-vault'],
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
  ])('is read at %s itself', (_what, cost) => {
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
    ['a time in the past of all times', { createdMs: -1 }],
    ['a family that there is not', { family: 'both' }],
    ['another format', { format: 'vault' }],
    ['an id of one letter', { id: 'A' }],
    ['an id with a letter that is none', { id: `${'A'.repeat(21)}*` }],
    ['a digit in front of its public key', { publicKey: 'a'.repeat(65) }],
    ['a letter in front of its public key', { publicKey: `x${'a'.repeat(64)}` }],
    ['a letter behind its public key', { publicKey: `${'a'.repeat(64)}x` }],
    ['a letter in front of sealed grants', { grants: { iv: 'A'.repeat(16), sealed: '*A' } }],
    ['a letter behind sealed grants', { grants: { iv: 'A'.repeat(16), sealed: 'A*' } }],
  ])('is no vault: %s', (_what, over) => {
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
  ])('is no vault when its file %s', (_what, bytes) => {
    expect(readVaultFile(bytes)).toEqual(err('not-a-vault'))
  })
})

describe('slots', () => {
  it('take a new passphrase in the place of the old one and keep the passkey', async () => {
    const changed = valueOf(await changePassphrase(vault, byPassphrase(), OTHER, ports))
    expect(await opens(changed, byPassphrase())).toBe('wrong-secret')
    expect(await opens(changed, byPassphrase(OTHER))).toBe('open')
    expect(await opens(changed, byPasskey())).toBe('open')
    expect(changed.sealedKey).toBe(vault.sealedKey)
    expect(await changePassphrase(vault, byPassphrase(OTHER), OTHER, ports)).toEqual(err('wrong-secret'))
  })

  it('of a passkey are added only with a secret that opens, up to a bound, and taken out again', async () => {
    const wrong = byPasskey({ secret: new Uint8Array(32) })
    expect(await addPasskey(vault, wrong, PASSKEY, ports)).toEqual(err('wrong-secret'))
    const full = { ...vault, slots: Array<Vault['slots'][number]>(SLOTS_MAX).fill(vault.slots[1] ?? never()) }
    expect(await addPasskey(full, byPasskey(), PASSKEY, ports)).toEqual(err('too-many'))
    expect(withoutPasskey(vault, 'b3RoZXI').slots).toEqual(vault.slots)
    const without = withoutPasskey(vault, PASSKEY.credentialId)
    expect(without.slots).toEqual([vault.slots[0]])
    expect(await opens(without, byPasskey())).toBe('wrong-secret')
  })

  it('of passkeys stay behind when a vault is moved', async () => {
    const moved = movableVault(vault)
    expect(moved.slots.map(({ kind }) => kind)).toEqual(['passphrase'])
    expect(await opens(moved, byPassphrase())).toBe('open')
  })
})

it('derives as Argon2id does elsewhere, and leaves the passphrase as it was', async () => {
  const salt = new Uint8Array(16).fill(3)
  const cost = { memoryKib: 64, passes: 2, lanes: 1 } as const
  // Worked out by hash-wasm 4.13.0, which is compiled from C.
  const passphrase = PASSPHRASE.slice()
  expect(bytesToHex(await argon2id(passphrase, salt, cost))).toBe(
    '3eb6a17a8bc1e2ca7994b13b70e3380f09d6ccb3e2c378888c4018fbe2734231',
  )
  expect(passphrase).toEqual(PASSPHRASE)
})

const never = (): never => {
  throw new Error('no such slot')
}
