import { expect, it } from 'vitest'
import { type Metric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { resolveSettings } from '#settings/effective.ts'
import type { Limits } from '#settings/schema.ts'

const ALL: readonly Metric[] = METRICS

it('keeps the names that histories, exports, URLs and users’ dashboards contain', () => {
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

it('gives each metric the limits set for it, with their side and severity', () => {
  const limitsWith = (limits: Limits) => {
    const settings = resolveSettings([{ from: { kind: 'service', by: 'browser' }, units: {}, limits }], {})
    return Object.fromEntries(ALL.map((metric) => [metric.id, metric.limits?.(settings)]))
  }
  const heartbeat = [
    { side: 'above', state: 'critical', value: 180_000 },
    { side: 'above', state: 'warning', value: 60_000 },
  ]
  const participation = [{ side: 'below', state: 'warning', value: 0.9 }]
  expect(limitsWith({})).toEqual({ stake: [], participation, heartbeat, answerTime: [] })
  expect(limitsWith({ participationBelow: null })['participation']).toEqual([])
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
