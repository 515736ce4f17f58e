import {
  type BarSeries,
  lineIn,
  seriesIn,
  type Band,
  type SeriesData,
  type LineSeries,
  type UsualRange,
} from '#charts/charts.ts'
import type { MetricLimit, Metric, MetricOf } from '#metrics/metric.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { scaleOf } from '#texts/format-charted.ts'
import { formatCompact, formatCount, formatExact, formatSpan } from '#texts/format.ts'
import type { FigurePart } from '#ui/figure.tsx'
import type { BandLine, ChartGap, ChartSeries, LimitLine, ValueSeries } from '#ui/chart/chart-types.ts'

const words = nodeHistoryTexts.chart

export type SeriesContext = {
  readonly data: SeriesData
  readonly settings: EffectiveSettings
  readonly barMs: number
  /** Usual range of the last seven days; not drawn if unknown. */
  readonly usual?: UsualRange | undefined
}

/** Draws a metric over time by its kind and unit, never by its name. States have no chart. */
export function seriesOf(metric: Metric, context: SeriesContext): ChartSeries | undefined {
  switch (metric.kind) {
    case 'state':
      return undefined
    case 'fingerprint':
      return {
        kind: 'ticks',
        atMs: seriesIn(context.data, 'ticks', metric.id)?.atMs ?? new Float64Array(),
        format: () => words.changed(metric.heading),
      }
    case 'counter':
      return barsOf(metric.id, context)
    default:
      return lineOf(metric, context)
  }
}

/** Up to this count, the axis shows whole events only. */
const FEW = 4

function barsOf(id: string, { data, barMs, usual }: SeriesContext): ValueSeries {
  const { bars = [], unwatched = [] } = seriesIn(data, 'bars', id) ?? {}
  const areFew = [...bars.map(({ increase }) => increase), ...(usual ?? [])].every((count) => count < FEW)
  return {
    kind: 'bars',
    // Bars start at round times, so the outermost ones are cut at the axis ends.
    bars: bars.map(({ fromMs, toMs, increase }) => ({
      fromMs: Math.max(fromMs, data.fromMs),
      toMs: Math.min(toMs, data.toMs),
      value: increase,
    })),
    gaps: gapsOf(data, unwatched),
    format: (value) => words.inBar(formatCount(value), formatSpan(barMs)),
    tickFormat: formatCompact,
    ...(usual && { usual }),
    ...(areFew && { domain: [0, FEW], ticks: [0, FEW / 2, FEW] }),
  }
}

/** A counter's increase in each gap, spread over all unwatched time since the previous answer. */
const gapsOf = ({ spans }: SeriesData, unwatched: BarSeries['unwatched']): readonly ChartGap[] =>
  unwatched.map(({ atMs, increase }) => {
    const before = spans.filter(({ fromMs }) => fromMs < atMs)
    // The last span may be an answered one that begins in the gap.
    const end = before.findLastIndex(({ kind }) => kind === 'not-watched')
    const start = before.slice(0, end + 1).findLastIndex(({ kind }) => kind === 'answered') + 1
    const first = before.slice(start).find(({ kind }) => kind === 'not-watched')
    const label = words.unwatched(formatCount(increase))
    return { fromMs: first?.fromMs ?? atMs, toMs: before[end]?.toMs ?? atMs, label }
  })

/** A counter's increase in the gaps of a range, as text; undefined if zero. */
export function unwatchedText(data: SeriesData, id: string): string | undefined {
  const { unwatched = [] } = seriesIn(data, 'bars', id) ?? {}
  const count = unwatched.reduce((sum, { increase }) => sum + increase, 0)
  return count === 0 ? undefined : words.unwatched(formatCount(count))
}

export function unwatchedParts(data: SeriesData, id: string): readonly FigurePart[] {
  const text = unwatchedText(data, id)
  return text === undefined ? [] : [{ text: ` · ${text}`, as: 'unit' }]
}

type Charted = MetricOf<'gauge'> | MetricOf<'timestamp'>

