import { describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { KEY_LABEL_CHARS_MAX, KEYS_MAX } from '#keys/key-ring.ts'
import type { KeyStore } from '#keys/key-store.ts'
import { type Cryptography, createPlainKey, publicKeyOf, type SigningKey } from '#keys/signing-key.ts'
import { createMemoryKeyStore } from '#test/support/memory-key-store.ts'
import { quickRing } from '#test/support/quick-derivation.ts'
import { ringForService, type RingForService, RING_GRANTS } from '#test/support/ring-for-service.ts'
import { valueOf } from '#test/support/value-of.ts'

const SEED = new Uint8Array(32).fill(0xa7)
const PUBLIC_KEY = bytesToHex(publicKeyOf(SEED))

type Ring = RingForService & { now: number }

function ringOver(store: KeyStore | undefined, cryptography: Cryptography = 'webcrypto'): Ring {
  const ring: Ring = {
    now: 1_000,
    ...ringForService(quickRing({ store, cryptography, wallMs: () => ring.now })),
  }
  return ring
}

const usable = async (ring: RingForService, id?: string): Promise<SigningKey | undefined> => {
  const key = await ring.find(id)
  if (key === 'locked') throw new Error('locked')
  return key
}

const publicKeyHex = async (ring: RingForService, id?: string) => {
  const key = await usable(ring, id)
  return key === undefined ? undefined : bytesToHex(key.publicKey)
}

describe('a key', () => {
  it('is kept on the device for the next signer', async () => {
    const store = createMemoryKeyStore()
    const made = valueOf(await ringOver(store).make('wall'))
    expect(made).toEqual({
      publicKey: made.publicKey,
      label: 'wall',
      createdMs: 1_000,
      custody: 'device',
      family: 'plain',
      grants: RING_GRANTS,
    })

    const next = ringOver(store)
    expect(await next.list()).toEqual([made])
    const signature = await (await usable(next, made.publicKey))?.sign(new Uint8Array([1]))
    expect(signature?.length).toBe(64)
  })

  it.each([
    ['without a store', undefined, 'webcrypto'],
    ['without WebCrypto', undefined, 'javascript'],
  ] as const)('is kept for the session only %s', async (_when, store, cryptography) => {
    const ring = ringOver(store, cryptography)
    expect(await ring.isKeeping()).toBe(false)
    expect(valueOf(await ring.make('now')).custody).toBe('session')
    expect(valueOf(await ring.keepSeed(SEED, 'plain', 'now')).custody).toBe('session')
    expect(await ring.list()).toHaveLength(2)
  })

  it('is kept for the session while the store is unreadable, and stays once it is readable', async () => {
    const store = createMemoryKeyStore()
    store.works = 'nothing'
    const ring = ringOver(store)
    const made = valueOf(await ring.make('now'))
    expect(made.custody).toBe('session')
    store.works = 'all'
    expect(await ring.list()).toEqual([made])
    expect(await ring.isKeeping()).toBe(true)
  })

  it('is refused, not silently kept for the session, when a readable store rejects it', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    store.works = 'reading'
    expect(await ring.make('full disk')).toEqual({ ok: false, error: 'not-kept' })
    expect(await ring.keepSeed(SEED, 'plain', 'full disk')).toEqual({ ok: false, error: 'not-kept' })
    expect(await ring.list()).toEqual([])
    expect(await ring.find(undefined)).toBeUndefined()
  })

  it.each(['webcrypto', 'javascript'] as const)(
    'is made from its seed with %s, and leaves the seed for its caller to zero',
    async (kind) => {
      const seed = SEED.slice()
      const ring = ringOver(undefined, kind)
      expect(valueOf(await ring.keepSeed(seed, 'plain', 'a')).publicKey).toBe(PUBLIC_KEY)
      expect(seed).toEqual(SEED)
      seed.fill(0)
      expect(await publicKeyHex(ring)).toBe(PUBLIC_KEY)
      expect(await (await usable(ring))?.sign(new Uint8Array([1]))).toEqual(
        await createPlainKey(SEED).sign(new Uint8Array([1])),
      )
    },
  )

  it('imported twice is one key with the newer label and the older date', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    await ring.keepSeed(SEED, 'plain', 'first')
    ring.now = 2_000
    await ring.keepSeed(SEED, 'plain', 'second')
    expect(await ring.list()).toEqual([
      {
        publicKey: PUBLIC_KEY,
        label: 'second',
        createdMs: 1_000,
        custody: 'device',
        family: 'plain',
        grants: RING_GRANTS,
      },
    ])
    expect(await (await usable(ring, PUBLIC_KEY))?.sign(new Uint8Array([1]))).toHaveLength(64)
  })

  it('has its label trimmed and cut to the maximum length', async () => {
    const ring = ringOver(undefined)
    expect(valueOf(await ring.make(`  ${'x'.repeat(1_000)}`)).label).toBe('x'.repeat(KEY_LABEL_CHARS_MAX))
  })

  it.each([
    ['webcrypto', 'at once'],
    ['webcrypto', 'after the list was reloaded'],
    ['javascript', 'at once'],
  ] as const)('stops signing once it is removed, with %s, %s', async (kind, when) => {
    const store = kind === 'webcrypto' ? createMemoryKeyStore() : undefined
    const ring = ringOver(store, kind)
    const { publicKey } = valueOf(await ring.make('old'))
    const key = await usable(ring, publicKey)
    if (when !== 'at once') await ring.list()
    expect(await ring.remove(publicKey)).toEqual({ ok: true, value: undefined })
    expect(await ring.find(publicKey)).toBeUndefined()
    expect(store?.records.size ?? 0).toBe(0)
    await expect(key?.sign(new Uint8Array([1]))).rejects.toThrow('forgotten')
  })

  it('stays when storage cannot remove it, because a reload would bring it back', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    const { publicKey } = valueOf(await ring.make('stuck'))
    store.works = 'reading'
    expect(await ring.remove(publicKey)).toEqual({ ok: false, error: 'not-removed' })
    expect(await publicKeyHex(ring)).toBe(publicKey)
  })
})

