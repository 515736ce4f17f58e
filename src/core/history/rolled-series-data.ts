import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { FailureKind } from '#protocol/failure.ts'
import { EMPTY_HISTOGRAM } from './histogram.ts'
import type { Band, SeriesData, SeriesQuery, SeriesSpan, MetricSeries, Points } from './history.ts'
import { barSeries, COLUMNS_MAX, pointsIn, statsOf, type CounterRow } from './series-data.ts'
import { quantileOf } from './roll-series.ts'
import {
  coarsen,
  rolledMetric,
  rolledValues,
  cutRows,
  type RolledOf,
  type RolledValues,
  type Rollup,
  type ValueColumns,
} from './rollup.ts'
import { coarsenSpans, createSpans, failureOfCode, kindOf } from './spans.ts'

/**
 * Everything that one node's charts draw, from rollups. Columns are whole steps, so that no column
 * is wrong: each keeps its first, lowest, highest and last value. Steps that the range only
 * touches count whole. `spread`: rollups with distributions, at any step.
 */
export function rolledSeriesData(
  rollup: Rollup,
  spread: Rollup,
  query: SeriesQuery,
  registry: MetricRegistry = METRICS,
): SeriesData {
  const stepMs = columnMs(rollup.stepMs, query)
  const toMs = Math.max(query.toMs, query.fromMs + 1)
  const fromMs = query.fromMs
  const inRange = within(rollup, fromMs, toMs)
  const columns = stepMs === rollup.stepMs ? inRange : coarsen(inRange, stepMs)
  const parts: Parts = {
    inRange,
    columns,
    spread: within(spread, fromMs, toMs),
    barMs: Math.max(query.barMs, stepMs),
    maxGapMs: query.maxGapMs,
  }
  const metrics = registry.flatMap((metric) => seriesOf(metric, parts) ?? [])
  const spans = spansOfRows(inRange, fromMs, toMs)
  return {
    fromMs,
    toMs,
    stepMs,
    ...pollsOf(inRange),
    points: pointsIn(metrics),
    answeredMs: timeOf(inRange, fromMs, toMs, (kind) => kind === 'answered'),
    notWatchedMs: toMs - fromMs - timeOf(inRange, fromMs, toMs, (kind) => kind !== 'not-watched'),
    spans: coarsenSpans(spans, fromMs, toMs, Math.max(1, Math.ceil((toMs - fromMs) / stepMs))),
    metrics,
  }
}

type Parts = {
  /** At the rollup's own step, and in columns. */
  readonly inRange: Rollup
  readonly columns: Rollup
  readonly spread: Rollup
  readonly barMs: number
  readonly maxGapMs: number
}

const NONE_EXACT: ReadonlyMap<number, string> = new Map()

function seriesOf({ id, kind, chart }: Metric, parts: Parts): MetricSeries | undefined {
  const { inRange, columns, spread, barMs, maxGapMs } = parts
  const drawn = rolledMetric(columns, id)
  const fine = rolledMetric(inRange, id)
  if (drawn?.kind !== kind) return undefined
  switch (drawn.kind) {
    case 'gauge':
    case 'timestamp': {
      const banded = chart?.band === true ? rolledValues(spread, id) : undefined
      return {
        id,
        kind: 'line',
        points: pointsOf(columns, drawn.values, maxGapMs),
        stats: statsOf(drawn.values, 0, columns.startMs.length),
        exact: NONE_EXACT,
        ...(banded !== undefined && { band: bandOf(spread, banded) }),
      }
    }
    case 'counter': {
      if (fine?.kind !== 'counter') return undefined
      const wholeMs = Math.ceil(barMs / inRange.stepMs) * inRange.stepMs
      const restarts = timesOf(columns, drawn.restarts)
      return barSeries(id, counterRows(inRange, fine), wholeMs, ALL_TIME, restarts)
    }
    case 'fingerprint':
      return { id, kind: 'ticks', atMs: timesOf(columns, drawn.changes) }
    case 'state':
      return undefined
  }
}

/** The shortest whole number of steps for which the columns suffice. */
function columnMs(stepMs: number, { fromMs, toMs, columns }: SeriesQuery): number {
  const count = Math.min(COLUMNS_MAX, Math.max(1, Math.floor(columns)))
  return stepMs * Math.max(1, Math.ceil((toMs - fromMs) / stepMs / count))
}

/** Rows of which some part lies in the range. */
function within(rollup: Rollup, fromMs: number, toMs: number): Rollup {
  const { startMs, stepMs } = rollup
  const start = startMs.findIndex((atMs) => atMs + stepMs > fromMs)
  const end = startMs.findLastIndex((atMs) => atMs < toMs) + 1
  if (start === 0 && end === startMs.length) return rollup
  return cutRows(rollup, start === -1 ? end : start, end)
}

/**
 * First, lowest, highest and last value of each column. The first and the last stand where they were
 * asked for: so the line from column to column is the line through every sample.
 */
