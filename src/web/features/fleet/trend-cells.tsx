import { DAY_MS } from '#base/time.ts'
import { useMemo, useState } from 'react'
import { effectiveSettings } from '#settings/effective.ts'
import { checkOf, isCurrent } from '#fleet/assessment.ts'
import { valueNow, type NodeKey } from '#fleet/live.ts'
import type { SeriesData } from '#charts/charts.ts'
import type { Metric, MetricOf } from '#metrics/metric.ts'
import { healthyShare, spansOf } from '#parts/chart-spans.ts'
import { seriesOf } from '#parts/metric-series.ts'
import { valueLevel } from '#parts/severity.ts'
import { useDashboard } from '#react/dashboard.ts'
import { readJoined } from '#react/long-term.ts'
import { useRead } from '#react/reads.ts'
import { useSteps } from '#react/ticking.tsx'
import { useStore } from '#react/use-fleet.ts'
import { nodeGapMs } from '#react/use-history.ts'
import { useAgingRow, useRow, type AgingRow, type Row } from '#react/use-row.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { scaleOf } from '#texts/format-charted.ts'
import { formatCount, formatPercent } from '#texts/format.ts'
import type { Level } from '#ui/level.ts'
import { RangeRail } from '#ui/range-rail.tsx'
import { SparkBars, SparkLine, SparkSpans, TREND_MIN } from '#ui/spark.tsx'

const words = fleetToolTexts.trend

const EVERY_MS = 300_000
const COLUMNS = 96
const BARS = 24

type TrendProps = { readonly nodeKey: NodeKey; readonly metric: Metric }

export const TrendCell = ({ nodeKey, metric }: TrendProps) =>
  metric.kind === 'timestamp' ? (
    <AgeRail nodeKey={nodeKey} metric={metric} />
  ) : (
    <Course nodeKey={nodeKey} metric={metric} />
  )

function Course({ nodeKey, metric }: TrendProps) {
  const { fleet } = useDashboard()
  const data = useDay(nodeKey)
  const level = useLevel(nodeKey, metric)
  return useMemo(() => {
    const { nodes, services } = fleet.get()
    const node = nodes.get(nodeKey)
    const service = node && services.get(node.serviceId)
    if (data === undefined || node === undefined || service === undefined) return <NoTrend />
    const series = seriesOf(metric, {
      data,
      settings: effectiveSettings(service.rules, node),
      barMs: DAY_MS / BARS,
    })
    const range = { fromMs: data.fromMs, toMs: data.toMs }
    if (series === undefined || series.kind === 'ticks') return <NoTrend />
    if (series.kind === 'bars' && series.bars.length < TREND_MIN.bars) return <NoTrend />
    if (series.kind === 'bars') {
      const total = series.bars.reduce((sum, { value }) => sum + value, 0)
      return (
        <SparkBars {...range} bars={series.bars} label={words.total(metric.heading, formatCount(total))} />
      )
    }
    const { atMs, value } = series.points
    const known = Array.from(value).filter((each) => !Number.isNaN(each))
    if (known.length < TREND_MIN.points) return <NoTrend />
    const [low, high] = [Math.min(...known), Math.max(...known)]
    const { format } = scaleOf(metric)
    return (
      <SparkLine
        {...range}
        atMs={atMs}
        value={value}
        domain={series.domain ?? [low, high]}
        level={level}
        label={words.range(metric.heading, format(low), format(high))}
      />
    )
  }, [data, fleet, metric, nodeKey, level])
}

const NoTrend = () => <span className="spark" aria-hidden />

export function HealthCell({ nodeKey }: { readonly nodeKey: NodeKey }) {
  const data = useDay(nodeKey)
  return useMemo(() => {
    if (data === undefined) return <NoTrend />
    const spans = spansOf(data)
    const share = healthyShare(data, spans)
    return (
      <SparkSpans
        fromMs={data.fromMs}
        toMs={data.toMs}
        spans={spans}
        label={share === undefined ? words.notWatched : words.answered(formatPercent(share))}
      />
    )
  }, [data])
}

function useLevel(nodeKey: NodeKey, metric: Metric): Level | undefined {
  const view = useMemo(() => levelOf(metric), [metric])
  return useRow(nodeKey, view)?.level
}

type Shown = { readonly level: Level | undefined }

const levelOf =
  (metric: Metric) =>
  ({ stage: { checks, link } }: Row): Shown => ({
    level: valueLevel(checkOf(checks, metric.id), !isCurrent(link)),
  })

/** Length of the rail if no limit is set. */
const RAIL_MS = 300_000

function AgeRail({ nodeKey, metric }: { readonly nodeKey: NodeKey; readonly metric: MetricOf<'timestamp'> }) {
  const view = useMemo(() => railOf(metric), [metric])
  const shown = useAgingRow(nodeKey, view)
  if (shown?.at === undefined) return <NoTrend />
  const limits = shown.limits === '' ? [] : shown.limits.split(' ')
  return (
    <span className="spark">
      <RangeRail
        from={0}
        to={1}
        value={Number(shown.at)}
        level={shown.level}
        limits={limits.map((label) => ({ value: Number(label), level: 'warning', label }))}
        label={words.limits(metric.heading)}
      />
    </span>
  )
}

/** Steps of two pixels, so that a ticking age redraws only when it moves visibly. */
const RAIL_STEPS = 32

/** Positions on the rail as text, because change detection compares flat values. */
const railOf = (metric: MetricOf<'timestamp'>) => (row: AgingRow) => {
  const limits = metric.limits?.(effectiveSettings(row.service.rules, row.node)) ?? []
  const railMs = 2 * (limits[0]?.value ?? RAIL_MS)
  const value = valueNow(row.node, metric, row.agesMs)?.value
  return {
    at:
      value === undefined
        ? undefined
        : String(Math.round(RAIL_STEPS * Math.min(1, value / railMs)) / RAIL_STEPS),
    limits: Array.from(new Set(limits.map(({ value: limit }) => (limit / railMs).toFixed(2)))).join(' '),
    ...levelOf(metric)(row),
  }
}

/**
 * A node's last 24 hours; undefined until loaded. All cells of a row share one query. A row queries only after staying in view
 * until the next second, so that scrolling causes no load.
 */
function useDay(nodeKey: NodeKey): SeriesData | undefined {
  const dashboard = useDashboard()
  const { fleet, seconds } = dashboard
  const stepMs = useSteps(EVERY_MS)
  const [sinceMs] = useState(() => seconds.get())
  const isStaying = useStore(seconds, (nowMs) => nowMs !== sinceMs)
  const toMs = useMemo(() => {
    const { wallMs, nowMs } = fleet.get()
    return Math.ceil((wallMs + Math.max(0, stepMs - nowMs)) / EVERY_MS) * EVERY_MS
  }, [fleet, stepMs])
  const { data } = useRead({
    queryKey: ['day', nodeKey, toMs],
    queryFn: () => {
      const { nodes, services } = fleet.get()
      const node = nodes.get(nodeKey)
      return readJoined(dashboard, {
        node: nodeKey,
        fromMs: toMs - DAY_MS,
        toMs,
        columns: COLUMNS,
        barMs: DAY_MS / BARS,
        maxGapMs: nodeGapMs(node, node && services.get(node.serviceId)),
      })
    },
    enabled: isStaying,
    gcTime: KEPT_MS,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  return data
}

/** Cache time for rows scrolled out of view. */
const KEPT_MS = 60_000
