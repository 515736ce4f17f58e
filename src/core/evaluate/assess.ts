import { DEFAULTS } from '#base/defaults.ts'
import { isLess, shiftedText } from '#record/amount.ts'
import { readParticipation } from '#record/participation.ts'
import { badFields, type StatusRecord } from '#metrics/status-record.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective-settings.ts'
import type { StatusMeaning } from '#settings/rules.ts'
import type { Service } from '#settings/settings.ts'
import { FAILURES, type Severity } from '#protocol/failure.ts'
import {
  CHECK_NAMES,
  isCurrent,
  type Assessment,
  type Check,
  type CheckName,
  type CheckReason,
  type Limit,
  type Link,
  type NodeSeverity,
  type Stage,
} from '#fleet/assessment.ts'
import type { AssessedNode, Episode, NodeLive, Reading, ServiceLive } from '#fleet/live.ts'

/** A node as its polls left it, without what that means. */
type State = Pick<NodeLive, 'reading' | 'episode' | 'tags' | 'rules'>

/** What holds from a moment on. */
type Step = { readonly afterMs: number; readonly check: Check }

const ALWAYS = Number.NEGATIVE_INFINITY

/** The one place in which a node's state is held against limits. Stake and participation have no limits by default: their units are unknown. */
export function assess(node: State, { service, rules }: ServiceLive): Assessment {
  const { reading, episode } = node
  const answer = reading && checksOf(reading, service, effectiveSettings(rules, node))
  const atReading = answer?.checksFrom(ALWAYS) ?? []
  const unseen = unseenLink(node)
  if (reading === undefined || answer === undefined || unseen !== undefined)
    return { stages: [unknownFrom(ALWAYS, node, unseen ?? 'never')], atReading }
  const lateMs = reading.startedMs + DEFAULTS.lateAfterIntervals * service.pollIntervalMs
  const staleMs = reading.startedMs + DEFAULTS.staleAfterIntervals * service.pollIntervalMs
  const stageFrom = (afterMs: number): Stage => {
    const link = episode !== undefined || afterMs >= lateMs ? 'late' : 'live'
    const checks = [serviceCheck(episode, link), ...answer.checksFrom(afterMs)]
    return { afterMs, link, severity: highestSeverity(checks), checks }
  }
  const changesMs = Array.from(new Set([lateMs, ...answer.changesMs]))
    .filter((ms) => ms > ALWAYS && ms < staleMs)
    .toSorted((a, b) => a - b)
  return {
    stages: [stageFrom(ALWAYS), ...changesMs.map(stageFrom), unknownFrom(staleMs, node, 'stale')],
    atReading,
  }
}

/** The same node with what its state means. */
export const withAssessment = (node: NodeLive, service: ServiceLive): AssessedNode => ({
  ...node,
  assessment: assess(node, service),
})

type Answer = {
  /** When a check changes by itself. */
  readonly changesMs: readonly number[]
  /** All but whether the service answers, as they are from such a moment on. */
  readonly checksFrom: (afterMs: number) => readonly Check[]
}

function checksOf(reading: Reading, service: Service, rules: EffectiveSettings): Answer {
  const { record } = reading
  const heartbeat = heartbeatSteps(reading, rules)
  const status = statusCheck(record, rules)
  const others = [
    participationCheck(record, rules),
    stakeCheck(record, rules),
    proofCheck(reading),
    latencyCheck(reading, service, rules),
    recordCheck(record),
  ]
  return {
    changesMs: heartbeat.map(({ afterMs }) => afterMs),
    checksFrom: (afterMs) => [status, lastOf(heartbeat, afterMs), ...others],
  }
}

/** Undefined while the last reading decides. */
function unseenLink({ reading, episode }: State): Link | undefined {
  if (episode !== undefined && FAILURES[episode.failure.kind].again === 'wait') return 'paused'
  if (episode !== undefined && (reading === undefined || isConfirmed(episode))) return 'failing'
  return reading === undefined ? 'never' : undefined
}

