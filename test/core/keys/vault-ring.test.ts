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

  it('lets go of its key when it is locked, also of one that is in use', async () => {
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
    ['a passkey that it does not know', PUBLIC_KEY, byPasskey(), 'wrong-secret'],
    ['a public key that is not here', '0'.repeat(64), byWords(), 'no-vault'],
  ])('stays locked with %s, and what was given is zero', async (_what, publicKey, secret, problem) => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    ring.lock()
    expect(await ring.unlock(publicKey, secret)).toEqual(err(problem))
    expect(isZero(secret.kind === 'passphrase' ? secret.passphrase : secret.secret)).toBe(true)
    expect(await ring.find(PUBLIC_KEY)).toBe('locked')
  })

  it('is not opened by an unlock that a lock overtook', async () => {
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

  it('is not on the device any more when it was before, and the other way round', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'first', { custody: 'device' }))
    valueOf(await ring.keepSeed(SEED, 'plain', 'second', inVault()))
    expect(store.records.get(PUBLIC_KEY)).not.toHaveProperty('key')
    valueOf(await ring.keepSeed(SEED, 'plain', 'third', { custody: 'session' }))
    expect(store.records.size).toBe(0)
    expect(await ring.list()).toMatchObject([{ label: 'third', custody: 'session' }])
  })

  it('is refused, not silently for the session, when it can not be kept', async () => {
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

  it.each([12, 1_024])('has a passphrase of %i bytes', async (length) => {
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

  it('is found as one, in a vault, for the session and by the next signer, and listed as one', async () => {
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
    'stays one when its bare seed is brought after it for the %s',
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

describe('the ways into a vault', () => {
  it('are changed only with one that opens it, and every secret given is zero then', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    const [old, next] = [byWords('some other passphrase'), words('the next passphrase')]
    expect(await ring.changePassphrase(PUBLIC_KEY, old, next)).toEqual(err('wrong-secret'))
    expect(isZero(next)).toBe(true)
    expect(await ring.changePassphrase(PUBLIC_KEY, byWords(), words('short'))).toEqual(
      err('passphrase-short'),
    )
    valueOf(await ring.changePassphrase(PUBLIC_KEY, byWords(), words('the next passphrase')))
    ring.lock()
    expect((await ring.unlock(PUBLIC_KEY, byWords())).ok).toBe(false)
    expect((await ring.unlock(PUBLIC_KEY, byWords('the next passphrase'))).ok).toBe(true)
    expect(await ring.changePassphrase('0'.repeat(64), byWords(), words())).toEqual(err('no-vault'))
  })

  it('may be a passkey beside the passphrase, until it is taken out', async () => {
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

  it('stay as they are when a change can not be kept', async () => {
    const ring = ringWith()
    valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault()))
    store.works = 'reading'
    expect(await ring.addPasskey(PUBLIC_KEY, byWords(), passkey())).toEqual(err('not-kept'))
    expect(await ring.list()).toMatchObject([{ passkeys: [] }])
    store.works = 'all'
    expect((await ring.unlock(PUBLIC_KEY, byWords())).ok).toBe(true)
  })
})

describe('a vault that moves', () => {
  it('opens elsewhere with its passphrase, and only there is kept', async () => {
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

  it('is asked about, without any work, where its key is already, and then takes its place', async () => {
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
    'and calls its key a plain one does not replace a chain key that is here for the %s, asked or not',
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
      // One that says so itself may, and then it is still a chain's.
      const moved = valueOf(await ring.importVault(chainFile, words(), 'moved', true))
      expect([moved.family, moved.custody]).toEqual(['chain', 'vault'])
    },
  )

  it('is nothing that another key has', async () => {
    const ring = ringWith()
    const device = valueOf(await ring.make('wall'))
    const session = valueOf(await ring.make('now', { custody: 'session' }))
    for (const { publicKey } of [device, session])
      expect(await ring.exportVault(publicKey)).toEqual(err('no-vault'))
  })

  it('is refused on plain http, and when it is something else', async () => {
    expect(await ringWith(quickly, 'javascript').importVault(words(), words(), 'x')).toEqual(
      err('not-secure'),
    )
    expect(await ringWith().importVault(words('{}'), words(), 'x')).toEqual(err('not-a-vault'))
  })
})

describe('what is noted down about a key', () => {
  it('is when it was last used, written to storage once an hour at most', async () => {
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
    // The next signer knows from storage when that was, too.
    now += HOUR_MS - 1
    await next.find(publicKey)
    expect(noted()).toBe(5_000_000 + HOUR_MS)
    // What this one knows and storage does not stays when the list is read anew.
    expect(await next.list()).toMatchObject([{ lastUsedMs: now }])
  })

  it('is a label and an end, which can be taken back, and not a key anew', async () => {
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
