import type { MetricKind } from '#metrics/metric.ts'
import type { BuiltInMetric } from '#metrics/metrics.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { EventFacts } from './event-log.ts'

type Ids<K extends MetricKind> = Extract<BuiltInMetric, { readonly kind: K; readonly field: string }>['id']

/**
 * What an answer said, by `sampleKeys`; undefined where the poll failed or the field could not be used. Metrics that a
 * registry adds have theirs beside these.
 */
type SampleValues =
  /** Of a gauge and a counter the nearest double, and the exact decimal text where the double is not exact. */
  { readonly [Id in Ids<'gauge' | 'counter'>]?: number } & {
    readonly [Id in Ids<'gauge' | 'counter'> as `${Id}Exact`]?: string
  } & {
    /** Since the node's last good sample; 0 for the first. After a restart the new total counts from 0. */
    readonly [Id in Ids<'counter'> as `${Id}Increase`]?: number
  } & { readonly [Id in Ids<'counter'> as `${Id}Restarted`]?: boolean } & {
    /** Nobody watched for some time of what the increase spans; rows that are kept say so themselves. */
    readonly [Id in Ids<'counter'> as `${Id}Unwatched`]?: boolean
  } & {
    readonly [Id in Ids<'timestamp'> as `${Id}AgeMs`]?: number
  } & {
    /** A word; of a fingerprint 8 hex digits. */
    readonly [Id in Ids<'state' | 'fingerprint'>]?: string
  } & {
    /** Whether it differs from the node's last one. */
    readonly [Id in Ids<'fingerprint'> as `${Id}Changed`]?: boolean
  }

/** One poll, success or failure. */
export type Sample = SampleValues & {
  /** The node's key: (service, node). */
  readonly node: string
  /** Start of the request, Unix ms by this computer's clock; increases from sample to sample of a node. */
  readonly atMs: number
  readonly latencyMs: number
  /** The interval at which the node is asked; absent: the default one. */
  readonly everyMs?: number
  /** The service's own time when it answered, Unix ms, where the answer names it. */
  readonly serviceMs?: number
  /** `answered`, or why not. */
  readonly outcome: 'answered' | FailureKind
  /** What is not kept with the samples, and may be worth an entry in the log. */
  readonly more?: SampleMore
}

export type SampleMore = {
  /** What else is known of the failure: the status, what stood in the way. */
  readonly failure?: EventFacts
  /** Members of the record that the interface does not know. */
  readonly unknownFields?: readonly string[]
  /** `verified`, or why the record's proof is wrong; absent where it was not checked. */
  readonly proof?: string
  /** Since the node's answer before, the service's clock was set back, and counters that follow it fell. */
  readonly clockSetBack?: true
}

/**
 * A stretch in which nobody watched: what was seen ends there, even where it has no length. Applies
 * to every node. A `clock-step` whose end lies before its start says that the computer's clock was
 * set back by the difference: what was kept so far happened that much earlier, and the samples that
 * follow are in order again.
 */
export type Gap = {
  readonly fromMs: number
  readonly toMs: number
  readonly reason: 'asleep' | 'clock-step' | 'closed'
}

/** What one tick brought, kept in one go; its gaps come before its samples. */
export type HistoryBatch = { readonly samples: readonly Sample[]; readonly gaps: readonly Gap[] }

/** Points in time order, already decimated; a NaN value breaks the line. Both arrays have the same length. */
export type Points = { readonly atMs: Float64Array; readonly value: Float64Array }

/** A stretch of the time axis, by what happened to the polls in it. */
export type SeriesSpan = {
  readonly fromMs: number
  readonly toMs: number
  readonly kind: 'answered' | 'no-answer' | 'not-watched'
  /** For `no-answer`: the failure that was seen most. */
  readonly failure?: FailureKind
}

/** What a counter did in a stretch of time. */
export type CounterBar = {
  readonly fromMs: number
  readonly toMs: number
  readonly increase: number
  readonly restarted: boolean
}

/** What a counter did in a gap. `atMs`: the first poll after it; the start of its step where drawn from rollups. */
export type UnwatchedIncrease = { readonly atMs: number; readonly increase: number }

/** Lowest, highest and last value in the range; NaN where there is none. */
export type SeriesStats = { readonly min: number; readonly max: number; readonly last: number }

/** How the values of one step were spread: the 50th and the 95th of 100. NaN where there was none. */
export type Band = {
  /** Starts of the steps, which are all `stepMs` long. */
  readonly atMs: Float64Array
  readonly stepMs: number
  readonly p50: Float64Array
  readonly p95: Float64Array
}

