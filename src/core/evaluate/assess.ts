import { DEFAULTS } from '#base/defaults.ts'
import { evaluateMetric, shownValue } from '#metrics/evaluate-metric.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { badFields, fieldOf } from '#metrics/answer.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { orUndefined } from '#base/result.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import { FAILURES, type Severity } from '#protocol/failure.ts'
import {
  isCurrent,
  type Assessment,
  type Check,
  type CheckReason,
  type Link,
  type NodeSeverity,
  type RaisedAlarm,
  type ShownValue,
  type Stage,
} from '#fleet/assessment.ts'
import { criticalAfterMs, severityOf } from './conditions.ts'
import {
  ageAtReading,
  pollIntervalOf,
  type AssessedNode,
  type Episode,
  type NodeLive,
  type Reading,
  type ServiceLive,
} from '#fleet/live.ts'

type State = Pick<NodeLive, 'reading' | 'episode' | 'tags' | 'rules' | 'pollIntervalMs'>

const ALWAYS = Number.NEGATIVE_INFINITY

/** The only place where a node's state is compared with limits. */
export function assess(node: State, { service, rules }: ServiceLive, registry: MetricRegistry): Assessment {
  const { reading, episode } = node
  const checked = registry.filter(({ check }) => check !== undefined).toSorted(byOrder)
  const unseen = unseenLink(node)
  const same = (check: Check): Check => shared(registry, check)
  const unknownAt = (afterMs: number, link: Link): Stage => ({
    afterMs,
    link,
    severity: severityUnseen(episode, afterMs),
    checks: [
      same(serviceCheck(episode, link, afterMs)),
      ...[...checked.map(({ id }) => id), 'record'].map((id) =>
        same({ id, state: 'unknown', reason: 'not-known' }),
      ),
    ],
  })
  const unknownFrom = (afterMs: number, link: Link): readonly [Stage, ...Stage[]] => {
    const worseMs = episode ? episode.sinceMs + criticalAfterMs(episode.failure.kind) - 1 : ALWAYS
    const isWorse = worseMs > afterMs && Number.isFinite(worseMs)
    return [unknownAt(afterMs, link), ...(isWorse ? [unknownAt(worseMs, link)] : [])]
  }
  if (reading === undefined)
    return { stages: unknownFrom(ALWAYS, unseen ?? 'never'), atReading: [], values: {} }
  const settings = effectiveSettings(rules, node)
  const steps = checked.map((metric) =>
    stepsOf(metric, reading, settings, service).map((step) => ({ ...step, check: same(step.check) })),
  )
  const record = same(recordCheck(reading.record, registry))
  const checksFrom = (afterMs: number): readonly Check[] => [
    ...steps.flatMap((each) => each.findLast((step) => step.afterMs <= afterMs)?.check ?? []),
    record,
  ]
  const values = valuesOf(reading, settings, registry)
  const atReading = checksFrom(ALWAYS)
  if (unseen !== undefined) return { stages: unknownFrom(ALWAYS, unseen), atReading, values }
  const intervalMs = pollIntervalOf(node, { service })
  const lateMs = reading.startedMs + DEFAULTS.lateAfterIntervals * intervalMs
  const staleMs = reading.startedMs + DEFAULTS.staleAfterIntervals * intervalMs
  const stageFrom = (afterMs: number, said = checksFrom(afterMs)): Stage => {
    const link = episode !== undefined || afterMs >= lateMs ? 'late' : 'live'
    const checks = [same(serviceCheck(episode, link, afterMs)), ...said]
    return { afterMs, link, severity: highestSeverity(checks), checks }
  }
  const changesMs = new Set([lateMs, ...steps.flat().map(({ afterMs }) => afterMs)])
  const laterMs = Array.from(changesMs).filter((ms) => ms > ALWAYS && ms < staleMs)
  return {
    stages: [
      stageFrom(ALWAYS, atReading),
      ...laterMs.toSorted((a, b) => a - b).map((afterMs) => stageFrom(afterMs)),
      ...unknownFrom(staleMs, 'stale'),
    ],
    atReading,
    values,
  }
}

const byOrder = (one: Metric, other: Metric): number => (one.check?.order ?? 0) - (other.check?.order ?? 0)

/**
 * Raises the severity of checks and stages to that of the node's alarms. Whether the values are current is the stage's link,
 * independent of the severity.
 */
export function withAlarms(node: AssessedNode, raised: readonly RaisedAlarm[] = []): AssessedNode {
  if (raised.length === 0) return node
  const [first, ...later] = node.assessment.stages
  const stages: Assessment['stages'] = [raisedIn(first, raised), ...later.map((one) => raisedIn(one, raised))]
  return { ...node, assessment: { ...node.assessment, stages } }
}

function raisedIn(stage: Stage, raised: readonly RaisedAlarm[]): Stage {
  const checks = new Map(stage.checks.map((check) => [check.id, check]))
  let { severity } = stage
  for (const alarm of raised) {
    const check = checks.get(alarm.check) ?? { id: alarm.check, state: 'ok', reason: 'alarm' }
    const isOwn = check.state !== 'ok' && check.state !== 'not-checked' && check.reason !== 'not-known'
    // If the check became more severe than the alarm's last evaluation, the check's severity counts; the alarm follows later.
    const state = ALARMED.find((each) => each === alarm.severity || (isOwn && each === check.state))
    if (state === undefined) continue
    checks.set(alarm.check, { ...check, state, reason: isOwn ? check.reason : 'alarm' })
    severity = worseOf(severity, state)
  }
  return { ...stage, checks: Array.from(checks.values()), severity }
}