/** One lost packet is no failure; a refusal, a wrong answer or a second miss is. */
function isConfirmed({ failure, misses }: Episode): boolean {
  const mayPass = ['double', 'named', 'grid'].includes(FAILURES[failure.kind].again)
  const isAnswer = FAILURES[failure.kind].code.startsWith('data/')
  return misses >= 2 || !mayPass || isAnswer
}

function lastOf(steps: readonly [Step, ...Step[]], afterMs: number): Check {
  let [{ check }] = steps
  for (const step of steps) if (step.afterMs <= afterMs) check = step.check
  return check
}

const checkAs = (name: CheckName, state: Check['state'], reason: CheckReason, limit?: Limit): Check => ({
  name,
  state,
  reason,
  ...(limit && { limit }),
})
const good = (name: CheckName): Check => checkAs(name, 'ok', 'within-limits')

const NOTHING_KNOWN = CHECK_NAMES.slice(1).map((name) => checkAs(name, 'unknown', 'not-known'))

function unknownFrom(afterMs: number, { episode }: State, link: Link): Stage {
  return {
    afterMs,
    link,
    severity: severityUnseen(episode),
    checks: [serviceCheck(episode, link), ...NOTHING_KNOWN],
  }
}

/** A failure of this node alone has its own severity; one that it shares is reported once, for the service. */
function severityUnseen(episode: Episode | undefined): NodeSeverity {
  if (episode === undefined) return 'no-data'
  const { scope, severity } = FAILURES[episode.failure.kind]
  return scope === 'node' && severity !== 'none' ? severity : 'no-data'
}

function serviceCheck(episode: Episode | undefined, link: Link): Check {
  if (episode === undefined)
    return isCurrent(link) ? good('service') : checkAs('service', 'unknown', 'not-known')
  if (link === 'late') return checkAs('service', 'ok', 'one-miss')
  return checkAs('service', stateOf(FAILURES[episode.failure.kind].severity), 'failing')
}

const stateOf = (severity: Severity): Check['state'] => (severity === 'none' ? 'unknown' : severity)

const STATUS_CHECKS: Readonly<Record<StatusMeaning, Check>> = {
  good: good('status'),
  warning: checkAs('status', 'warning', 'status-warning'),
  bad: checkAs('status', 'critical', 'status-bad'),
}

function statusCheck({ status }: StatusRecord, { statusWords }: EffectiveSettings): Check {
  if (!status.ok) return unusable('status')
  const means = statusWords.get(status.value)?.value
  return means === undefined ? checkAs('status', 'info', 'unknown-word') : STATUS_CHECKS[means]
}

const unusable = (name: CheckName): Check => checkAs(name, 'warning', 'unusable-field')

/** A heartbeat gets older by itself, so that each limit is crossed at a moment that is known. */
function heartbeatSteps(
  { heartbeat, startedMs }: Reading,
  { heartbeatWarningMs, heartbeatCriticalMs }: EffectiveSettings,
): readonly [Step, ...Step[]] {
  const always = (check: Check): readonly [Step] => [{ afterMs: ALWAYS, check }]
  if (heartbeat === undefined) return always(unusable('heartbeat'))
  if (heartbeat.kind === 'uncertain') return always(checkAs('heartbeat', 'unknown', 'clock-uncertain'))
  if (heartbeat.kind === 'unknown') return always(checkAs('heartbeat', 'unknown', 'clocks-disagree'))
  const beyond = (limitMs: number | undefined, severity: Limit['severity']): readonly Step[] => {
    if (limitMs === undefined) return []
    const limit = { value: limitMs, side: 'above', severity } as const
    const afterMs = heartbeat.ageMs > limitMs ? ALWAYS : startedMs + limitMs - heartbeat.ageMs
    return [{ afterMs, check: checkAs('heartbeat', severity, 'heartbeat-old', limit) }]
  }
  const warning = beyond(heartbeatWarningMs.value, 'warning')
  const critical = beyond(heartbeatCriticalMs.value, 'critical')
  const [criticalMs = Number.POSITIVE_INFINITY] = critical.map(({ afterMs }) => afterMs)
  const isLimited = warning.length + critical.length > 0
  return [
    {
      afterMs: ALWAYS,
      check: isLimited ? good('heartbeat') : checkAs('heartbeat', 'not-checked', 'no-limit'),
    },
    // Where the limits are the wrong way round, what is critical stays so.
    ...warning.filter(({ afterMs }) => afterMs <= criticalMs),
    ...critical,
  ]
}

