import type { AlarmView, MetricTest } from '#alarms/alarm.ts'
import { metricOf } from '#alarms/metric-values.ts'
import type { BuiltInMetric } from '#metrics/metrics.ts'
import { lineIn, seriesIn, type LaneData } from '#history/history.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import {
  formatAge,
  formatCompact,
  formatCount,
  formatLatency,
  formatPercent,
  formatSpan,
} from '#texts/format.ts'
import { stakeLine } from '#parts/stake-line.ts'
import type { ChartLane, LimitLine } from '#ui/chart/chart-types.ts'

const words = nodeHistoryTexts.lanes

/** What of a node an alarm is about. */
type Measure = 'heartbeat' | 'participation' | 'stake' | 'latency' | 'threats' | 'proof'

const MEASURES: Readonly<Record<BuiltInMetric['id'], Measure>> = {
  // A word, and polls that fail, are shown by the heartbeat and its gaps.
  status: 'heartbeat',
  heartbeat: 'heartbeat',
  participation: 'participation',
  stake: 'stake',
  answerTime: 'latency',
  threatResponses: 'threats',
  proof: 'proof',
}
const BY_METRIC = new Map<string, Measure>(Object.entries(MEASURES))

const ABOVE: readonly string[] = ['old', 'above', 'p95-above'] satisfies MetricTest[]

/** The one lane that shows what happened; failures and the like are shown by the heartbeat and its gaps. */
export function laneOf(alarm: AlarmView, lanes: LaneData, barMs: number): ChartLane {
  const measure = BY_METRIC.get(metricOf(alarm.kind)?.metric.id ?? '') ?? 'heartbeat'
  const head = { id: measure, title: words[measure === 'heartbeat' ? 'heartbeat' : measure], value: [] }
  switch (measure) {
    case 'heartbeat':
      return {
        ...head,
        kind: 'area',
        points: lineIn(lanes, 'heartbeat').points,
        format: formatAge,
        tickFormat: formatSpan,
        limits: limitsOf(alarm, formatSpan),
      }
    case 'participation':
      return {
        ...head,
        kind: 'line',
        points: lineIn(lanes, 'participation').points,
        format: formatPercent,
        limits: limitsOf(alarm, formatPercent),
      }
    case 'stake':
      return {
        ...head,
        ...stakeLine(lineIn(lanes, 'stake'), 0),
      }
    case 'latency':
      return {
        ...head,
        kind: 'area',
        points: lineIn(lanes, 'answerTime').points,
        format: formatLatency,
        limits: limitsOf(alarm, formatLatency),
      }
    case 'threats':
      return {
        ...head,
        kind: 'bars',
        bars: (seriesIn(lanes, 'bars', 'threatResponses')?.bars ?? []).map(({ fromMs, toMs, increase }) => ({
          fromMs: Math.max(fromMs, lanes.fromMs),
          toMs: Math.min(toMs, lanes.toMs),
          value: increase,
        })),
        format: (value) => words.inBar(formatCount(value), formatSpan(barMs)),
        tickFormat: formatCompact,
      }
    case 'proof':
      return {
        ...head,
        kind: 'ticks',
        atMs: seriesIn(lanes, 'ticks', 'proof')?.atMs ?? new Float64Array(),
        format: () => words.proofChanged,
      }
  }
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
      bad: ABOVE.includes(metricOf(kind)?.test ?? '') ? 'above' : 'below',
    },
  ]
}
