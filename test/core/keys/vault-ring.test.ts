import { beforeEach, describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { bytesToHex } from '#base/bytes.ts'
import { type Cryptography, createPlainKey, publicKeyOf } from '#keys/signing-key.ts'
import type { DeriveKey } from '#keys/passphrase-key.ts'
import { createMemoryKeyStore, type MemoryKeyStore } from '#test/support/memory-key-store.ts'
import { byPasskey, byWords, inVault, isZero, passkey, words } from '#test/support/vault-secrets.ts'
import { ringForService, type RingForService, RING_GRANTS } from '#test/support/ring-for-service.ts'
import { quickly, quickRing } from '#test/support/quick-derivation.ts'
import { valueOf } from '#test/support/value-of.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'

const SEED = new Uint8Array(32).fill(0xb3)
const PUBLIC_KEY = bytesToHex(publicKeyOf(SEED))
const HOUR_MS = 3_600_000

let store: MemoryKeyStore
let now = 1_000
beforeEach(() => {
  store = createMemoryKeyStore()
  now = 1_000
})

const ringWith = (deriveKey: DeriveKey = quickly, cryptography: Cryptography = 'webcrypto'): RingForService =>
  ringForService(quickRing({ store, cryptography, deriveKey, wallMs: () => now }))

describe('a key in a vault', () => {
  it('signs from the start, is encrypted in the store, and is locked for the next signer', async () => {
    const ring = ringWith()
    const passphrase = words()
    const info = valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault(passphrase)))
    expect(info).toEqual({
      publicKey: PUBLIC_KEY,
      label: 'desk',
      createdMs: 1_000,
      custody: 'vault',
      family: 'plain',
      locked: false,
      passkeys: [],
      grants: RING_GRANTS,
    })
    expect(isZero(passphrase)).toBe(true)
    const record = store.records.get(PUBLIC_KEY)
    expect(record).not.toHaveProperty('key')
    expect(JSON.stringify(record)).not.toContain(Buffer.from(SEED).toString('base64url').slice(0, 16))

    const next = ringWith()
    expect(await next.list()).toEqual([{ ...info, locked: true }])
    expect(await next.find(PUBLIC_KEY)).toBe('locked')
    expect(await next.find(undefined)).toBe('locked')
    expect(await next.unlock(PUBLIC_KEY, byWords())).toEqual(ok(info))
    const key = await next.find(PUBLIC_KEY)
    if (key === 'locked' || key === undefined) throw new Error('not open')
    const message = words('a message')
    expect(await key.sign(message)).toEqual(await createPlainKey(SEED).sign(message))
  })

  it('stops signing when it is locked, even with a key already handed out', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    const device = valueOf(await ring.make('wall'))
    const key = await ring.find(PUBLIC_KEY)
    if (key === 'locked' || key === undefined) throw new Error('not open')
    ring.lock()
    await expect(key.sign(words())).rejects.toThrow('forgotten')
    expect(await ring.find(PUBLIC_KEY)).toBe('locked')
    expect(await ring.vaultCounts()).toEqual({ open: 0, locked: 1 })
    expect(await ring.find(device.publicKey)).not.toBe('locked')
    expect(await ring.list()).toMatchObject([{ locked: true }, { custody: 'device' }])
  })

  it.each([
    ['a wrong passphrase', PUBLIC_KEY, byWords('some other passphrase'), 'wrong-secret'],
    ['an unknown passkey', PUBLIC_KEY, byPasskey(), 'wrong-secret'],
    ['an unknown public key', '0'.repeat(64), byWords(), 'no-vault'],
  ])('stays locked with %s, and zeroes the secret', async (_what, publicKey, secret, problem) => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    ring.lock()
    expect(await ring.unlock(publicKey, secret)).toEqual(err(problem))
    expect(isZero(secret.kind === 'passphrase' ? secret.passphrase : secret.secret)).toBe(true)
    expect(await ring.find(PUBLIC_KEY)).toBe('locked')
  })

  it('stays locked if it is locked during an unlock', async () => {
    const [held, deriving] = [withResolvers(), withResolvers()]
    const first = ringWith()
    valueOf(await first.keepSeed(SEED, 'plain', 'desk', inVault()))
    const ring = ringWith(async (...question) => {
      deriving.resolve()
      await held.promise
      return quickly(...question)
    })
    const unlocking = ring.unlock(PUBLIC_KEY, byWords())
    await deriving.promise
    ring.lock()
    held.resolve()
    expect(valueOf(await unlocking).locked).toBe(true)
    expect(await ring.find(PUBLIC_KEY)).toBe('locked')
  })

  it('replaces the same key on the device, and is replaced by one for the session', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'first', { custody: 'device' }))
    valueOf(await ring.keepSeed(SEED, 'plain', 'second', inVault()))
    expect(store.records.get(PUBLIC_KEY)).not.toHaveProperty('key')
    valueOf(await ring.keepSeed(SEED, 'plain', 'third', { custody: 'session' }))
    expect(store.records.size).toBe(0)
    expect(await ring.list()).toMatchObject([{ label: 'third', custody: 'session' }])
  })

  it('is refused, not silently kept for the session, when it cannot be stored', async () => {
    store.works = 'reading'
    const ring = ringWith()
    expect(await ring.make('new', inVault())).toEqual(err('not-kept'))
    store.works = 'nothing'
    expect(await ringWith().make('new', inVault())).toEqual(err('not-kept'))
    expect(await ring.list()).toEqual([])
  })

  it.each([
    ['a passphrase of 11 bytes', 'webcrypto', inVault(words('x'.repeat(11))), 'passphrase-short'],
    ['a passphrase of 1,025 bytes', 'webcrypto', inVault(words('x'.repeat(1_025))), 'passphrase-short'],
    ['plain http and a vault', 'javascript', inVault(), 'not-secure'],
    ['plain http and the device', 'javascript', { custody: 'device' }, 'not-secure'],
  ] as const)('is refused with %s', async (_what, cryptography, place, problem) => {
    const ring = ringWith(quickly, cryptography)
    expect(await ring.make('new', place)).toEqual(err(problem))
    expect(await ring.keepSeed(SEED, 'plain', 'x', place)).toEqual(err(problem))
    expect(await ring.list()).toEqual([])
  })

  it.each([12, 1_024])('accepts a passphrase of %i bytes', async (length) => {
    expect(valueOf(await ringWith().make('new', inVault(words('x'.repeat(length))))).custody).toBe('vault')
  })
})

