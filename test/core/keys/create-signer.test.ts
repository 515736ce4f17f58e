import { describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { createSigner } from '#keys/create-signer.ts'
import { createSignatureCache } from '#keys/signature-cache.ts'
import { createNaclKey } from '#keys/nacl-signer.ts'
import type { SigningKey } from '#keys/signing-key.ts'
import { createWebCryptoKey } from '#keys/web-crypto-signer.ts'
import { serviceIdOf, type ServiceId } from '#protocol/service.ts'
import { parseSettings, type Service } from '#protocol/settings.ts'
import { isGoodRequest } from '#test/support/verify-request.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'

const SEED = new Uint8Array(32).fill(0x42)
const BASE = 'https://api.node.example:8443/v1'

const serviceWith = (changes: Record<string, unknown>): Service => {
  const settings = parseSettings({ version: 1, services: [{ baseUrl: BASE, ...changes }] })
  const service = settings.ok ? settings.value.services[0] : undefined
  if (service === undefined) throw new Error(JSON.stringify(settings))
  return service
}

function signerOf(changes: Record<string, unknown> = {}, key: SigningKey | undefined = createNaclKey(SEED)) {
  const services = new Map<ServiceId, Service>([[serviceIdOf(BASE), serviceWith(changes)]])
  const askedFor: (string | undefined)[] = []
  let nonces = 0
  const signer = createSigner({
    service: (id) => services.get(id),
    key: async (publicKey) => {
      askedFor.push(publicKey)
      return key
    },
    wallMs: () => TEST_START_MS + 999,
    randomBytes: (length) => new Uint8Array(length).fill(++nonces),
  })
  return { signer, askedFor }
}

const ID = serviceIdOf(BASE)

describe('a signed status request', () => {
  it.each([
    ['WebCrypto', () => createWebCryptoKey(SEED)],
    ['tweetnacl', async () => createNaclKey(SEED)],
  ])('of bearer-v1 is accepted by node:crypto, signed by %s', async (_name, create) => {
    const { signer } = signerOf({}, await create())
    const signed = await signer.signStatusRequest(ID, '0xAb01')
    if (!signed.ok) throw new Error(signed.error)
    expect(signed.value.query).toBe('node_id=0xAb01')
    expect(isGoodRequest(signed.value, 'https://api.node.example:8443', '/v1/node/status')).toBe(true)
    expect(isGoodRequest(signed.value, 'https://api.node.example', '/v1/node/status')).toBe(false)
    expect(
      isGoodRequest({ ...signed.value, query: '' }, 'https://api.node.example:8443', '/v1/node/status'),
    ).toBe(false)
  })

  it('carries this signer’s time in whole seconds, a fresh nonce and the public key', async () => {
    const { signer } = signerOf()
    const first = await signer.signStatusRequest(ID, undefined)
    const second = await signer.signStatusRequest(ID, undefined)
    if (!first.ok || !second.ok) throw new Error('not signed')
    expect(first.value.query).toBe('')
    expect(first.value.headers).toMatchObject({
      'X-Node-Timestamp': String(TEST_START_MS / 1_000),
      'X-Node-Nonce': 'AQEBAQEBAQEBAQEBAQEBAQ',
      'X-Node-Key': bytesToHex(createNaclKey(SEED).publicKey),
    })
    expect(second.value.headers['X-Node-Nonce']).toBe('AgICAgICAgICAgICAgICAg')
    expect(isGoodRequest(first.value, 'https://api.node.example:8443', '/v1/node/status')).toBe(true)
  })

  it('is signed with the key that the service names, or the one that there is', async () => {
    const named = signerOf({ key: 'ab'.repeat(32) })
    await named.signer.signStatusRequest(ID, undefined)
    const unnamed = signerOf()
    await unnamed.signer.signStatusRequest(ID, undefined)
    expect([named.askedFor, unnamed.askedFor]).toEqual([['ab'.repeat(32)], [undefined]])
  })

  it('is refused for any other service, before a key is looked for', async () => {
    const { signer, askedFor } = signerOf()
    const others = [
      'http://api.node.example:8443/v1',
      'https://api.node.example:8443',
      'https://elsewhere.example',
    ]
    for (const base of others)
      expect(await signer.signStatusRequest(serviceIdOf(base), '0xab'), base).toEqual({
        ok: false,
        error: 'not-configured',
      })
    expect(askedFor).toEqual([])
  })

  it('is refused for a service whose profile this version does not know', async () => {
    const settings = createSigner({
      service: () => ({ ...serviceWith({}), profile: 'of-a-later-version' }),
      key: async () => createNaclKey(SEED),
      wallMs: () => TEST_START_MS,
      randomBytes: (length) => new Uint8Array(length),
    })
    expect(await settings.signStatusRequest(ID, '0xab')).toEqual({ ok: false, error: 'not-configured' })
  })

  it('is refused without a key', async () => {
    const settings = createSigner({
      service: () => serviceWith({}),
      key: async () => undefined,
      wallMs: () => TEST_START_MS,
      randomBytes: (length) => new Uint8Array(length),
    })
    expect(await settings.signStatusRequest(ID, '0xab')).toEqual({ ok: false, error: 'no-key' })
  })

  it.each(['', 'ab', '0x', '0xab\nlines', ' 0xab', '0xab&admin=1', `0x${'a'.repeat(129)}`, '../x'])(
    'is refused for %j, which is no node id',
    async (nodeId) => {
      const { signer, askedFor } = signerOf()
      expect(await signer.signStatusRequest(ID, nodeId)).toEqual({ ok: false, error: 'error' })
      expect(askedFor).toEqual([])
    },
  )

  it.each([
    ['message', '{"alg":"EdDSA","header":{},"kind":"jwt","claims":{"a":{"number":"{param.node_id}"}}}', {}],
    ['header', '{"kind":"template","template":"x"}', { 'X-A': 'é' }],
  ])('is an error when the profile’s %s can not be filled in', async (_part, message, headers) => {
    const { signer } = signerOf({ profile: { message: JSON.parse(message), headers } })
    expect(await signer.signStatusRequest(ID, '0xab')).toEqual({ ok: false, error: 'error' })
  })
})

describe('a signature that may be used again', () => {
  const profile = (reuseSeconds?: number) => ({
    ...(reuseSeconds !== undefined && { reuseSeconds }),
    message: { kind: 'template', template: 'immune {ts.ms}' },
    headers: { Authorization: '{sig.hex}', 'X-Time': '{ts.ms}' },
  })

  function timed(changes: Record<string, unknown>) {
    let nowMs = TEST_START_MS
    let service = serviceWith(changes)
    let key: SigningKey | undefined = createNaclKey(SEED)
    const signer = createSigner({
      service: () => service,
      key: async () => key,
      wallMs: () => nowMs,
      randomBytes: (length) => new Uint8Array(length),
    })
    const timeSigned = async (afterMs: number, nodeId = '0xab'): Promise<number | string> => {
      nowMs = TEST_START_MS + afterMs
      const signed = await signer.signStatusRequest(ID, nodeId)
      return signed.ok ? Number(signed.value.headers['X-Time']) - TEST_START_MS : signed.error
    }
    return {
      timeSigned,
      configure: (next: Record<string, unknown>) => void (service = serviceWith(next)),
      use: (next: SigningKey | undefined) => void (key = next),
    }
  }

  it('is, for as long as the profile says, for the same node', async () => {
    const { timeSigned } = timed({ profile: profile(30) })
    expect([
      await timeSigned(0),
      await timeSigned(29_999),
      await timeSigned(20_000, '0xcd'),
      await timeSigned(30_000),
      await timeSigned(59_999),
    ]).toEqual([0, 0, 20_000, 30_000, 30_000])
  })

  it('is not when the profile does not say so', async () => {
    const { timeSigned } = timed({ profile: profile() })
    expect([await timeSigned(0), await timeSigned(1)]).toEqual([0, 1])
  })

  it('is not after the clock was set back', async () => {
    const { timeSigned } = timed({ profile: profile(30) })
    expect([await timeSigned(10_000), await timeSigned(9_999)]).toEqual([10_000, 9_999])
  })

  it('is not with other settings, with another key, or without a key', async () => {
    const { timeSigned, configure, use } = timed({ profile: profile(30) })
    const times = [await timeSigned(0)]
    configure({ profile: profile(30) })
    times.push(await timeSigned(1))
    use(createNaclKey(new Uint8Array(32).fill(9)))
    times.push(await timeSigned(2))
    use(undefined)
    expect([...times, await timeSigned(3)]).toEqual([0, 1, 2, 'no-key'])
  })

  it('is kept for so many nodes and no more', () => {
    const cache = createSignatureCache(2)
    const service = serviceWith({ profile: profile(30) })
    const signed = { headers: {}, query: '' }
    for (const entry of ['a', 'b', 'a', 'c']) cache.keep(service, entry, 0, signed)
    expect(['a', 'b', 'c'].map((entry) => cache.find(service, entry, 0) === signed)).toEqual([
      true,
      false,
      true,
    ])
  })
})

it('nothing is signed for a profile of kind none: its headers go as they are', async () => {
  const { signer } = signerOf({ profile: { message: { kind: 'none' }, headers: { 'X-Viewer': '{kid}' } } })
  const signed = await signer.signStatusRequest(ID, '0xab')
  expect(signed.ok && signed.value.headers).toEqual({ 'X-Viewer': bytesToHex(createNaclKey(SEED).publicKey) })
})
