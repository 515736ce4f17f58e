import { describe, expect, it } from 'vitest'
import { err } from '#base/result.ts'
import { createMemoryKeyStore } from '#test/support/memory-key-store.ts'
import { valueOf } from '#test/support/value-of.ts'
import { createSigner } from '#keys/create-signer.ts'
import { createPlainKey } from '#keys/signing-key.ts'
import { createTryRounds } from '#keys/try-rounds.ts'
import { startsWithFixedTag } from '#signing/profile-lint.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import type { Signer } from '#signing/signer.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'

const A = serviceIdOf('https://a.example')
const B = serviceIdOf('https://b.example')
const HOUR_MS = 3_600_000

describe('a round of tries', () => {
  it('is closed until it is opened for that service', async () => {
    const rounds = createTryRounds()
    expect(rounds.take(A, 'rfc9421', 0)).toBe(false)
    await rounds.open(B, 0)
    expect(rounds.take(A, 'rfc9421', 0)).toBe(false)
  })

  it('allows each profile of the table once, at most one per second', async () => {
    const rounds = createTryRounds()
    expect((await rounds.open(A, 0)).ok).toBe(true)
    expect([
      rounds.take(A, 'rfc9421', 0),
      rounds.take(A, 'jwt-eddsa', 999),
      rounds.take(A, 'jwt-eddsa', 1_000),
      rounds.take(A, 'jwt-eddsa', 2_000),
      rounds.take(A, 'of-ones-own', 3_000),
    ]).toEqual([true, false, true, false, false])
  })

  it('is open for 5 minutes from its start', async () => {
    const rounds = createTryRounds()
    await rounds.open(A, 1_000)
    expect(rounds.take(A, 'rfc9421', 999)).toBe(false)
    expect(rounds.take(A, 'rfc9421', 301_000)).toBe(false)
    expect(rounds.take(A, 'rfc9421', 300_999)).toBe(true)
  })

  it('can be opened once an hour per service, even if the clock is set back', async () => {
    const rounds = createTryRounds()
    await rounds.open(A, HOUR_MS)
    expect(await rounds.open(A, HOUR_MS + 1)).toEqual(err({ retryInMs: HOUR_MS - 1 }))
    expect(await rounds.open(A, 0)).toEqual(err({ retryInMs: HOUR_MS }))
    expect((await rounds.open(B, HOUR_MS + 1)).ok).toBe(true)
    expect((await rounds.open(A, 2 * HOUR_MS)).ok).toBe(true)
    expect(rounds.take(A, 'rfc9421', 2 * HOUR_MS)).toBe(true)
  })

  it('can be opened for at most 64 services an hour', async () => {
    const rounds = createTryRounds()
    const open = async (port: number, nowMs = 0) =>
      (await rounds.open(serviceIdOf(`https://a.example:${port}`), nowMs)).ok
    for (let port = 1; port <= 64; port++) expect(await open(port)).toBe(true)
    expect(await open(65, HOUR_MS - 1)).toBe(false)
    expect(await rounds.open(A, HOUR_MS - 1)).toEqual(err({ retryInMs: HOUR_MS }))
    expect(await open(65, HOUR_MS)).toBe(true)
  })
})

describe('the hour between rounds', () => {
  it('continues after the signer restarts, and the old round stays closed', async () => {
    const store = createMemoryKeyStore()
    await createTryRounds(store).open(A, 1_000)
    const again = createTryRounds(store)
    expect(again.take(A, 'rfc9421', 2_000)).toBe(false)
    expect(await again.open(A, 2_000)).toEqual(err({ retryInMs: HOUR_MS - 1_000 }))
    expect(again.take(A, 'rfc9421', 2_000)).toBe(false)
    expect((await again.open(B, 2_000)).ok).toBe(true)
    const last = createTryRounds(store)
    expect((await last.open(A, HOUR_MS + 1_000)).ok).toBe(true)
    expect((await last.open(B, HOUR_MS + 1_000)).ok).toBe(false)
  })

  it('is stored before the round opens', async () => {
    const store = createMemoryKeyStore()
    const events: string[] = []
    const slow = {
      ...store,
      putTryRounds: async (rounds: ReadonlyMap<string, number>) => {
        await new Promise(setImmediate)
        events.push('stored')
        return store.putTryRounds(rounds)
      },
    }
    await createTryRounds(slow).open(A, 0)
    events.push('open')
    expect(events).toEqual(['stored', 'open'])
  })

  it('restarts once if the clock was ahead when the last round was opened', async () => {
    const store = createMemoryKeyStore()
    await createTryRounds(store).open(A, 100 * HOUR_MS)
    expect(await createTryRounds(store).open(A, 5_000)).toEqual(err({ retryInMs: HOUR_MS }))
    expect(await createTryRounds(store).open(A, 6_000)).toEqual(err({ retryInMs: HOUR_MS - 1_000 }))
  })

  it('is kept in memory when storage is read-only', async () => {
    const store = createMemoryKeyStore()
    store.works = 'reading'
    const rounds = createTryRounds(store)
    expect((await rounds.open(A, 0)).ok).toBe(true)
    expect((await rounds.open(A, 1)).ok).toBe(false)
    expect((await createTryRounds(store).open(A, 1)).ok).toBe(true)
  })
})

