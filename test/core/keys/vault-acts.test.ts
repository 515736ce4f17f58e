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

/** Overwrites the stored grants, as any script of this origin can. */
function writeGrants(...services: readonly Service[]): void {
  const record = store.records.get(PUBLIC_KEY)
  if (record === undefined) throw new Error('nothing was stored')
  store.records.set(PUBLIC_KEY, { ...record, grants: services.map(grantOf) })
}

describe('the grants of a vault key', () => {
  it('are those it was added with, in this signer and, once unlocked, in the next', async () => {
    const ring = await withVault(A, B)
    expect(await signsFor(ring)).toEqual(['signs', 'signs', 'not-allowed'])
    const next = newRing()
    expect(await signsFor(next)).toEqual(['locked', 'locked', 'not-allowed'])
    expect(valueOf(await next.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(A), grantOf(B)])
    expect(await signsFor(next)).toEqual(['signs', 'signs', 'not-allowed'])
  })

  it('are not widened by a write into storage, neither while open nor on unlock', async () => {
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

  it('stay revoked when they are revoked while locked', async () => {
    await withVault(A, B)
    const ring = newRing()
    expect(await ring.revoke(PUBLIC_KEY, idOf(A))).toEqual({ ok: true, value: undefined })
    expect(valueOf(await ring.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(B)])
    // The unlock sealed the remaining grants, so storage cannot restore the revoked one.
    writeGrants(A, B)
    const next = newRing()
    expect(valueOf(await next.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(B)])
  })

  it('stay revoked when they are revoked while open', async () => {
    const ring = await withVault(A, B)
    await ring.revoke(PUBLIC_KEY, idOf(B))
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
    expect(valueOf(await ring.unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(A)])
  })

  it('survive a loss from storage while open', async () => {
    const ring = await withVault(A)
    writeGrants()
    await ring.list()
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
  })
})

describe('a stored vault', () => {
  it('can be removed or added again while locked', async () => {
    const ring = await withVault(A)
    ring.lock()
    expect((await ring.keepSeed(SEED, 'plain', 'again', inVault())).ok).toBe(true)
    ring.lock()
    expect(await ring.remove(PUBLIC_KEY)).toEqual({ ok: true, value: undefined })
    expect([await ring.list(), store.records.size]).toEqual([[], 0])
  })

  it('replaces the same key on the device, which stops signing', async () => {
    const ring = newRing()
    valueOf(await ring.keepSeed(SEED, 'plain', 'wall', { custody: 'device' }, [A]))
    const key = await ring.find(PUBLIC_KEY, idOf(A))
    if (typeof key !== 'object') throw new Error('not found')
    await withVault(A)
    expect(await ring.list()).toMatchObject([{ custody: 'vault', locked: true }])
    await expect(key.sign(words())).rejects.toThrow('forgotten')
  })

  it('keeps its grants when its passphrase changes', async () => {
    const ring = await withVault(A)
    const info = valueOf(await ring.changePassphrase(PUBLIC_KEY, byWords(), words('the next passphrase')))
    expect(info.grants).toEqual([grantOf(A)])
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
  })
})

describe('granting a service to a vault key', () => {
  it.each(['open', 'locked'])('requires its secret, which is then zeroed, while it is %s', async (state) => {
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

  it('requires no secret only for an existing grant of an open vault', async () => {
    const ring = await withVault(A)
    expect(valueOf(await ring.grant(PUBLIC_KEY, A)).grants).toEqual([grantOf(A)])
    ring.lock()
    expect(await ring.grant(PUBLIC_KEY, A)).toEqual({ ok: false, error: 'needs-secret' })
    // The stored grants of a locked vault prove nothing: any script can write them.
    writeGrants(A, B)
    expect(await ring.grant(PUBLIC_KEY, B)).toEqual({ ok: false, error: 'needs-secret' })
  })

  it('fails when the grant cannot be stored, except for a session key', async () => {
    const ring = await withVault(A)
    store.works = 'reading'
    expect(await ring.grant(PUBLIC_KEY, B, byWords())).toEqual({ ok: false, error: 'not-kept' })
    expect(await signsFor(ring)).toEqual(['signs', 'not-allowed', 'not-allowed'])
    const { publicKey } = valueOf(await ring.make('now', { custody: 'session' }))
    expect((await ring.grant(publicKey, B)).ok).toBe(true)
  })
})

it('checking the secret of a vault reports whether it fits, zeroes it and opens nothing', async () => {
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

it('a vault that cannot be written still opens, with its sealed grants less the revoked ones', async () => {
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

it('an imported vault drops its grants for the services named on import', async () => {
  const file = words(valueOf(await (await withVault(A, B)).exportVault(PUBLIC_KEY)))
  expect(new TextDecoder().decode(file)).toMatch(/^\{\n {2}"format": "immune-node-vault",\n/)
  store = createMemoryKeyStore()
  const ring = newRing()
  const moved = valueOf(await ring.importVault(file, words(), 'moved', false, [C]))
  expect(moved).toMatchObject({ label: 'moved', createdMs: 1_000, grants: [grantOf(C)] })
  expect(await signsFor(ring)).toEqual(['not-allowed', 'not-allowed', 'signs'])
  expect(valueOf(await newRing().unlock(PUBLIC_KEY, byWords())).grants).toEqual([grantOf(C)])
})
