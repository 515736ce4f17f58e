import { isExactAsDouble } from '#record/exact-number.ts'
import { lineIn, seriesIn, type SeriesData, type Usual } from '#charts/charts.ts'
import { checkOf, type Stage } from '#fleet/assessment.ts'
import type { AssessedNode } from '#fleet/live.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import { doubtOf } from '#texts/age-doubt.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { scaleOf } from '#texts/format-charted.ts'
import { valueParts } from '#texts/format-metric.ts'
import { exactParts, formatCount } from '#texts/format.ts'
import { valueLevel } from '#parts/severity.ts'
import { seriesOf, unwatchedParts } from '#parts/metric-series.ts'
import type { PlainRow } from '#ui/chart/chart-types.ts'
import type { FigurePart } from '#ui/figure.tsx'

const words = nodeHistoryTexts.chart

export type RowContext = {
  readonly node: AssessedNode
  readonly settings: EffectiveSettings
  readonly data: SeriesData
  readonly checks: Stage['checks']
  readonly old: boolean
  /** Length of the time axis, e.g. "in 15 m" or "this session". */
  readonly inRange: string
  readonly usual: Usual
  readonly barMs: number
}

export const rowsOf = (metrics: MetricRegistry, context: RowContext): readonly PlainRow[] =>
  metrics
    .flatMap((metric) => (metric.chart === undefined ? [] : [{ metric, ...metric.chart }]))
    .toSorted((one, other) => one.order - other.order)
    .flatMap(({ metric }) => rowOf(metric, context) ?? [])

export function rowOf(metric: Metric, context: RowContext): PlainRow | undefined {
  const series = seriesOf(metric, { ...context, usual: context.usual[metric.id] })
  if (series === undefined) return undefined
  const note = noteOf(metric, context)
  const level = valueLevel(checkOf(context.checks, metric.id), context.old)
  return {
    id: metric.id,
    title: metric.heading,
    old: context.old,
    value: figureOf(metric, context),
    ...(note !== undefined && { note }),
    ...(level !== undefined && { level }),
    ...(series.kind === 'ticks' && { height: 'short' }),
    ...series,
  }
}

function noteOf(metric: Metric, { node, data, usual }: RowContext): string | undefined {
  const value = node.assessment.values[metric.id]
  const kind = metric.chart?.note
  if (kind === 'total') return value && words.total(exactParts(value.text).whole)
  // For a metric with a band, the usual range says more than a single extreme.
  const most = metric.chart?.band === true ? usual[metric.id]?.[1] : undefined
  if (most !== undefined) return words.p95(scaleOf(metric).format(most))
  if (kind !== undefined) {
    const extreme = lineIn(data, metric.id).stats[kind]
    return Number.isFinite(extreme) ? words[kind](scaleOf(metric).format(extreme)) : undefined
  }
  const isExact = value?.value === undefined || isExactAsDouble({ text: value.text, value: value.value })
  return isExact ? undefined : words.rounded
}

const asUnit = (text: string): FigurePart => ({ text, as: 'unit' })

function figureOf(metric: Metric, { node, settings, data, inRange }: RowContext): readonly FigurePart[] {
  const { reading, assessment } = node
  if (metric.kind === 'counter') {
    if (data.answered === 0) return noValue(node, metric) // If every poll failed, nothing is known about the field.
    const { increase = 0 } = seriesIn(data, 'bars', metric.id) ?? {}
    return [{ text: `+${formatCount(increase)}` }, asUnit(` ${inRange}`), ...unwatchedParts(data, metric.id)]
  }
  const value = assessment.values[metric.id]
  // A missing age is not an unusable field.
  const isUntold = metric.kind === 'timestamp' && reading?.ages[metric.id] !== undefined
  if (value === undefined) return isUntold ? [{ text: words.noValue, as: 'word' }] : noValue(node, metric)
  const parts = valueParts(metric, value, settings)
  if (metric.kind !== 'timestamp') return parts
  const doubt = doubtOf(reading?.ages[metric.id])
  // Never more precise than the clock comparison.
  const within = doubt === undefined ? [] : [asUnit(` ${words.doubt(doubt)}`)]
  return [...parts, ...within, asUnit(` ${words.atAnswer}`)]
}

function noValue({ reading }: AssessedNode, metric: Metric): readonly FigurePart[] {
  const field = reading && fieldOf(metric, reading)
  const isUntold = field === undefined || (!field.ok && field.error === 'not-collected')
  return [{ text: isUntold ? words.noValue : words.notUsable, as: 'word' }]
}
