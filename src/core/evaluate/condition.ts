import { isLess, shiftedText } from '#record/amount.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective-settings.ts'
import { FAILURES, type Severity } from '#protocol/failure.ts'
import { readParticipation } from '#record/participation.ts'
import type { StatusMeaning } from '#settings/rules.ts'
import type { Service } from '#settings/settings.ts'
import type { Field } from '#record/field.ts'
import { badFields, type StatusRecord } from '#metrics/status-record.ts'
import { heartbeatAgeNow, isCurrent, linkOf, type Link } from '#fleet/link.ts'
import type { NodeLive, Reading, ServiceLive } from '#fleet/live.ts'

export const CHECK_NAMES = [
  'service',
  'status',
  'heartbeat',
  'participation',
  'stake',
  'proof',
  'latency',
  'record',
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

/** Why a check is in its state; the page has the words. */
export type CheckReason =
  | 'within-limits'
  /** The service itself: see the node's episode. */
  | 'failing'
  /** Not known now, because the reading is old or there is none. */
  | 'not-known'
  | 'one-miss'
  | 'unusable-field'
  | 'unknown-word'
  | 'heartbeat-old'
  | 'clocks-disagree'
  /** The clocks are not compared closely enough to tell how old the heartbeat is. */
  | 'clock-uncertain'
  | 'out-of-unit'
  | 'empty-proof'
  /** Present, and checked: it fits. */
  | 'proof-verified'
  /** Present; nobody asked for it to be checked, or this browser is not fast enough to check each. */
  | 'proof-not-checked'
  /** It should have been checked and could not be. */
  | 'proof-not-checkable'
  | 'proof-wrong'
  | 'near-timeout'
  /** What the operator said of the status word, */
  | 'status-warning'
  | 'status-bad'
  /** and beyond a limit that the operator set. */
  | 'below-limit'
  | 'above-limit'
  | 'slow-answer'
  | 'fields-missing'

export type Check = {
  readonly name: CheckName
  readonly state: 'ok' | 'info' | 'warning' | 'critical' | 'unknown'
  readonly reason: CheckReason
}

/** How a node is, as loud as it deserves. `no-data`: not known, which is neither good nor bad. */
export type Condition = {
  readonly severity: 'critical' | 'warning' | 'info' | 'no-data' | 'ok'
  /** One of each name, in the order of CHECK_NAMES. */
  readonly checks: readonly Check[]
}

/** Slower than this share of the deadline is worth saying: the next one may miss it. */
const NEAR_DEADLINE = 0.8

/** Judges a node by its last reading and by how sure that is. Stake and participation have no limits by default: their units are unknown. */
export function conditionOf(node: NodeLive, nowMs: number, { service, rules }: ServiceLive): Condition {
  const link = linkOf(node, nowMs, service)
  const { reading } = node
  const answers = serviceCheck(node, link)
  if (reading === undefined || !isCurrent(link)) {
    const unknown = CHECK_NAMES.slice(1).map((name) => check(name, 'unknown', 'not-known'))
    return { severity: severityUnseen(node), checks: [answers, ...unknown] }
  }
  const settings = effectiveSettings(rules, node)
  const checks = [
    answers,
    statusCheck(reading.record, settings),
    heartbeatCheck(reading, nowMs, settings),
    participationCheck(reading.record, settings),
    stakeCheck(reading.record, settings),
    proofCheck(reading),
    latencyCheck(reading, service, settings),
    recordCheck(reading.record),
  ]
  return { severity: worst(checks), checks }
}

const check = (name: CheckName, state: Check['state'], reason: CheckReason): Check => ({
  name,
  state,
  reason,
})
const good = (name: CheckName): Check => check(name, 'ok', 'within-limits')

/** A failure that is this node's own is as loud as it is; one that it shares is told once, for the service. */
function severityUnseen({ episode }: NodeLive): Condition['severity'] {
  if (episode === undefined) return 'no-data'
  const { scope, severity } = FAILURES[episode.failure.kind]
  return scope === 'node' && severity !== 'none' ? severity : 'no-data'
}

function serviceCheck({ episode }: NodeLive, link: Link): Check {
  if (episode === undefined)
    return isCurrent(link) ? good('service') : check('service', 'unknown', 'not-known')
  if (link === 'late') return check('service', 'ok', 'one-miss')
  return check('service', stateOf(FAILURES[episode.failure.kind].severity), 'failing')
}

const stateOf = (severity: Severity): Check['state'] => (severity === 'none' ? 'unknown' : severity)

const STATUS_CHECKS: Readonly<Record<StatusMeaning, Check>> = {
  good: good('status'),
  warning: check('status', 'warning', 'status-warning'),
  bad: check('status', 'critical', 'status-bad'),
}

function statusCheck({ status }: StatusRecord, { statusWords }: EffectiveSettings): Check {
  if (!status.ok) return check('status', 'warning', 'unusable-field')
  const means = statusWords.get(status.value)?.value
  return means === undefined ? check('status', 'info', 'unknown-word') : STATUS_CHECKS[means]
}

function heartbeatCheck(
  reading: Reading,
  nowMs: number,
  { heartbeatWarningMs, heartbeatCriticalMs }: EffectiveSettings,
): Check {
  if (reading.heartbeat === undefined) return check('heartbeat', 'warning', 'unusable-field')
  if (reading.heartbeat.kind === 'uncertain') return check('heartbeat', 'unknown', 'clock-uncertain')
  const ageMs = heartbeatAgeNow(reading, nowMs)
  if (ageMs === undefined) return check('heartbeat', 'unknown', 'clocks-disagree')
  if (isAbove(ageMs, heartbeatCriticalMs.value)) return check('heartbeat', 'critical', 'heartbeat-old')
  if (isAbove(ageMs, heartbeatWarningMs.value)) return check('heartbeat', 'warning', 'heartbeat-old')
  return good('heartbeat')
}

const isAbove = (value: number, limit: number | undefined): boolean => limit !== undefined && value > limit

function participationCheck({ participation }: StatusRecord, settings: EffectiveSettings): Check {
  if (!participation.ok) return check('participation', 'warning', 'unusable-field')
  const read = readParticipation(participation.value, settings.participation.value)
  if (read === undefined) return check('participation', 'info', 'out-of-unit')
  const below = settings.participationBelow.value
  if (below !== undefined && read.ratio < below) return check('participation', 'warning', 'below-limit')
  if (isAbove(read.ratio, settings.participationAbove.value))
    return check('participation', 'warning', 'above-limit')
  return good('participation')
}

function stakeCheck({ stake }: StatusRecord, { stakeDecimals, stakeBelow }: EffectiveSettings): Check {
  if (!stake.ok || stakeBelow.value === undefined) return fieldCheck('stake', stake)
  const isBelow = isLess(shiftedText(stake.value.text, stakeDecimals.value), stakeBelow.value)
  return isBelow ? check('stake', 'warning', 'below-limit') : good('stake')
}

const fieldCheck = (name: CheckName, field: Field<unknown>): Check =>
  field.ok ? good(name) : check(name, 'warning', 'unusable-field')

function proofCheck({ record: { proof }, proof: verdict }: Reading): Check {
  if (!proof.ok) return check('proof', 'warning', 'unusable-field')
  if (verdict?.kind === 'wrong') return check('proof', 'critical', 'proof-wrong')
  if (verdict?.kind === 'verified') return check('proof', 'ok', 'proof-verified')
  if (proof.value.length <= '0x'.length) return check('proof', 'info', 'empty-proof')
  if (verdict === undefined || verdict.reason === 'busy') return check('proof', 'ok', 'proof-not-checked')
  return check('proof', 'warning', 'proof-not-checkable')
}

function latencyCheck(
  { latencyMs }: Reading,
  { timeoutMs }: Service,
  { answerTimeAboveMs }: EffectiveSettings,
): Check {
  if (isAbove(latencyMs, answerTimeAboveMs.value)) return check('latency', 'warning', 'slow-answer')
  return latencyMs > NEAR_DEADLINE * timeoutMs ? check('latency', 'info', 'near-timeout') : good('latency')
}

const recordCheck = (record: StatusRecord): Check =>
  badFields(record).length === 0 ? good('record') : check('record', 'warning', 'fields-missing')

/** A check that is unknown in a good reading is worth a look, and no more. */
function worst(checks: readonly Check[]): Condition['severity'] {
  const has = (state: Check['state']): boolean => checks.some((one) => one.state === state)
  if (has('critical')) return 'critical'
  if (has('warning')) return 'warning'
  return has('info') || has('unknown') ? 'info' : 'ok'
}