describe('several keys', () => {
  it('are listed oldest first, and the newest signs if none is named', async () => {
    const ring = ringOver(createMemoryKeyStore())
    const older = valueOf(await ring.make('older'))
    ring.now = 500 // The clock was set back.
    const early = valueOf(await ring.make('early'))
    ring.now = 3_000
    const newest = valueOf(await ring.make('newest'))
    expect((await ring.list()).map(({ label }) => label)).toEqual(['early', 'older', 'newest'])
    expect(await publicKeyHex(ring)).toBe(newest.publicKey)
    expect(await publicKeyHex(ring, early.publicKey)).toBe(early.publicKey)
    expect(await publicKeyHex(ring, older.publicKey)).toBe(older.publicKey)
    expect(await publicKeyHex(ring, PUBLIC_KEY)).toBeUndefined()
  })

  it(`are at most ${KEYS_MAX}, each of which can still be imported again`, async () => {
    const ring = ringOver(createMemoryKeyStore())
    await ring.keepSeed(SEED, 'plain', 'one')
    for (let i = 1; i < KEYS_MAX; i++) {
      valueOf(await ring.make(`key ${i}`))
    }
    expect(await ring.make('one more')).toEqual({ ok: false, error: 'too-many' })
    expect((await ring.keepSeed(SEED, 'plain', 'again')).ok).toBe(true)
    expect(await ring.list()).toHaveLength(KEYS_MAX)
  })

  it('follow what another signer of this browser adds and removes', async () => {
    const store = createMemoryKeyStore()
    const [here, there] = [ringOver(store), ringOver(store)]
    const made = valueOf(await there.make('there'))
    expect(await here.list()).toEqual([made])
    await there.remove(made.publicKey)
    expect(await here.list()).toEqual([])
    expect(await here.find(undefined)).toBeUndefined()
  })

  it('made at the same time are all kept', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    await Promise.all([ring.make('a'), ring.list(), ring.make('b'), ring.list(), ring.make('c')])
    expect(await ring.list()).toHaveLength(3)
    expect(store.records.size).toBe(3)
  })

  it('stay available after an operation throws', async () => {
    const store = createMemoryKeyStore()
    const broken: KeyStore = {
      ...store,
      put: async () => {
        throw new Error('a bug')
      },
    }
    const ring = ringOver(broken)
    await expect(ring.make('a')).rejects.toThrow('a bug')
    expect(await ring.list()).toEqual([])
  })

  it('keep signing after the list is reloaded', async () => {
    const ring = ringOver(createMemoryKeyStore())
    await ring.make('busy')
    const key = await usable(ring)
    await ring.list()
    expect(await key?.sign(new Uint8Array([1]))).toHaveLength(64)
  })

  it('are loaded up to the limit from a store that holds more', async () => {
    const store = createMemoryKeyStore()
    const { publicKey } = valueOf(await ringOver(store).make('good'))
    const good = store.records.get(publicKey)
    if (good === undefined) throw new Error('nothing was stored')
    for (let i = 16; i < 16 + KEYS_MAX; i++) {
      const id = i.toString(16).repeat(32)
      store.records.set(id, { ...good, publicKey: id })
    }
    expect(await ringOver(store).list()).toHaveLength(KEYS_MAX)
  })

  it.each(['abcd', 'no hex at all'])('are loaded without a record whose public key is %j', async (id) => {
    const store = createMemoryKeyStore()
    const { publicKey } = valueOf(await ringOver(store).make('good'))
    const good = store.records.get(publicKey)
    if (good === undefined) throw new Error('nothing was stored')
    store.records.set('bad', { ...good, publicKey: id })
    expect((await ringOver(store).list()).map((info) => info.publicKey)).toEqual([publicKey])
  })
})