function pointsOf(columns: Rollup, { first, min, max, last, count }: ValueColumns, maxGapMs: number): Points {
  const { startMs, stepMs, firstPollMs, lastPollMs } = columns
  const at: number[] = []
  const value: number[] = []
  let before = -1
  const kept = new Float64Array(4)
  for (let column = 0; column < startMs.length; column++) {
    if ((count[column] ?? 0) === 0) continue
    const start = startMs[column] ?? 0
    if (before !== -1 && isBroken(columns, before, column, maxGapMs)) {
      at.push(((startMs[before] ?? 0) + stepMs + start) / 2)
      value.push(Number.NaN)
    }
    const firstMs = firstPollMs[column] ?? 0
    const lastMs = lastPollMs[column] ?? firstMs
    const [head, low] = [first[column] ?? Number.NaN, min[column] ?? Number.NaN]
    const [high, end] = [max[column] ?? Number.NaN, last[column] ?? Number.NaN]
    // What repeats needs no point, but for the last, where the line to the next column begins.
    let points = 0
    kept[points++] = head
    if (low !== head) kept[points++] = low
    if (high !== low) kept[points++] = high
    if (end !== high || lastMs > firstMs) kept[points++] = end
    const apartMs = (lastMs - firstMs) / Math.max(1, points - 1)
    for (let place = 0; place < points; place++) {
      at.push(start + firstMs + place * apartMs)
      value.push(kept[place] ?? Number.NaN)
    }
    before = column
  }
  return { atMs: Float64Array.from(at), value: Float64Array.from(value) }
}

/** Whether a line from one column to the next that has values would cross failures, or time that nobody watched. */
function isBroken(columns: Rollup, before: number, column: number, maxGapMs: number): boolean {
  const { startMs, stepMs, polls } = columns
  const holeMs = (startMs[column] ?? 0) - (startMs[before] ?? 0) - stepMs
  if (holeMs >= maxGapMs) return true
  if (column === before + 1) return false
  // Polls between the two that brought no value.
  for (const made of polls.values())
    for (let between = before + 1; between < column; between++) if ((made[between] ?? 0) > 0) return true
  return false
}

/** What each step held, the worst of it standing for all of it: nothing bad is drawn over. */
function spansOfRows(
  { startMs, stepMs, outcomeMs, polls }: Rollup,
  fromMs: number,
  toMs: number,
): readonly SeriesSpan[] {
  const spans = createSpans(fromMs, toMs, true)
  for (const [row, start] of startMs.entries()) {
    let answeredMs = 0
    let most = 0
    let failure: FailureKind | undefined
    for (const [code, column] of outcomeMs) {
      const ms = column[row] ?? 0
      const kind = kindOf(code)
      if (kind === 'answered') answeredMs += ms
      if (kind !== 'no-answer' || ms <= most) continue
      most = ms
      failure = failureOfCode(code)
    }
    // A failure of no length, as when an answer followed within the millisecond.
    for (const [code, column] of polls) if ((column[row] ?? 0) > 0) failure ??= failureOfCode(code)
    // Where the screen watched but part of a step, the larger part says how it is drawn.
    const isAnswered = answeredMs * 2 >= Math.min(stepMs, toMs - start)
    const kind = failure !== undefined ? 'no-answer' : isAnswered ? 'answered' : 'not-watched'
    spans.add(start, start + stepMs, kind, failure)
  }
  return spans.all()
}

/** Time in the range for which such an outcome held; a step at the edge counts in proportion. */
function timeOf(
  { startMs, stepMs, outcomeMs }: Rollup,
  fromMs: number,
  toMs: number,
  counts: (kind: SeriesSpan['kind']) => boolean,
): number {
  let sumMs = 0
  for (const [code, column] of outcomeMs) {
    if (!counts(kindOf(code))) continue
    for (const [row, start] of startMs.entries()) {
      const partMs = Math.min(toMs, start + stepMs) - Math.max(fromMs, start)
      sumMs += ((column[row] ?? 0) * partMs) / stepMs
    }
  }
  return Math.min(sumMs, toMs - fromMs)
}

function pollsOf({ polls }: Rollup) {
  let samples = 0
  let answered = 0
  for (const [code, column] of polls) {
    const made = total(column)
    samples += made
    if (kindOf(code) === 'answered') answered += made
  }
  return { samples, answered }
}

function* counterRows(
  { startMs }: Rollup,
  { increase, unwatched, restarts }: RolledOf<'counter'>,
): Generator<CounterRow> {
  for (const [row, atMs] of startMs.entries())
    yield {
      atMs,
      increase: increase[row] ?? 0,
      unwatched: unwatched[row] ?? 0,
      restarted: (restarts[row] ?? 0) > 0,
    }
}

/** Steps that the range only touches count whole. */
const ALL_TIME = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

function bandOf({ startMs, stepMs }: Rollup, { metric, values, spread }: RolledValues): Band {
  const at = (share: number): Float64Array =>
    Float64Array.from(startMs, (_, row) =>
      // A bucket's middle may lie beyond the lowest and the highest value: those are known exactly.
      Math.min(
        values.max[row] ?? Number.NaN,
        Math.max(values.min[row] ?? Number.NaN, quantileOf(metric, spread?.[row] ?? EMPTY_HISTOGRAM, share)),
      ),
    )
  return { atMs: Float64Array.from(startMs), stepMs, p50: at(0.5), p95: at(0.95) }
}

const timesOf = ({ startMs }: Rollup, times: readonly number[]): Float64Array =>
  Float64Array.from(startMs.filter((_, row) => (times[row] ?? 0) > 0))

const total = (column: readonly number[]): number => column.reduce((sum, one) => sum + one, 0)