const ALARMED = ['critical', 'warning', 'info'] as const

type Step = { readonly afterMs: number; readonly check: Check }

/**
 * The check from the reading on, and its changes in order. Ages grow with time, so the times at which they cross their limits
 * are known in advance.
 */
function stepsOf(
  metric: Metric,
  reading: Reading,
  settings: EffectiveSettings,
  { timeoutMs }: Service,
): readonly Step[] {
  const { proof, startedMs } = reading
  const age = reading.ages[metric.id]
  const ageMs = ageAtReading(reading, metric.id)
  const { changes = [], ...now } = evaluateMetric(metric, reading, { settings, timeoutMs, age, ageMs, proof })
  const { id } = metric
  return [
    { afterMs: ALWAYS, check: { id, ...now } },
    ...changes.map((limit) => ({
      afterMs: startedMs + limit.value - (ageMs ?? 0),
      check: { id, state: limit.state, reason: 'too-old' as const, limit },
    })),
  ]
}

function valuesOf(reading: Reading, settings: EffectiveSettings, registry: MetricRegistry) {
  const values: Record<string, ShownValue> = {}
  for (const metric of registry) {
    const value = valueOf(metric, reading, settings)
    if (value !== undefined) values[metric.id] = value
  }
  return values
}

function valueOf(metric: Metric, reading: Reading, settings: EffectiveSettings): ShownValue | undefined {
  if (metric.kind === 'timestamp') {
    const ageMs = ageAtReading(reading, metric.id)
    return ageMs === undefined ? undefined : { text: String(ageMs), value: ageMs }
  }
  const value = orUndefined(fieldOf(metric, reading))
  if (typeof value === 'string') return { text: value }
  return metric.kind === 'gauge' && value ? shownValue(metric, value, settings) : value
}

/** Undefined while the last reading is in force. */
function unseenLink({ reading, episode }: State): Link | undefined {
  if (episode !== undefined && FAILURES[episode.failure.kind].again === 'wait') return 'paused'
  if (episode !== undefined && (reading === undefined || isConfirmed(episode))) return 'failing'
  return reading === undefined ? 'never' : undefined
}

/** A single lost packet does not count as a failure; a refusal, a wrong answer or a second miss does. */
function isConfirmed({ failure, misses }: Episode): boolean {
  // A repeated answer from a cache contradicts nothing: the previous reading stays valid for its normal time.
  if (failure.kind === 'repeated') return false
  const mayPass = ['double', 'named', 'grid'].includes(FAILURES[failure.kind].again)
  const isAnswer = /^(data|node)\//.test(FAILURES[failure.kind].code)
  return misses >= 2 || !mayPass || isAnswer
}

/** Equal checks share one object across all nodes, so that messages to the page contain each only once. */
const known = new WeakMap<MetricRegistry, Map<string, Check>>()

function shared(registry: MetricRegistry, check: Check): Check {
  if (check.limit !== undefined) return check
  const checks = known.get(registry) ?? new Map<string, Check>()
  known.set(registry, checks)
  const key = `${check.id} ${check.state} ${check.reason}`
  const found = checks.get(key) ?? check
  checks.set(key, found)
  return found
}

/**
 * The severity that banner and alarm use for a node whose values are no longer current, just after `afterMs` on the engine's
 * steady clock.
 */
function severityAt({ failure, misses, sinceMs }: Episode, afterMs: number): Severity {
  // A stage begins just after its time.
  return severityOf(failure, misses, afterMs + 1 - sinceMs, false)
}

/** Only a failure of this node alone has a severity here; a shared one is reported once, for the service. */
function severityUnseen(episode: Episode | undefined, afterMs: number): NodeSeverity {
  if (episode === undefined) return 'no-data'
  const severity = severityAt(episode, afterMs)
  return FAILURES[episode.failure.kind].scope === 'node' && severity !== 'none' ? severity : 'no-data'
}

function serviceCheck(episode: Episode | undefined, link: Link, afterMs: number): Check {
  const check = (state: Check['state'], reason: CheckReason): Check => ({ id: 'service', state, reason })
  if (episode === undefined)
    return isCurrent(link) ? check('ok', 'within-limits') : check('unknown', 'not-known')
  if (link === 'late') return check('ok', 'one-miss')
  const severity = severityAt(episode, afterMs)
  return check(severity === 'none' ? 'unknown' : severity, 'failing')
}

const recordCheck = (record: StatusRecord, registry: MetricRegistry): Check =>
  badFields(record, registry).length === 0
    ? { id: 'record', state: 'ok', reason: 'within-limits' }
    : { id: 'record', state: 'warning', reason: 'fields-missing' }

const WORST_FIRST: readonly NodeSeverity[] = [...ALARMED, 'no-data', 'ok']

const worseOf = (one: NodeSeverity, other: NodeSeverity): NodeSeverity =>
  WORST_FIRST.indexOf(one) <= WORST_FIRST.indexOf(other) ? one : other

/** An unknown check in a good reading counts as info at most. */
const highestSeverity = (checks: readonly Check[]): NodeSeverity =>
  ALARMED.find((severity) =>
    checks.some(({ state }) => state === severity || (severity === 'info' && state === 'unknown')),
  ) ?? 'ok'
