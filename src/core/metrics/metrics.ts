import { shifted } from '#record/amount.ts'
import { PROOF_MEMBER } from '#record/member-names.ts'
import { participationRatio, participationUnit } from '#record/detect.ts'
import type { StatusMeaning } from '#settings/schema.ts'
import type { MeasuredMetric, MetricEvaluation, MetricLimit, MetricRegistry, RecordMetric } from './metric.ts'

const MEANINGS: Readonly<Record<StatusMeaning, MetricEvaluation>> = {
  good: { state: 'ok', reason: 'within-limits' },
  warning: { state: 'warning', reason: 'status-warning' },
  bad: { state: 'critical', reason: 'status-bad' },
}

const STATUS: RecordMetric<'status', 'state'> = {
  id: 'status',
  kind: 'state',
  unit: 'none',
  heading: 'Status',
  help: 'Status of the node, as the service reports it.',
  field: 'status',
  exportName: 'status',
  prometheusName: 'immune_node_status',
  settings: ['statusWords'],
  evaluate: (word, { settings }) => {
    const means = settings.statusWords.get(word)?.value
    return means === undefined ? { state: 'info', reason: 'unknown-word' } : MEANINGS[means]
  },
  check: { order: 1, ok: 'Status known' },
  lead: true,
  table: { order: 1, align: 'start', rem: 6, card: 'under' },
}

const STAKE: RecordMetric<'stake', 'gauge'> = {
  id: 'stake',
  kind: 'gauge',
  unit: 'amount',
  heading: 'Stake deployed',
  help: 'Stake deployed by the node, as the service reports it.',
  field: 'stake_deployed',
  exportName: 'stake_deployed',
  prometheusName: 'immune_node_stake_deployed',
  settings: ['stakeDecimals', 'stakeSymbol', 'stakeBelow'],
  shown: (value, { stakeDecimals }) => shifted(value, stakeDecimals.value),
  exact: true,
  settled: true,
  sides: ['below'],
  limits: ({ stakeBelow: { value: text } }) =>
    text === undefined ? [] : [{ side: 'below', state: 'warning', value: Number(text), text }],
  check: { order: 4, heading: 'Stake', ok: 'Stake readable' },
  chart: { order: 4, kind: 'line' },
  table: { order: 5, align: 'end', rem: 6.75 },
  report: ['first', 'last'],
  wall: { order: 3, heading: 'Stake' },
}

const PARTICIPATION: RecordMetric<'participation', 'gauge'> = {
  id: 'participation',
  kind: 'gauge',
  unit: 'ratio',
  heading: 'Participation',
  alias: 'part',
  help: 'Share of the network’s rounds in which the node took part, 0 to 1.',
  field: 'network_participation',
  exportName: 'network_participation',
  prometheusName: 'immune_node_network_participation_ratio',
  settings: ['participation', 'participationBelow', 'participationAbove'],
  shown: (value, { participation }) => {
    const { value: unit, from } = participation
    const isGuessed = from.kind === 'detected' || from.kind === 'default'
    if (isGuessed && (participationUnit(value) ?? unit) !== unit) return undefined
    const ratio = participationRatio(value, unit)
    return ratio === undefined ? undefined : { value: ratio, text: String(ratio) }
  },
  keep: 'shown',
  // The value is close to 1, so the missing part matters.
  distribution: 'complement',
  deadband: 0.002,
  limits: ({ participationBelow, participationAbove }) => [
    ...limitAt(participationBelow.value, 'below', 'warning'),
    ...limitAt(participationAbove.value, 'above', 'warning'),
  ],
  check: { order: 3 },
  chart: { order: 2, kind: 'line', note: 'min' },
  table: { order: 3, align: 'end', rem: 11, trend: true, card: 'note' },
  report: ['mean', 'min'],
  wall: { order: 1, fleet: { heading: 'mean participation', of: 'mean' } },
}

const THREAT_RESPONSES: RecordMetric<'threatResponses', 'counter'> = {
  id: 'threatResponses',
  kind: 'counter',
  unit: 'count',
  heading: 'Threat responses',
  alias: 'threats',
  help: 'Threat responses that the node has executed.',
  field: 'threat_responses_executed',
  exportName: 'threat_responses',
  prometheusName: 'immune_node_threat_responses_total',
  settings: [],
  chart: { order: 3, kind: 'bars', note: 'total' },
  table: { order: 4, align: 'end', rem: 11, trend: true },
  report: ['increase'],
  wall: { order: 2, heading: 'Threats' },
}

