import type { TimeRange } from '#base/time.ts'
import type { FailureKind } from '#protocol/failure.ts'

/** Decimated points in time order. Both arrays have the same length; a NaN value breaks the line. */
export type Points = { readonly atMs: Float64Array; readonly value: Float64Array }

/** A time range by the outcome of its polls. */
export type SeriesSpan = TimeRange & {
  readonly kind: 'answered' | 'no-answer' | 'not-watched'
  /** For `no-answer`; of rollups, the longest failure of each step. */
  readonly failure?: FailureKind
}

/** The increase of a counter in a time range. */
export type CounterBar = TimeRange & {
  readonly increase: number
  readonly restarted: boolean
}

/** The increase of a counter in a gap. `atMs`: the first poll after it, or the start of its rollup step. */
export type UnwatchedIncrease = { readonly atMs: number; readonly increase: number }

/** Lowest, highest and last value in the range; NaN if there is none. */
export type SeriesStats = { readonly min: number; readonly max: number; readonly last: number }

/** The 50th and 95th percentile of each step; NaN if it has no value. */
export type Band = {
  /** Starts of the steps, each `stepMs` long. */
  readonly atMs: Float64Array
  readonly stepMs: number
  readonly p50: Float64Array
  readonly p95: Float64Array
}

/** A gauge, or a timestamp's age at each sample, in ms. */
export type LineSeries = {
  readonly id: string
  readonly kind: 'line'
  readonly points: Points
  readonly stats: SeriesStats
  /** The decimal text, by time, of each point whose double is not exact. Empty for rollups, which keep only doubles. */
  readonly exact: ReadonlyMap<number, string>
  /** Set if the metric's chart has a band. */
  readonly band?: Band
}

/** A counter. */
export type BarSeries = {
  readonly id: string
  readonly kind: 'bars'
  readonly bars: readonly CounterBar[]
  /** In the whole range, while it was watched. */
  readonly increase: number
  /** Increases while nobody watched. Neither a bar nor `increase` contains them. */
  readonly unwatched: readonly UnwatchedIncrease[]
  readonly restarts: Float64Array
}

/** When a fingerprint changed: at most one time per pixel column; for rollups, the start of the step. */
type TickSeries = { readonly id: string; readonly kind: 'ticks'; readonly atMs: Float64Array }

export type MetricSeries = LineSeries | BarSeries | TickSeries

/** The aligned charts of one node, for one range and width. */
export type SeriesData = TimeRange & {
  /** 0 if drawn from samples; else the rollups' step. Columns then are whole steps. */
  readonly stepMs: number
  /** Samples in the range. */
  readonly samples: number
  readonly answered: number
  /**
   * The time during which the node's latest poll was answered. A failed poll counts by the time until the next poll, not
   * as one poll among many.
   */
  readonly answeredMs: number
  readonly notWatchedMs: number
  readonly spans: readonly SeriesSpan[]
  /** In the registry's order, without states. */
  readonly metrics: readonly MetricSeries[]
  /** The part that comes from a query API instead of this browser. */
  readonly longTerm?: LongTermPart
}

type LongTermPart = {
  /** Where this browser's own history begins, Unix ms. */
  readonly untilMs: number
  /** Metrics that the query API does not store. */
  readonly missing: readonly string[]
}

const NO_LINE: Omit<LineSeries, 'id'> = {
  kind: 'line',
  points: { atMs: new Float64Array(), value: new Float64Array() },
  stats: { min: Number.NaN, max: Number.NaN, last: Number.NaN },
  exact: new Map(),
}

/** A metric's line; empty if history does not have it. */
export const lineIn = (data: SeriesData, id: string): LineSeries =>
  seriesIn(data, 'line', id) ?? { id, ...NO_LINE }

/** A metric's series; undefined if history does not have it. */
export function seriesIn<K extends MetricSeries['kind']>(
  { metrics }: SeriesData,
  kind: K,
  id: string,
): Extract<MetricSeries, { readonly kind: K }> | undefined {
  const isWanted = (each: MetricSeries): each is Extract<MetricSeries, { readonly kind: K }> =>
    each.id === id && each.kind === kind
  return metrics.find(isWanted)
}

/** The points of the longest line after decimation. */
export const pointsIn = ({ metrics }: SeriesData): number =>
  Math.max(0, ...metrics.map((each) => (each.kind === 'line' ? each.points.atMs.length : 0)))

export type SeriesQuery = TimeRange & {
  readonly node: string
  /** Pixel columns; each keeps its first, lowest, highest and last value. 1 to 4,000. */
  readonly columns: number
  /** Width of a counter's bar. */
  readonly barMs: number
  /**
   * A longer hole between two samples breaks the line, unless the node's interval was longer at that time.
   */
  readonly maxGapMs: number
}

/** The 5th and 95th percentile. */
export type UsualRange = readonly [low: number, high: number]

/**
 * The usual range of each metric in the last seven days, by its id: for a counter, the increase in a bar of
 * the query's width. Metrics with less than a day of data have none.
 */
export type Usual = Readonly<Record<string, UsualRange>>

export type UsualQuery = {
  readonly node: string
  /** The end of the seven days, Unix ms. */
  readonly toMs: number
  /** Width of a counter's bar; only whole minutes have a range. */
  readonly barMs: number
}

/** Reads what the charts of a node show. */
export type Charts = {
  readonly readSeriesData: (query: SeriesQuery) => Promise<SeriesData>
  readonly readUsual: (query: UsualQuery) => Promise<Usual>
}