function lineOf(metric: Charted, { data, settings, usual }: SeriesContext): ValueSeries {
  const line = lineIn(data, metric.id)
  const { format, tickFormat, tickUnit } = scaleOf(metric)
  const limits = metric.limits?.(settings) ?? []
  return {
    ...drawn(metric, line, settings, data.stepMs > 0),
    format,
    tickFormat,
    ...(tickUnit && { tickUnit }),
    ...(usual && { usual }),
    ...(metric.unit === 'ratio' && { domain: ratioDomain(line.stats, usual, limits) }),
    limits: limitLines(metric, limits),
  }
}

function drawn(metric: Charted, line: LineSeries, settings: EffectiveSettings, isRolled: boolean) {
  // Single answers while there are few; otherwise the spread in each step.
  if (isRolled && line.band !== undefined) return bandLine(line.band, scaleOf(metric).format)
  if (metric.kind !== 'gauge' || metric.exact === undefined)
    return { kind: metric.chart?.kind === 'area' ? 'area' : 'line', points: line.points } as const
  const shown = (text: string, value: number) =>
    metric.shown === undefined ? { text, value } : metric.shown({ text, value }, settings)
  return {
    kind: 'steps',
    points: {
      ...line.points,
      value: line.points.value.map((value) => shown(String(value), value)?.value ?? Number.NaN),
    },
    exactAt: (atMs: number) => {
      const written = line.exact.get(atMs)
      const text = written === undefined ? undefined : shown(written, Number(written))?.text
      return text === undefined ? undefined : formatExact(text)
    },
  } as const
}

/** Median of each step with a band up to p95; broken where a step has no values. */
export function bandLine({ atMs, stepMs, p50, p95 }: Band, format: (value: number) => string): BandLine {
  const at: number[] = []
  const middle: number[] = []
  const upper: number[] = []
  const put = (pointMs: number, value: number, edge: number): void => {
    at.push(pointMs)
    middle.push(value)
    upper.push(edge)
  }
  for (const [step, start] of atMs.entries()) {
    const before = atMs[step - 1]
    if (before !== undefined && start - before > stepMs)
      put((before + stepMs + start) / 2, Number.NaN, Number.NaN)
    put(start + stepMs / 2, p50[step] ?? Number.NaN, p95[step] ?? Number.NaN)
  }
  return {
    kind: 'band',
    points: { atMs: Float64Array.from(at), value: Float64Array.from(middle) },
    upper: Float64Array.from(upper),
    formatBand: (one, other) => words.spread(format(one), format(other)),
  }
}

const limitLines = (metric: Metric, limits: readonly MetricLimit[]): readonly LimitLine[] =>
  limits
    .map(({ value, state, side }) => {
      const say = state === 'critical' ? words.crit : words.warn
      return { value, level: state, label: say(scaleOf(metric).limitFormat(value)), bad: side }
    })
    .toSorted((one, other) => one.value - other.value)

/** At least one percentage point, so that noise does not fill the row, and never beyond 0 to 100 %. */
const SPAN_MIN = 0.01
/** A limit more distant than this from every value stays out of view. */
const LIMIT_NEAR = 0.05

/** A domain with all values and every limit that is near or breached. */
function ratioDomain(
  { min: seenMin, max: seenMax }: LineSeries['stats'],
  usual: UsualRange | undefined,
  limits: readonly MetricLimit[],
): readonly [number, number] {
  if (!Number.isFinite(seenMin) || !Number.isFinite(seenMax)) return [0, 1]
  const near = limits.filter(({ side, value }) =>
    side === 'below' ? value > seenMin - LIMIT_NEAR : value < seenMax + LIMIT_NEAR,
  )
  const inView = [...(usual ?? []), ...near.map(({ value }) => value)]
  const min = Math.min(seenMin, ...inView)
  const max = Math.max(seenMax, ...inView)
  const half = (Math.max(max - min, SPAN_MIN) * 1.2) / 2
  const middle = (min + max) / 2
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
