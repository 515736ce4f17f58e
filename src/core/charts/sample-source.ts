import type { TimeRange } from '#base/time.ts'
import type { Band, LineSeries, Points, SeriesQuery } from './charts.ts'
import {
  ANSWERED,
  CHANGED,
  columnsOf,
  maxGapMsOf,
  NOT_WATCHED,
  rowFrom,
  RESTARTED,
  UNWATCHED,
  type MetricColumns,
  type Series,
} from '#history/series.ts'
import { rangeOf, type CounterRow, type SeriesSource } from './series-data.ts'
import { lengthOf, spansOf } from './spans.ts'

/** Charts from samples. */
export function sampleSource(series: Series, query: SeriesQuery): SeriesSource {
  const range = rangeOf(query)
  const { atMs, everyMs } = series.columns
  const [start, end] = [rowFrom(series, range.fromMs), rowFrom(series, range.toMs)]
  // A longer poll interval at that time makes no hole.
  const maxGapAt = (row: number): number => Math.max(query.maxGapMs, maxGapMsOf(everyMs[row] ?? 0))
  const spans = spansOf(series, { ...range, maxGapAt })
  const outcomes = series.columns.outcome.subarray(start, end).filter((code) => code !== NOT_WATCHED)
  const columns = (id: string, kind: string): MetricColumns | undefined => {
    const found = columnsOf(series, id)
    return found?.metric.kind === kind ? found : undefined
  }
  return {
    stepMs: 0,
    samples: outcomes.length,
    answered: outcomes.filter((code) => code === ANSWERED).length,
    answeredMs: lengthOf(spans, 'answered'),
    notWatchedMs: lengthOf(spans, 'not-watched'),
    spans,
    barMinMs: 0,
    barStepMs: 1,
    counted: range,
    line: ({ id, kind, chart }) => {
      const found = columns(id, kind)
      if (found === undefined) return undefined
      const rows = { atMs: atMs.subarray(start, end), value: found.value.subarray(start, end) }
      return {
        ...rows,
        maxGapAt: (row) => maxGapAt(start + row),
        exact: (points) => exactOf(series, found, points),
        band: chart?.band === true ? bandOf(rows, range) : undefined,
      }
    },
    counts: ({ id, kind }, barMs) => {
      const found = columns(id, kind)
      return found && counterRows(series, found, range, barMs)
    },
    changes: ({ id, kind }) => {
      const flags = columns(id, kind)?.flags
      return (
        flags &&
        Array.from(atMs.subarray(start, end)).filter((_, row) => ((flags[start + row] ?? 0) & CHANGED) !== 0)
      )
    },
  }
}

/** The exact texts of points whose double is not exact. */
function exactOf(series: Series, { text }: MetricColumns, { atMs, value }: Points): LineSeries['exact'] {
  const exact = new Map<number, string>()
  if (text.length === 0) return exact
  for (const [point, time] of atMs.entries()) {
    const one = Number.isNaN(value[point]) ? undefined : text[rowFrom(series, time)]
    if (one !== undefined) exact.set(time, one)
  }
  return exact
}

/** More steps would show noise. */
const BAND_STEPS = 100

function bandOf({ atMs, value }: Points, { fromMs, toMs }: TimeRange): Band {
  const stepMs = Math.max(1, Math.ceil((toMs - fromMs) / BAND_STEPS))
  // Aligned to the epoch, so that the steps stay put while the range moves.
  const baseMs = Math.floor(fromMs / stepMs) * stepMs
  const starts = Float64Array.from(
    { length: Math.ceil((toMs - baseMs) / stepMs) },
    (_, step) => baseMs + step * stepMs,
  )
  let row = 0
  const sorted = Array.from(starts, (startMs) => {
    const from = row
    while (row < atMs.length && (atMs[row] ?? 0) < startMs + stepMs) row++
    return value
      .slice(from, row)
      .filter((one) => one === one)
      .toSorted()
  })
  const at = (share: number): Float64Array =>
    Float64Array.from(sorted, (values) => values[Math.ceil(share * values.length) - 1] ?? Number.NaN)
  return { atMs: starts, stepMs, p50: at(0.5), p95: at(0.95) }
}

/** The polls of every bar that overlaps the range. */
function* counterRows(
  series: Series,
  { increase, flags }: MetricColumns,
  { fromMs, toMs }: TimeRange,
  barMs: number,
): Generator<CounterRow> {
  const { columns } = series
  const end = rowFrom(series, Math.ceil(toMs / barMs) * barMs)
  for (let row = rowFrom(series, Math.floor(fromMs / barMs) * barMs); row < end; row++) {
    if (columns.outcome[row] === NOT_WATCHED) continue
    const flag = flags[row] ?? 0
    const by = increase[row] ?? 0
    const isWatched = (flag & UNWATCHED) === 0
    yield {
      atMs: columns.atMs[row] ?? 0,
      increase: isWatched ? by : 0,
      unwatched: isWatched ? 0 : by,
      restarted: (flag & RESTARTED) !== 0,
    }
  }
}
