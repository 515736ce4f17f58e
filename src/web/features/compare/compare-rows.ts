import { checkOf, isCurrent, stageAt, type ShownValue } from '#fleet/assessment.ts'
import { seriesIn, type SeriesData } from '#charts/charts.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { healthyShare } from '#parts/chart-spans.ts'
import { seriesOf, unwatchedParts } from '#parts/metric-series.ts'
import { valueLevel } from '#parts/severity.ts'
import { compareTexts } from '#texts/en-compare.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { scaleOf } from '#texts/format-charted.ts'
import { formatValue, valueParts } from '#texts/format-metric.ts'
import { formatCount, formatPercent } from '#texts/format.ts'
import type {
  ChartPoints,
  ChartRow,
  ChartSpan,
  ItemLine,
  LinesRow,
  StepLine,
  TickRow,
  ValueSeries,
} from '#ui/chart/chart-types.ts'
import type { FigurePart } from '#ui/figure.tsx'
import { haveOneUnit } from './now-table.tsx'
import type { Subject } from './use-subjects.ts'

const words = compareTexts.chart

export type ReadSubject = Subject & {
  /** Undefined until it is read and if it cannot be read. */
  readonly data: SeriesData | undefined
  readonly failed: boolean
  readonly spans: readonly ChartSpan[]
}

export type RowsContext = {
  readonly nowMs: number
  readonly barMs: number
  /** Length of the time axis, e.g. "in 15 m". */
  readonly inRange: string
}

export const compareRows = (
  metrics: MetricRegistry,
  reads: readonly ReadSubject[],
  context: RowsContext,
): readonly ChartRow[] => [
  ...reads.map((read, place) => statusRow(read, place)),
  ...metrics
    .filter(({ kind }) => kind !== 'state')
    .toSorted((one, other) => orderOf(one) - orderOf(other))
    .flatMap((metric): readonly ChartRow[] =>
      metric.kind === 'fingerprint'
        ? reads.map((read, place) => tickRow(metric, read, place, context))
        : [linesRow(metric, reads, context)],
    ),
]

const orderOf = ({ chart }: Metric): number => chart?.order ?? Number.POSITIVE_INFINITY

const asWord = (text: string): FigurePart => ({ text, as: 'word' })

function statusRow({ key, data, failed, spans }: ReadSubject, place: number): ChartRow {
  const share = data && healthyShare(data, spans)
  const value = failed
    ? asWord(words.failed)
    : data === undefined
      ? asWord(words.reading)
      : data.samples === 0
        ? asWord(words.noHistory)
        : share === undefined
          ? asWord(nodeHistoryTexts.chart.healthUnknown)
          : { text: formatPercent(share) }
  return {
    kind: 'strip',
    id: `status ${key}`,
    of: key,
    title: nodeHistoryTexts.chart.health,
    ...(place === 0 && { group: words.health }),
    height: 'short',
    value: [value],
  }
}

function headOf(metric: Metric, { key, node, settings, data }: ReadSubject, nowMs: number) {
  if (node === undefined) return { of: key, value: [asWord(compareTexts.notWatched)], old: true }
  const stage = stageAt(node.assessment, nowMs)
  const old = !isCurrent(stage.link)
  const level = valueLevel(checkOf(stage.checks, metric.id), old)
  const value = node.assessment.values[metric.id]
  const increase = metric.kind === 'counter' ? data && seriesIn(data, 'bars', metric.id)?.increase : undefined
  const parts =
    metric.kind === 'counter' && increase !== undefined
      ? [
          { text: `+${formatCount(increase)}` },
          ...(data === undefined ? [] : unwatchedParts(data, metric.id)),
        ]
      : metric.kind === 'counter' || value === undefined
        ? [
            asWord(
              node.reading === undefined ? nodeHistoryTexts.chart.noValue : nodeHistoryTexts.chart.notUsable,
            ),
          ]
        : partsOf(metric, value, settings)
  return { of: key, value: parts, old, ...(level !== undefined && { level }) }
}

/** As in the table; a long amount is shortened, because the table shows it in full. */
const partsOf = (metric: Metric, value: ShownValue, settings: Subject['settings']): readonly FigurePart[] =>
  metric.unit === 'amount' || metric.unit === 'count'
    ? valueParts(metric, value, settings)
    : [{ text: formatValue(metric, value, settings) }]

function tickRow(metric: Metric, read: ReadSubject, place: number, { nowMs, barMs }: RowsContext): TickRow {
  const { key, data, settings } = read
  const series = data && seriesOf(metric, { data, settings, barMs })
  return {
    ...headOf(metric, read, nowMs),
    id: `${metric.id} ${key}`,
    title: metric.heading,
    ...(place === 0 && { group: words.changes(metric.heading) }),
    height: 'short',
    ...(series?.kind === 'ticks'
      ? series
      : { kind: 'ticks', atMs: new Float64Array(), format: () => metric.heading }),
  }
}

