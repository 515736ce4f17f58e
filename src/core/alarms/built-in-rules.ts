import { DEFAULTS } from '#base/defaults.ts'
import { blindAfterMs, conditionOf, CONDITIONS, severityOf } from '#evaluate/conditions.ts'
import { isKeptFresh } from '#evaluate/failure-causes.ts'
import { failureOf, type Cause } from '#fleet/cause.ts'
import { checkOf, isCurrent, isCurrentAt, stageAt, type Check } from '#fleet/assessment.ts'
import { type AssessedNode, pollIntervalOf } from '#fleet/live.ts'
import { isComparable, type Metric, type MetricLimit, type MetricRegistry } from '#metrics/metric.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import type { AlarmValue, FailureKind, MetricAlarmKind, MetricTest } from './alarm.ts'
import { foundWrong, within } from './metric-conditions.ts'
import { bad, good, UNKNOWN, type Evaluation, type Timing } from './instance.ts'
import { alarmValueOf, kindOf, limitValueOf, readMetric } from './metric-values.ts'

/** A node after a poll. `nowMs` is on the engine's steady clock. */
export type NodeContext = {
  readonly node: AssessedNode
  readonly service: Service
  readonly settings: EffectiveSettings
  readonly causes: readonly Cause[]
  readonly nowMs: number
}

const afterPolls = (polls: number): Timing => ({
  raiseAfter: { polls, of: polls },
  forMs: 0,
  clearAfter: DEFAULTS.alarmClearAfter,
  keepFiringForMs: 0,
})
const TWO_POLLS = afterPolls(2)
const AT_ONCE = afterPolls(1)

type Rule<K> = {
  readonly kind: K
  readonly timing: Timing
  readonly evaluate: (context: NodeContext) => Evaluation
}
type BuiltInRule = Rule<FailureKind | MetricAlarmKind>

const failureRule = <K extends FailureKind>(kind: K, evaluate: Rule<K>['evaluate']): Rule<K> => ({
  kind,
  timing: afterPolls(CONDITIONS[kind].polls),
  evaluate,
})
export const UNREACHABLE = failureRule('unreachable', unreachable)

export const builtInRules = (registry: MetricRegistry): readonly BuiltInRule[] => [
  UNREACHABLE,
  failureRule('rejected', refusedBy('rejected')),
  // A key that is rejected for all nodes raises one alarm of the key instead of one per node.
  failureRule('key-rejected', refusedBy('key-rejected')),
  ...registry.flatMap(rulesOfMetric),
]

export type BuiltInTest = Extract<MetricTest, 'left' | 'old' | 'below' | 'above' | 'wrong' | 'differs'>

/** Only tests that the assessment covers. */
export const builtInTests = (metric: Metric): readonly BuiltInTest[] => [
  ...assessedTests(metric),
  ...(isComparable(metric) ? (['differs'] as const) : []),
]

function assessedTests(metric: Metric): readonly BuiltInTest[] {
  if (metric.check === undefined) return []
  if (metric.kind === 'state') return ['left']
  if (metric.kind === 'fingerprint') return ['wrong']
  if (metric.limits === undefined) return []
  return metric.kind === 'timestamp' ? ['old'] : (metric.sides ?? ['below', 'above'])
}

const rulesOfMetric = (metric: Metric): readonly BuiltInRule[] =>
  builtInTests(metric).map((test) => ({
    kind: kindOf(metric.id, test),
    // A disagreement has already been compared over several polls.
    timing: test === 'differs' ? AT_ONCE : TWO_POLLS,
    evaluate: (context) => {
      if (test === 'differs') return differs(metric, context)
      if (test === 'left') return wordLeft(metric, context)
      if (test === 'wrong') return foundWrong(assessedAt(context, metric))
      return evaluateAssessed(metric, test === 'below' ? 'below' : 'above', context)
    },
  }))

/** Raised for the first of the two services. */
function differs({ id }: Metric, { node }: NodeContext): Evaluation {
  if (node.reading === undefined || node.episode !== undefined) return UNKNOWN
  const found = node.disagreements?.find(({ metric, isFirst }) => isFirst && metric === id)
  if (found?.isHeld === true) return UNKNOWN
  return found === undefined
    ? good()
    : bad('warning', { unit: 'status', text: `${found.own} ≠ ${found.other}` })
}

/** Undefined without a new reading. A reading that became stale counts with its checks at the time of the reading. */
function assessedAt({ node, nowMs }: NodeContext, { id }: Metric): Check | undefined {
  const { assessment, reading, episode } = node
  if (reading === undefined || episode !== undefined) return undefined
  const stage = stageAt(assessment, nowMs)
  return checkOf(isCurrent(stage.link) ? stage.checks : assessment.atReading, id)
}

