import { sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Profile } from '#signing/profile.ts'
import { OptionsError, type ReferenceOptions } from '#reference/options.ts'
import { createProfileCheck } from '#reference/profile-check.ts'
import { thumbprintOf } from '#reference/profile-values.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { askStatus, newNonce, NO_CREDENTIALS, testKey, type TestKey } from './client.ts'
import { profileOf, templateProfile } from './profile-request.ts'
import { runReference, VIEWER } from './running.ts'

/** Its requests do not name the signing key. */
const NAMELESS = templateProfile('{param.node_id}')
const NAMED = { Authorization: 'Bearer {sig.hex}', 'X-Key': '{key.hex}', 'X-Time': '{ts.s}' }
const TIMED = templateProfile('{ts.s} {param.node_id}', NAMED)
const SINGLE_USE = templateProfile('{ts.s} {nonce.base64url}', { ...NAMED, 'X-Nonce': '{nonce.base64url}' })

const seconds = (ms: number): number => Math.floor(ms / 1_000)
const bearer = (key: TestKey, text: string): string =>
  `Bearer ${sign(null, Buffer.from(text), key.privateKey).toString('hex')}`

async function running(profile: Profile, options: ReferenceOptions = {}) {
  const clock = createFakeClock()
  const { baseUrl, service, id } = await runReference({
    clock,
    ...options,
    profile: { name: 'test', profile },
  })
  /** The node id, or the code of the refusal. Sends no default signing headers. */
  const ask = async (
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    query = '',
  ): Promise<unknown> => {
    const sent = { ...NO_CREDENTIALS, ...headers }
    const reply = await askStatus(baseUrl, { key: VIEWER, query, headers: sent })
    return reply.status === 200 ? reply.json()['node_id'] : reply.json()['code']
  }
  return { ask, baseUrl, clock, service, id, nowS: () => seconds(clock.wallMs()) }
}

