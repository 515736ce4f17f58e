import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { evaluateMetric, isBroken } from '#metrics/evaluate-metric.ts'
import type { Metric, MetricContext } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { badFields } from '#metrics/answer.ts'
import { AS_IT_COMES, membersOf, readStatusRecord, type StatusRecord } from '#metrics/status-record.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { resolveSettings } from '#settings/effective.ts'
import type { Limits, Units } from '#settings/schema.ts'
import { valueOf } from '#test/support/value-of.ts'

const RECORD = {
  node_id: '0x7f3a',
  status: 'ACTIVE',
  stake_deployed: 1_250_000,
  network_participation: 0.9842,
  threat_responses_executed: 1_204_882,
  last_heartbeat: 1_795_183_351,
  cryptographic_proof: '0x9c41',
}

type Given = {
  readonly record?: Readonly<Record<string, unknown>>
  readonly latencyMs?: number
  readonly units?: Units
  readonly limits?: Limits
  readonly context?: Partial<MetricContext>
  /** Replaces the built-in metric. */
  readonly metric?: Metric
  /** Replaces the record above. */
  readonly read?: StatusRecord
}

function jsonOf(members: Readonly<Record<string, unknown>>) {
  return valueOf(parseJsonRecord(JSON.stringify({ ...RECORD, ...members })))
}

function evaluated(
  id: string,
  { record = {}, latencyMs = 40, units = {}, limits = {}, context, ...given }: Given = {},
) {
  const metric: Metric | undefined = given.metric ?? METRICS.find((each) => each.id === id)
  if (metric === undefined) throw new Error(id)
  const settings = resolveSettings([{ from: { kind: 'service', by: 'browser' }, units, limits }], {})
  const age = { kind: 'known', ageMs: 4_000, uncertaintyMs: 100 } as const
  return evaluateMetric(
    metric,
    { record: given.read ?? readStatusRecord(jsonOf(record), METRICS), latencyMs },
    { settings, timeoutMs: 10_000, age, ageMs: 4_000, proof: undefined, ...context },
  )
}

describe('the registry', () => {
  it('uses each name once, and none of a record’s other members', () => {
    for (const names of [
      METRICS.map(({ id }) => id),
      METRICS.flatMap(({ field }) => field ?? []),
      METRICS.map(({ exportName }) => exportName),
      METRICS.map(({ prometheusName }) => prometheusName),
    ])
      expect(new Set(names).size).toBe(names.length)
    const ids: readonly string[] = METRICS.map(({ id }) => id)
    for (const taken of ['nodeId', 'unknownFields', 'extraFields']) expect(ids).not.toContain(taken)
  })

  it('lists the members of a record in the order of the interface', () => {
    expect(membersOf(METRICS)).toEqual(Object.keys(RECORD))
  })

  it('follows the naming rules of Prometheus', () => {
    for (const { prometheusName, kind } of METRICS) {
      expect(prometheusName).toMatch(/^immune_node_[a-z_]+$/)
      expect(prometheusName.endsWith('_total')).toBe(kind === 'counter')
    }
  })
})

describe('the evaluation of a value', () => {
  const below = { participationBelow: 0.9842, participationAbove: 0.9842 }
  const meaning = (means: 'warning' | 'bad'): Given => ({
    units: { statusWords: [{ word: 'ACTIVE', means }] },
  })
  const share = (network_participation: number): Given => ({
    limits: below,
    record: { network_participation },
  })
  const slow = (latencyMs: number, answerTimeAboveMs: number): Given => ({
    latencyMs,
    limits: { answerTimeAboveMs },
  })
  const proof = (verdict: ProofVerdict): Given => ({ context: { proof: verdict } })
  it.each<[string, string, Given, says: string, limit?: object]>([
    ['status', 'known', {}, 'ok within-limits'],
    ['status', 'new', { record: { status: 'DRAINING' } }, 'info unknown-word'],
    ['status', 'a warning', meaning('warning'), 'warning status-warning'],
    ['status', 'bad', meaning('bad'), 'critical status-bad'],
    ['status', 'missing', { record: { status: 7 } }, 'warning unusable-field'],
    ['participation', 'on its limits', { limits: below }, 'ok within-limits'],
    [
      'participation',
      'below its limit',
      { ...share(98.41), units: { participation: 'percent' } },
      'warning below-limit',
      { side: 'below', state: 'warning', value: 0.9842 },
    ],
    ['participation', 'above its limit', share(0.98421), 'warning above-limit', { side: 'above' }],
    [
      'participation',
      'beyond its unit',
      { record: { network_participation: 1.01 }, units: { participation: 'ratio' } },
      'info out-of-unit',
    ],
    [
      'stake',
      'on its limit, given in the displayed unit',
      { limits: { stakeBelow: '1.25' }, units: { stakeDecimals: 6 } },
      'ok within-limits',
    ],
    [
      'stake',
      'below its limit by the last digit',
      { limits: { stakeBelow: '1250000.0000000000000000001' } },
      'warning below-limit',
      { text: '1250000.0000000000000000001' },
    ],
    ['threatResponses', 'any count', {}, 'ok within-limits'],
    ['threatResponses', '1.5', { record: { threat_responses_executed: 1.5 } }, 'warning unusable-field'],
    ['answerTime', 'short', { latencyMs: 8_000 }, 'ok within-limits'],
    ['answerTime', 'near the timeout', { latencyMs: 8_001 }, 'info near-timeout'],
    ['answerTime', 'on its limit', slow(300, 300), 'ok within-limits'],
    ['answerTime', 'above its limit', slow(9_000, 300), 'warning above-limit', { value: 300 }],
    ['answerTime', 'on its limit, and near the timeout', slow(9_000, 9_000), 'info near-timeout'],
    ['proof', 'not checked', {}, 'not-checked proof-not-checked'],
    ['proof', 'empty', { record: { cryptographic_proof: '0x' } }, 'info empty-proof'],
    ['proof', 'verified', proof({ kind: 'verified' }), 'ok proof-verified'],
    ['proof', 'wrong', proof({ kind: 'wrong', reason: 'mismatch' }), 'critical proof-wrong'],
    ['proof', 'not checkable', proof({ kind: 'not-checked', reason: 'key' }), 'warning proof-not-checkable'],
    [
      'proof',
      'not its turn',
      proof({ kind: 'not-checked', reason: 'busy' }),
      'not-checked proof-not-checked',
    ],
  ])('%s %s', (id, _, given, says, limit) => {
    const found = evaluated(id, given)
    expect(`${found.state} ${found.reason}`).toBe(says)
    if (limit !== undefined) expect(found.limit).toMatchObject(limit)
  })
})