/** How long the field has been unreadable in every answer, in ms; undefined until an equal silence would raise “No data”. */
function unreadableMs({ id, lead }: Metric, { node, service, nowMs }: NodeContext): number | undefined {
  const since = node.since[id]
  if (lead !== true || since === undefined) return undefined
  const forMs = nowMs - since.sinceMs - since.unseenMs
  return forMs > blindAfterMs(pollIntervalOf(node, { service })) ? forMs : undefined
}

function evaluateAssessed(metric: Metric, side: MetricLimit['side'], context: NodeContext): Evaluation {
  const { node, settings, nowMs } = context
  const check = assessedAt(context, metric)
  if (check === undefined) return UNKNOWN
  const limits = metric.limits?.(settings).filter((limit) => limit.side === side) ?? []
  const mildest = limits.at(-1)
  if (mildest === undefined) return good()
  if (check.reason === 'unusable-field') {
    // The last readable heartbeat is at least as old as the time for which none could be read.
    const forMs = unreadableMs(metric, context) ?? 0
    const limit = limits.find(({ value }) => forMs > value)
    return limit === undefined
      ? UNKNOWN
      : bad(limit.state, { unit: 'ms', value: forMs }, limitValueOf(metric, limit))
  }
  const shown = readMetric(metric, node, settings, nowMs)?.shown
  if (shown?.value === undefined || check.state === 'unknown') return UNKNOWN
  const value = alarmValueOf(metric, shown)
  if (check.limit?.side === side) return bad(check.limit.state, value, limitValueOf(metric, check.limit))
  const limit = { ...mildest, deadband: metric.deadband }
  const found = [value, limitValueOf(metric, mildest)] as const
  return within({ text: shown.text, value: shown.value }, limit, mildest.state, found)
}

function wordLeft(metric: Metric, context: NodeContext): Evaluation {
  const { node, settings, nowMs } = context
  const { state, reason } = assessedAt(context, metric) ?? {}
  const reading = readMetric(metric, node, settings, nowMs)
  if (reason === 'unusable-field' && unreadableMs(metric, context) !== undefined)
    return bad(CONDITIONS['data/field'].severity, { unit: 'reason', text: 'unreadable' })
  if (state === undefined || state === 'unknown' || state === 'not-checked' || reading === undefined)
    return UNKNOWN
  const value: AlarmValue = { unit: 'status', text: reading.raw }
  return state === 'ok' ? good(value) : bad(state, value)
}

/** A refusal counts as an answer. Without a poll, and if the answer is old on arrival, the state is unknown. */
function unreachable({ node, causes, nowMs }: NodeContext): Evaluation {
  const { episode } = node
  if (isKeptFresh(node, nowMs)) return UNKNOWN
  if (episode === undefined) return isCurrentAt(node, nowMs) ? good() : UNKNOWN
  const { failure, misses, sinceMs } = episode
  const condition = conditionOf(failure.kind)
  if (condition === 'rejected' || condition === 'key-rejected') return good()
  const severity = severityOf(failure, misses, nowMs - sinceMs, isCurrentAt(node, nowMs))
  return condition === 'paused' || severity === 'none'
    ? UNKNOWN
    : bad(severity, valueOf(failureOf(node, causes) ?? failure))
}

/** Only an answer with a record clears the alarm. If answers alternate with refusals, the service has the alarm instead. */
function refusedBy(condition: 'rejected' | 'key-rejected'): (context: NodeContext) => Evaluation {
  return ({ node: { key, episode, reading }, causes }) => {
    if (episode === undefined) return reading === undefined ? UNKNOWN : good()
    const { failure } = episode
    const isOfService = causes.some(
      ({ evidence, nodes }) =>
        evidence.kind === 'failure' && evidence.alternates === true && nodes.includes(key),
    )
    return conditionOf(failure.kind) === condition && !isOfService
      ? bad(CONDITIONS[condition].severity, valueOf(failure))
      : UNKNOWN
  }
}

const valueOf = (failure: PollFailure): AlarmValue => ({
  unit: 'failure',
  code: failureCode(failure),
  failure,
})

export function freshFor({ node, service, nowMs }: NodeContext): number {
  const { nextPollMs } = node
  const pollIntervalMs = pollIntervalOf(node, { service })
  const plannedMs = nextPollMs === undefined ? 0 : nextPollMs - nowMs + pollIntervalMs
  return Math.max(DEFAULTS.staleAfterIntervals * pollIntervalMs, plannedMs)
}
