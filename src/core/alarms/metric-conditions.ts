import { HOUR_MS } from '#base/time.ts'
import { counterStep } from '#record/counter.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { Check } from '#fleet/assessment.ts'
import { isBroken } from '#metrics/evaluate-metric.ts'
import type { MetricKind, MetricLimit } from '#metrics/metric.ts'
import { isLess, sumText } from '#record/amount.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import type { AlarmCondition, AlarmRule } from '#settings/schema.ts'
import type { AlarmSeverity, AlarmValue, MetricAlarmKind } from './alarm.ts'
import { bad, good, UNKNOWN, type Evaluation, type Moment } from './instance.ts'
import { alarmValueOf, kindOf, limitValueOf, type MetricReading } from './metric-values.ts'

/**
 * A rule's memory of a node, in watched time: the last value and its start, or the values within its window. `of`: the
 * condition that stored it; a rule with another test ignores it.
 */
export type Memory =
  | {
      readonly kind: 'last'
      readonly of: MetricAlarmKind
      readonly text: string
      readonly before?: string | undefined
      readonly sinceAwakeMs: number
    }
  | {
      readonly kind: 'points'
      readonly of: MetricAlarmKind
      readonly points: readonly Point[]
      readonly wallMs: number
      readonly total: string | undefined
    }
export type Point = readonly [awakeMs: number, value: number]

/** Maximum number of points in a window; windows with more are thinned out. */
const POINTS_MAX = 240
const VALUES_MIN = 5
/** A smaller difference between wall clock and watched time is not a gap. */
const WATCHED_WITHIN_MS = 5_000

type RuleResult = { readonly evaluation: Evaluation; readonly memory: Memory | undefined }

/** `freshForMs`: how long an answer is current. */
type AnswerMoment = Pick<Moment, 'awakeMs' | 'wallMs'> & { readonly freshForMs: number }

type Test = AlarmCondition['test']

const KINDS_OF: Readonly<Record<Test, readonly [MetricKind, ...MetricKind[]]>> = {
  below: ['gauge'],
  above: ['gauge'],
  changed: ['state', 'gauge'],
  'p95-above': ['gauge'],
  'rate-below': ['counter'],
  'rate-above': ['counter'],
  stuck: ['counter'],
  old: ['timestamp'],
  unchanged: ['fingerprint'],
  wrong: ['fingerprint'],
}

const isTest = (text: string): text is Test => Object.hasOwn(KINDS_OF, text)

export const testsOf = (kind: MetricKind): readonly Test[] =>
  Object.keys(KINDS_OF)
    .filter(isTest)
    .filter((test) => KINDS_OF[test].includes(kind))

export function evaluateCondition(
  { condition, severity }: Pick<AlarmRule, 'condition' | 'severity'>,
  reading: MetricReading | undefined,
  before: Memory | undefined,
  now: AnswerMoment,
): RuleResult {
  const of = kindOf(condition.metric, condition.test)
  const memory = before?.of === of && reading?.isOtherNode !== true ? before : undefined
  if (reading === undefined) return { evaluation: UNKNOWN, memory }
  const { raw, check } = reading
  switch (condition.test) {
    case 'below':
    case 'above':
      return {
        evaluation: evaluateLimit(reading, limitOf(condition, condition.test, reading), severity),
        memory,
      }
    case 'old':
      return {
        evaluation: evaluateLimit(reading, { side: 'above', value: condition.limit }, severity),
        memory,
      }
    case 'changed':
      return changed(severity, of, reading, lastOf(memory), now.awakeMs)
    case 'unchanged':
      return unchanged(condition.limit, severity, of, raw, lastOf(memory), now.awakeMs)
    case 'wrong':
      return { evaluation: foundWrong(check, severity), memory }
    case 'rate-below':
    case 'rate-above':
    case 'stuck':
      return counted(condition, severity, of, reading, pointsOf(memory), now)
    case 'p95-above': {
      const value = reading.shown?.value
      if (value === undefined) return { evaluation: UNKNOWN, memory }
      const points = withPoint(recent(pointsOf(memory), now), [now.awakeMs, value], condition.windowMs)
      return {
        evaluation: percentile(condition, severity, reading, points),
        memory: { kind: 'points', of, points, wallMs: now.wallMs, total: undefined },
      }
    }
  }
}

