import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { columnOf, decimate, type Columns } from './decimate.ts'
import type {
  Band,
  CounterBar,
  Gap,
  SeriesData,
  SeriesQuery,
  SeriesSpan,
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
import { coarsenSpans, spansOf } from './spans.ts'

export const COLUMNS_MAX = 4_000
/** Bars beyond the number of columns could not be told apart. */
const BARS_MAX = 4_000

/** Everything that one node's charts draw. A range that is empty or turned round holds nothing. */
export function seriesDataOf(
  series: Series,
  gaps: readonly Gap[],
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
  const spans = spansOf(series, gaps, { fromMs, toMs, maxGapAt })
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
        stats: statsOf(value, start, end),
        exact: exactOf(series, found, points),
        ...(chart?.band === true && { band: bandOf(range, value) }),
      }
    }
    case 'counter':
      return {
        id,
        kind: 'bars',
        bars: barsOf(range, found),
        ...increasesOf(range, found),
        restarts: marks(range, found.flags, RESTARTED),
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

const lengthOf = (spans: readonly SeriesSpan[], kind: SeriesSpan['kind']): number =>
  spans.reduce((sumMs, span) => (span.kind === kind ? sumMs + span.toMs - span.fromMs : sumMs), 0)

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

function statsOf(value: Float64Array, start: number, end: number): SeriesStats {
  let min = Number.NaN
  let max = Number.NaN
  let last = Number.NaN
  for (let place = start; place < end; place++) {
    const current = value[place] ?? Number.NaN
    if (Number.isNaN(current)) continue
    min = current >= min ? min : current
    max = current <= max ? max : current
    last = current
  }
  return { min, max, last }
}

function increasesOf({ series, start, end }: Range, { increase, flags }: MetricColumns) {
  const unwatched: UnwatchedIncrease[] = []
  let sum = 0
  for (let place = start; place < end; place++) {
    const by = increase[place] ?? 0
    if (((flags[place] ?? 0) & UNWATCHED) === 0) sum += by
    else if (by > 0) unwatched.push({ atMs: series.columns.atMs[place] ?? 0, increase: by })
  }
  return { increase: sum, unwatched }
}

/**
 * Bars stand on multiples of their width since 1970, so they keep still while the range
 * moves; the first and the last one count whole, also beyond the range's edge.
 */
function barsOf(
  { series, columns: { fromMs, toMs }, barMs: wantedMs }: Range,
  { increase, flags }: MetricColumns,
): readonly CounterBar[] {
  const barMs = Math.max(1, wantedMs, (toMs - fromMs) / BARS_MAX)
  const { atMs, outcome } = series.columns
  const bars: { fromMs: number; toMs: number; increase: number; restarted: boolean }[] = []
  const end = placeAt(series, Math.ceil(toMs / barMs) * barMs)
  for (let place = placeAt(series, Math.floor(fromMs / barMs) * barMs); place < end; place++) {
    if (outcome[place] === NOT_WATCHED) continue
    const barFromMs = Math.floor((atMs[place] ?? 0) / barMs) * barMs
    let bar = bars.at(-1)
    if (bar?.fromMs !== barFromMs)
      bars.push((bar = { fromMs: barFromMs, toMs: barFromMs + barMs, increase: 0, restarted: false }))
    const flag = flags[place] ?? 0
    if ((flag & UNWATCHED) === 0) bar.increase += increase[place] ?? 0
    bar.restarted ||= (flag & RESTARTED) !== 0
  }
  return bars
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
