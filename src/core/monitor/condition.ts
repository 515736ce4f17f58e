import { DEFAULTS } from '#protocol/defaults.ts'
import { FAILURES, type Severity } from '#protocol/failure.ts'
import { readParticipation } from '#protocol/participation.ts'
import type { Service } from '#protocol/settings.ts'
import { badFields, type Field, type StatusRecord } from '#protocol/status-record.ts'
import { heartbeatAgeNow, isCurrent, linkOf, type Link } from './link.ts'
import type { NodeLive, Reading, ServiceLive } from './live.ts'

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
  | 'out-of-unit'
  | 'empty-proof'
  | 'near-deadline'
  | 'fields-missing'

export type Check = {
  readonly name: CheckName
  readonly state: 'ok' | 'notice' | 'warning' | 'critical' | 'unknown'
  readonly reason: CheckReason
}

/** How a node is, as loud as it deserves. `no-data`: not known, which is neither good nor bad. */
export type Condition = {
  readonly severity: 'critical' | 'warning' | 'notice' | 'no-data' | 'ok'
  /** One of each name, in the order of CHECK_NAMES. */
  readonly checks: readonly Check[]
}

/** Status words that mean something. Unspecified: the interface names this one only; any other is shown as it is. */
const KNOWN_STATUSES: readonly string[] = ['ACTIVE']

/** Exactly, letter by letter: a look-alike is another word. */
export const isKnownStatus = (status: string): boolean => KNOWN_STATUSES.includes(status)

/** Slower than this share of the deadline is worth a notice: the next one may miss it. */
const NEAR_DEADLINE = 0.8

/** Judges a node by its last reading and by how sure that is. Stake and participation have no limits by default: their units are unknown. */
export function conditionOf(node: NodeLive, nowMs: number, { service }: ServiceLive): Condition {
  const link = linkOf(node, nowMs, service)
  const { reading } = node
  const answers = serviceCheck(node, link)
  if (reading === undefined || !isCurrent(link)) {
    const unknown = CHECK_NAMES.slice(1).map((name) => check(name, 'unknown', 'not-known'))
    return { severity: severityUnseen(node), checks: [answers, ...unknown] }
  }
  const checks = [
    answers,
    statusCheck(reading.record),
    heartbeatCheck(reading, nowMs, service),
    participationCheck(reading.record, service),
    fieldCheck('stake', reading.record.stake),
    proofCheck(reading.record),
    latencyCheck(reading, service),
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

function statusCheck({ status }: StatusRecord): Check {
  if (!status.ok) return check('status', 'warning', 'unusable-field')
  return isKnownStatus(status.value) ? good('status') : check('status', 'notice', 'unknown-word')
}

function heartbeatCheck(reading: Reading, nowMs: number, { heartbeatPeriodMs }: Service): Check {
  if (reading.heartbeat === undefined) return check('heartbeat', 'warning', 'unusable-field')
  const ageMs = heartbeatAgeNow(reading, nowMs)
  if (ageMs === undefined) return check('heartbeat', 'unknown', 'clocks-disagree')
  const periods = ageMs / heartbeatPeriodMs
  if (periods > DEFAULTS.heartbeatCriticalPeriods) return check('heartbeat', 'critical', 'heartbeat-old')
  if (periods > DEFAULTS.heartbeatWarningPeriods) return check('heartbeat', 'warning', 'heartbeat-old')
  return good('heartbeat')
}

function participationCheck({ participation }: StatusRecord, { participationUnit }: Service): Check {
  if (!participation.ok) return check('participation', 'warning', 'unusable-field')
  const inUnit = readParticipation(participation.value, participationUnit) !== undefined
  return inUnit ? good('participation') : check('participation', 'notice', 'out-of-unit')
}

const fieldCheck = (name: CheckName, field: Field<unknown>): Check =>
  field.ok ? good(name) : check(name, 'warning', 'unusable-field')

function proofCheck({ proof }: StatusRecord): Check {
  if (proof.ok && proof.value.length <= '0x'.length) return check('proof', 'notice', 'empty-proof')
  return fieldCheck('proof', proof)
}

const latencyCheck = ({ latencyMs }: Reading, { deadlineMs }: Service): Check =>
  latencyMs > NEAR_DEADLINE * deadlineMs ? check('latency', 'notice', 'near-deadline') : good('latency')

const recordCheck = (record: StatusRecord): Check =>
  badFields(record).length === 0 ? good('record') : check('record', 'warning', 'fields-missing')

/** A check that is unknown in a good reading is worth a look, and no more. */
function worst(checks: readonly Check[]): Condition['severity'] {
  const has = (state: Check['state']): boolean => checks.some((one) => one.state === state)
  if (has('critical')) return 'critical'
  if (has('warning')) return 'warning'
  return has('notice') || has('unknown') ? 'notice' : 'ok'
}
