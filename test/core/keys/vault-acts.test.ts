import { beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import { publicKeyOf } from '#keys/signing-key.ts'
import type { VaultSecret } from '#keys/vault.ts'
import { serviceIdOf } from '#record/service.ts'
import { serviceAt, type Service } from '#settings/schema.ts'
import { createMemoryKeyStore, type MemoryKeyStore } from '#test/support/memory-key-store.ts'
import { quickRing } from '#test/support/quick-derivation.ts'
import { valueOf } from '#test/support/value-of.ts'
import { byPasskey, byWords, inVault, isZero, words } from '#test/support/vault-secrets.ts'

const SEED = new Uint8Array(32).fill(0xc5)
const PUBLIC_KEY = bytesToHex(publicKeyOf(SEED))
const NO_KEY = '0'.repeat(64)
const A = serviceAt('https://a.example', 'proxy')
const B = serviceAt('https://b.example', 'proxy')
const C = serviceAt('https://c.example', 'proxy')
const idOf = ({ baseUrl }: Service) => serviceIdOf(baseUrl)
const grantOf = (service: Service) => ({ serviceId: idOf(service), profiles: [] })

const isSpent = (secret: VaultSecret): boolean =>
  isZero(secret.kind === 'passphrase' ? secret.passphrase : secret.secret)

let store: MemoryKeyStore
beforeEach(() => {
  store = createMemoryKeyStore()
})

const newRing = () => quickRing({ store })

/** A signer whose vault signs for these services. */
async function withVault(...services: readonly Service[]): Promise<KeyRing> {
  const ring = newRing()
  valueOf(await ring.keepSeed(SEED, 'plain', 'desk', inVault(), services))
  return ring
}

const signsFor = async (ring: KeyRing): Promise<readonly unknown[]> => {
  const found = await Promise.all([A, B, C].map((service) => ring.find(PUBLIC_KEY, idOf(service))))
  return found.map((key) => (typeof key === 'object' ? 'signs' : key))
}

/** What any script of this origin can do. */
function writeGrants(...services: readonly Service[]): void {
  const record = store.records.get(PUBLIC_KEY)
  if (record === undefined) throw new Error('nothing was stored')
  store.records.set(PUBLIC_KEY, { ...record, grants: services.map(grantOf) })
}

describe('what a vault’s key signs for', () => {
  it('is what it was brought for, with this signer and, once it is open, the next', async () => {
    const ring = await withVault(A, B)
    expect(await signsFor(ring)).toEqual(['signs', 'signs', 'not-allowed'])
    const next = newRing()
    expect(await signsFor(next)).toEqual(['locked', 'locked', 'not-allowed'])
    expect(valueOf(await next.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(A), grantOf(B)])
    expect(await signsFor(next)).toEqual(['signs', 'signs', 'not-allowed'])
  })

  it('is not widened by what is written into storage, while it is open or when it opens', async () => {
    const ring = await withVault(A)
    writeGrants(A, B, C)
    await ring.list()
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
    const next = newRing()
    await next.list()
    expect(valueOf(await next.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(A)])
    expect(await signsFor(next)).toEqual(['signs', 'not-allowed', 'not-allowed'])
    expect(store.records.get(PUBLIC_KEY)?.grants).toEqual([grantOf(A)])
  })

  it('is less where it was taken back while it was locked, and stays less', async () => {
    await withVault(A, B)
    const ring = newRing()
    expect(await ring.revoke(PUBLIC_KEY, idOf(A))).toEqual({ ok: true, value: undefined })
    expect(valueOf(await ring.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(B)])
    // From now on it is sealed like that, whatever storage says.
    writeGrants(A, B)
    const next = newRing()
    expect(valueOf(await next.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(B)])
  })

  it('is less where it was taken back while it was open', async () => {
    const ring = await withVault(A, B)
    await ring.revoke(PUBLIC_KEY, idOf(B))
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
    expect(valueOf(await ring.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(A)])
  })

  it('is not less while it is open for what is lost from storage', async () => {
    const ring = await withVault(A)
    writeGrants()
    await ring.list()
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
  })
})

describe('a vault that is held', () => {
  it('is removed, or brought anew, while it is locked', async () => {
    const ring = await withVault(A)
    ring.lock()
    expect((await ring.keepSeed(SEED, 'plain', 'again', inVault())).ok).toBe(true)
    ring.lock()
    expect(await ring.remove(PUBLIC_KEY)).toEqual({ ok: true, value: undefined })
    expect([await ring.list(), store.records.size]).toEqual([[], 0])
  })

  it('takes the place of the same key on the device, which signs no more', async () => {
    const ring = newRing()
    valueOf(await ring.keepSeed(SEED, 'plain', 'wall', { custody: 'device' }, [A]))
    const key = await ring.find(PUBLIC_KEY, idOf(A))
    if (typeof key !== 'object') throw new Error('not found')
    await withVault(A)
    expect(await ring.list()).toMatchObject([{ custody: 'vault', locked: true }])
    await expect(key.sign(words())).rejects.toThrow('forgotten')
  })

  it('signs for the same with another passphrase', async () => {
    const ring = await withVault(A)
    const info = valueOf(await ring.changePassphrase(PUBLIC_KEY, byWords(), words('the next passphrase')))
    expect(info.grants).toEqual([grantOf(A)])
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
  })
})

describe('a vault’s key is let sign for one service more', () => {
  it.each(['open', 'locked'])('with its secret, which is zero then, while it is %s', async (state) => {
    const ring = await withVault(A)
    if (state === 'locked') ring.lock()
    expect(await ring.grant(PUBLIC_KEY, B)).toEqual({ ok: false, error: 'needs-secret' })
    const wrong = byWords('some other passphrase')
    expect(await ring.grant(PUBLIC_KEY, B, wrong)).toEqual({ ok: false, error: 'wrong-secret' })
    const right = byWords()
    expect(valueOf(await ring.grant(PUBLIC_KEY, B, right))).toMatchObject({
      grants: [grantOf(A), grantOf(B)],
      locked: state === 'locked',
    })
    expect([isSpent(wrong), isSpent(right)]).toEqual([true, true])
    const next = newRing()
    expect(valueOf(await next.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(A), grantOf(B)])
  })

  it('without it where it signs for that already and is open, and only then', async () => {
    const ring = await withVault(A)
    expect(valueOf(await ring.grant(PUBLIC_KEY, A)).grants).toEqual([grantOf(A)])
    ring.lock()
    expect(await ring.grant(PUBLIC_KEY, A)).toEqual({ ok: false, error: 'needs-secret' })
    // What storage says of a locked one is nobody's word.
    writeGrants(A, B)
    expect(await ring.grant(PUBLIC_KEY, B)).toEqual({ ok: false, error: 'needs-secret' })
  })

  it('not where that can’t be kept', async () => {
    const ring = await withVault(A)
    store.works = 'reading'
    expect(await ring.grant(PUBLIC_KEY, B, byWords())).toEqual({ ok: false, error: 'not-kept' })
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
    const { publicKey } = valueOf(await ring.make('now', { custody: 'session' }))
    expect((await ring.grant(publicKey, B)).ok).toBe(true)
  })
})

describe('a secret', () => {
  it('is a vault’s or not, is zero once that was asked, and opens nothing by it', async () => {
    const ring = await withVault(A)
    const device = valueOf(await ring.make('wall'))
    ring.lock()
    for (const [publicKey, secret, isIts] of [
      [PUBLIC_KEY, byWords(), true],
      [PUBLIC_KEY, byWords('some other passphrase'), false],
      [PUBLIC_KEY, byPasskey(), false],
      [device.publicKey, byWords(), false],
      [NO_KEY, byWords(), false],
    ] as const) {
      expect(await ring.isSecretOf(publicKey, secret)).toBe(isIts)
      expect(isSpent(secret)).toBe(true)
    }
    expect(await ring.vaultCounts()).toEqual({ open: 0, locked: 1 })
  })
})

describe('a vault that can’t be written just now', () => {
  it('opens all the same, for what is sealed and was not taken back', async () => {
    await withVault(A, B)
    const ring = newRing()
    await ring.revoke(PUBLIC_KEY, idOf(B))
    store.works = 'reading'
    expect(valueOf(await ring.unlock(PUBLIC_KEY, byWords()))).toMatchObject({
      locked: false,
      grants: [grantOf(A)],
    })
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
  })
})

describe('a vault that is moved', () => {
  it('leaves behind what it signed for, and signs for what its new place says', async () => {
    const file = words(valueOf(await (await withVault(A, B)).exportVault(PUBLIC_KEY)))
    expect(new TextDecoder().decode(file)).toMatch(/^\{\n {2}"format": "immune-node-vault",\n/)
    store = createMemoryKeyStore()
    const ring = newRing()
    const moved = valueOf(await ring.importVault(file, words(), 'moved', false, [C]))
    expect(moved).toMatchObject({ label: 'moved', createdMs: 1_000, grants: [grantOf(C)] })
    expect(await signsFor(ring)).toEqual(['not-allowed', 'not-allowed', 'signs'])
    expect(valueOf(await newRing().unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(C)])
  })
})
