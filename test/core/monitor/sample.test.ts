import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import { answeredSample, failedSample } from '#monitor/sample.ts'
import { recordOf } from '#test/support/fleet-fixture.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import { resolveSettings } from '#settings/effective.ts'
import type { Units } from '#settings/schema.ts'
import { reading } from './fleet.ts'
import { keyOf, record } from './watch.ts'

const KEY = keyOf(0)
const ASKED = { node: KEY, atMs: 5_000, latencyMs: 100, everyMs: 30_000, serviceMs: 4_000 }
const sampleOf = (
  given: Readonly<Record<string, unknown>>,
  more: Parameters<typeof reading>[1] = {},
  units: Units = {},
) =>
  answeredSample(
    ASKED,
    reading(given, more),
    { proof: '0x1' },
    { steps: { threatResponses: { increase: 3, restarted: true } } },
    resolveSettings([{ from: { kind: 'service', by: 'browser' }, units, limits: {} }], {}),
    METRICS,
  )
const WHOLE = {
  ...ASKED,
  outcome: 'answered',
  status: 'ACTIVE',
  stake: 1_250_000,
  participation: 0.98,
  threatResponses: 7,
  threatResponsesIncrease: 3,
  threatResponsesRestarted: true,
  heartbeatAgeMs: 4_000,
  proof: expect.stringMatching(/^[\da-f]{8}$/),
  proofChanged: true,
}
const without = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(WHOLE).filter(([name]) => !names.includes(name)))

describe('a sample', () => {
  it.each([
    ['of a complete answer', {}, WHOLE],
    ['without a status', { status: 5 }, without('status')],
    ['without a stake', { stake_deployed: 'much' }, without('stake')],
    ['without participation', { network_participation: null }, without('participation')],
    ['with participation beyond its unit', { network_participation: 120 }, without('participation')],
    [
      'without a counter',
      { threat_responses_executed: -1 },
      without('threatResponses', 'threatResponsesIncrease', 'threatResponsesRestarted'),
    ],
    ['without a proof', { cryptographic_proof: 'zz' }, without('proof', 'proofChanged')],
  ])('%s', (_what, given, expected) => {
    expect(sampleOf(given)).toStrictEqual(expected)
  })

  it('stores a percentage of participation as a ratio', () => {
    expect(sampleOf({ network_participation: 50 }, {}, { participation: 'percent' })).toStrictEqual({
      ...WHOLE,
      participation: 0.5,
    })
  })

  it.each([
    ['unusable', undefined],
    ['ahead of the service', { kind: 'unknown' as const, aheadMs: 9_000 }],
    ['too uncertain', { kind: 'uncertain' as const, uncertaintyMs: 31_000 }],
  ])('has no age of a heartbeat that is %s', (_what, heartbeat) => {
    expect(sampleOf({}, { ages: heartbeat === undefined ? {} : { heartbeat } })).toStrictEqual(
      without('heartbeatAgeMs'),
    )
  })

  it('has only the total of a counter without a known increase', () => {
    const settings = resolveSettings([], {})
    const sample = answeredSample(ASKED, reading(), { proof: '0xabcd' }, { steps: {} }, settings, METRICS)
    expect(sample).toStrictEqual({
      ...without('threatResponsesIncrease', 'threatResponsesRestarted'),
      proofChanged: false,
    })
  })

  it.each([
    ['amount', '1250000', '12345678901234567890', { stakeExact: '12345678901234567890' }],
    ['counter', '7,', '9007199254740993,', { threatResponsesExact: '9007199254740993' }],
    ['share', '0.98', '0.1234567890123456789', {}],
  ])('keeps all digits of a long %s, unless it is a share', (_what, usual, sent, exact) => {
    const sample = sampleOf({}, { record: recordOf(record('0x0001').replace(usual, sent)) })
    const found = Object.entries(sample).filter(([name]) => name.endsWith('Exact'))
    expect(Object.fromEntries(found)).toEqual(exact)
  })

  it.each<[string, ProofVerdict, object]>([
    ['verified: that', { kind: 'verified' }, { more: { proof: 'verified' } }],
    ['wrong: the reason', { kind: 'wrong', reason: 'mismatch' }, { more: { proof: 'mismatch' } }],
    ['not checked: nothing', { kind: 'not-checked', reason: 'key' }, {}],
  ])('records of a proof that is %s', (_what, proof, more) => {
    expect(sampleOf({}, { proof })).toStrictEqual({ ...WHOLE, ...more })
  })

  it('records the names of unknown members', () => {
    expect(sampleOf({ extra: 1 })).toStrictEqual({ ...WHOLE, more: { unknownFields: ['extra'] } })
    expect(sampleOf({ extra: 1 }, { proof: { kind: 'verified' } })).toStrictEqual({
      ...WHOLE,
      more: { unknownFields: ['extra'], proof: 'verified' },
    })
  })

  it('records the failure of a failed poll', () => {
    expect(failedSample(ASKED, { kind: 'timeout', afterMs: 9, hop: 'service' })).toStrictEqual({
      ...ASKED,
      outcome: 'timeout',
      more: { failure: { code: 'net/timeout', afterMs: 9, hop: 'service' } },
    })
  })
})
