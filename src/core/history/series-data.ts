import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { columnOf, decimate, type Columns } from './decimate.ts'
import type {
  Band,
  BarSeries,
  CounterBar,
  SeriesData,
  SeriesQuery,
  SeriesStats,
  LineSeries,
  MetricSeries,
  Points,
  UnwatchedIncrease,
} from './history.ts'

import {
  CHANGED,
  columnsOf,
  maxGapMsOf,
  NOT_WATCHED,
  OUTCOMES,
  placeAt,
  RESTARTED,
  UNWATCHED,
  type MetricColumns,
  type Series,
} from './series.ts'
import { coarsenSpans, lengthOf, spansOf } from './spans.ts'

export const COLUMNS_MAX = 4_000
/** Bars beyond the number of columns could not be told apart. */
const BARS_MAX = 4_000

/** Everything that one node's charts draw. A range that is empty or turned round holds nothing. */
export function seriesDataOf(
  series: Series,
  query: SeriesQuery,
  registry: MetricRegistry = METRICS,
): SeriesData {
  const { fromMs, maxGapMs } = query
  const toMs = Math.max(query.toMs, fromMs + 1)
  const count = Math.min(COLUMNS_MAX, Math.max(1, Math.floor(query.columns)))
  const { everyMs } = series.columns
  // What was asked for less often in its time was no hole.
  const maxGapAt = (place: number): number => Math.max(maxGapMs, maxGapMsOf(everyMs[place] ?? 0))
  const range: Range = {
    series,
    columns: { fromMs, toMs, count },
    start: placeAt(series, fromMs),
    end: placeAt(series, toMs),
    barMs: query.barMs,
    maxGapAt,
  }
  const metrics = registry.flatMap((metric) => seriesOf(metric, columnsOf(series, metric.id), range) ?? [])
  const spans = spansOf(series, { fromMs, toMs, maxGapAt })
  return {
    fromMs,
    toMs,
    stepMs: 0,
    points: pointsIn(metrics),
    ...pollsOf(series, range.start, range.end),
    answeredMs: lengthOf(spans, 'answered'),
    notWatchedMs: lengthOf(spans, 'not-watched'),
    spans: coarsenSpans(spans, fromMs, toMs, count),
    metrics,
  }
}

/** Of the longest line. */
export const pointsIn = (metrics: readonly MetricSeries[]): number =>
  Math.max(0, ...metrics.map((each) => (each.kind === 'line' ? each.points.atMs.length : 0)))

type Range = {
  readonly series: Series
  readonly columns: Columns
  readonly start: number
  readonly end: number
  readonly barMs: number
  readonly maxGapAt: (place: number) => number
}

function seriesOf(
  { id, kind, chart }: Metric,
  found: MetricColumns | undefined,
  range: Range,
): MetricSeries | undefined {
  if (found === undefined || found.metric.kind !== kind) return undefined
  const { series, columns, start, end } = range
  switch (kind) {
    case 'gauge':
    case 'timestamp': {
      const { value } = found
      const points = decimate(series.columns.atMs, value, start, end, columns, range.maxGapAt)
      return {
        id,
        kind: 'line',
        points,
        stats: statsOf({ min: value, max: value, last: value }, start, end),
        exact: exactOf(series, found, points),
        ...(chart?.band === true && { band: bandOf(range, value) }),
      }
    }
    case 'counter': {
      const { fromMs, toMs } = columns
      const barMs = Math.max(1, range.barMs, (toMs - fromMs) / BARS_MAX)
      const restarts = marks(range, found.flags, RESTARTED)
      return barSeries(id, counterRows(range, found, barMs), barMs, columns, restarts)
    }
    case 'fingerprint':
      return { id, kind: 'ticks', atMs: marks(range, found.flags, CHANGED) }
    case 'state':
      return undefined
  }
}

/** The texts of the points that no double shows. */
function exactOf(series: Series, { text }: MetricColumns, { atMs, value }: Points): LineSeries['exact'] {
  const exact = new Map<number, string>()
  if (text.length === 0) return exact
  for (const [point, time] of atMs.entries()) {
    if (Number.isNaN(value[point])) continue
    const place = text[placeAt(series, time)] ?? 0
    if (place !== 0) exact.set(time, series.texts.list[place] ?? '')
  }
  return exact
}

/** Steps of a band: more would be noise. */
const BAND_STEPS = 100

