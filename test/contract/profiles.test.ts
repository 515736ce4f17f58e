import { describe, expect, it, onTestFinished } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { ok } from '#base/result.ts'
import { createSigner } from '#keys/create-signer.ts'
import { createPlainKey, createWebCryptoKey, type SigningKey } from '#keys/signing-key.ts'
import { createTryRounds } from '#keys/try-rounds.ts'
import { findProfile, type FindStep } from '#monitor/find-profile.ts'
import { systemClock } from '#platform/system-clock.ts'
import { bindingOf } from '#signing/profile-lint.ts'
import { parseProfile, parseSettings } from '#settings/documents.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { PROFILES } from '#signing/presets.ts'
import type { SignedHeaders } from '#signing/signer.ts'
import { serviceIdOf } from '#record/service.ts'
import { statusUrl } from '#signing/signing-values.ts'
import { createReferenceService } from '#reference/reference-service.ts'
import type { Profile } from '#signing/profile.ts'
import { valueOf } from '#test/support/value-of.ts'

const SEED = new Uint8Array(32).fill(0x51)

/** Profiles unlike any preset, as documents that an operator could write. */
const UNUSUAL: Readonly<Record<string, unknown>> = {
  'a hash, base58 and ISO time': {
    nodeId: 'lower-no-0x',
    message: {
      kind: 'template',
      template: 'monitor|{param.node_id}|{ts.iso}|{authority}|{nonce.base58}|{target}',
      prehash: 'sha-256',
    },
    headers: {
      'X-Signature': 'ed25519={key.base58};{sig.base58}',
      'X-Time': '{ts.iso}',
      'X-Nonce': '{nonce.base58}',
    },
  },
  'SHA-512, an expiry time and unpadded base64': {
    validitySeconds: 30,
    message: { kind: 'template', template: '{url} {exp.ms} {{x}}', prehash: 'sha-512' },
    headers: { Authorization: 'Bearer {sig.base64-nopad}', 'X-Key': '{key.0xhex}', 'X-Expires': '{exp.ms}' },
  },
  'a token with alg Ed25519 and few claims': {
    message: {
      kind: 'jwt',
      alg: 'Ed25519',
      header: {},
      claims: { iat: { number: '{ts.s}' }, q: '?{sortedQuery}' },
    },
    headers: { Authorization: 'Token {jwt}', 'X-Key': '{kid.thumbprint}' },
  },
  'an HTTP signature of the query parameter and a header': {
    validitySeconds: 60,
    message: {
      kind: 'rfc9421',
      label: 'immune',
      components: ['@scheme', '@target-uri', '@query-param;name="node_id"', 'x-node'],
      params: ['expires', 'keyid', 'nonce', 'tag'],
      keyid: 'k:{key.base64url}',
      tag: 'a{b}"c',
    },
    headers: { 'X-Node': '{param.node_id}', 'Signature-Input': '{sigInput}', Signature: '{sigHeader}' },
  },
}

const documents: readonly (readonly [string, Profile])[] = [
  ...Object.entries(PROFILES),
  ...Object.entries(UNUSUAL).map(([name, document]) => {
    const profile = valueOf(parseProfile(document))
    return [name, profile] as const
  }),
]

type Running = {
  readonly baseUrl: string
  readonly nodeId: string
  readonly sign: (over?: {
    baseUrl?: string
    offsetMs?: number
    nodeId?: string
    key?: SigningKey
  }) => Promise<SignedHeaders>
  readonly ask: (signed: SignedHeaders) => Promise<readonly [number, unknown]>
}

/** The reference service with a profile, and the product's own signer with the same document. */
async function running(profile: Profile): Promise<Running> {
  const service = createReferenceService({ profile: { name: 'test', profile } })
  const { baseUrl } = await service.listen()
  onTestFinished(() => service.close())
  const own = await createWebCryptoKey(SEED)
  service.keys.register(bytesToHex(own.publicKey))
  const nodeId = service.network.idOf(3)
  return {
    baseUrl,
    nodeId,
    sign: async (over = {}) => {
      const base = over.baseUrl ?? baseUrl
      const settings = valueOf(parseSettings({ version: 1, services: [{ baseUrl: base, profile }] }))
      const signer = createSigner({
        service: () => settings.services[0],
        key: async () => ({ ...(over.key ?? own), family: 'plain', accepts: () => true }),
        wallMs: () => Date.now() + (over.offsetMs ?? 0),
        randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      })
      return valueOf(await signer.signStatusRequest(serviceIdOf(base), over.nodeId ?? nodeId))
    },
    ask: async ({ headers, query }) => {
      const reply = await fetch(statusUrl(baseUrl, query), { headers })
      const body: unknown = await reply.json()
      const field = reply.ok ? 'node_id' : 'code'
      return [reply.status, Reflect.get(Object(body), field)]
    },
  }
}

