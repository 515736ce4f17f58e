import { MINUTE_MS } from '#base/time.ts'
import { useMemo } from 'react'
import type { AlarmView, MetricTest } from '#alarms/alarm.ts'
import type { SeriesData } from '#charts/charts.ts'
import type { NodeKey } from '#fleet/live.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { effectiveSettings, NO_SERVICE_RULES, type EffectiveSettings } from '#settings/effective.ts'
import { spansOf } from '#parts/chart-spans.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useNode, useFleet } from '#react/use-fleet.ts'
import { useAlarmEntries, useSeriesData, useWatchedFrom } from '#react/use-history.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatSpan } from '#texts/format.ts'
import { TimeChart } from '#parts/time-chart.tsx'
import { Skeleton } from '#ui/empty.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { metricOf, testOf } from '#alarms/metric-values.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { scaleOf } from '#texts/format-charted.ts'
import { seriesOf, type SeriesContext } from '#parts/metric-series.ts'
import type { ChartRow, LimitLine } from '#ui/chart/chart-types.ts'

const words = alarmTexts.detail

/** One hour around the moment the alarm began. Most of it lies before, because that shows the cause. */
const BEFORE_MS = 45 * MINUTE_MS
const SPAN_MS = 60 * MINUTE_MS
const COLUMN_MS = 10_000
const SHORTEST_MS = 5 * MINUTE_MS
const BAR_MS = 5 * MINUTE_MS

const floorTo = (stepMs: number, ms: number): number => Math.floor(ms / stepMs) * stepMs

type DetailChartProps = { readonly alarm: AlarmView; readonly node: NodeKey; readonly nodeName: string }

export function DetailChart({ alarm, node, nodeName }: DetailChartProps) {
  const nowMs = useWallNow() ?? alarm.sinceWallMs
  const live = useNode(node)
  const service = useFleet(({ services }) => live && services.get(live.serviceId))
  const begunMs = alarm.sinceWallMs
  // Before this time there is no data for the node.
  const watchedFromMs = useWatchedFrom(node)
  // Advances once a minute, not every second.
  const minuteMs = floorTo(MINUTE_MS, nowMs)
  const query = useMemo(() => {
    const isYoung = minuteMs - begunMs < SPAN_MS - BEFORE_MS
    const toMs = isYoung ? minuteMs + MINUTE_MS : floorTo(COLUMN_MS, begunMs) + SPAN_MS - BEFORE_MS
    return {
      node,
      fromMs: Math.max(toMs - SPAN_MS, Math.min(floorTo(MINUTE_MS, watchedFromMs), toMs - SHORTEST_MS)),
      toMs,
      columns: SPAN_MS / COLUMN_MS,
      barMs: BAR_MS,
    }
  }, [node, begunMs, minuteMs, watchedFromMs])
  const { data, failed } = useSeriesData(query, minuteMs)
  if (failed) return <p className="text-12 ink-3">{nodeHistoryTexts.chart.failed}</p>
  if (data === undefined) return <Skeleton label={words.chart} lines={4} />
  return (
    <Chart
      alarm={alarm}
      data={data}
      settings={effectiveSettings(service?.rules ?? NO_SERVICE_RULES, live ?? NOBODY)}
      node={node}
      nodeName={nodeName}
    />
  )
}

/** A node that is no longer watched has no settings of its own. */
const NOBODY = { tags: [], rules: [] }

type ChartProps = {
  readonly alarm: AlarmView
  readonly data: SeriesData
  readonly settings: EffectiveSettings
  readonly node: NodeKey
  readonly nodeName: string
}

function Chart({ alarm, data, settings, node, nodeName }: ChartProps) {
  const { metrics } = useDashboard()
  const row = rowOfAlarm(alarm, metrics, { data, settings, barMs: BAR_MS })
  const { raisedWallMs, severity, kind } = alarm
  const charted = chartedOf(alarm, metrics)
  const own = useAlarmEntries(node, data).filter(({ facts }) => facts?.['kind'] === kind)
  return (
    <section>
      <h3>
        <VisibleText text={words.chartOf(charted, nodeName)} />
      </h3>
      <TimeChart
        label={words.chartOf(charted, toVisibleText(nodeName))}
        fromMs={data.fromMs}
        toMs={data.toMs}
        spans={spansOf(data, own)}
        {...(row === undefined && {
          health: { title: charted, value: '', label: formatSpan(data.toMs - data.fromMs) },
        })}
        rows={row === undefined ? [] : [row]}
        marks={
          raisedWallMs === undefined ? [] : [{ atMs: raisedWallMs, label: words.raised, level: severity }]
        }
      />
    </section>
  )
}

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
