import { textFingerprint } from '#base/fingerprint.ts'
import { checkOf, type Check, type ShownValue } from '#fleet/assessment.ts'
import { valueNow, type AssessedNode } from '#fleet/live.ts'
import { shownValue } from '#metrics/evaluate-metric.ts'
import type { Metric, MetricLimit, MetricRegistry } from '#metrics/metric.ts'
import { fieldOf, type Answer } from '#metrics/answer.ts'
import { parseExactNumber } from '#record/exact-number.ts'
import { orUndefined } from '#base/result.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import type { AlarmValue, MetricAlarmKind, MetricTest } from './alarm.ts'

export type MetricReading = {
  readonly metric: Metric
  /** As the node reports it, so that another unit is not another value; for a proof its fingerprint. */
  readonly raw: string
  /** In the displayed unit; for a timestamp its current age. Undefined: not comparable. */
  readonly shown: ShownValue | undefined
  readonly show: (raw: string) => string
  readonly check: Check | undefined
  /** The service's clock was set back before this reading: a counter that fell with it did not restart. */
  readonly clockSetBack?: boolean
  readonly unwatched?: boolean
  /** The previous reading was of another node. */
  readonly isOtherNode?: boolean
}

export const kindOf = (metricId: string, test: MetricTest): MetricAlarmKind => `${metricId}-${test}`

export const metricIdOf = (kind: string): string => kind.split('-', 1)[0] ?? kind

/** Metric ids contain no hyphen. */
export const testOf = (kind: string): string => kind.slice(metricIdOf(kind).length + 1)

export function metricOf(
  kind: string,
  registry: MetricRegistry,
): { readonly metric: Metric; readonly test: string } | undefined {
  const id = metricIdOf(kind)
  const metric = registry.find((each) => each.id === id)
  return metric && { metric, test: testOf(kind) }
}

export function readMetric(
  metric: Metric,
  node: AssessedNode,
  settings: EffectiveSettings,
  nowMs: number,
): MetricReading | undefined {
  const { reading, assessment } = node
  const raw = reading && rawOf(metric, reading)
  if (reading === undefined || raw === undefined) return undefined
  return {
    metric,
    raw,
    shown: valueNow(node, metric, nowMs),
    show: showWith(metric, settings),
    check: checkOf(assessment.atReading, metric.id),
    clockSetBack: reading.clockSetBack === true,
    unwatched: reading.unwatched === true,
    isOtherNode: reading.formerNodeId !== undefined,
  }
}

/** A value that does not fit the unit stays unchanged. */
export const showWith =
  (metric: Metric, settings: EffectiveSettings) =>
  (raw: string): string => {
    const exact = metric.kind === 'gauge' ? parseExactNumber(raw) : undefined
    return (metric.kind === 'gauge' && exact && shownValue(metric, exact, settings)?.text) || raw
  }

export function rawOf(metric: Metric, answer: Answer): string | undefined {
  if (metric.kind === 'timestamp') return fieldOf(metric, answer).ok ? '' : undefined
  const value = orUndefined(fieldOf(metric, answer))
  const text = typeof value === 'string' ? value : value?.text
  return metric.kind === 'fingerprint' && text !== undefined ? textFingerprint(text) : text
}

export function alarmValueOf({ kind, unit }: Metric, { text, value = 0 }: ShownValue): AlarmValue {
  if (kind === 'state' || kind === 'fingerprint') return { unit: 'status', text }
  switch (unit) {
    case 'ms':
    case 'ratio':
      return { unit, value }
    case 'amount':
      return { unit: 'stake', text }
    case 'count':
    case 'none':
      return { unit: 'count', value }
  }
}

export const limitValueOf = (metric: Metric, { value, text }: Omit<MetricLimit, 'state'>): AlarmValue =>
  alarmValueOf(metric, { value, text: text ?? String(value) })