describe.each(documents)('profile %s', (_name, profile) => {
  const binding = bindingOf(profile)

  it('gets the record from a service that requires it', async () => {
    const { sign, ask, nodeId } = await running(profile)
    expect(await ask(await sign())).toEqual([200, nodeId])
  })

  it('rejects another node, another key and a changed header', async () => {
    const { sign, ask, nodeId } = await running(profile)
    const signed = await sign()
    if (binding.node) {
      const other = { ...signed, query: signed.query.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }
      expect((await ask(other))[0]).toBe(401)
    }
    const stranger = createPlainKey(new Uint8Array(32).fill(0x52))
    expect((await ask(await sign({ key: stranger })))[0]).toBe(401)
    for (const name of Object.keys(signed.headers)) {
      const fresh = await sign()
      const value = fresh.headers[name] ?? ''
      const middle = Math.floor(value.length / 2)
      const changed = value.slice(0, middle) + (value[middle] === '1' ? '2' : '1') + value.slice(middle + 1)
      const [status] = await ask({ ...fresh, headers: { ...fresh.headers, [name]: changed } })
      expect(status, `${name}: ${changed}`).toBe(401)
      const { [name]: _left, ...without } = fresh.headers
      expect((await ask({ ...fresh, headers: without }))[0], `without ${name}`).toBe(401)
    }
    expect(nodeId).toMatch(/^0x/)
  })

  it('rejects a signature for another service, if it covers the service', async () => {
    const { sign, ask } = await running(profile)
    const [status] = await ask(await sign({ baseUrl: 'http://127.0.0.1:1' }))
    expect(status).toBe(binding.host ? 401 : 200)
  })

  it('rejects a signature that is 90 s early or late, if it covers the time', async () => {
    const { sign, ask } = await running(profile)
    for (const offsetMs of [-90_000, 90_000]) {
      const [status] = await ask(await sign({ offsetMs }))
      expect(status).toBe(binding.time ? 401 : 200)
    }
  })

  it('rejects a repeated request, if signatures are for single use', async () => {
    const { sign, ask, nodeId } = await running(profile)
    const signed = await sign()
    expect((await ask(signed))[0]).toBe(200)
    expect(await ask(signed)).toEqual(binding.singleUse ? [401, 'nonce-used'] : [200, nodeId])
  })

  it('is announced by the service, and its headers are allowed across origins', async () => {
    const { baseUrl } = await running(profile)
    const unsigned = await fetch(`${baseUrl}/node/status`)
    expect(await unsigned.json()).toMatchObject({
      code: 'credentials-missing',
      detail: 'The request is not signed. It needs the headers of the signing profile of this service.',
    })
    expect(unsigned.headers.get('WWW-Authenticate')).toBe('Bearer realm="immune-node", profile="test"')
    const preflight = await fetch(`${baseUrl}/node/status`, {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:1', 'Access-Control-Request-Method': 'GET' },
    })
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe(
      Object.keys(profile.headers).join(', '),
    )
  })
})

describe('the profile search finds the profile that a service requires', () => {
  it.each(PROFILE_TRIES.map((way, index) => [way.id, way.profile, index] as const))(
    '%s',
    async (id, profile) => {
      const service = createReferenceService({ profile: { name: 'test', profile } })
      const { baseUrl } = await service.listen()
      onTestFinished(() => service.close())
      const key = createPlainKey(SEED)
      service.keys.register(bytesToHex(key.publicKey))
      const settings = parseSettings({ version: 1, services: [{ baseUrl, via: 'direct' }] })
      const configured = settings.ok ? settings.value.services[0] : undefined
      if (configured === undefined) throw new Error('no service')
      let waitedMs = 0
      const rounds = createTryRounds()
      await rounds.open(serviceIdOf(baseUrl), Date.now())
      const signer = createSigner({
        service: () => configured,
        key: async () => ({ ...key, family: 'plain', accepts: () => true }),
        rounds,
        wallMs: () => Date.now() + waitedMs,
        randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      })
      const steps: FindStep[] = []
      const end = await findProfile(
        {
          // The second between two tries passes on the fake clock only.
          clock: {
            ...systemClock,
            after: (delayMs, run) => {
              waitedMs += delayMs
              queueMicrotask(run)
              return () => undefined
            },
          },
          transport: async ({ url, headers }) => {
            const reply = await fetch(url, { headers })
            const contentType = reply.headers.get('Content-Type') ?? ''
            return ok({ status: reply.status, body: await reply.text(), contentType })
          },
          signer,
        },
        { serverUrl: baseUrl, service: configured, nodeId: service.network.idOf(1) },
        (step) => {
          steps.push(step)
          return true
        },
      )
      expect([end, steps.at(-1)]).toEqual(['accepted', { id, state: 'accepted', status: 200 }])
    },
  )
})
