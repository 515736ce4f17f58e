import { sum } from '#base/sum.ts'
import type { Band, BarSeries, LineSeries, MetricSeries, SeriesData, SeriesSpan } from '#charts/charts.ts'
import {
  COLUMNS_MAX,
  seriesDataOf,
  statsOf,
  type CounterRow,
  type SeriesSource,
  type SourceLine,
} from '#charts/series-data.ts'
import { createSpans, cutSpans, lengthOf } from '#charts/spans.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { Column, LongTermBars, LongTermLine, LongTermSeries } from './long-term-series.ts'

/**
 * Since when this browser has watched without a pause, Unix ms. Before that, a query API has more data. Pauses too short for
 * the chart do not count.
 */
export function watchedSince(
  { spans, fromMs, toMs, stepMs }: SeriesData,
  pauseMs: number,
  nowMs: number,
): number {
  const tooShort = Math.max(pauseMs, stepMs)
  // An axis may end slightly after now.
  const endMs = Math.min(toMs, Math.max(nowMs, fromMs))
  const pause = spans.findLast(
    (span) => span.kind === 'not-watched' && Math.min(span.toMs, endMs) - span.fromMs > tooShort,
  )
  return pause === undefined ? fromMs : Math.min(pause.toMs, toMs)
}

/** The factor by which a gauge was multiplied for export; 1 if it is exported as stored. */
export type UnitFactors = ReadonlyMap<string, number>

/**
 * Joins the query API's history before the seam with this browser's after it. The bar that contains the seam is the query
 * API's, because this browser saw only part of it.
 */
export function joinSeries(
  registry: MetricRegistry,
  local: SeriesData,
  longTerm: LongTermSeries,
  seamMs: number,
  factors: UnitFactors,
): SeriesData {
  const { fromMs, toMs } = local
  const source = longTermSource(longTerm, local, seamMs, factors)
  const query = { fromMs, toMs, columns: COLUMNS_MAX, barMs: longTerm.barMs }
  const before = seriesDataOf(source, query, registry)
  const after = cutSpans(local.spans, { fromMs: seamMs, toMs })
  const spans = [...source.spans, ...after]
  const metrics = registry.flatMap(({ id }): readonly MetricSeries[] => {
    const own = local.metrics.find((each) => each.id === id)
    const kept = before.metrics.find((each) => each.id === id)
    if (kept?.kind === 'line' && (own === undefined || own.kind === 'line'))
      return [joinLine(kept, own, longTerm.stepMs, local, seamMs)]
    if (kept?.kind === 'bars' && (own === undefined || own.kind === 'bars'))
      return [joinBars(kept, own, fromMs, seamBarOf(longTerm, seamMs))]
    return own === undefined ? [] : [own]
  })
  return {
    ...local,
    stepMs: Math.max(local.stepMs, longTerm.stepMs),
    samples: local.samples + before.samples,
    answered: local.answered + before.answered,
    answeredMs: lengthOf(after, 'answered') + before.answeredMs,
    notWatchedMs: lengthOf(spans, 'not-watched'),
    spans,
    metrics,
    longTerm: { untilMs: seamMs, missing: missingIn(registry, longTerm) },
  }
}

/** Metrics that the query API does not store. */
const missingIn = (registry: MetricRegistry, { metrics }: LongTermSeries): readonly string[] =>
  registry.flatMap(({ id, chart }) =>
    chart === undefined || metrics.some((each) => each.id === id) ? [] : [id],
  )

const startOf = ({ fromMs, stepMs }: LongTermSeries, step: number): number => fromMs + step * stepMs

const seamBarOf = ({ barFromMs, barMs }: LongTermSeries, seamMs: number): number =>
  Math.ceil((seamMs - barFromMs) / barMs) * barMs + barFromMs

function longTermSource(
  longTerm: LongTermSeries,
  { fromMs, toMs }: SeriesData,
  seamMs: number,
  factors: UnitFactors,
): SeriesSource {
  const { scrapes, up, stepMs, barMs } = longTerm
  const kept = scrapes.map((count, step) => (startOf(longTerm, step) < seamMs ? (count ?? 0) : 0))
  const spans = spansBefore(longTerm, fromMs, seamMs)
  const metricOf = <K extends 'line' | 'bars'>(id: string, kind: K) =>
    longTerm.metrics.find(
      (each): each is Extract<typeof each, { readonly kind: K }> => each.id === id && each.kind === kind,
    )
  return {
    stepMs,
    samples: sum(kept),
    answered: Math.round(sum(kept.map((count, step) => (up[step] ?? 0) * count))),
    answeredMs: answeredBefore(longTerm, fromMs, seamMs),
    notWatchedMs: lengthOf(spans, 'not-watched'),
    spans,
    barMinMs: barMs,
    barStepMs: barMs,
    counted: { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY },
    line: ({ id }) => {
      const line = metricOf(id, 'line')
      const factor = factors.get(id) ?? 1
      return (
        line && {
          ...lineOf(line, longTerm, Math.min(seamMs, toMs), factor),
          band: bandOf(line, longTerm, factor, toMs),
        }
      )
    },
    counts: ({ id }) => {
      const bars = metricOf(id, 'bars')
      return bars && rowsOf(bars, longTerm, Math.min(seamBarOf(longTerm, seamMs), toMs))
    },
    changes: () => undefined,
  }
}