function bandOf(
  { series: { columns }, start, end, columns: { fromMs, toMs } }: Range,
  column: Float64Array,
): Band {
  const stepMs = Math.max(1, Math.ceil((toMs - fromMs) / BAND_STEPS))
  // On whole multiples since 1970, so that the steps keep still while the range moves.
  const baseMs = Math.floor(fromMs / stepMs) * stepMs
  const steps = Math.ceil((toMs - baseMs) / stepMs)
  const [p50, p95] = [new Float64Array(steps).fill(Number.NaN), new Float64Array(steps).fill(Number.NaN)]
  for (let step = 0, place = start; step < steps; step++) {
    const values: number[] = []
    for (; place < end && (columns.atMs[place] ?? 0) < baseMs + (step + 1) * stepMs; place++) {
      const value = column[place] ?? Number.NaN
      if (!Number.isNaN(value)) values.push(value)
    }
    if (values.length === 0) continue
    values.sort((a, b) => a - b)
    p50[step] = values[Math.ceil(0.5 * values.length) - 1] ?? Number.NaN
    p95[step] = values[Math.ceil(0.95 * values.length) - 1] ?? Number.NaN
  }
  return { atMs: Float64Array.from(p50, (_, step) => baseMs + step * stepMs), stepMs, p50, p95 }
}

function pollsOf({ columns }: Series, start: number, end: number) {
  let samples = 0
  let answered = 0
  for (let place = start; place < end; place++) {
    const code = columns.outcome[place] ?? NOT_WATCHED
    if (code === NOT_WATCHED) continue
    samples++
    if (OUTCOMES[code] === 'answered') answered++
  }
  return { samples, answered }
}

/** Of rows `[start, end)`; NaN is no value. */
export function statsOf(
  { min, max, last }: Readonly<Record<'min' | 'max' | 'last', ArrayLike<number>>>,
  start: number,
  end: number,
  before: SeriesStats = { min: Number.NaN, max: Number.NaN, last: Number.NaN },
): SeriesStats {
  const stats = { ...before }
  for (let row = start; row < end; row++) {
    const [low = Number.NaN, high = Number.NaN, newest = Number.NaN] = [min[row], max[row], last[row]]
    if (Number.isNaN(low)) continue
    stats.min = stats.min <= low ? stats.min : low
    stats.max = stats.max >= high ? stats.max : high
    stats.last = newest
  }
  return stats
}

/** What a counter did in one row. */
export type CounterRow = {
  readonly atMs: number
  readonly increase: number
  readonly unwatched: number
  readonly restarted: boolean
}

/**
 * Bars stand on multiples of their width since 1970, so they keep still while the range moves; the first and the last one
 * count whole, also beyond the range's edge. What came in the range is of it alone.
 */
export function barSeries(
  id: string,
  rows: Iterable<CounterRow>,
  barMs: number,
  { fromMs, toMs }: Pick<SeriesQuery, 'fromMs' | 'toMs'>,
  restarts: Float64Array,
): BarSeries {
  const bars: { -readonly [Key in keyof CounterBar]: CounterBar[Key] }[] = []
  const unwatched: UnwatchedIncrease[] = []
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
  }
  return { id, kind: 'bars', bars, increase: sum, unwatched, restarts }
}

/** The polls of every bar that the range touches. */
function* counterRows(
  { series: { columns }, series, columns: { fromMs, toMs } }: Range,
  { increase, flags }: MetricColumns,
  barMs: number,
): Generator<CounterRow> {
  const end = placeAt(series, Math.ceil(toMs / barMs) * barMs)
  for (let place = placeAt(series, Math.floor(fromMs / barMs) * barMs); place < end; place++) {
    if (columns.outcome[place] === NOT_WATCHED) continue
    const flag = flags[place] ?? 0
    const by = increase[place] ?? 0
    const isWatched = (flag & UNWATCHED) === 0
    yield {
      atMs: columns.atMs[place] ?? 0,
      increase: isWatched ? by : 0,
      unwatched: isWatched ? 0 : by,
      restarted: (flag & RESTARTED) !== 0,
    }
  }
}

/** Times at which something happened, the first of each pixel column. */
function marks({ series, columns, start, end }: Range, flags: Uint8Array, flag: number): Float64Array {
  const { atMs } = series.columns
  const times: number[] = []
  let lastColumn = -1
  for (let place = start; place < end; place++) {
    if (((flags[place] ?? 0) & flag) === 0) continue
    const time = atMs[place] ?? 0
    const column = columnOf(columns, time)
    if (column === lastColumn) continue
    lastColumn = column
    times.push(time)
  }
  return Float64Array.from(times)
}
