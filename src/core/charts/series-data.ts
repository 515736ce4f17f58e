import type { TimeRange } from '#base/time.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { columnOf, decimate, type Columns } from './decimate.ts'
import type {
  Band,
  BarSeries,
  CounterBar,
  LineSeries,
  MetricSeries,
  Points,
  SeriesData,
  SeriesQuery,
  SeriesStats,
  UnwatchedIncrease,
} from './charts.ts'
import { coarsenSpans } from './spans.ts'

/** More columns or bars could not be told apart. */
export const COLUMNS_MAX = 4_000

/** For counters whose rows all count. */
export const EVER: TimeRange = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** The increase of a counter in one row. */
export type CounterRow = {
  readonly atMs: number
  readonly increase: number
  readonly unwatched: number
  readonly restarted: boolean
}

/** A line before decimation; NaN is absent. */
export type SourceLine = Points & {
  /** The longest hole after a row that does not break the line, ms. */
  readonly maxGapAt: (index: number) => number
  readonly exact?: (points: Points) => LineSeries['exact']
  readonly band?: Band | undefined
}

/** The source of a node's charts: samples, rollups or a query API. */
export type SeriesSource = Pick<
  SeriesData,
  'stepMs' | 'samples' | 'answered' | 'answeredMs' | 'notWatchedMs' | 'spans'
> & {
  /** The narrowest bar. A bar is a whole multiple of `barStepMs`. */
  readonly barMinMs: number
  readonly barStepMs: number
  /** The part of a counter that counts for the range. */
  readonly counted: TimeRange
  /** Undefined if the source does not have the metric. */
  readonly line: (metric: Metric) => SourceLine | undefined
  readonly counts: (metric: Metric, barMs: number) => Iterable<CounterRow> | undefined
  /** When the fingerprint changed. */
  readonly changes: (metric: Metric) => readonly number[] | undefined
}

/** An empty or reversed range becomes one millisecond. */
export const rangeOf = ({ fromMs, toMs }: TimeRange): TimeRange => ({
  fromMs,
  toMs: Math.max(toMs, fromMs + 1),
})

export const columnsFor = (columns: number): number => Math.min(COLUMNS_MAX, Math.max(1, Math.floor(columns)))

/** The charts of one node: each pixel column keeps its first, lowest, highest and last value. */
export function seriesDataOf(
  source: SeriesSource,
  query: TimeRange & Pick<SeriesQuery, 'columns' | 'barMs'>,
  registry: MetricRegistry,
): SeriesData {
  const range = { ...rangeOf(query), count: columnsFor(query.columns) }
  const { fromMs, toMs, count } = range
  const metrics = registry.flatMap((metric) => metricSeries(source, metric, range, query.barMs) ?? [])
  return {
    fromMs,
    toMs,
    stepMs: source.stepMs,
    samples: source.samples,
    answered: source.answered,
    answeredMs: source.answeredMs,
    notWatchedMs: source.notWatchedMs,
    spans: coarsenSpans(source.spans, fromMs, toMs, count),
    metrics,
  }
}

function metricSeries(
  source: SeriesSource,
  metric: Metric,
  columns: Columns,
  wantedMs: number,
): MetricSeries | undefined {
  const { id, kind } = metric
  switch (kind) {
    case 'gauge':
    case 'timestamp': {
      const line = source.line(metric)
      return line && lineSeries(id, line, columns)
    }
    case 'counter': {
      const leastMs = Math.max(1, wantedMs, source.barMinMs, (columns.toMs - columns.fromMs) / COLUMNS_MAX)
      const barMs = Math.ceil(leastMs / source.barStepMs) * source.barStepMs
      const rows = source.counts(metric, barMs)
      return rows && barSeries(id, rows, barMs, source.counted, columns)
    }
    case 'fingerprint': {
      const changes = source.changes(metric)
      return changes && { id, kind: 'ticks', atMs: firstOfEach(changes, columns) }
    }
    case 'state':
      return undefined
  }
}

function lineSeries(id: string, line: SourceLine, columns: Columns): LineSeries {
  const { value, band } = line
  const points = decimate(line, columns, line.maxGapAt)
  return {
    id,
    kind: 'line',
    points,
    stats: statsOf(value),
    exact: line.exact?.(points) ?? new Map(),
    ...(band !== undefined && { band }),
  }
}

/** NaN is absent. */
export function statsOf(values: Iterable<number>): SeriesStats {
  let [min, max, last] = [Number.NaN, Number.NaN, Number.NaN]
  for (const one of values) {
    if (one !== one) continue
    min = min <= one ? min : one
    max = max >= one ? max : one
    last = one
  }
  return { min, max, last }
}

/**
 * Bars are aligned to the epoch, so that they stay put while the range moves. The first and last bar count in
 * full, beyond the range's edge too; `increase` counts only the range.
 */
export function barSeries(
  id: string,
  rows: Iterable<CounterRow>,
  barMs: number,
  { fromMs, toMs }: TimeRange,
  columns: Columns,
): BarSeries {
  const bars: { -readonly [Key in keyof CounterBar]: CounterBar[Key] }[] = []
  const unwatched: UnwatchedIncrease[] = []
  const restarts: number[] = []
  let sum = 0
  for (const row of rows) {
    const barFromMs = Math.floor(row.atMs / barMs) * barMs
    let bar = bars.at(-1)
    if (bar?.fromMs !== barFromMs)
      bars.push((bar = { fromMs: barFromMs, toMs: barFromMs + barMs, increase: 0, restarted: false }))
    bar.increase += row.increase
    bar.restarted ||= row.restarted
    if (row.atMs < fromMs || row.atMs >= toMs) continue
    sum += row.increase
    if (row.unwatched > 0) unwatched.push({ atMs: row.atMs, increase: row.unwatched })
    if (row.restarted) restarts.push(row.atMs)
  }
  return { id, kind: 'bars', bars, increase: sum, unwatched, restarts: firstOfEach(restarts, columns) }
}

/** The first time in each pixel column. */
const firstOfEach = (times: readonly number[], columns: Columns): Float64Array =>
  Float64Array.from(
    times.filter(
      (atMs, index) => index === 0 || columnOf(columns, atMs) !== columnOf(columns, times[index - 1] ?? atMs),
    ),
  )