describe('a request signed by a profile', () => {
  const timed = (key: TestKey, nowS: number, nodeId: string) => ({
    Authorization: bearer(key, `${nowS} ${nodeId}`),
    'X-Key': key.hex,
    'X-Time': String(nowS),
  })

  /** Headers of SINGLE_USE, with a nonce of their own. */
  const once = (atS: number, nonce = newNonce()) => ({
    Authorization: bearer(VIEWER, `${atS} ${nonce}`),
    'X-Key': VIEWER.hex,
    'X-Time': String(atS),
    'X-Nonce': nonce,
  })

  it('with a nonce must be signed after the start, since earlier nonces are unknown', async () => {
    const { ask, id, nowS } = await running(SINGLE_USE)
    expect(await ask(once(nowS() - 1))).toBe('signed-before-start')
    const good = once(nowS())
    expect(await ask(good)).toBe(id(0))
    expect(await ask(good)).toBe('nonce-used')
    // A profile without a nonce has no such limit.
    const other = await running(TIMED)
    const early = timed(VIEWER, other.nowS() - 1, other.id(1))
    expect(await other.ask(early, `node_id=${other.id(1)}`)).toBe(other.id(1))
  })

  it('that names no key is checked with every key that may read the node', async () => {
    const { ask, id, service } = await running(NAMELESS)
    const key = testKey(5)
    service.keys.register(key.hex, id(3))
    const asks = (signer: TestKey, nodeId: string, query = `node_id=${nodeId}`) =>
      ask({ Authorization: bearer(signer, nodeId) }, query)
    expect(await asks(key, id(3))).toBe(id(3))
    expect(await asks(VIEWER, id(3))).toBe(id(3))
    expect(await asks(key, id(5))).toBe('signature-invalid')
    expect(await asks(testKey(6), id(3))).toBe('signature-invalid')
    // Only node_id names a node.
    expect(await asks(key, id(3), `other=${id(5)}&node_id=${id(3)}`)).toBe(id(3))
  })

  it('is checked with 64 keys at most', async () => {
    const { ask, id, service } = await running(NAMELESS)
    // The viewer's key is the first.
    for (let i = 2; i <= 65; i++) service.keys.register(testKey(i).hex)
    const asks = (signer: TestKey) => ask({ Authorization: bearer(signer, id(1)) }, `node_id=${id(1)}`)
    expect(await asks(testKey(64))).toBe(id(1))
    expect(await asks(testKey(65))).toBe('signature-invalid')
  })

  it('that names its key by a thumbprint is checked with that key only', async () => {
    const { ask, id, service } = await running(
      templateProfile('{param.node_id}', { 'X-Sig': '{sig.hex}', 'X-Key': '{kid.thumbprint}' }),
    )
    const key = testKey(5)
    service.keys.register(key.hex)
    const asks = (signer: TestKey, named: TestKey) =>
      ask({ 'X-Sig': bearer(signer, id(1)).slice(7), 'X-Key': thumbprintOf(named.hex) }, `node_id=${id(1)}`)
    expect(await asks(key, key)).toBe(id(1))
    expect(await asks(key, VIEWER)).toBe('signature-invalid')
    expect(await asks(testKey(6), testKey(6))).toBe('signature-invalid')
  })

  it('whose signed time is finer than the sent one never verifies', async () => {
    const { ask, nowS } = await running(
      templateProfile('{ts.ms}', { Authorization: 'Bearer {sig.hex}', 'X-Time': '{ts.s}' }),
    )
    for (const text of [`${nowS()}000`, 'undefined', ''])
      expect(await ask({ Authorization: bearer(VIEWER, text), 'X-Time': String(nowS()) })).toBe(
        'signature-invalid',
      )
  })

  it('may be signed for the previous or the next time window', async () => {
    const { ask, clock, id, nowS } = await running(
      templateProfile('w {ts.window}', undefined, { timestamp: { floorSeconds: 30 } }),
    )
    await clock.advance(3_615_000)
    const now = Math.floor(nowS() / 30)
    const verdicts: unknown[] = []
    for (const off of [-2, -1, 0, 1, 2])
      verdicts.push(await ask({ Authorization: bearer(VIEWER, `w ${now + off}`) }))
    expect(verdicts).toEqual(['signature-invalid', id(0), id(0), id(0), 'signature-invalid'])
  })

  it('is valid for every origin of the service and no other', async () => {
    const { ask, baseUrl, id } = await running(
      profileOf({
        message: { kind: 'jwt', alg: 'EdDSA', header: {}, claims: { aud: '{origin}' } },
        headers: { Authorization: 'Bearer {jwt}' },
      }),
    )
    const encoded = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url')
    const token = (aud: string): string => {
      const text = `${encoded({ alg: 'EdDSA' })}.${encoded({ aud })}`
      return `${text}.${sign(null, Buffer.from(text), VIEWER.privateKey).toString('base64url')}`
    }
    const { port } = new URL(baseUrl)
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await ask({ Authorization: `Bearer ${token(`http://${host}:${port}`)}` })).toBe(id(0))
    expect(await ask({ Authorization: `Bearer ${token('https://other.example')}` })).toBe(
      'credentials-malformed',
    )
  })

  it('with a nonce and no time is remembered for 15 minutes', async () => {
    const { ask, clock, id } = await running(
      templateProfile('{nonce.hex}', { Authorization: 'Bearer {sig.hex}', 'X-Nonce': '{nonce.hex}' }),
    )
    const nonce = 'ab'.repeat(16)
    const headers = { Authorization: bearer(VIEWER, nonce), 'X-Nonce': nonce }
    expect(await ask(headers)).toBe(id(0))
    expect(await ask(headers)).toBe('nonce-used')
    await clock.advance(900_000)
    expect(await ask(headers)).toBe('nonce-used')
    await clock.advance(1_000)
    expect(await ask(headers)).toBe(id(0))
  })

  it('is remembered by its signed time, even if that was ahead of the clock', async () => {
    const { ask, clock, id, nowS } = await running(SINGLE_USE)
    const early = once(nowS() + 60)
    expect(await ask(early)).toBe(id(0))
    await clock.advance(930_000)
    expect(await ask(once(nowS()))).toBe(id(0))
    clock.stepWall(-900_000)
    expect(await ask(early)).toBe('nonce-used')
  })
})

describe('a profile whose requests cannot be checked', () => {
  const refused = (document: object): string => {
    try {
      createProfileCheck(profileOf(document))
      return ''
    } catch (error) {
      return error instanceof OptionsError ? error.message : 'no OptionsError'
    }
  }
  const message = { kind: 'template', template: '{param.node_id}' }
  const token = { kind: 'none', token: 'operator-typed' }
  const headers = { Authorization: 'Bearer {sig.hex}' }

  it('is refused with its reason when the service starts', () => {
    expect(refused({ message: token, headers: { Authorization: 'Bearer {token}' } })).toBe(
      '--profile: this profile sends a token. Add --token-file FILE.',
    )
    expect(refused({ message: token, headers: {} })).toBe(
      "--profile: requests with this profile can't be checked (token-not-sent).",
    )
    expect(refused({ message: { kind: 'template', template: '{ts.s}' }, headers })).toBe(
      "--profile: requests with this profile can't be checked (time-not-sent).",
    )
    expect(refused({ message, headers })).toBe('')
  })

  it.each(['Bearer {kid} {jwt}', '{jwt};', '{jwt}{jwt}'])(
    'is refused if a token cannot be separated from the text around it: %s',
    (template) => {
      const jwt = { kind: 'jwt', alg: 'EdDSA', header: {}, claims: { aud: '{origin}' } }
      expect(refused({ message: jwt, headers: { Authorization: template } })).toBe(
        "--profile: the header Authorization can't be read back: {jwt}, {sigInput} or {sigHeader} must be its only placeholder and come last.",
      )
      expect(refused({ message: jwt, headers: { Authorization: 'Bearer {jwt}' } })).toBe('')
    },
  )

  it('is the default profile if a token is given', async () => {
    await expect(runReference({ token: 'abc' })).rejects.toThrow(
      '--token-file requires a --profile whose headers send {token}.',
    )
  })
})