function linesRow(metric: Metric, reads: readonly ReadSubject[], context: RowsContext): LinesRow {
  const { nowMs, barMs, inRange } = context
  const drawn = reads.map((read): { readonly line: ItemLine; readonly series: ValueSeries | undefined } => {
    const { data, settings } = read
    const series = data && seriesOf(metric, { data, settings, barMs })
    const head = headOf(metric, read, nowMs)
    return series === undefined || series.kind === 'ticks'
      ? { line: { ...head, kind: 'line', points: NO_POINTS }, series: undefined }
      : { line: { ...head, ...lineOf(series) }, series }
  })
  const known = drawn.flatMap(({ series }) => (series !== undefined && hasValues(series) ? series : []))
  return {
    kind: 'lines',
    id: metric.id,
    title: metric.heading,
    note: noteOf(metric, reads, inRange),
    value: [],
    lines: drawn.map(({ line }) => line),
    fromZero: known.some(({ kind }) => kind === 'bars' || kind === 'area' || kind === 'band'),
    ...scaleOf(metric),
    ...(metric.kind === 'counter' && known[0] && { format: known[0].format }),
    ...sharedScale(known),
  }
}

/** A series without values gets no space on the axis. */
const hasValues = (series: ValueSeries): boolean =>
  series.kind === 'bars' ? series.bars.length > 0 : series.points.value.some(Number.isFinite)

function noteOf(metric: Metric, reads: readonly ReadSubject[], inRange: string): string | undefined {
  if (metric.kind === 'counter') return inRange
  if (metric.kind === 'timestamp') return nodeHistoryTexts.chart.atAnswer
  return haveOneUnit(metric, reads) ? undefined : words.units
}

const NO_POINTS: ChartPoints = { atMs: new Float64Array(), value: new Float64Array() }

/** Any series as a single line: the middle of a band, or bars as steps. */
function lineOf(series: ValueSeries): { readonly kind: 'line'; readonly points: ChartPoints } | StepLine {
  switch (series.kind) {
    case 'steps':
      return {
        kind: 'steps',
        points: series.points,
        ...(series.exactAt !== undefined && { exactAt: series.exactAt }),
      }
    case 'bars':
      return { kind: 'steps', points: stepsOf(series.bars) }
    default:
      return { kind: 'line', points: series.points }
  }
}

function stepsOf(bars: Extract<ValueSeries, { readonly kind: 'bars' }>['bars']): ChartPoints {
  const atMs: number[] = []
  const value: number[] = []
  for (const [place, bar] of bars.entries()) {
    atMs.push(bar.fromMs)
    value.push(bar.value)
    // Without an adjoining bar the value is unknown from here on.
    if (bars[place + 1]?.fromMs === bar.toMs) continue
    atMs.push(bar.toMs)
    value.push(Number.NaN)
  }
  return { atMs: Float64Array.from(atMs), value: Float64Array.from(value) }
}

/** A domain that fits every node's values; limits only if all nodes share them. */
function sharedScale(known: readonly ValueSeries[]): Partial<LinesRow> {
  const domains = known.flatMap(({ domain }) => (domain === undefined ? [] : [domain]))
  const [first] = known
  const limits = JSON.stringify(first?.limits)
  const areSame = known.every((series) => JSON.stringify(series.limits) === limits)
  // Small whole counts have ticks of their own, unless one series has many events.
  const isFew = known.length > 0 && known.every(({ ticks }) => ticks !== undefined)
  const isWhole = domains.length === known.length || known.some(({ kind }) => kind !== 'bars')
  return {
    ...(domains.length > 0 &&
      isWhole && {
        domain: [Math.min(...domains.map(([low]) => low)), Math.max(...domains.map(([, high]) => high))],
      }),
    ...(isFew && first?.ticks && { ticks: first.ticks }),
    ...(areSame && first?.limits && { limits: first.limits }),
  }
}

/** Ranges in which none of the nodes was watched. A gap of a single node is drawn in its own line. */
export function sharedGaps(reads: readonly ReadSubject[]): readonly ChartSpan[] {
  const [first = [], ...others] = reads
    .filter(({ data }) => data !== undefined)
    .map(({ spans }) => spans.filter(({ kind }) => kind === 'not-watched'))
  return others.reduce<readonly ChartSpan[]>(
    (gaps, its) =>
      gaps.flatMap((gap) =>
        its.flatMap((one) => {
          const [fromMs, toMs] = [Math.max(gap.fromMs, one.fromMs), Math.min(gap.toMs, one.toMs)]
          if (toMs <= fromMs) return []
          return { ...(gap.toMs - gap.fromMs < one.toMs - one.fromMs ? gap : one), fromMs, toMs }
        }),
      ),
    first,
  )
}
