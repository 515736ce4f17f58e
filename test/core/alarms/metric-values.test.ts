import { describe, expect, it } from 'vitest'
import { alarmValueOf, limitValueOf, readMetric, showWith } from '#alarms/metric-values.ts'
import { textFingerprint } from '#base/fingerprint.ts'
import type { NodeLive, Reading } from '#fleet/live.ts'
import type { Metric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { effectiveSettings, NO_SERVICE_RULES } from '#settings/effective-settings.ts'
import { PEERS } from '#test/core/metrics/peers.ts'
import { node, NOW_MS, reading } from '#test/core/monitor/fleet.ts'

const SETTINGS = effectiveSettings(NO_SERVICE_RULES, node(0))
const metric = (id: string): Metric => {
  const found = METRICS.find((each) => each.id === id)
  if (found === undefined) throw new Error(`no metric ${id}`)
  return found
}
const read = (id: string, given: Partial<NodeLive> = {}, nowMs = NOW_MS) =>
  readMetric(metric(id), node(0, given), SETTINGS, nowMs)
const answered = (given: Record<string, unknown>, more: Partial<Reading> = {}) => ({
  reading: reading(given, more),
})

describe('what a rule reads of an answer', () => {
  it.each([
    ['status', { status: 'RETIRED' }, 'RETIRED'],
    ['stake', { stake_deployed: 1_250_000 }, '1250000'],
    ['participation', { network_participation: 0.5 }, '0.5'],
    ['threatResponses', { threat_responses_executed: 8 }, '8'],
    ['proof', { cryptographic_proof: '0xfeed' }, textFingerprint('0xfeed')],
  ])('of %s in %j is %s', (id, given, raw) => {
    expect(read(id, answered(given))).toMatchObject({ metric: { id }, raw })
  })

  it.each([
    ['status', { status: 5 }],
    ['stake', { stake_deployed: 'much' }],
    ['threatResponses', { threat_responses_executed: null }],
    ['proof', { cryptographic_proof: {} }],
    ['heartbeat', { last_heartbeat: 'now' }],
  ])('of %s in %j is nothing', (id, given) => {
    expect(read(id, answered(given))).toBeUndefined()
  })

  it('is nothing without an answer', () => {
    expect(read('stake', { reading: undefined })).toBeUndefined()
  })

  it('of a timestamp is its age now, and of a number what it was in the answer', () => {
    const given = answered({}, { startedMs: NOW_MS, latencyMs: 0 })
    const [then, later] = [NOW_MS, NOW_MS + 60_000].map((nowMs) => read('heartbeat', given, nowMs)?.shown)
    expect(then?.value).toBeGreaterThan(0)
    expect(later).toEqual({
      text: String((then?.value ?? 0) + 60_000),
      value: (then?.value ?? 0) + 60_000,
    })
    expect(read('participation', given, NOW_MS + 60_000)?.shown).toMatchObject({ value: 0.98 })
  })
})

it('a number is shown in its unit, and what is none stays as it is', () => {
  const inUnit = effectiveSettings(NO_SERVICE_RULES, {
    tags: [],
    rules: [{ from: { kind: 'node', by: 'browser' }, units: { stakeDecimals: 3 }, limits: {} }],
  })
  const shown = (id: string, raw: string) => showWith(metric(id), inUnit)(raw)
  expect([shown('stake', '1250'), shown('stake', 'much'), shown('status', '1250')]).toEqual([
    '1.25',
    'much',
    '1250',
  ])
})

it.each<[Metric, object]>([
  [metric('status'), { unit: 'status', text: '7.5' }],
  [metric('proof'), { unit: 'status', text: '7.5' }],
  [metric('heartbeat'), { unit: 'ms', value: 7.5 }],
  [metric('participation'), { unit: 'ratio', value: 7.5 }],
  [metric('stake'), { unit: 'stake', text: '7.5' }],
  [metric('threatResponses'), { unit: 'count', value: 7.5 }],
  [
    { ...PEERS, unit: 'none' },
    { unit: 'count', value: 7.5 },
  ],
])('a value of %o is told as %o', (of, told) => {
  expect(alarmValueOf(of, { text: '7.5', value: 7.5 })).toEqual(told)
})

it('a limit is told to the last digit, where it has them', () => {
  const limit = { side: 'below', value: 9_007_199_254_740_992 } as const
  expect(limitValueOf(metric('stake'), { ...limit, text: '9007199254740993' })).toEqual({
    unit: 'stake',
    text: '9007199254740993',
  })
  expect(limitValueOf(metric('stake'), limit)).toEqual({ unit: 'stake', text: '9007199254740992' })
})
