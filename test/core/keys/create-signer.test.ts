import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { bytesToHex } from '#base/bytes.ts'
import { createSigner } from '#keys/create-signer.ts'
import { createPlainKey, type SigningKey, type UsableKey, createWebCryptoKey } from '#keys/signing-key.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import { isGoodRequest } from '#test/support/verify-request.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'
import { valueOf } from '#test/support/value-of.ts'

const SEED = new Uint8Array(32).fill(0x42)
const BASE = 'https://api.node.example:8443/v1'

const serviceWith = (changes: Record<string, unknown>): Service => {
  const settings = parseSettings({ version: 1, services: [{ baseUrl: BASE, ...changes }] })
  const service = settings.ok ? settings.value.services[0] : undefined
  if (service === undefined) throw new Error(JSON.stringify(settings))
  return service
}

const plain = (key: SigningKey): UsableKey => ({ ...key, family: 'plain', accepts: () => true })
const chain = (key: SigningKey): UsableKey => ({ ...key, family: 'chain', accepts: () => true })

function signerOf(
  changes: Record<string, unknown> = {},
  key: UsableKey = plain(createPlainKey(SEED)),
  agreedMs?: number,
) {
  const services = new Map<ServiceId, Service>([[serviceIdOf(BASE), serviceWith(changes)]])
  const askedFor: (string | undefined)[] = []
  let nonces = 0
  const signer = createSigner({
    service: (id) => services.get(id),
    key: async (publicKey) => {
      askedFor.push(publicKey)
      return key
    },
    agreedCorrectionMs: (id) => (id === ID ? agreedMs : undefined),
    wallMs: () => TEST_START_MS + 999,
    randomBytes: (length) => new Uint8Array(length).fill(++nonces),
  })
  return { signer, askedFor }
}

const ID = serviceIdOf(BASE)

/** Default ports of a signer. */
const PORTS = {
  service: () => serviceWith({}),
  key: async () => plain(createPlainKey(SEED)),
  wallMs: () => TEST_START_MS,
  randomBytes: (length: number) => new Uint8Array(length),
}

