import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDirectory } from '#reference/directory.ts'
import { DEFAULT_SEED, demoName, stateAt, threatCount } from '#reference/demo-network.ts'
import { seedWords } from '#reference/random.ts'
import type { ReferenceService } from '#reference/reference-service.ts'
import { createFakeClock, type FakeClock } from '#test/support/fake-clock.ts'
import { askStatus } from './client.ts'
import { runReference, VIEWER } from './running.ts'

const START_MS = Date.parse('2026-06-01T12:00:00Z')
const DAY_S = 86_400
const recordAt = (seed: string, index: number, atMs: number) => stateAt(seedWords(seed), index, atMs)
const times = (count: number, stepMs: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => START_MS + i * stepMs)

describe('the demo network', () => {
  it('depends on seed, node and time only', () => {
    const asked = times(50, 977_000)
    const forward = asked.map((ms) => recordAt('a', 3, ms))
    expect(asked.toReversed().map((ms) => recordAt('a', 3, ms))).toEqual(forward.toReversed())
    expect(asked.map((ms) => recordAt('b', 3, ms))).not.toEqual(forward)
    expect(asked.map((ms) => recordAt('a', 4, ms))).not.toEqual(forward)
  })

  it('is the same in every version', () => {
    expect(recordAt(DEFAULT_SEED, 0, START_MS)).toMatchInlineSnapshot(`
      {
        "lastHeartbeat": 1780315190,
        "participation": 0.9763,
        "stake": 1152500,
        "status": "ACTIVE",
        "threatResponses": 12161,
      }
    `)
  })

  it('has heartbeats that never go backwards', () => {
    const beats = times(10_000, 1_000).map((ms) => recordAt('a', 1, ms).lastHeartbeat)
    expect(beats.every((beat, i) => i === 0 || beat >= (beats[i - 1] ?? 0))).toBe(true)
  })

  it('restarts each node about every 12 days: silence, then STARTING, then a counter from 0', () => {
    const state = (ms: number) => ({ ms, ...recordAt('a', 6, ms) })
    const coarse = times(30 * 24 * 12, 300_000).map(state)
    const fell = (states: readonly { threatResponses: number }[]): number =>
      states.findIndex((now, i) => now.threatResponses < (states[i - 1]?.threatResponses ?? 0))
    const restarts = coarse.flatMap((now, i) => {
      if (fell(coarse.slice(i - 1, i + 1)) !== 1) return []
      const fine = Array.from({ length: 301 }, (_, second) => state(now.ms - 300_000 + second * 1_000))
      const at = fell(fine)
      return [{ before: fine[at - 1] ?? now, after: fine[at] ?? now }]
    })
    expect(restarts.length).toBeGreaterThanOrEqual(1)
    expect(restarts.length).toBeLessThanOrEqual(4)
    for (const { before, after } of restarts) {
      expect(before.ms / 1_000 - before.lastHeartbeat).toBeGreaterThan(30)
      expect(after).toMatchObject({ status: 'STARTING', lastHeartbeat: after.ms / 1_000 })
      expect(after.threatResponses).toBeLessThan(10)
    }
  })
})

describe('threat responses', () => {
  const seed = seedWords('threats')
  const counts = (untilS: number, stepS = 1): readonly number[] =>
    Array.from({ length: untilS / stepS }, (_, i) => threatCount(seed, 0, 5, i * stepS))

  it('never fall between restarts', () => {
    const all = counts(20_000)
    expect(all.every((count, i) => i === 0 || count >= (all[i - 1] ?? 0))).toBe(true)
  })

  it('start at 0 and grow by 1.5 to 7 a minute', () => {
    expect(threatCount(seed, 0, 5, 0)).toBe(0)
    const perMinute = threatCount(seed, 0, 5, 10 * DAY_S) / (10 * 24 * 60)
    expect([perMinute > 1.5, perMinute < 7]).toEqual([true, true])
  })
})