function participationCheck({ participation }: StatusRecord, rules: EffectiveSettings): Check {
  if (!participation.ok) return unusable('participation')
  const read = readParticipation(participation.value, rules.participation.value)
  if (read === undefined) return checkAs('participation', 'info', 'out-of-unit')
  const below = rules.participationBelow.value
  const above = rules.participationAbove.value
  if (below !== undefined && read.ratio < below)
    return checkAs('participation', 'warning', 'below-limit', {
      value: below,
      side: 'below',
      severity: 'warning',
    })
  if (above !== undefined && read.ratio > above)
    return checkAs('participation', 'warning', 'above-limit', {
      value: above,
      side: 'above',
      severity: 'warning',
    })
  return below === undefined && above === undefined
    ? checkAs('participation', 'not-checked', 'no-limit')
    : good('participation')
}

function stakeCheck({ stake }: StatusRecord, { stakeDecimals, stakeBelow }: EffectiveSettings): Check {
  if (!stake.ok) return unusable('stake')
  const below = stakeBelow.value
  if (below === undefined) return checkAs('stake', 'not-checked', 'no-limit')
  return isLess(shiftedText(stake.value.text, stakeDecimals.value), below)
    ? checkAs('stake', 'warning', 'below-limit', { value: below, side: 'below', severity: 'warning' })
    : good('stake')
}

function proofCheck({ record: { proof }, proof: verdict }: Reading): Check {
  if (!proof.ok) return unusable('proof')
  if (verdict?.kind === 'wrong') return checkAs('proof', 'critical', 'proof-wrong')
  if (verdict?.kind === 'verified') return checkAs('proof', 'ok', 'proof-verified')
  if (proof.value.length <= '0x'.length) return checkAs('proof', 'info', 'empty-proof')
  if (verdict === undefined || verdict.reason === 'busy')
    return checkAs('proof', 'not-checked', 'proof-not-checked')
  return checkAs('proof', 'warning', 'proof-not-checkable')
}

/** Slower than this share of the deadline is worth knowing: the next one may miss it. */
const NEAR_TIMEOUT = 0.8

function latencyCheck(
  { latencyMs }: Reading,
  { timeoutMs }: Service,
  { answerTimeAboveMs: { value: limitMs } }: EffectiveSettings,
): Check {
  if (limitMs !== undefined && latencyMs > limitMs)
    return checkAs('latency', 'warning', 'slow-answer', {
      value: limitMs,
      side: 'above',
      severity: 'warning',
    })
  return latencyMs > NEAR_TIMEOUT * timeoutMs ? checkAs('latency', 'info', 'near-timeout') : good('latency')
}

const recordCheck = (record: StatusRecord): Check =>
  badFields(record).length === 0 ? good('record') : checkAs('record', 'warning', 'fields-missing')

/** A check that is unknown in a good reading is worth a look, and no more. */
function highestSeverity(checks: readonly Check[]): NodeSeverity {
  const has = (state: Check['state']): boolean => checks.some((one) => one.state === state)
  if (has('critical')) return 'critical'
  if (has('warning')) return 'warning'
  return has('info') || has('unknown') ? 'info' : 'ok'
}