/** A gauge, or a timestamp's age at each sample in ms. */
export type LineSeries = {
  readonly id: string
  readonly kind: 'line'
  readonly points: Points
  readonly stats: SeriesStats
  /**
   * The decimal text, by its time, of each point whose double is not the value. Empty where drawn from
   * rollups, which keep doubles only.
   */
  readonly exact: ReadonlyMap<number, string>
  /** Of a metric whose chart has one. */
  readonly band?: Band
}

/** A counter. */
export type BarSeries = {
  readonly id: string
  readonly kind: 'bars'
  readonly bars: readonly CounterBar[]
  /** In the whole range, while somebody watched. */
  readonly increase: number
  /** What came while nobody watched: in no bar, and not in `increase`. */
  readonly unwatched: readonly UnwatchedIncrease[]
  readonly restarts: Float64Array
}

/** A fingerprint: times at which it changed, at most one a column; the start of the step where drawn from rollups. */
export type TickSeries = { readonly id: string; readonly kind: 'ticks'; readonly atMs: Float64Array }

export type MetricSeries = LineSeries | BarSeries | TickSeries

/** Everything that the aligned charts of one node draw, for one range and width. */
export type SeriesData = {
  readonly fromMs: number
  readonly toMs: number
  /** 0: drawn from every sample. Otherwise from rollups of steps so long, and in columns of whole steps. */
  readonly stepMs: number
  /** Samples in the range, and how many points the longest series was reduced to. */
  readonly samples: number
  readonly points: number
  readonly answered: number
  /** For so long the newest poll was one that was answered. A failed poll counts for as long as it stood, not as one of many. */
  readonly answeredMs: number
  readonly notWatchedMs: number
  readonly spans: readonly SeriesSpan[]
  /** In the registry's order; states have none. */
  readonly metrics: readonly MetricSeries[]
  /** What of it a query API keeps and this browser does not. */
  readonly longTerm?: LongTermPart
}

export type LongTermPart = {
  /** From then on it is this browser's own, Unix ms. */
  readonly untilMs: number
  /** Metrics of which the query API keeps no course. */
  readonly missing: readonly string[]
}

const NO_LINE: Omit<LineSeries, 'id'> = {
  kind: 'line',
  points: { atMs: new Float64Array(), value: new Float64Array() },
  stats: { min: Number.NaN, max: Number.NaN, last: Number.NaN },
  exact: new Map(),
}

/** A metric's line; empty where history knows nothing of it. */
export const lineIn = (data: SeriesData, id: string): LineSeries =>
  seriesIn(data, 'line', id) ?? { id, ...NO_LINE }

/** A metric's series; undefined where history knows nothing of it. */
export function seriesIn<K extends MetricSeries['kind']>(
  { metrics }: SeriesData,
  kind: K,
  id: string,
): Extract<MetricSeries, { readonly kind: K }> | undefined {
  const isMeant = (each: MetricSeries): each is Extract<MetricSeries, { readonly kind: K }> =>
    each.id === id && each.kind === kind
  return metrics.find(isMeant)
}

export type SeriesQuery = {
  readonly node: string
  readonly fromMs: number
  readonly toMs: number
  /** Pixel columns to draw on; each keeps its first, lowest, highest and last value. 1 to 4,000. */
  readonly columns: number
  /** Width of a counter's bar. */
  readonly barMs: number
  /** A hole between two samples longer than this is not bridged, unless they were asked for at a longer interval then. */
  readonly maxGapMs: number
}

/** What 90 of 100 values lay between: the 5th and the 95th of 100. */
export type UsualRange = readonly [low: number, high: number]

/**
 * What was usual of each metric in the last seven days, by its id: of those with a distribution their values, of
 * counters what came in one bar of the query's width. What is known for less than a day has no range.
 */
export type Usual = Readonly<Record<string, UsualRange>>

export type UsualQuery = {
  readonly node: string
  /** End of the seven days, Unix ms. */
  readonly toMs: number
  /** Width of one counter's bar; only whole minutes have a range. */
  readonly barMs: number
}

/**
 * Where samples go and where charts come from. Implementations may lose the oldest, never
 * the newest; a failing store must not stop polling, so `append` rejects and the engine goes on.
 */
export type History = {
  readonly append: (batch: HistoryBatch) => Promise<void>
  readonly readSeriesData: (query: SeriesQuery) => Promise<SeriesData>
  /** Absent where nothing is kept for days. */
  readonly readUsual?: (query: UsualQuery) => Promise<Usual>
  /** Drops what is kept of nodes that are no longer watched. */
  readonly forget: (nodes: readonly string[]) => Promise<void>
}
