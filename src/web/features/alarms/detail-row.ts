import type { AlarmView, MetricTest } from '#alarms/alarm.ts'
import { metricOf, testOf } from '#alarms/metric-values.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { scaleOf } from '#texts/format-charted.ts'
import { seriesOf, type SeriesContext } from '#parts/metric-series.ts'
import type { ChartRow, LimitLine } from '#ui/chart/chart-types.ts'

const ABOVE: readonly string[] = ['old', 'above', 'p95-above'] satisfies MetricTest[]

export const chartedOf = ({ kind }: AlarmView, metrics: MetricRegistry): string =>
  metricOf(kind, metrics)?.metric.heading ?? alarmTexts.detail.answers

/** The row of the alarm's own metric. State metrics and failed polls have none; the status strip shows them. */
export function rowOfAlarm(
  alarm: AlarmView,
  metrics: MetricRegistry,
  context: SeriesContext,
): ChartRow | undefined {
  const metric = metricOf(alarm.kind, metrics)?.metric
  const series = metric && seriesOf(metric, context)
  if (metric === undefined || series === undefined) return undefined
  const head = { id: metric.id, title: metric.heading, value: [] }
  return series.kind === 'ticks'
    ? { ...head, ...series }
    : { ...head, ...series, limits: limitsOf(alarm, scaleOf(metric).limitFormat) }
}

function limitsOf(
  { kind, limit, severity }: AlarmView,
  format: (value: number) => string,
): readonly LimitLine[] {
  if (limit === undefined || !('value' in limit)) return []
  return [
    {
      value: limit.value,
      level: severity,
      label: alarmTexts.detail.limitLine(format(limit.value)),
      bad: ABOVE.includes(testOf(kind)) ? 'above' : 'below',
    },
  ]
}