describe('an exact limit', () => {
  const limit = { value: 9_007_199_254_740_992, text: '9007199254740993' }
  it.each([
    ['below', '9007199254740992', true],
    ['below', '9007199254740993', false],
    ['below', '9007199254740994', false],
    ['above', '9007199254740992', false],
    ['above', '9007199254740993', false],
    ['above', '9007199254740994', true],
  ] as const)('with side %s is broken by %s: %s', (side, text, broken) => {
    expect(isBroken({ ...limit, side }, { text, value: Number(text) })).toBe(broken)
  })
})

describe('a timestamp', () => {
  it('lists the ages at which its state changes', () => {
    expect(evaluated('heartbeat')).toEqual({
      state: 'ok',
      reason: 'within-limits',
      changes: [
        { side: 'above', value: 60_000, state: 'warning' },
        { side: 'above', value: 180_000, state: 'critical' },
      ],
    })
  })

  it.each([
    [60_000, 'ok', 2],
    [60_001, 'warning', 1],
    [180_000, 'warning', 1],
    [180_001, 'critical', 0],
  ])('of %i ms is %s', (ageMs, state, changes) => {
    const evaluation = evaluated('heartbeat', { context: { ageMs } })
    expect(evaluation).toMatchObject({ state, reason: state === 'ok' ? 'within-limits' : 'too-old' })
    expect(evaluation.changes).toHaveLength(changes)
  })

  it('is critical above its critical limit, even below the warning limit', () => {
    const limits = { heartbeatWarningMs: 100_000, heartbeatCriticalMs: 50_000 }
    expect(evaluated('heartbeat', { limits, context: { ageMs: 60_000 } }).state).toBe('critical')
  })

  it.each([
    ['clocks-disagree', { age: { kind: 'unknown', aheadMs: 9_000 } as const, ageMs: undefined }],
    ['clock-uncertain', { age: { kind: 'uncertain', uncertaintyMs: 60_000 } as const, ageMs: undefined }],
  ])('of unknown age gives the reason: %s', (reason, context) => {
    expect(evaluated('heartbeat', { context })).toEqual({ state: 'unknown', reason })
  })

  it('that cannot be read is a warning', () => {
    const given = { record: { last_heartbeat: 0 }, context: { age: undefined, ageMs: undefined } }
    expect(evaluated('heartbeat', given)).toEqual({ state: 'warning', reason: 'unusable-field' })
  })
})

it('a value missing from an answer is not a bad field if it is a proof that a collector left out', () => {
  const collected = { ...AS_IT_COMES, isCollected: true }
  const without = readStatusRecord(jsonOf({ cryptographic_proof: undefined }), METRICS, collected)
  expect(evaluated('proof', { read: without })).toEqual({
    state: 'not-checked',
    reason: 'proof-not-checked',
  })
  expect(badFields(without, METRICS)).toEqual([])
  expect(readStatusRecord(jsonOf({}), METRICS, collected).proof).toMatchObject(ok('0x9c41'))
  expect(badFields(readStatusRecord(jsonOf({ cryptographic_proof: undefined }), METRICS), METRICS)).toEqual([
    { field: 'cryptographic_proof', heading: 'Proof', problem: 'missing' },
  ])
})