describe('a chain key', () => {
  it('is refused for the device, and kept in a vault or for the session', async () => {
    const ring = ringWith()
    expect(await ring.keepSeed(SEED, 'chain', 'x', { custody: 'device' })).toEqual(err('chain-key'))
    expect(await ring.keepSeed(SEED, 'chain', 'x')).toEqual(err('chain-key'))
    expect(valueOf(await ring.keepSeed(SEED, 'chain', 'x', { custody: 'session' })).custody).toBe('session')
    expect(valueOf(await ring.keepSeed(SEED, 'chain', 'x', inVault())).custody).toBe('vault')
    expect(store.records.get(PUBLIC_KEY)?.vault?.family).toBe('chain')
    expect(isZero(SEED)).toBe(false)
  })

  it('is found and listed as a chain key for the session, in a vault and by the next signer', async () => {
    const family = async (from: RingForService) => {
      const key = await from.find(PUBLIC_KEY)
      return key === undefined || key === 'locked' ? key : key.family
    }
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'chain', 'x', { custody: 'session' }))
    expect([await family(ring), (await ring.list())[0]?.family]).toEqual(['chain', 'chain'])
    valueOf(await ring.keepSeed(SEED, 'chain', 'x', inVault()))
    expect([await family(ring), (await ring.list())[0]?.family]).toEqual(['chain', 'chain'])
    const next = ringWith()
    expect([await family(next), (await next.list())[0]?.family]).toEqual(['locked', 'chain'])
    valueOf(await next.unlock(PUBLIC_KEY, byWords()))
    expect(await family(next)).toBe('chain')
  })

  it.each(['session', 'vault'] as const)(
    'kept for the %s stays a chain key when its bare seed is added again',
    async (custody) => {
      const ring = ringWith()
      const place = custody === 'vault' ? inVault() : { custody }
      valueOf(await ring.keepSeed(SEED, 'chain', 'x', place))
      expect(await ring.keepSeed(SEED, 'plain', 'x', { custody: 'device' })).toEqual(err('chain-key'))
      expect(await ring.keepSeed(SEED, 'plain', 'x')).toEqual(err('chain-key'))
      expect(valueOf(await ring.keepSeed(SEED, 'plain', 'x', { custody: 'session' })).family).toBe('chain')
      expect(valueOf(await ring.keepSeed(SEED, 'plain', 'x', inVault())).family).toBe('chain')
      expect(store.records.get(PUBLIC_KEY)?.vault?.family).toBe('chain')
    },
  )
})