function lineOf(line: LongTermLine, longTerm: LongTermSeries, endMs: number, factor: number): SourceLine {
  const at: number[] = []
  const value: number[] = []
  let before = -1
  for (let step = 0; step < longTerm.count; step++) {
    const start = startOf(longTerm, step)
    const [low, high, end] = [line.min[step] ?? null, line.max[step] ?? null, line.last[step] ?? null]
    if (low === null || high === null || end === null || start >= endMs) continue
    if (before !== -1 && before < step - 1) {
      at.push((startOf(longTerm, before + 1) + start) / 2)
      value.push(Number.NaN)
    }
    before = step
    // The times of minimum and maximum are unknown, so the values are spread over the step.
    const stepEndMs = Math.min(start + longTerm.stepMs, endMs)
    const values = [low, high, end]
      .map((each) => each / factor)
      .filter((each, index, all) => each !== all[index - 1])
    for (const [index, each] of values.entries()) {
      at.push(stepEndMs - ((values.length - 1 - index) * (stepEndMs - start)) / values.length)
      value.push(each)
    }
  }
  return {
    atMs: Float64Array.from(at),
    value: Float64Array.from(value),
    maxGapAt: () => Number.POSITIVE_INFINITY,
  }
}

function bandOf(
  { p50, p95 }: LongTermLine,
  longTerm: LongTermSeries,
  factor: number,
  toMs: number,
): Band | undefined {
  if (p50 === undefined || p95 === undefined) return undefined
  const steps = Array.from({ length: longTerm.count }, (_, step) => step).filter(
    (step) => (p50[step] ?? null) !== null && startOf(longTerm, step) < toMs,
  )
  const column = (values: Column) => Float64Array.from(steps, (step) => (values[step] ?? Number.NaN) / factor)
  return {
    atMs: Float64Array.from(steps, (step) => startOf(longTerm, step)),
    stepMs: longTerm.stepMs,
    p50: column(p50),
    p95: column(p95),
  }
}

const rowsOf = (
  { increase, unwatched, restarts }: LongTermBars,
  { barFromMs, barMs }: LongTermSeries,
  endMs: number,
): readonly CounterRow[] =>
  increase.flatMap((by, bar) => {
    const atMs = barFromMs + bar * barMs
    const row = {
      atMs,
      increase: by ?? 0,
      unwatched: unwatched[bar] ?? 0,
      restarted: (restarts[bar] ?? 0) > 0,
    }
    return by === null || atMs >= endMs ? [] : [row]
  })

function joinLine(
  kept: LineSeries,
  own: LineSeries | undefined,
  stepMs: number,
  { fromMs }: SeriesData,
  seamMs: number,
): LineSeries {
  // A step that only touches the range counts as a whole and is drawn from the range's start.
  const before = Array.from(
    kept.points.atMs,
    (atMs, index) => [atMs, kept.points.value[index] ?? Number.NaN] as const,
  )
  const after = Array.from(
    own?.points.atMs ?? [],
    (atMs, index) => [atMs, own?.points.value[index] ?? Number.NaN] as const,
  ).filter(([atMs]) => atMs >= seamMs)
  const [last, next] = [before.at(-1)?.[0] ?? Number.NaN, after[0]?.[0] ?? Number.NaN]
  // A gap in both is a gap.
  const hole = next - last > 2 * stepMs ? [[(last + next) / 2, Number.NaN] as const] : []
  const points = [...before.filter(([atMs]) => atMs >= fromMs), ...hole, ...after]
  return {
    ...kept,
    points: {
      atMs: Float64Array.from(points, ([atMs]) => atMs),
      value: Float64Array.from(points, ([, value]) => value),
    },
    stats: statsOf(
      Float64Array.from(after, ([, value]) => value),
      kept.stats,
    ),
    exact: own?.exact ?? kept.exact,
  }
}

/** `seamBarMs`: end of the bar that contains the seam. */
function joinBars(kept: BarSeries, own: BarSeries | undefined, fromMs: number, seamBarMs: number): BarSeries {
  const bars = [...kept.bars, ...(own?.bars ?? []).filter((bar) => bar.fromMs >= seamBarMs)]
  return {
    ...kept,
    bars,
    increase: bars.reduce((total, { increase }) => total + increase, 0),
    unwatched: [
      ...kept.unwatched.map((came) => ({ ...came, atMs: Math.max(came.atMs, fromMs) })),
      ...(own?.unwatched ?? []).filter(({ atMs }) => atMs > seamBarMs),
    ],
    restarts: Float64Array.from([
      ...Array.from(kept.restarts, (atMs) => Math.max(atMs, fromMs)),
      ...(own?.restarts ?? []).filter((atMs) => atMs >= seamBarMs),
    ]),
  }
}

/** A step with any failed scrape counts as failed, as in rollups. */
function spansBefore(longTerm: LongTermSeries, fromMs: number, seamMs: number): readonly SeriesSpan[] {
  const spans = createSpans(fromMs, seamMs, true)
  for (let step = 0; step < longTerm.count; step++) {
    const start = startOf(longTerm, step)
    const least = longTerm.upMin[step] ?? null
    const kind = least === null ? 'not-watched' : least > 0 ? 'answered' : 'no-answer'
    const failure = kind === 'no-answer' ? (longTerm.failures[step] ?? undefined) : undefined
    spans.add(start, start + longTerm.stepMs, kind, failure)
  }
  return spans.all()
}

function answeredBefore(longTerm: LongTermSeries, fromMs: number, seamMs: number): number {
  let answeredMs = 0
  for (const [step, up] of longTerm.up.entries()) {
    const start = startOf(longTerm, step)
    const partMs = Math.min(start + longTerm.stepMs, seamMs) - Math.max(start, fromMs)
    if (up !== null && partMs > 0) answeredMs += up * partMs
  }
  return answeredMs
}
