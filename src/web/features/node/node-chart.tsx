import { type ReactNode } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { pointsIn, type SeriesData } from '#charts/charts.ts'
import type { Stage } from '#fleet/assessment.ts'
import { pollIntervalOf } from '#fleet/live.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { useDashboard } from '#react/dashboard.ts'
import type { LongTermState } from '#react/long-term.ts'
import { Ticking } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { useAlarmEntries, useSeriesData, useNotes, useUsual, useWatchedFrom } from '#react/use-history.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { nodeName } from '#texts/names.ts'
import { formatAge, percentParts } from '#texts/format.ts'
import type { ChartRow, ChartMark } from '#ui/chart/chart-types.ts'
import { sourceText } from '#parts/history-source.ts'
import { PlainPanel } from '#ui/panel.tsx'
import { Skeleton } from '#ui/empty.tsx'
import { healthyShare, marksOf, noteMarks, spansOf } from '#parts/chart-spans.ts'
import type { FactsPanelProps } from './facts-panel.tsx'
import { rowsOf, type RowContext } from './metric-rows.ts'
import { barMsFor, columnMsFor } from '#parts/time-view.ts'
import { lengthOf, useTimeView, type TimeControl } from '#parts/use-time-view.ts'
import { ControlledChart } from '#parts/time-chart.tsx'

const words = nodeHistoryTexts.chart

type NodeChartProps = FactsPanelProps & { readonly checks: Stage['checks'] }

export function NodeChart(props: NodeChartProps) {
  const { node, service } = props
  const time = useTimeView(useWatchedFrom(node.key))
  const { fromMs, toMs } = time.window
  const spanMs = toMs - fromMs
  const { data, failed, longTerm } = useSeriesData(
    {
      node: node.key,
      fromMs,
      toMs,
      columns: Math.round(spanMs / columnMsFor(spanMs)),
      barMs: barMsFor(spanMs, pollIntervalOf(node, { service })),
    },
    node.answered + node.failed,
  )
  if (failed) return <PlainPanel label={label(time)}>{words.failed}</PlainPanel>
  if (data === undefined)
    return (
      <PlainPanel label={label(time)}>
        <Skeleton label={words.loading} lines={8} />
      </PlainPanel>
    )
  return <Chart {...props} series={data} longTerm={longTerm} time={time} />
}

const label = (time: TimeControl): string => words.label(lengthOf(time))

type ChartProps = NodeChartProps & {
  readonly series: SeriesData
  readonly longTerm: LongTermState | undefined
  readonly time: TimeControl
}

function Chart({ series, longTerm, node, service, settings, checks, old, time }: ChartProps) {
  const { metrics } = useDashboard()
  const zone = useConfiguration().settings.display.timeZone
  const barMs = barMsFor(series.toMs - series.fromMs, pollIntervalOf(node, { service }))
  const usual = useUsual(node.key, time.nowMs, barMs)
  const notes = useNotes([node.key], series)
  const context: RowContext = {
    node,
    settings,
    checks,
    data: series,
    old,
    inRange: words.inRange(lengthOf(time)),
    barMs,
    usual,
  }
  const spans = spansOf(series, useAlarmEntries(node.key, series))
  const note = [
    words.points(pointsIn(series), series.answered, series.samples),
    ...(longTerm === undefined ? [] : [sourceText(longTerm, series, metrics, time.nowMs, zone)]),
  ]
  return (
    <ControlledChart
      time={time}
      title={toVisibleText(nodeName(node))}
      label={label(time)}
      fromMs={series.fromMs}
      toMs={series.toMs}
      spans={spans}
      rows={chartRowsOf(metrics, context)}
      marks={[...marksOf(series), ...noteMarks(notes), ...seamMarks(series, longTerm)]}
      health={{
        title: words.health,
        value: <Health share={healthyShare(series, spans)} />,
        label: lengthOf(time),
      }}
      legendNote={note.join(' · ')}
    />
  )
}

const seamMarks = ({ fromMs, toMs }: SeriesData, longTerm: LongTermState | undefined): readonly ChartMark[] =>
  longTerm?.kind === 'joined' && longTerm.untilMs > fromMs && longTerm.untilMs < toMs
    ? [{ atMs: longTerm.untilMs, label: words.source.seam(longTerm.name) }]
    : []

function chartRowsOf(metrics: MetricRegistry, context: RowContext): readonly ChartRow[] {
  const { node, old } = context
  const { reading, since } = node
  const age: ReactNode =
    old && reading !== undefined ? (
      <Ticking>{(nowMs) => words.old(formatAge(nowMs - reading.startedMs))}</Ticking>
    ) : undefined
  const changed = (id: string): ReactNode => {
    const sinceMs = since[id]?.sinceMs
    if (sinceMs === undefined) return undefined
    return <Ticking>{(nowMs) => words.changedAgo(formatAge(nowMs - sinceMs))}</Ticking>
  }
  return rowsOf(metrics, context).map((row) => {
    const note = age ?? (row.kind === 'ticks' ? changed(row.id) : undefined)
    return note === undefined ? row : { ...row, note }
  })
}

const Health = ({ share }: { readonly share: number | undefined }) =>
  share === undefined ? (
    words.healthUnknown
  ) : (
    <>
      <b>
        {percentParts(share).whole}
        {percentParts(share).fraction}
      </b>
      {words.healthOf}
    </>
  )