/** An unchecked proof is neither right nor wrong. */
export function foundWrong(check: Check | undefined, severity: AlarmSeverity = 'critical'): Evaluation {
  if (check?.state === 'critical') return bad(severity)
  return check?.state === 'ok' ? good() : UNKNOWN
}

const lastOf = (memory: Memory | undefined) => (memory?.kind === 'last' ? memory : undefined)
const pointsOf = (memory: Memory | undefined) => (memory?.kind === 'points' ? memory : undefined)

type Condition<T extends AlarmCondition['test']> = Extract<AlarmCondition, { test: T }>
type CounterCondition = Condition<'rate-below' | 'rate-above' | 'stuck'>
type Limit = Omit<MetricLimit, 'state'> & { readonly deadband?: number | string | undefined }

/** Uses the exact text for metrics that are compared to the last digit. */
const limitOf = (
  { limit, deadband }: { readonly limit: number | string; readonly deadband?: number | string | undefined },
  side: 'below' | 'above',
  { metric }: MetricReading,
): Limit => ({
  side,
  value: Number(limit),
  deadband: deadband ?? metric.deadband,
  ...(metric.exact === true && { text: String(limit) }),
})

function evaluateLimit(
  { metric, shown }: Pick<MetricReading, 'metric' | 'shown'>,
  limit: Limit,
  severity: AlarmSeverity,
): Evaluation {
  if (shown?.value === undefined) return UNKNOWN
  const found = [alarmValueOf(metric, shown), limitValueOf(metric, limit)] as const
  return compared({ text: shown.text, value: shown.value }, limit, severity, found)
}

const compared = (
  shown: ExactNumber,
  limit: Limit,
  severity: AlarmSeverity,
  found: readonly [value: AlarmValue, limit: AlarmValue],
): Evaluation => (isBroken(limit, shown) ? bad(severity, ...found) : within(shown, limit, severity, found))

/** Within the deadband the state stays as it was. */
export function within(
  { text, value }: ExactNumber,
  { side, deadband = 0, ...limit }: Limit,
  severity: AlarmSeverity,
  found: readonly [value: AlarmValue, limit: AlarmValue],
): Evaluation {
  const [low, high] = side === 'below' ? [limit.value, value] : [value, limit.value]
  const [lowText, highText] = side === 'below' ? [limit.text, text] : [text, limit.text]
  const isClear =
    lowText === undefined || highText === undefined || limit.text === undefined
      ? // Floating-point differences are slightly off.
        high - low >= Number(deadband) - 1e-9
      : !isLess(highText, sumText(lowText, String(deadband)))
  return isClear ? good(...found) : { ...good(...found), state: 'between', severity }
}

type Last = Extract<Memory, { kind: 'last' }>
type Points = Extract<Memory, { kind: 'points' }>

/**
 * Bad only in the answer that brings a different value; the alarm ends when it is acknowledged. A change of the unit does
 * not count.
 */
function changed(
  severity: AlarmSeverity,
  of: MetricAlarmKind,
  { metric, raw, shown, show }: MetricReading,
  last: Last | undefined,
  awakeMs: number,
): RuleResult {
  const isSame = last === undefined || last.text === raw
  const before = isSame ? last?.before : last.text
  const value = alarmValueOf(metric, shown ?? { text: raw })
  const found: AlarmValue =
    value.unit === 'stake' && before !== undefined ? { ...value, before: show(before) } : value
  const memory: Last = { kind: 'last', of, text: raw, before, sinceAwakeMs: awakeMs }
  return isSame
    ? { evaluation: good(found), memory: last ?? memory }
    : { evaluation: bad(severity, found), memory }
}

function unchanged(
  limitMs: number,
  severity: AlarmSeverity,
  of: MetricAlarmKind,
  text: string,
  last: Last | undefined,
  awakeMs: number,
): RuleResult {
  const limit: AlarmValue = { unit: 'ms', value: limitMs }
  if (last?.text !== text)
    return {
      evaluation: good({ unit: 'ms', value: 0 }, limit),
      memory: { kind: 'last', of, text, sinceAwakeMs: awakeMs },
    }
  const value: AlarmValue = { unit: 'ms', value: awakeMs - last.sinceAwakeMs }
  const evaluation = value.value > limitMs ? bad(severity, value, limit) : good(value, limit)
  return { evaluation, memory: last }
}

