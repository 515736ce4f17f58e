import { expect, it } from 'vitest'
import { PROFILE_TRIES, ROUND_EVERY_MS, TRY_EVERY_MS } from '#signing/profile-tries.ts'
import { PRESETS } from '#signing/presets.ts'

const presetOf = (id: string) => PRESETS.get(id)?.profile

it('a round goes from the strongest way of signing to the weakest', () => {
  expect(PROFILE_TRIES.map(({ id }) => id)).toEqual([
    'bearer-v1',
    'bearer-v1-base64',
    'rfc9421',
    'jwt-eddsa',
    'jwt-ed25519',
    'bearer-window',
    'method-path-time',
    'ms-method-path',
    'wallet-timestamp',
    'timestamp-only',
    'bearer-node-id',
    'node-id-base64',
  ])
  expect([TRY_EVERY_MS, ROUND_EVERY_MS]).toEqual([1_000, 3_600_000])
})

it('each way says by its title what it is, those that come with the product by theirs', () => {
  for (const { id, title, profile } of PROFILE_TRIES) {
    expect(title.length).toBeGreaterThan(8)
    expect(profile.title).toBe(title)
    if (PRESETS.has(id)) expect(profile).toBe(presetOf(id))
  }
})

it('the others are those that services are known to want', () => {
  const others = PROFILE_TRIES.filter(({ id }) => !PRESETS.has(id))
  const documents = others.map(({ id, profile: { v, title, ...said } }) => [id, v, title, said])
  const jwt = presetOf('jwt-eddsa')?.message
  expect(documents).toEqual([
    [
      'bearer-v1-base64',
      1,
      'Everything bound, signature in base64',
      {
        validitySeconds: 60,
        message: presetOf('bearer-v1')?.message,
        headers: {
          Authorization: 'Bearer {sig.base64}',
          'X-Node-Key': '{key.base64}',
          'X-Node-Timestamp': '{ts.s}',
          'X-Node-Nonce': '{nonce.base64url}',
        },
      },
    ],
    [
      'jwt-ed25519',
      1,
      'JSON Web Token, algorithm named Ed25519',
      {
        validitySeconds: 60,
        message: { ...jwt, alg: 'Ed25519' },
        headers: { Authorization: 'Bearer {jwt}' },
      },
    ],
    [
      'method-path-time',
      1,
      'Method, path and time',
      {
        message: { kind: 'template', template: '{method} {target}\n{ts.s}' },
        headers: {
          Authorization: 'Bearer {sig.base64}',
          'X-Public-Key': '{key.hex}',
          'X-Timestamp': '{ts.s}',
        },
      },
    ],
    [
      'ms-method-path',
      1,
      'Milliseconds, method and path in one',
      {
        message: { kind: 'template', template: '{ts.ms}{method}{target}' },
        headers: {
          Authorization: 'Bearer {sig.base64url}',
          'X-Public-Key': '{key.hex}',
          'X-Timestamp': '{ts.ms}',
        },
      },
    ],
    [
      'node-id-base64',
      1,
      'Node id only, in base64: a permanent password',
      {
        message: { kind: 'template', template: '{param.node_id}' },
        headers: { Authorization: 'Bearer {sig.base64}', 'X-Public-Key': '{key.hex}' },
      },
    ],
  ])
})