describe('the secrets of a vault', () => {
  it('can be changed only with one that opens it, and both are zeroed', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    const [old, next] = [words('some other passphrase'), words('the next passphrase')]
    const byOld = { kind: 'passphrase', passphrase: old } as const
    expect(await ring.changePassphrase(PUBLIC_KEY, byOld, next)).toEqual(err('wrong-secret'))
    expect([isZero(old), isZero(next)]).toEqual([true, true])
    expect(await ring.changePassphrase(PUBLIC_KEY, byWords(), words('short'))).toEqual(
      err('passphrase-short'),
    )
    valueOf(await ring.changePassphrase(PUBLIC_KEY, byWords(), words('the next passphrase')))
    ring.lock()
    expect((await ring.unlock(PUBLIC_KEY, byWords())).ok).toBe(false)
    expect((await ring.unlock(PUBLIC_KEY, byWords('the next passphrase'))).ok).toBe(true)
    expect(await ring.changePassphrase('0'.repeat(64), byWords(), words())).toEqual(err('no-vault'))
  })

  it('can include a passkey until it is removed', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    const given = passkey()
    const info = valueOf(await ring.addPasskey(PUBLIC_KEY, byWords(), given))
    expect(info.passkeys).toEqual([{ credentialId: 'aWQ', prfSalt: 'B'.repeat(43) }])
    expect(isZero(given.secret)).toBe(true)
    ring.lock()
    const later = ringWith()
    expect((await later.unlock(PUBLIC_KEY, byPasskey())).ok).toBe(true)
    valueOf(await later.removePasskey(PUBLIC_KEY, 'aWQ'))
    later.lock()
    expect(await later.unlock(PUBLIC_KEY, byPasskey())).toEqual(err('wrong-secret'))
    expect((await later.unlock(PUBLIC_KEY, byWords())).ok).toBe(true)
  })

  it('stay unchanged when a change cannot be stored', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    store.works = 'reading'
    expect(await ring.addPasskey(PUBLIC_KEY, byWords(), passkey())).toEqual(err('not-kept'))
    expect(await ring.list()).toMatchObject([{ passkeys: [] }])
    store.works = 'all'
    expect((await ring.unlock(PUBLIC_KEY, byWords())).ok).toBe(true)
  })
})

describe('an exported vault', () => {
  it('opens elsewhere with its passphrase, and is stored only if it opens', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    valueOf(await ring.addPasskey(PUBLIC_KEY, byWords(), passkey()))
    const file = words(valueOf(await ring.exportVault(PUBLIC_KEY)))
    store = createMemoryKeyStore()
    const elsewhere = ringWith()
    const passphrase = words('some other passphrase')
    expect(await elsewhere.importVault(file, passphrase, 'moved')).toEqual(err('wrong-secret'))
    expect(isZero(passphrase)).toBe(true)
    expect(store.records.size).toBe(0)
    expect(valueOf(await elsewhere.importVault(file, words(), 'moved'))).toMatchObject({
      publicKey: PUBLIC_KEY,
      label: 'moved',
      locked: false,
      passkeys: [],
    })
    expect(await ringWith().list()).toMatchObject([{ publicKey: PUBLIC_KEY, locked: true }])
  })

  it('replaces an existing key only on request, and derives no key before that', async () => {
    let derived = 0
    const ring = ringWith(async (...question) => {
      derived++
      return quickly(...question)
    })
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    const file = words(valueOf(await ring.exportVault(PUBLIC_KEY)))
    valueOf(await ring.changePassphrase(PUBLIC_KEY, byWords(), words('the next passphrase')))
    const before = derived
    for (const replace of [undefined, false]) {
      const passphrase = words()
      expect(await ring.importVault(file, passphrase, 'moved', replace)).toEqual(err('exists'))
      expect(isZero(passphrase)).toBe(true)
    }
    expect(derived).toBe(before)
    ring.lock()
    expect((await ring.unlock(PUBLIC_KEY, byWords())).ok).toBe(false)
    expect(await ring.importVault(file, words('some other passphrase'), 'moved', true)).toEqual(
      err('wrong-secret'),
    )
    expect((await ring.unlock(PUBLIC_KEY, byWords('the next passphrase'))).ok).toBe(true)
    expect(valueOf(await ring.importVault(file, words(), 'moved', true)).label).toBe('moved')
    ring.lock()
    expect((await ring.unlock(PUBLIC_KEY, byWords())).ok).toBe(true)
  })

  it.each(['session', 'vault'] as const)(
    'of a plain key never replaces a chain key kept for the %s, even on request',
    async (custody) => {
      const elsewhere = ringWith()
      valueOf(await elsewhere.keepSeed(SEED, 'plain', 'elsewhere', inVault()))
      const file = words(valueOf(await elsewhere.exportVault(PUBLIC_KEY)))
      valueOf(await elsewhere.keepSeed(SEED, 'chain', 'elsewhere', inVault()))
      const chainFile = words(valueOf(await elsewhere.exportVault(PUBLIC_KEY)))
      valueOf(await elsewhere.remove(PUBLIC_KEY))

      const ring = ringWith()
      const place = custody === 'vault' ? inVault(words('the passphrase of here')) : { custody }
      valueOf(await ring.keepSeed(SEED, 'chain', 'here', place))
      const before = await ring.list()
      for (const replace of [false, true]) {
        const passphrase = words()
        expect(await ring.importVault(file, passphrase, 'moved', replace)).toEqual(err('chain-key'))
        expect(isZero(passphrase)).toBe(true)
      }
      expect(await ring.list()).toEqual(before)
      // A vault marked as a chain key may replace it, and the key stays a chain key.
      const moved = valueOf(await ring.importVault(chainFile, words(), 'moved', true))
      expect([moved.family, moved.custody]).toEqual(['chain', 'vault'])
    },
  )

  it('exists only for a key in a vault', async () => {
    const ring = ringWith()
    const device = valueOf(await ring.make('wall'))
    const session = valueOf(await ring.make('now', { custody: 'session' }))
    for (const { publicKey } of [device, session])
      expect(await ring.exportVault(publicKey)).toEqual(err('no-vault'))
  })

  it('is refused on plain http and when it is not a vault', async () => {
    expect(await ringWith(quickly, 'javascript').importVault(words(), words(), 'x')).toEqual(
      err('not-secure'),
    )
    expect(await ringWith().importVault(words('{}'), words(), 'x')).toEqual(err('not-a-vault'))
  })
})

