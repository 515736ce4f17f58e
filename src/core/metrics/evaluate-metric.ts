import { isLess } from '#record/amount.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import type { Metric, MetricContext, MetricEvaluation, MetricKind, MetricLimit, MetricOf } from './metric.ts'
import { fieldOf, type Answer } from './answer.ts'

const WITHIN: MetricEvaluation = { state: 'ok', reason: 'within-limits' }
const NO_LIMIT: MetricEvaluation = { state: 'not-checked', reason: 'no-limit' }
const NOT_COLLECTED: MetricEvaluation = { state: 'not-checked', reason: 'proof-not-checked' }
const UNUSABLE: MetricEvaluation = { state: 'warning', reason: 'unusable-field' }

export function evaluateMetric(metric: Metric, answer: Answer, context: MetricContext): MetricEvaluation {
  const own = ownEvaluation(metric, answer, context)
  if (own !== undefined) return own
  if (metric.kind === 'gauge') return evaluateGauge(metric, answer, context.settings)
  return metric.kind === 'timestamp' ? evaluateAge(metric, context) : WITHIN
}

function ownEvaluation<K extends MetricKind>(
  metric: MetricOf<K>,
  answer: Answer,
  context: MetricContext,
): MetricEvaluation | undefined {
  const field = fieldOf(metric, answer)
  if (field.ok) return metric.evaluate?.(field.value, context)
  return field.error === 'not-collected' ? NOT_COLLECTED : UNUSABLE
}

/** Undefined if the value exceeds its unit's range. */
export const shownValue = (
  metric: MetricOf<'gauge'>,
  value: ExactNumber,
  settings: EffectiveSettings,
): ExactNumber | undefined => (metric.shown === undefined ? value : metric.shown(value, settings))

function evaluateGauge(
  metric: MetricOf<'gauge'>,
  answer: Answer,
  settings: EffectiveSettings,
): MetricEvaluation {
  const field = fieldOf(metric, answer)
  const shown = field.ok ? shownValue(metric, field.value, settings) : undefined
  if (shown === undefined) return { state: 'info', reason: 'out-of-unit' }
  const limits = metric.limits?.(settings) ?? []
  if (limits.length === 0) return NO_LIMIT
  const limit = limits.find((each) => isBroken(each, shown))
  return limit === undefined ? WITHIN : { state: limit.state, reason: `${limit.side}-limit`, limit }
}

/** A value equal to the limit is within it. */
export function isBroken({ side, value, text }: Omit<MetricLimit, 'state'>, shown: ExactNumber): boolean {
  if (text !== undefined) return side === 'below' ? isLess(shown.text, text) : isLess(text, shown.text)
  return side === 'below' ? shown.value < value : shown.value > value
}

function evaluateAge(
  metric: MetricOf<'timestamp'>,
  { age, ageMs, settings }: MetricContext,
): MetricEvaluation {
  if (age === undefined) return UNUSABLE
  if (age.kind === 'uncertain') return { state: 'unknown', reason: 'clock-uncertain' }
  if (ageMs === undefined) return { state: 'unknown', reason: 'clocks-disagree' }
  const limits = metric.limits?.(settings) ?? []
  if (limits.length === 0) return NO_LIMIT
  const limit = limits.find(({ value }) => ageMs > value)
  const changes = limits.slice(0, limit && limits.indexOf(limit)).filter(isCrossedFirst)
  return limit === undefined
    ? { ...WITHIN, changes: changes.toReversed() }
    : { state: limit.state, reason: 'too-old', limit, changes: changes.toReversed() }
}

/** Limits are sorted most severe first. A limit that is not below all more severe ones is never crossed before them. */
const isCrossedFirst = ({ value }: MetricLimit, index: number, limits: readonly MetricLimit[]): boolean =>
  limits.slice(0, index).every((graver) => graver.value > value)