describe('a signed status request', () => {
  it.each([
    ['WebCrypto', () => createWebCryptoKey(SEED)],
    ['tweetnacl', async () => createPlainKey(SEED)],
  ])('with bearer-v1 verifies in node:crypto when signed by %s', async (_name, create) => {
    const { signer } = signerOf({}, plain(await create()))
    const signed = valueOf(await signer.signStatusRequest(ID, '0xAb01'))
    expect(signed.query).toBe('node_id=0xAb01')
    expect(isGoodRequest(signed, 'https://api.node.example:8443', '/v1/node/status')).toBe(true)
    expect(isGoodRequest(signed, 'https://api.node.example', '/v1/node/status')).toBe(false)
    expect(isGoodRequest({ ...signed, query: '' }, 'https://api.node.example:8443', '/v1/node/status')).toBe(
      false,
    )
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
      'X-Node-Key': bytesToHex(createPlainKey(SEED).publicKey),
    })
    expect(second.value.headers['X-Node-Nonce']).toBe('AgICAgICAgICAgICAgICAg')
    expect(isGoodRequest(first.value, 'https://api.node.example:8443', '/v1/node/status')).toBe(true)
  })

  it('corrects its time by at most 10 minutes, or by the agreed correction', async () => {
    const timeOf = async (correctionMs: number, agreedMs?: number) => {
      const { signer, askedFor } = signerOf({}, undefined, agreedMs)
      const signed = await signer.signStatusRequest(ID, undefined, correctionMs)
      if (!signed.ok) return [signed.error, askedFor.length]
      const time = Number(signed.value.headers['X-Node-Timestamp']) - TEST_START_MS / 1_000
      const isGood = isGoodRequest(signed.value, 'https://api.node.example:8443', '/v1/node/status')
      return [time, isGood]
    }
    expect(await timeOf(73_000)).toEqual([73, true])
    expect(await timeOf(-600_000)).toEqual([-600, true])
    expect(await timeOf(600_001)).toEqual(['time-not-allowed', 0])
    expect(await timeOf(3_600_000, 3_600_000)).toEqual([3_600, true])
    expect(await timeOf(3_600_000, 7_200_000)).toEqual(['time-not-allowed', 0])
  })

  it('asks for the key that the service names, or for any key if it names none', async () => {
    const named = signerOf({ key: 'ab'.repeat(32) })
    await named.signer.signStatusRequest(ID, undefined)
    const unnamed = signerOf()
    await unnamed.signer.signStatusRequest(ID, undefined)
    expect([named.askedFor, unnamed.askedFor]).toEqual([['ab'.repeat(32)], [undefined]])
  })

  it('is refused for an unconfigured service before a key is looked up', async () => {
    const { signer, askedFor } = signerOf()
    const others = [
      'http://api.node.example:8443/v1',
      'https://api.node.example:8443',
      'https://elsewhere.example',
    ]
    for (const base of others)
      expect(await signer.signStatusRequest(serviceIdOf(base), '0xab'), base).toEqual(err('not-configured'))
    expect(askedFor).toEqual([])
  })

  it.each([
    ['without a key', undefined, 'no-key'],
    ['while the key is locked', 'locked', 'key-locked'],
  ] as const)('is refused %s', async (_when, key, error) => {
    const signer = createSigner({ ...PORTS, key: async () => key })
    expect(await signer.signStatusRequest(ID, '0xab')).toEqual(err(error))
  })

  it('for a draft is signed with the draft’s settings, and only for its id and service', async () => {
    const draft = serviceWith({})
    const signer = createSigner({
      ...PORTS,
      service: (id, purpose) =>
        purpose && 'draftId' in purpose && purpose.draftId === 7 && id === ID ? draft : undefined,
    })
    const signed = valueOf(await signer.signStatusRequest(ID, '0xab', 73_000, { draftId: 7 }))
    expect(signed.headers['X-Node-Timestamp']).toBe(String(TEST_START_MS / 1_000 + 73))
    expect(isGoodRequest(signed, 'https://api.node.example:8443', '/v1/node/status')).toBe(true)
    const refused = err('not-configured')
    const elsewhere = serviceIdOf('https://elsewhere.example')
    expect(await signer.signStatusRequest(elsewhere, '0xab', 0, { draftId: 7 })).toEqual(refused)
    expect(await signer.signStatusRequest(ID, '0xab', 0, { draftId: 8 })).toEqual(refused)
    expect(await signer.signStatusRequest(ID, '0xab')).toEqual(refused)
  })

  it.each(['', 'ab', '0x', '0xab\nlines', ' 0xab', '0xab&admin=1', `0x${'a'.repeat(129)}`, '../x'])(
    'is refused for the invalid node id %j',
    async (nodeId) => {
      const { signer, askedFor } = signerOf()
      expect(await signer.signStatusRequest(ID, nodeId)).toEqual(err('error'))
      expect(askedFor).toEqual([])
    },
  )

  it.each([
    ['message', '{"alg":"EdDSA","header":{},"kind":"jwt","claims":{"a":{"number":"{ts.iso}"}}}', {}],
    ['header', '{"kind":"template","template":"x"}', { 'X-A': 'é' }],
  ])('is an error when the profile’s %s cannot be filled in', async (_part, message, headers) => {
    const { signer } = signerOf({ profile: { message: JSON.parse(message), headers } })
    expect(await signer.signStatusRequest(ID, '0xab')).toEqual(err('error'))
  })
})

describe('a key without permission to sign', () => {
  const signerWith = (key: UsableKey | 'not-allowed') =>
    createSigner({ ...PORTS, key: async () => key, rounds: { take: () => true } })

  it('is refused for a service that it has no grant for', async () => {
    const refused = err('key-not-allowed')
    expect(await signerWith('not-allowed').signStatusRequest(ID, '0xab')).toEqual(refused)
    expect(await signerWith('not-allowed').signStatusRequest(ID, '0xab', 0, { tryId: 'rfc9421' })).toEqual(
      refused,
    )
  })

  it('is refused when it does not accept the service’s current profile', async () => {
    const asked: unknown[] = []
    const key = {
      ...plain(createPlainKey(SEED)),
      accepts: (service: unknown) => {
        asked.push(service)
        return false
      },
    }
    const signer = signerWith(key)
    expect(await signer.signStatusRequest(ID, '0xab')).toEqual(err('profile-not-accepted'))
    expect(asked).toEqual([serviceWith({})])
    // The profiles of a connection test ship with this product, so nobody has to accept them.
    expect((await signer.signStatusRequest(ID, '0xab', 0, { tryId: 'rfc9421' })).ok).toBe(true)
  })
})

describe('the text to sign', () => {
  const profileWith = (template: string) => ({
    profile: { message: { kind: 'template', template }, headers: { Authorization: '{sig.hex}' } },
  })

  it('may contain no address but the service’s own', async () => {
    const outcome = async (template: string) => {
      const signed = await signerOf(profileWith(template)).signer.signStatusRequest(ID, '0xab')
      return signed.ok ? 'signed' : signed.error
    }
    expect(await outcome('{origin} {ts.ms}')).toBe('signed')
    expect(await outcome('https://elsewhere.example {ts.ms}')).toBe('text-refused')
  })

  it('is checked again after the service is reconfigured', async () => {
    let otherHosts: readonly string[] = []
    let service = serviceWith(profileWith('to b.example {ts.ms}'))
    const signer = createSigner({ ...PORTS, service: () => service, otherHosts: () => otherHosts })
    expect((await signer.signStatusRequest(ID, '0xab')).ok).toBe(true)
    otherHosts = ['b.example']
    service = { ...service }
    expect(await signer.signStatusRequest(ID, '0xab')).toEqual(err('text-refused'))
  })
})