describe('a clock of the service', () => {
  const asked = async (step: (service: ReferenceService, clock: FakeClock) => unknown) => {
    const clock = createFakeClock()
    const { baseUrl, service } = await runReference({ clock })
    const ask = async () => {
      const reply = await askStatus(baseUrl, {
        key: VIEWER,
        timestamp: Math.floor(
          Date.parse(String((await askStatus(baseUrl, { key: VIEWER, timestamp: 0 })).headers['date'])) /
            1_000,
        ),
      })
      const { threat_responses_executed: count, last_heartbeat: heartbeat } = reply.json()
      const dateS = Date.parse(String(reply.headers['date'])) / 1_000
      return { count: Number(count), ageS: dateS - Number(heartbeat), dateS }
    }
    await clock.advance(3_600_000)
    const before = await ask()
    await step(service, clock)
    const after = await ask()
    await clock.advance(60_000)
    return { before, after, later: await ask() }
  }
  const day = 86_400_000
  const offset = (value: number) => (service: ReferenceService) =>
    service.faults.set('*', { name: 'clock-offset', value })

  it.each<[string, number, Parameters<typeof asked>[0]]>([
    ['set back on its computer', -600, (_service, clock) => clock.stepWall(-600_000)],
    ['set back by a fault', -day / 1_000, offset(-day)],
    ['set forward by a fault', day / 1_000, offset(day)],
  ])('%s leaves counters and heartbeat ages as they were', async (_how, bySeconds, step) => {
    const { before, after, later } = await asked(step)
    expect(after.dateS - before.dateS).toBe(bySeconds)
    expect(after.count).toBe(before.count)
    expect(after.ageS).toBe(before.ageS)
    expect(later.count).toBeGreaterThan(after.count)
    expect(later.count).toBeLessThan(after.count + 60)
    expect(later.ageS).toBeGreaterThanOrEqual(0)
  })
})

describe('the directory', () => {
  it('finds its nodes by id and returns undefined for any other id', async () => {
    const directory = createDirectory('a', 1_000)
    const [index, stranger] = await Promise.all([
      directory.indexOf(directory.idOf(999)),
      directory.indexOf(`0x${'a'.repeat(64)}`),
    ])
    expect([index, stranger]).toEqual([999, undefined])
    directory.close()
  })

  it('finds a node before all 100,000 keys are computed, and ends pending lookups when closed', async () => {
    const directory = createDirectory('a', 100_000)
    expect(directory.idOf(99_999)).toMatch(/^0x[0-9a-f]{64}$/)
    const last = directory.indexOf(directory.idOf(99_999))
    expect(await directory.indexOf(directory.idOf(40))).toBe(40)
    directory.close()
    expect(await last).toBeUndefined()
  })

  it('signs with the key whose public half is the id', () => {
    const directory = createDirectory('a', 3)
    const message = Buffer.from('x')
    for (const index of [0, 2, 3]) {
      const x = Buffer.from(directory.idOf(index).slice(2), 'hex').toString('base64url')
      const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
      expect(verify(null, message, key, directory.sign(index, message))).toBe(true)
    }
  })
})

describe('a record over the wire', () => {
  it("carries the node's signature, which verifies with its id as the public key", async () => {
    const { baseUrl } = await runReference()
    const record = (await askStatus(baseUrl, { key: VIEWER })).json()
    const { cryptographic_proof: proof, ...vouched } = record
    const lines = Object.entries(vouched).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    const message = Buffer.from(['immune-node-record-v1', ...lines].join('\n'))
    const x = Buffer.from(String(record['node_id']).slice(2), 'hex').toString('base64url')
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    const signature = Buffer.from(String(proof).slice(2), 'hex')
    expect(verify(null, message, key, signature)).toBe(true)
    expect(verify(null, Buffer.concat([message, Buffer.from(' ')]), key, signature)).toBe(false)
  })
})

it('demo nodes have readable names', () => {
  expect([12, 99_999].map(demoName)).toEqual(['vela-013', 'cygnus-100000'])
  expect(Array.from({ length: 12 }, (_, index) => demoName(index)).join(' ')).toBe(
    'vela-001 orion-002 lyra-003 cygnus-004 draco-005 hydra-006 corvus-007 aquila-008 perseus-009 carina-010 pavo-011 phoenix-012',
  )
})