const trying = (
  { signStatusRequest }: Signer,
  tryId: string,
  id: ServiceId,
  nodeId: string | undefined,
  correctionMs = 0,
) => signStatusRequest(id, nodeId, correctionMs, { tryId })

describe('signing a try', () => {
  function signerWith(key: 'locked' | 'none' | 'there' | 'chain' = 'there') {
    const rounds = createTryRounds()
    const settings = valueOf(parseSettings({ version: 1, services: [{ baseUrl: 'https://a.example' }] }))
    const clock = { nowMs: 0 }
    const real = createPlainKey(new Uint8Array(32))
    const keys = {
      locked: 'locked',
      none: undefined,
      there: { ...real, family: 'plain', accepts: () => true },
      chain: { ...real, family: 'chain', accepts: () => true },
    } as const
    const signer = createSigner({
      service: (id) => (id === A ? settings.services[0] : undefined),
      key: async () => keys[key],
      rounds,
      wallMs: () => clock.nowMs,
      randomBytes: (length) => new Uint8Array(length),
    })
    return { signer, rounds, clock }
  }

  it('uses the profile of the table, once and only in an open round', async () => {
    const { signer, rounds } = signerWith()
    expect(await trying(signer, 'timestamp-only', A, '0xab')).toEqual(err('not-configured'))
    await rounds.open(A, 0)
    const signed = await trying(signer, 'timestamp-only', A, '0xab')
    expect(signed.ok && signed.value.headers['Authorization']).toMatch(/^Bearer [0-9a-f]{64}:0:/)
    expect(await trying(signer, 'timestamp-only', A, '0xab')).toEqual(err('not-configured'))
  })

  it('uses the corrected time in the signature and the signer’s own time for the round', async () => {
    const { signer, rounds, clock } = signerWith()
    clock.nowMs = 1_000_000
    await rounds.open(A, clock.nowMs)
    // Twice the length of a round: by the corrected time, the round would be over or not yet open.
    for (const [correctionMs, id] of [
      [600_000, 'timestamp-only'],
      [-600_000, 'bearer-node-id'],
    ] as const) {
      const signed = await trying(signer, id, A, '0xab', correctionMs)
      expect(signed.ok, id).toBe(true)
      if (id === 'timestamp-only' && signed.ok)
        expect(signed.value.headers['Authorization']).toMatch(/^Bearer [0-9a-f]{64}:1600:/)
      clock.nowMs += 1_000
    }
    expect(await trying(signer, 'rfc9421', A, '0xab', 600_001)).toEqual(err('time-not-allowed'))
    expect(rounds.take(A, 'rfc9421', clock.nowMs)).toBe(true)
  })

  it('is refused with a chain key if the text has no fixed start, and the try is not used up', async () => {
    const { signer, rounds, clock } = signerWith('chain')
    await rounds.open(A, 0)
    const refused: string[] = []
    for (const { id, profile } of PROFILE_TRIES) {
      clock.nowMs += 1_000
      const signed = await trying(signer, id, A, '0xab')
      expect(signed.ok, id).toBe(startsWithFixedTag(profile))
      if (signed.ok) continue
      expect(signed.error).toBe('chain-key')
      expect(rounds.take(A, id, clock.nowMs), id).toBe(true)
      refused.push(id)
    }
    expect(refused).toContain('timestamp-only')
    expect(refused.length).toBeLessThan(PROFILE_TRIES.length)
  })

  it('is refused for a wrong service, profile or node id or without a key, and the try is not used up', async () => {
    const { signer, rounds } = signerWith()
    await rounds.open(A, 0)
    await rounds.open(B, 0)
    expect(await trying(signer, 'rfc9421', B, '0xab')).toEqual(err('not-configured'))
    expect(await trying(signer, 'mine', A, '0xab')).toEqual(err('not-configured'))
    expect(await trying(signer, 'rfc9421', A, '0xab\nx')).toEqual(err('error'))
    expect((await trying(signer, 'rfc9421', A, undefined)).ok).toBe(true)
    for (const [key, error] of [
      ['none', 'no-key'],
      ['locked', 'key-locked'],
    ] as const) {
      const other = signerWith(key)
      await other.rounds.open(A, 0)
      expect(await trying(other.signer, 'rfc9421', A, '0xab')).toEqual(err(error))
      expect(other.rounds.take(A, 'rfc9421', 0)).toBe(true)
    }
  })
})