describe('a key of a chain wallet or validator', () => {
  const message = (template: string, more: object = {}) => ({
    profile: { message: { kind: 'template', template, ...more }, headers: { Authorization: '{sig.hex}' } },
  })
  const asked = async (changes: Record<string, unknown>, key = chain(createPlainKey(SEED))) => {
    const signed = await signerOf(changes, key).signer.signStatusRequest(ID, '0xab')
    return signed.ok ? 'signed' : signed.error
  }

  it.each<[string, Record<string, unknown>]>([
    ['the default profile', {}],
    ['a text with 8 fixed leading characters', message('immune-x{nonce.hex}{url}')],
    ['a JWT', { profile: 'jwt-eddsa' }],
    ['RFC 9421 starting with a derived component', { profile: 'rfc9421' }],
    ['a profile of kind none', { profile: { message: { kind: 'none' }, headers: { 'X-Viewer': '{kid}' } } }],
  ])('is allowed for %s', async (_what, changes) => {
    expect(await asked(changes)).toBe('signed')
  })

  it.each<[string, Record<string, unknown>]>([
    ['a text with 7 fixed leading characters', message('immune-{nonce.hex}{url}')],
    ['a text that starts with a request parameter', message('{param.node_id} and a fixed end')],
    ['a hash, even with a fixed start', message('immune-x{nonce.hex}{url}', { prehash: 'sha-256' })],
  ])('is refused for %s, which a plain key signs', async (_what, changes) => {
    expect(await asked(changes)).toBe('chain-key')
    expect(await asked(changes, plain(createPlainKey(SEED)))).toBe('signed')
  })
})

describe('reuse of a signature', () => {
  const profile = (reuseSeconds?: number) => ({
    ...(reuseSeconds !== undefined && { reuseSeconds }),
    message: { kind: 'template', template: 'immune {ts.ms}' },
    headers: { Authorization: '{sig.hex}', 'X-Time': '{ts.ms}' },
  })

  function timed(changes: Record<string, unknown>) {
    let nowMs = TEST_START_MS
    let service = serviceWith(changes)
    let key: UsableKey | undefined = plain(createPlainKey(SEED))
    const signer = createSigner({
      ...PORTS,
      service: () => service,
      key: async () => key,
      wallMs: () => nowMs,
    })
    const timeSigned = async (
      afterMs: number,
      nodeId = '0xab',
      correctionMs?: number,
    ): Promise<number | string> => {
      nowMs = TEST_START_MS + afterMs
      const signed = await signer.signStatusRequest(ID, nodeId, correctionMs)
      return signed.ok ? Number(signed.value.headers['X-Time']) - TEST_START_MS : signed.error
    }
    return {
      timeSigned,
      configure: (next: Record<string, unknown>) => void (service = serviceWith(next)),
      use: (next: UsableKey | undefined) => void (key = next),
    }
  }

  const AGAIN = '0xab'
  type Asked = readonly [afterMs: number, nodeId?: string, correctionMs?: number]
  it.each<[string, number | undefined, readonly Asked[], readonly number[]]>([
    [
      'lasts for the profile’s reuseSeconds, per node',
      30,
      [[0], [29_999], [20_000, '0xcd'], [30_000], [59_999]],
      [0, 0, 20_000, 30_000, 30_000],
    ],
    ['is off when the profile has no reuseSeconds', undefined, [[0], [1]], [0, 1]],
    ['ends when the clock is set back', 30, [[10_000], [9_999]], [10_000, 9_999]],
    [
      'requires the same clock correction',
      30,
      [[0], [1, AGAIN, 73_000], [20, AGAIN, 73_400], [21, AGAIN, 0]],
      [0, 73_001, 73_001, 0],
    ],
  ])('%s', async (_what, reuseSeconds, asked, signedMs) => {
    const { timeSigned } = timed({ profile: profile(reuseSeconds) })
    const times: (number | string)[] = []
    for (const one of asked) times.push(await timeSigned(...one))
    expect(times).toEqual(signedMs)
  })

  it('ends when the settings or the key change, or the key is gone', async () => {
    const { timeSigned, configure, use } = timed({ profile: profile(30) })
    const times = [await timeSigned(0)]
    configure({ profile: profile(30) })
    times.push(await timeSigned(1))
    use(plain(createPlainKey(new Uint8Array(32).fill(9))))
    times.push(await timeSigned(2))
    use(undefined)
    expect([...times, await timeSigned(3)]).toEqual([0, 1, 2, 'no-key'])
  })
})