/** Points from before a long absence say nothing about the current window. */
const recent = (before: Points | undefined, { awakeMs, wallMs }: Pick<Moment, 'awakeMs' | 'wallMs'>) =>
  before === undefined || unwatchedMs(before, awakeMs, wallMs) > DEFAULTS.alarmTimersOutageMs
    ? []
    : before.points

const unwatchedMs = ({ points, wallMs: lastMs }: Points, awakeMs: number, wallMs: number): number =>
  Math.abs(wallMs - lastMs - (awakeMs - (points.at(-1)?.[0] ?? awakeMs)))

/** Continues after a reload from the node's own total instead of a session's count. */
function counted(
  condition: CounterCondition,
  severity: AlarmSeverity,
  of: MetricAlarmKind,
  { raw: text, clockSetBack, unwatched = false }: MetricReading,
  before: Points | undefined,
  now: AnswerMoment,
): RuleResult {
  const { awakeMs, wallMs, freshForMs } = now
  const points = recent(before, now)
  const count = points.at(-1)?.[1] ?? 0
  const step = counterStep(before?.total, text, clockSetBack)
  // If an earlier session stored the last point, the clocks show how long nothing was watched.
  const isGap =
    before !== undefined &&
    unwatchedMs(before, awakeMs, wallMs) >= WATCHED_WITHIN_MS &&
    Math.abs(wallMs - before.wallMs) > freshForMs
  // An increase during a gap counts in no rate, but shows that the counter is not stuck.
  const counts = condition.test === 'stuck' || !(unwatched || isGap)
  const increase = points.length === 0 || !counts ? 0 : step.increase
  const all = withPoint(points, [awakeMs, count + increase], condition.windowMs)
  const memory: Points = { kind: 'points', of, points: all, wallMs, total: text }
  return { evaluation: rateOf(condition, severity, all), memory }
}

/** The points in the window and the last one before it, which gives the value at its start. */
function withPoint(before: readonly Point[], point: Point, windowMs: number): readonly Point[] {
  const [awakeMs] = point
  const start = before.findLastIndex(([atMs]) => atMs <= awakeMs - windowMs)
  const kept = before.slice(Math.max(0, start))
  const earlier = kept.at(-2)
  // The newest point replaces one that is closer than the resolution.
  const isClose = earlier !== undefined && awakeMs - earlier[0] < windowMs / POINTS_MAX
  return [...(isClose ? kept.slice(0, -1) : kept), point]
}

function rateOf(condition: CounterCondition, severity: AlarmSeverity, points: readonly Point[]): Evaluation {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return UNKNOWN
  const spanMs = last[0] - first[0]
  const increase = last[1] - first[1]
  if (condition.test === 'stuck') {
    const limit: AlarmValue = { unit: 'ms', value: condition.windowMs }
    if (increase > 0) return good({ unit: 'ms', value: 0 }, limit)
    return spanMs < condition.windowMs ? UNKNOWN : bad(severity, { unit: 'ms', value: spanMs }, limit)
  }
  if (spanMs < condition.windowMs) return UNKNOWN
  const { limit: perHour, deadband, test } = condition
  const value = (increase / spanMs) * HOUR_MS
  const limit: Limit = { side: test === 'rate-above' ? 'above' : 'below', value: perHour, deadband }
  return compared({ text: String(value), value }, limit, severity, [
    { unit: 'per-hour', value },
    { unit: 'per-hour', value: perHour },
  ])
}

function percentile(
  condition: Condition<'p95-above'>,
  severity: AlarmSeverity,
  reading: MetricReading,
  points: readonly Point[],
): Evaluation {
  const newestMs = points.at(-1)?.[0] ?? 0
  const inWindow = points.filter(([atMs]) => atMs > newestMs - condition.windowMs)
  if (inWindow.length < VALUES_MIN) return UNKNOWN
  const sorted = inWindow.map(([, value]) => value).toSorted((a, b) => a - b)
  const value = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
  const shown = { text: String(value), value }
  // A percentile is a double, so its limit is compared as one.
  const { text: _exact, ...limit } = limitOf(condition, 'above', reading)
  return evaluateLimit({ metric: reading.metric, shown }, limit, severity)
}
