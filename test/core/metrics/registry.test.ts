import { expect, it } from 'vitest'
import { isComparable, type Metric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { resolveSettings } from '#settings/effective-settings.ts'
import type { Limits } from '#settings/rules.ts'

const ALL: readonly Metric[] = METRICS

it('keeps the names that stand in histories, exports, addresses and other people’s dashboards', () => {
  const named = ALL.map(({ id, alias, kind, unit, field, exportName, prometheusName }) =>
    [id, alias ?? '', kind, unit, field ?? '', exportName, prometheusName].join(' | '),
  )
  expect(named).toEqual([
    'status |  | state | none | status | status | immune_node_status',
    'stake |  | gauge | amount | stake_deployed | stake_deployed | immune_node_stake_deployed',
    'participation | part | gauge | ratio | network_participation | network_participation | immune_node_network_participation_ratio',
    'threatResponses | threats | counter | count | threat_responses_executed | threat_responses | immune_node_threat_responses_total',
    'heartbeat | age | timestamp | ms | last_heartbeat | heartbeat_age | immune_node_last_heartbeat_timestamp_seconds',
    'proof |  | fingerprint | none | cryptographic_proof | proof | immune_node_proof_valid',
    'answerTime | answer | gauge | ms |  | answer_time | immune_node_answer_time_seconds',
  ])
})

it('says of each metric in words what it is', () => {
  for (const { heading, help } of ALL) {
    expect(heading).toMatch(/^[A-Z][a-z]+( [a-z]+)?$/)
    expect(help).toMatch(/^[A-Z].{20,}\.$/)
  }
})

it('has each metric follow the settings that it is computed with', () => {
  expect(Object.fromEntries(ALL.map(({ id, settings }) => [id, settings]))).toEqual({
    status: ['statusWords'],
    stake: ['stakeDecimals', 'stakeSymbol', 'stakeBelow'],
    participation: ['participation', 'participationBelow', 'participationAbove'],
    threatResponses: [],
    heartbeat: ['heartbeat', 'heartbeatPeriodMs', 'heartbeatWarningMs', 'heartbeatCriticalMs'],
    proof: [],
    answerTime: ['answerTimeAboveMs'],
  })
})

/** What of the metrics is shown in one place, in its order. */
function inOrder<T extends { readonly order: number }>(
  placeOf: (metric: Metric) => T | undefined,
): readonly (readonly [string, Omit<T, 'order'>])[] {
  const placed = ALL.flatMap((metric) => {
    const place = placeOf(metric)
    return place === undefined ? [] : [{ id: metric.id, place }]
  })
  return placed
    .toSorted((a, b) => a.place.order - b.place.order)
    .map(({ id, place: { order, ...rest } }) => {
      expect(Number.isInteger(order)).toBe(true)
      return [id, rest]
    })
}

it('is checked in this order', () => {
  expect(inOrder(({ check }) => check)).toEqual([
    ['status', { ok: 'Status known' }],
    ['heartbeat', { heading: 'Heartbeat', ok: 'Heartbeat fresh' }],
    ['participation', {}],
    ['stake', { heading: 'Stake', ok: 'Stake readable' }],
    ['proof', { ok: 'Proof present' }],
    ['answerTime', {}],
  ])
  expect(ALL.filter(({ lead }) => lead).map(({ id }) => id)).toEqual(['status', 'heartbeat'])
})

it('is drawn in this order, each by its kind', () => {
  expect(inOrder(({ chart }) => chart)).toEqual([
    ['heartbeat', { kind: 'area', note: 'max' }],
    ['participation', { kind: 'line', note: 'min' }],
    ['threatResponses', { kind: 'bars', note: 'total' }],
    ['stake', { kind: 'line' }],
    ['answerTime', { kind: 'area', note: 'max', band: true }],
    ['proof', { kind: 'ticks' }],
  ])
})

it('has its place in a fleet’s table, on its cards and on the wall', () => {
  expect(inOrder(({ table }) => table)).toEqual([
    ['status', { align: 'start', rem: 7, card: 'under' }],
    ['heartbeat', { align: 'end', rem: 11, trend: true, card: 'value' }],
    ['participation', { align: 'end', rem: 11, trend: true, card: 'note' }],
    ['threatResponses', { align: 'end', rem: 11, trend: true }],
    ['stake', { align: 'end', rem: 8.5 }],
    ['answerTime', { align: 'end', rem: 6.5 }],
  ])
  expect(inOrder(({ wall }) => wall)).toEqual([
    ['heartbeat', { heading: 'Last heartbeat', fleet: { heading: 'oldest heartbeat', of: 'max' } }],
    ['participation', { fleet: { heading: 'mean participation', of: 'mean' } }],
    ['threatResponses', { heading: 'Threats' }],
    ['stake', { heading: 'Stake' }],
    ['answerTime', { heading: 'Answer' }],
  ])
})

it('is kept and put together as its kind allows', () => {
  const traits = ALL.map(({ id, keep, resolution, exact, settled, distribution, deadband, sides }) => [
    id,
    { keep, resolution, exact, settled, distribution, deadband, sides },
  ])
  expect(Object.fromEntries(traits)).toEqual({
    status: {},
    stake: { exact: true, settled: true, sides: ['below'] },
    participation: { keep: 'shown', distribution: 'complement', deadband: 0.002 },
    threatResponses: {},
    heartbeat: { distribution: 'values' },
    proof: {},
    answerTime: { resolution: 0.1, distribution: 'values', sides: ['above'] },
  })
})

it('can be compared between two services where they answer with it and it does not age', () => {
  expect(ALL.filter(isComparable).map(({ id }) => id)).toEqual([
    'status',
    'stake',
    'participation',
    'threatResponses',
    'proof',
  ])
})

it('has the limits that are set for it, each with its side and what it means', () => {
  const limitsWith = (limits: Limits) => {
    const settings = resolveSettings([{ from: { kind: 'service', by: 'browser' }, units: {}, limits }], {})
    return Object.fromEntries(ALL.map((metric) => [metric.id, metric.limits?.(settings)]))
  }
  const heartbeat = [
    { side: 'above', state: 'critical', value: 180_000 },
    { side: 'above', state: 'warning', value: 60_000 },
  ]
  expect(limitsWith({})).toEqual({ stake: [], participation: [], heartbeat, answerTime: [] })
  expect(
    limitsWith({
      stakeBelow: '12.50',
      participationBelow: 0.9,
      participationAbove: 0.99,
      heartbeatWarningMs: null,
      heartbeatCriticalMs: 7_000,
      answerTimeAboveMs: 300,
    }),
  ).toEqual({
    stake: [{ side: 'below', state: 'warning', value: 12.5, text: '12.50' }],
    participation: [
      { side: 'below', state: 'warning', value: 0.9 },
      { side: 'above', state: 'warning', value: 0.99 },
    ],
    heartbeat: [{ side: 'above', state: 'critical', value: 7_000 }],
    answerTime: [{ side: 'above', state: 'warning', value: 300 }],
  })
})