it('a profile of kind none sends its headers without signing', async () => {
  const unused = {
    ...plain(createPlainKey(SEED)),
    sign: () => Promise.reject(new Error('signed something')),
  }
  const { signer } = signerOf(
    { profile: { message: { kind: 'none' }, headers: { 'X-Viewer': '{kid}' } } },
    unused,
  )
  const signed = await signer.signStatusRequest(ID, '0xab')
  expect(signed.ok && signed.value.headers).toEqual({
    'X-Viewer': bytesToHex(createPlainKey(SEED).publicKey),
  })
})

/** Settings of a service that requires no signature. */
const unsigned = (
  headers: Readonly<Record<string, string>>,
  token: { readonly token?: 'operator-typed' } = { token: 'operator-typed' },
) => ({ profile: { v: 1, message: { kind: 'none', ...token }, headers } })

describe('a service with a token', () => {
  const BEARER = unsigned({ Authorization: 'Bearer {token}', 'X-Client': 'wall' })
  const TOKEN = 'tok_0123456789abcdef'

  function tokenSigner(changes: Record<string, unknown>, tokens: ReadonlyMap<ServiceId, string>) {
    const askedFor: ServiceId[] = []
    const services = new Map(
      [BASE, OTHER].map((baseUrl) => [serviceIdOf(baseUrl), serviceWith({ ...changes, baseUrl })]),
    )
    const signer = createSigner({
      service: (id) => services.get(id),
      key: async () => 'locked',
      token: async (id) => {
        askedFor.push(id)
        return tokens.get(id)
      },
      wallMs: () => TEST_START_MS,
      randomBytes: (length) => new Uint8Array(length),
    })
    return { signer, askedFor }
  }
  const OTHER = 'https://api.node.example:8443/v2'

  it('gets the token in its header, marked for redaction, even while the key is locked', async () => {
    const { signer, askedFor } = tokenSigner(BEARER, new Map([[ID, TOKEN]]))
    const expected = ok({
      headers: { Authorization: `Bearer ${TOKEN}`, 'X-Client': 'wall' },
      query: 'node_id=0xAb01',
      token: TOKEN,
    })
    expect(await signer.signStatusRequest(ID, '0xAb01')).toEqual(expected)
    expect(await signer.signStatusRequest(ID, '0xAb01', 0, { draftId: 1 })).toEqual(expected)
    expect(askedFor).toEqual([ID, ID])
  })

  it('gets no token entered for another base URL, even on the same origin', async () => {
    const { signer } = tokenSigner(BEARER, new Map([[ID, TOKEN]]))
    expect(await signer.signStatusRequest(serviceIdOf(OTHER), '0xAb01')).toEqual(err('no-token'))
    const evil = serviceIdOf('https://evil.example')
    expect(await signer.signStatusRequest(evil, '0xAb01')).toEqual(err('not-configured'))
  })

  it('gets no forgotten token, even within reuseSeconds', async () => {
    const tokens = new Map([[ID, TOKEN]])
    const reusing = { profile: { ...BEARER.profile, reuseSeconds: 3_600 } }
    const { signer } = tokenSigner(reusing, tokens)
    expect((await signer.signStatusRequest(ID, '0x1')).ok).toBe(true)
    tokens.clear()
    expect(await signer.signStatusRequest(ID, '0x1')).toEqual(err('no-token'))
  })

  it('gets no request if the token contains a line break', async () => {
    const { signer } = tokenSigner(BEARER, new Map([[ID, 'tok\nX-Evil: 1']]))
    expect(await signer.signStatusRequest(ID, '0xAb01')).toEqual(err('error'))
  })

  it('has no token looked up that its profile does not send', async () => {
    const { signer, askedFor } = tokenSigner(unsigned({}, {}), new Map([[ID, TOKEN]]))
    expect(await signer.signStatusRequest(ID, '0xAb01')).toEqual(ok({ headers: {}, query: 'node_id=0xAb01' }))
    expect(askedFor).toEqual([])
  })

  it('still needs the key if a header contains the public key', async () => {
    const { signer } = tokenSigner(unsigned({ 'X-Node-Key': '{key.hex}' }, {}), new Map())
    expect(await signer.signStatusRequest(ID, '0xAb01')).toEqual(err('key-locked'))
  })
})
