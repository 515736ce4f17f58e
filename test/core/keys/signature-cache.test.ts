import { describe, expect, it } from 'vitest'
import { createSignatureCache } from '#keys/signature-cache.ts'
import { parseService, type Service } from '#settings/settings.ts'

const serviceWith = (profile: unknown): Service => {
  const parsed = parseService({ baseUrl: 'https://a.example', profile })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value
}
const reusing = (reuseSeconds?: number): Service =>
  serviceWith({
    ...(reuseSeconds !== undefined && { reuseSeconds }),
    message: { kind: 'template', template: '{ts.ms}' },
    headers: { 'X-S': '{sig.hex}' },
  })
const SIGNED = { headers: { 'X-S': 'one' }, query: '' }
const NEWER = { headers: { 'X-S': 'two' }, query: '' }

describe('a signature that is kept', () => {
  it('is good from its own time on, for so many seconds', () => {
    const [cache, service] = [createSignatureCache(), reusing(30)]
    expect(cache.find(service, 'a', 1_000)).toBeUndefined()
    cache.keep(service, 'a', 1_000, SIGNED)
    const found = [999, 1_000, 30_999, 31_000].map((nowMs) => cache.find(service, 'a', nowMs))
    expect(found).toEqual([undefined, SIGNED, SIGNED, undefined])
    expect(cache.find(service, 'b', 1_000)).toBeUndefined()
    cache.keep(service, 'a', 31_000, NEWER)
    expect(cache.find(service, 'a', 31_000)).toBe(NEWER)
  })

  it('is good for the very service that it was made for, as it was configured then', () => {
    const cache = createSignatureCache()
    const service = reusing(30)
    cache.keep(service, 'a', 0, SIGNED)
    cache.keep(service, 'b', 0, NEWER)
    expect([cache.find(service, 'a', 0), cache.find(service, 'b', 0)]).toEqual([SIGNED, NEWER])
    expect(cache.find({ ...service }, 'a', 0)).toBeUndefined()
  })

  it.each([
    ['a built-in profile', serviceWith('bearer-v1')],
    ['a profile that does not say so', reusing()],
  ])('is none of %s', (_what, service) => {
    const cache = createSignatureCache()
    cache.keep(service, 'a', 0, SIGNED)
    expect(cache.find(service, 'a', 0)).toBeUndefined()
  })

  it('is among the newest 4,096 of its service', () => {
    const [cache, service] = [createSignatureCache(), reusing(30)]
    for (let i = 0; i < 4_096; i++) cache.keep(service, `${i}`, 0, SIGNED)
    expect([cache.find(service, '0', 0), cache.find(service, '4095', 0)]).toEqual([SIGNED, SIGNED])
    cache.keep(service, '0', 0, SIGNED)
    cache.keep(service, 'more', 0, SIGNED)
    const found = ['0', '1', '2', 'more'].map((entry) => cache.find(service, entry, 0))
    expect(found).toEqual([SIGNED, undefined, SIGNED, SIGNED])
  })
})