describe('the notes on a key', () => {
  it('include its last use, stored at most once an hour', async () => {
    const ring = ringWith()
    const { publicKey } = valueOf(await ring.make('wall'))
    const noted = () => store.records.get(publicKey)?.lastUsedMs
    now = 5_000_000
    await ring.find(undefined)
    expect(noted()).toBe(5_000_000)
    now += HOUR_MS - 1
    await ring.find(publicKey)
    expect(noted()).toBe(5_000_000)
    expect(await ring.list()).toMatchObject([{ lastUsedMs: now }])
    now += 1
    await ring.find(publicKey)
    expect(noted()).toBe(5_000_000 + HOUR_MS)
    const next = ringWith()
    expect(await next.list()).toMatchObject([{ lastUsedMs: now }])
    // The hour counts from the stored time, even for the next signer.
    now += HOUR_MS - 1
    await next.find(publicKey)
    expect(noted()).toBe(5_000_000 + HOUR_MS)
    // Reloading the list keeps the later time that storage does not have yet.
    expect(await next.list()).toMatchObject([{ lastUsedMs: now }])
  })

  it('include a label and an expiry that can be removed, and never rewrite the key', async () => {
    const ring = ringWith()
    const { publicKey } = valueOf(await ring.make('wall'))
    const before = store.records.get(publicKey)?.key
    expect(await ring.note(publicKey, { label: `  ${'n'.repeat(70)}`, notAfterMs: 9 })).toMatchObject({
      ok: true,
    })
    expect(await ring.list()).toMatchObject([{ label: 'n'.repeat(60), notAfterMs: 9 }])
    expect(store.records.get(publicKey)?.key).toBe(before)
    await ring.note(publicKey, { label: 'door' })
    expect((await ring.list())[0]).not.toHaveProperty('notAfterMs')
    expect(store.records.get(publicKey)).not.toHaveProperty('lastUsedMs')
    await ring.find(publicKey)
    await ring.note(publicKey, { label: 'door' })
    expect(store.records.get(publicKey)).toMatchObject({ lastUsedMs: now })
    expect(await ring.list()).toMatchObject([{ lastUsedMs: now }])
    store.works = 'reading'
    expect(await ring.note(publicKey, { label: 'x' })).toEqual(err('not-kept'))
    expect(await ring.note('0'.repeat(64), { label: 'x' })).toEqual(err('not-kept'))
    expect(await ring.list()).toMatchObject([{ label: 'door' }])
  })
})