const HEARTBEAT: RecordMetric<'heartbeat', 'timestamp'> = {
  id: 'heartbeat',
  kind: 'timestamp',
  unit: 'ms',
  heading: 'Heartbeat age',
  alias: 'age',
  help: 'When the node last sent a heartbeat.',
  field: 'last_heartbeat',
  exportName: 'heartbeat_age',
  prometheusName: 'immune_node_last_heartbeat_timestamp_seconds',
  settings: ['heartbeat', 'heartbeatPeriodMs', 'heartbeatWarningMs', 'heartbeatCriticalMs'],
  distribution: 'values',
  limits: ({ heartbeatCriticalMs, heartbeatWarningMs }) => [
    ...limitAt(heartbeatCriticalMs.value, 'above', 'critical'),
    ...limitAt(heartbeatWarningMs.value, 'above', 'warning'),
  ],
  check: { order: 2, heading: 'Heartbeat', ok: 'Heartbeat fresh' },
  lead: true,
  chart: { order: 1, kind: 'area', note: 'max' },
  table: { order: 2, align: 'end', rem: 11, trend: true, card: 'value' },
  report: ['p95'],
  wall: { order: 0, heading: 'Last heartbeat', fleet: { heading: 'oldest heartbeat', of: 'max' } },
}

const PROOF: RecordMetric<'proof', 'fingerprint'> = {
  id: 'proof',
  kind: 'fingerprint',
  unit: 'none',
  heading: 'Proof',
  help: 'Cryptographic proof of the record, verified if a proof profile is set.',
  field: PROOF_MEMBER,
  exportName: 'proof',
  prometheusName: 'immune_node_proof_valid',
  settings: [],
  evaluate: (proof, { proof: verdict }) => {
    if (verdict?.kind === 'wrong') return { state: 'critical', reason: 'proof-wrong' }
    if (verdict?.kind === 'verified') return { state: 'ok', reason: 'proof-verified' }
    if (proof.length <= '0x'.length) return { state: 'info', reason: 'empty-proof' }
    return verdict === undefined || verdict.reason === 'busy'
      ? { state: 'not-checked', reason: 'proof-not-checked' }
      : { state: 'warning', reason: 'proof-not-checkable' }
  },
  check: { order: 5, ok: 'Proof present' },
  chart: { order: 6, kind: 'ticks' },
}

/** An answer slower than this share of the timeout suggests that the next may time out. */
const NEAR_TIMEOUT = 0.8

const ANSWER_TIME: MeasuredMetric<'answerTime', 'gauge'> = {
  id: 'answerTime',
  kind: 'gauge',
  unit: 'ms',
  heading: 'Response time',
  alias: 'answer',
  help: 'How long the service took to answer.',
  measured: 'latencyMs',
  exportName: 'answer_time',
  prometheusName: 'immune_node_answer_time_seconds',
  settings: ['answerTimeAboveMs'],
  resolution: 0.1,
  distribution: 'values',
  sides: ['above'],
  limits: ({ answerTimeAboveMs }) => limitAt(answerTimeAboveMs.value, 'above', 'warning'),
  evaluate: ({ value }, { settings, timeoutMs }) => {
    if (value > (settings.answerTimeAboveMs.value ?? Number.POSITIVE_INFINITY)) return undefined
    // The timeout is a limit even if no other is set.
    return value <= NEAR_TIMEOUT * timeoutMs
      ? { state: 'ok', reason: 'within-limits' }
      : { state: 'info', reason: 'near-timeout' }
  },
  check: { order: 6 },
  chart: { order: 5, kind: 'area', note: 'max', band: true },
  table: { order: 6, align: 'end', rem: 6 },
  wall: { order: 4, heading: 'Response time' },
}

const limitAt = (
  value: number | undefined,
  side: MetricLimit['side'],
  state: MetricLimit['state'],
): readonly MetricLimit[] => (value === undefined ? [] : [{ side, state, value }])

/** To add a metric, add an entry. */
export const METRICS = [
  STATUS,
  STAKE,
  PARTICIPATION,
  THREAT_RESPONSES,
  HEARTBEAT,
  PROOF,
  ANSWER_TIME,
] as const satisfies MetricRegistry

export type BuiltInMetric = (typeof METRICS)[number]
