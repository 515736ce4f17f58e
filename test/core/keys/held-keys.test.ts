import { describe, expect, it } from 'vitest'
import type { KeyStore } from '#keys/key-store.ts'
import { serviceIdOf } from '#record/service.ts'
import { parseService } from '#settings/documents.ts'
import { serviceAt, type Service } from '#settings/schema.ts'
import { createMemoryKeyStore } from '#test/support/memory-key-store.ts'
import { quickRing } from '#test/support/quick-derivation.ts'
import { valueOf } from '#test/support/value-of.ts'

const A = serviceAt('https://a.example', 'proxy')
const B = serviceAt('https://b.example', 'proxy')
const A_ID = serviceIdOf(A.baseUrl)
const B_ID = serviceIdOf(B.baseUrl)
const grantOf = (service: Service) => ({ serviceId: serviceIdOf(service.baseUrl), profiles: [] })

const withOwnProfile = (template: string): Service => {
  const message = { kind: 'template', template }
  return valueOf(parseService({ baseUrl: A.baseUrl, profile: { message, headers: { 'X-S': '{sig.hex}' } } }))
}

const ringOver = (store: KeyStore | undefined, wallMs = () => 1_000) => quickRing({ store, wallMs })

const DONE = { ok: true, value: undefined }
const NOT_KEPT = { ok: false, error: 'not-kept' }

describe('a key', () => {
  it('signs for no service if it was added without one', async () => {
    const ring = ringOver(createMemoryKeyStore())
    expect(await ring.find(undefined, A_ID)).toBeUndefined()
    const { publicKey, ...info } = valueOf(await ring.make('wall'))
    expect(info).not.toHaveProperty('grants')
    expect(await ring.find(undefined, A_ID)).toBe('not-allowed')
    expect(await ring.find(publicKey, A_ID)).toBe('not-allowed')
    expect(await ring.find('0'.repeat(64), A_ID)).toBeUndefined()
    expect((await ring.list())[0]).not.toHaveProperty('lastUsedMs')
    expect((await ring.list())[0]).not.toHaveProperty('grants')
    const seed = new Uint8Array(32).fill(1)
    expect(valueOf(await ring.keepSeed(seed, 'plain', 'door'))).not.toHaveProperty('grants')
  })

  it('signs for the services it was added with, in this signer and the next', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    const { publicKey, grants } = valueOf(await ring.make('wall', undefined, [A, B]))
    expect(grants).toEqual([grantOf(A), grantOf(B)])
    expect(store.records.get(publicKey)?.grants).toEqual(grants)
    for (const each of [ring, ringOver(store)])
      for (const id of [A_ID, B_ID]) expect(await each.find(publicKey, id)).toMatchObject({ family: 'plain' })
  })

  it('is chosen as the newest one granted for the service if none is named', async () => {
    let now = 1_000
    const ring = ringOver(createMemoryKeyStore(), () => now)
    const first = valueOf(await ring.make('first', undefined, [A]))
    now = 2_000
    const second = valueOf(await ring.make('second', undefined, [A]))
    now = 3_000
    valueOf(await ring.make('third', undefined, [B]))
    await ring.find(undefined, A_ID)
    const used = (await ring.list()).map(({ lastUsedMs }) => lastUsedMs)
    expect(used).toEqual([undefined, 3_000, undefined])
    await ring.revoke(second.publicKey, A_ID)
    now = 4_000
    await ring.find(undefined, A_ID)
    expect((await ring.list()).find(({ publicKey }) => publicKey === first.publicKey)?.lastUsedMs).toBe(4_000)
  })

  it('accepts only the profiles that were granted', async () => {
    const ring = ringOver(createMemoryKeyStore())
    const { publicKey } = valueOf(await ring.make('wall', undefined, [A]))
    const [one, other] = [withOwnProfile('{ts.s} one'), withOwnProfile('{ts.s} other')]
    const accepted = async () => {
      const key = await ring.find(publicKey, A_ID)
      if (typeof key !== 'object') throw new Error('not found')
      return [A, B, one, other].map((service) => key.accepts(service))
    }
    expect(await accepted()).toEqual([true, false, false, false])
    expect((await ring.grant(publicKey, one)).ok).toBe(true)
    expect(await accepted()).toEqual([true, false, true, false])
    await ring.revoke(publicKey, A_ID)
    expect(await ring.find(publicKey, A_ID)).toBe('not-allowed')
  })
})

describe('the grants of a key', () => {
  it('are added and revoked in this signer and in storage', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    const { publicKey } = valueOf(await ring.make('wall', undefined, [A]))
    expect(valueOf(await ring.grant(publicKey, B))).toMatchObject({
      label: 'wall',
      grants: [grantOf(A), grantOf(B)],
    })
    expect(await ring.revoke(publicKey, A_ID)).toEqual(DONE)
    expect(store.records.get(publicKey)?.grants).toEqual([grantOf(B)])
    expect(await ring.list()).toMatchObject([{ label: 'wall', grants: [grantOf(B)] }])
    expect(await ring.find(publicKey, A_ID)).toBe('not-allowed')
  })

  it('stay unchanged when storage rejects the change', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    const { publicKey } = valueOf(await ring.make('wall', undefined, [A]))
    store.works = 'reading'
    expect(await ring.grant(publicKey, B)).toEqual(NOT_KEPT)
    expect(await ring.revoke(publicKey, A_ID)).toEqual(NOT_KEPT)
    expect(await ring.list()).toMatchObject([{ grants: [grantOf(A)] }])
    // An existing grant needs no write.
    expect(valueOf(await ring.grant(publicKey, A)).grants).toEqual([grantOf(A)])
  })

  it('are kept in memory only for a session key', async () => {
    const store = createMemoryKeyStore()
    const ring = ringOver(store)
    const { publicKey } = valueOf(await ring.make('wall', { custody: 'session' }, [A]))
    store.works = 'nothing'
    expect(valueOf(await ring.grant(publicKey, B)).grants).toEqual([grantOf(A), grantOf(B)])
    expect(await ring.revoke(publicKey, A_ID)).toEqual(DONE)
    expect(await ring.list()).toMatchObject([{ grants: [grantOf(B)], custody: 'session' }])
  })

  it('are kept and extended when the same key is added again', async () => {
    const ring = ringOver(createMemoryKeyStore())
    const seed = new Uint8Array(32).fill(1)
    valueOf(await ring.keepSeed(seed, 'plain', 'one', undefined, [A]))
    const again = valueOf(await ring.keepSeed(seed, 'plain', 'two', undefined, [A, B]))
    expect(again).toMatchObject({ label: 'two', grants: [grantOf(A), grantOf(B)] })
  })

  it('follow changes stored by another signer of this browser', async () => {
    const store = createMemoryKeyStore()
    const [here, there] = [ringOver(store), ringOver(store)]
    const { publicKey } = valueOf(await here.make('wall', undefined, [A]))
    await there.list()
    await there.grant(publicKey, B)
    await there.revoke(publicKey, A_ID)
    await here.list()
    expect(await here.find(publicKey, A_ID)).toBe('not-allowed')
    expect(await here.find(publicKey, B_ID)).toMatchObject({ family: 'plain' })
  })
})
