import { describe, expect, it } from 'vitest'
import { createSigner } from '#keys/create-signer.ts'
import { createNaclKey } from '#keys/nacl-signer.ts'
import { createTryRounds } from '#keys/try-rounds.ts'
import { PROFILE_TRIES } from '#protocol/profile-tries.ts'
import { serviceIdOf } from '#protocol/service.ts'
import { parseSettings } from '#protocol/settings.ts'

const A = serviceIdOf('https://a.example')
const B = serviceIdOf('https://b.example')
const HOUR_MS = 3_600_000

describe('a round of tries', () => {
  it('is not open before it was opened, nor for another service', () => {
    const rounds = createTryRounds()
    expect(rounds.take(A, 'rfc9421', 0)).toBe(false)
    rounds.open(B, 0)
    expect(rounds.take(A, 'rfc9421', 0)).toBe(false)
  })

  it('gives each way once, one a second, and none that is not in the table', () => {
    const rounds = createTryRounds()
    expect(rounds.open(A, 0).ok).toBe(true)
    expect([
      rounds.take(A, 'rfc9421', 0),
      rounds.take(A, 'jwt-eddsa', 999),
      rounds.take(A, 'jwt-eddsa', 1_000),
      rounds.take(A, 'jwt-eddsa', 2_000),
      rounds.take(A, 'of-ones-own', 3_000),
    ]).toEqual([true, false, true, false, false])
  })

  it('ends by itself after five minutes, and is not open before its beginning', () => {
    const rounds = createTryRounds()
    rounds.open(A, 1_000)
    expect(rounds.take(A, 'rfc9421', 999)).toBe(false)
    expect(rounds.take(A, 'rfc9421', 301_000)).toBe(false)
    expect(rounds.take(A, 'rfc9421', 300_999)).toBe(true)
  })

  it('can be opened once an hour, whatever the clock does', () => {
    const rounds = createTryRounds()
    rounds.open(A, HOUR_MS)
    expect(rounds.open(A, HOUR_MS + 1)).toEqual({ ok: false, error: { retryInMs: HOUR_MS - 1 } })
    expect(rounds.open(A, 0)).toEqual({ ok: false, error: { retryInMs: HOUR_MS } })
    expect(rounds.open(B, HOUR_MS + 1).ok).toBe(true)
    expect(rounds.open(A, 2 * HOUR_MS).ok).toBe(true)
    expect(rounds.take(A, 'rfc9421', 2 * HOUR_MS)).toBe(true)
  })

  it('is opened for 64 services and no more', () => {
    const rounds = createTryRounds()
    const open = (port: number) => rounds.open(serviceIdOf(`https://a.example:${port}`), 0).ok
    expect(Array.from({ length: 64 }, (_, i) => open(i + 1)).every(Boolean)).toBe(true)
    expect(open(65)).toBe(false)
  })
})

describe('the table of tries', () => {
  it('has at most twelve ways, each with a name of its own', () => {
    expect(PROFILE_TRIES).toHaveLength(12)
    expect(new Set(PROFILE_TRIES.map(({ id }) => id)).size).toBe(12)
    expect(new Set(PROFILE_TRIES.map(({ profile }) => JSON.stringify({ ...profile, title: '' }))).size).toBe(
      12,
    )
  })
})

describe('signing a try', () => {
  function signerWith(key: 'locked' | 'none' | 'there' = 'there') {
    const rounds = createTryRounds()
    const settings = parseSettings({ version: 1, services: [{ baseUrl: 'https://a.example' }] })
    if (!settings.ok) throw new Error('not settings')
    const keys = { locked: 'locked', none: undefined, there: createNaclKey(new Uint8Array(32)) } as const
    const signer = createSigner({
      service: (id) => (id === A ? settings.value.services[0] : undefined),
      key: async () => keys[key],
      rounds,
      wallMs: () => 0,
      randomBytes: (length) => new Uint8Array(length),
    })
    return { signer, rounds }
  }

  it('is done in the way of the table, in an open round only', async () => {
    const { signer, rounds } = signerWith()
    expect(await signer.signTry(A, '0xab', 'timestamp-only')).toEqual({ ok: false, error: 'not-configured' })
    rounds.open(A, 0)
    const signed = await signer.signTry(A, '0xab', 'timestamp-only')
    expect(signed.ok && signed.value.headers['Authorization']).toMatch(/^Bearer [0-9a-f]{64}:0:/)
    expect(await signer.signTry(A, '0xab', 'timestamp-only')).toEqual({ ok: false, error: 'not-configured' })
  })

  it('is refused for another service, way or node id, and without a key; the try is not used up', async () => {
    const { signer, rounds } = signerWith()
    rounds.open(A, 0)
    rounds.open(B, 0)
    expect(await signer.signTry(B, '0xab', 'rfc9421')).toEqual({ ok: false, error: 'not-configured' })
    expect(await signer.signTry(A, '0xab', 'mine')).toEqual({ ok: false, error: 'not-configured' })
    expect(await signer.signTry(A, '0xab\nx', 'rfc9421')).toEqual({ ok: false, error: 'error' })
    expect((await signer.signTry(A, undefined, 'rfc9421')).ok).toBe(true)
    for (const [key, error] of [
      ['none', 'no-key'],
      ['locked', 'key-locked'],
    ] as const) {
      const other = signerWith(key)
      other.rounds.open(A, 0)
      expect(await other.signer.signTry(A, '0xab', 'rfc9421')).toEqual({ ok: false, error })
      expect(other.rounds.take(A, 'rfc9421', 0)).toBe(true)
    }
  })
})
