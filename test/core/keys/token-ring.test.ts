import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { createTokenRing, TOKENS_MAX } from '#keys/token-ring.ts'
import { serviceIdOf } from '#record/service.ts'
import { createMemoryKeyStore } from '#test/support/memory-key-store.ts'

const A = serviceIdOf('https://a.example')
const B = serviceIdOf('https://b.example')
const bytes = (text: string) => new TextEncoder().encode(text)
const DONE = ok(undefined)

describe('a token', () => {
  it('for the session is found for its service only, never stored, and gone with the signer', async () => {
    const store = createMemoryKeyStore()
    const ring = createTokenRing(store.tokens)
    const typed = bytes('secret one')
    expect(await ring.keep(A, typed, 'session')).toEqual(DONE)
    expect(Array.from(typed).every((byte) => byte === 0)).toBe(true)
    expect(await ring.find(A)).toBe('secret one')
    expect(await ring.find(B)).toBeUndefined()
    expect(await ring.list()).toEqual([{ serviceId: A, place: 'session' }])
    expect(await store.tokens.load()).toEqual(ok(new Map()))
    expect(await createTokenRing(store.tokens).find(A)).toBeUndefined()
  })

  it('on the device is available to the next signer', async () => {
    const store = createMemoryKeyStore()
    expect(await createTokenRing(store.tokens).keep(A, bytes('kept'), 'device')).toEqual(DONE)
    const next = createTokenRing(store.tokens)
    expect(await next.find(A)).toBe('kept')
    expect(await next.list()).toEqual([{ serviceId: A, place: 'device' }])
  })

  it('for the session replaces the stored one, and the other way round', async () => {
    const store = createMemoryKeyStore()
    const ring = createTokenRing(store.tokens)
    await ring.keep(A, bytes('one'), 'device')
    await ring.keep(A, bytes('two'), 'session')
    expect(await store.tokens.load()).toEqual(ok(new Map()))
    expect(await ring.find(A)).toBe('two')
    await ring.keep(A, bytes('three'), 'device')
    expect(await ring.list()).toEqual([{ serviceId: A, place: 'device' }])
    expect(await ring.find(A)).toBe('three')
  })

  it('is forgotten in memory and on disk', async () => {
    const store = createMemoryKeyStore()
    const ring = createTokenRing(store.tokens)
    await ring.keep(A, bytes('one'), 'device')
    await ring.keep(B, bytes('two'), 'session')
    expect([await ring.forget(A), await ring.forget(B), await ring.forget(B)]).toEqual([DONE, DONE, DONE])
    expect([await ring.find(A), await ring.find(B)]).toEqual([undefined, undefined])
    expect(await ring.list()).toEqual([])
    expect(await store.tokens.load()).toEqual(ok(new Map()))
  })

  it('is gone once the list is reloaded after another signer forgot it', async () => {
    const store = createMemoryKeyStore()
    const [one, two] = [createTokenRing(store.tokens), createTokenRing(store.tokens)]
    await one.keep(A, bytes('one'), 'device')
    await two.list()
    await one.forget(A)
    await two.list()
    expect(await two.find(A)).toBeUndefined()
  })

  it.each([
    ['', 'empty'],
    ['x'.repeat(4_097), 'too-long'],
    [' x', 'not-visible'],
    ['x ', 'not-visible'],
    ['x\n', 'not-visible'],
    ['a\tb', 'not-visible'],
    ['a\u007fb', 'not-visible'],
    ['ä', 'not-visible'],
  ])('of the text %j is refused as %s, and the previous one stays', async (text, error) => {
    const ring = createTokenRing(undefined)
    await ring.keep(A, bytes('before'), 'session')
    const typed = bytes(text)
    expect(await ring.keep(A, typed, 'session')).toEqual(err(error))
    expect(typed.every((byte) => byte === 0)).toBe(true)
    expect(await ring.find(A)).toBe('before')
  })

  it('is reported as not kept or not removed when storage fails', async () => {
    const store = createMemoryKeyStore()
    const ring = createTokenRing(store.tokens)
    await ring.keep(A, bytes('kept'), 'device')
    store.works = 'reading'
    expect(await ring.keep(B, bytes('new'), 'device')).toEqual(err('not-kept'))
    expect(await ring.find(B)).toBeUndefined()
    expect(await ring.keep(A, bytes('new'), 'session')).toEqual(err('not-removed'))
    expect(await ring.find(A)).toBe('kept')
    expect(await ring.forget(A)).toEqual(err('not-removed'))
    expect(await ring.find(A)).toBe('kept')
    store.works = 'nothing'
    expect(await ring.list()).toEqual([{ serviceId: A, place: 'device' }])
    expect(await createTokenRing(undefined).keep(A, bytes('x'), 'device')).toEqual(err('not-kept'))
  })

  it('is ignored when the stored text is invalid', async () => {
    const store = createMemoryKeyStore()
    await store.tokens.put(A, 'two\nlines')
    await store.tokens.put(B, 'good')
    expect(await createTokenRing(store.tokens).list()).toEqual([{ serviceId: B, place: 'device' }])
  })

  it('for the session takes precedence over a stored one for the same service', async () => {
    const store = createMemoryKeyStore()
    const ring = createTokenRing(store.tokens)
    await ring.keep(A, bytes('mine'), 'session')
    await createTokenRing(store.tokens).keep(A, bytes('kept elsewhere'), 'device')
    expect(await ring.list()).toEqual([{ serviceId: A, place: 'session' }])
    expect(await ring.find(A)).toBe('mine')
    expect(await ring.forget(A)).toEqual(DONE)
    expect(await store.tokens.load()).toEqual(ok(new Map()))
  })

  it(`is one of at most ${TOKENS_MAX}, each of which can still be replaced`, async () => {
    const ring = createTokenRing(undefined)
    const ids = Array.from({ length: TOKENS_MAX }, (_, at) => serviceIdOf(`https://s${at}.example`))
    for (const id of ids) expect(await ring.keep(id, bytes('x'), 'session')).toEqual(DONE)
    expect(await ring.keep(A, bytes('x'), 'session')).toEqual(err('too-many'))
    const [first = A] = ids
    expect(await ring.keep(first, bytes('y'), 'session')).toEqual(DONE)
    expect(await ring.find(first)).toBe('y')
  })
})
