import { sum } from '#base/sum.ts'
import type { TimeRange } from '#base/time.ts'
import type { Band, BarSeries, LineSeries, MetricSeries, SeriesData, SeriesSpan } from '#charts/charts.ts'
import { barSeries, COLUMNS_MAX, EVER, statsOf, type CounterRow } from '#charts/series-data.ts'
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
 * API's, because this browser saw only part of it. `barMs`: least width of the query API's bars.
 */
export function joinSeries(
  registry: MetricRegistry,
  local: SeriesData,
  longTerm: LongTermSeries,
  seamMs: number,
  factors: UnitFactors,
  barMs: number,
): SeriesData {
  const { fromMs, toMs } = local
  const { scrapes, up, stepMs } = longTerm
  const isBetween = (step: number): boolean =>
    startOf(longTerm, step + 1) > fromMs && startOf(longTerm, step) < seamMs
  const kept = scrapes.map((count, step) => (isBetween(step) ? (count ?? 0) : 0))
  const after = cutSpans(local.spans, { fromMs: seamMs, toMs })
  const spans = [...spansBefore(longTerm, fromMs, seamMs), ...after]
  const metrics = registry.flatMap(({ id }): MetricSeries | readonly MetricSeries[] => {
    const own = local.metrics.find((each) => each.id === id)
    const older = longTerm.metrics.find((each) => each.id === id)
    if (older?.kind === 'line' && (own === undefined || own.kind === 'line'))
      return joinLine(older, own, longTerm, local, seamMs, factors.get(id) ?? 1)
    if (older?.kind === 'bars' && (own === undefined || own.kind === 'bars'))
      return joinBars(older, own, longTerm, local, seamMs, Math.ceil(barMs / stepMs) * stepMs)
    return own ?? []
  })
  return {
    ...local,
    stepMs: Math.max(local.stepMs, stepMs),
    samples: local.samples + sum(kept),
    answered: local.answered + Math.round(sum(kept.map((count, step) => (up[step] ?? 0) * count))),
    answeredMs: lengthOf(after, 'answered') + answeredBefore(longTerm, fromMs, seamMs),
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

type Point = readonly [atMs: number, value: number]

function joinLine(
  line: LongTermLine,
  own: LineSeries | undefined,
  longTerm: LongTermSeries,
  { fromMs, toMs }: SeriesData,
  seamMs: number,
  factor: number,
): LineSeries {
  // A step that only touches the range counts as a whole and is drawn from the range's start.
  const before = pointsBefore(line, longTerm, Math.min(seamMs, toMs), factor).filter(
    ([atMs]) => atMs >= fromMs,
  )
  const after = Array.from(own?.points.atMs ?? [], (atMs, index): Point => [
    atMs,
    own?.points.value[index] ?? Number.NaN,
  ]).filter(([atMs]) => atMs >= seamMs)
  const [last, next] = [before.at(-1)?.[0] ?? Number.NaN, after[0]?.[0] ?? Number.NaN]
  // A gap in both is a gap.
  const hole: readonly Point[] = next - last > 2 * longTerm.stepMs ? [[(last + next) / 2, Number.NaN]] : []
  const points = [...before, ...hole, ...after]
  const band = bandOf(line, longTerm, factor, { fromMs, toMs })
  return {
    id: line.id,
    kind: 'line',
    points: {
      atMs: Float64Array.from(points, ([atMs]) => atMs),
      value: Float64Array.from(points, ([, value]) => value),
    },
    stats: statsOf(points.map(([, value]) => value)),
    exact: own?.exact ?? new Map(),
    ...(band !== undefined && { band }),
  }
}

function pointsBefore(
  line: LongTermLine,
  longTerm: LongTermSeries,
  endMs: number,
  factor: number,
): readonly Point[] {
  const points: Point[] = []
  let before = -1
  for (let step = 0; step < longTerm.count; step++) {
    const start = startOf(longTerm, step)
    const [low, high, end] = [line.min[step] ?? null, line.max[step] ?? null, line.last[step] ?? null]
    if (low === null || high === null || end === null || start >= endMs) continue
    if (before !== -1 && before < step - 1) points.push([start, Number.NaN])
    before = step
    // The times of minimum and maximum are unknown, so the values are spread over the step.
    const stepEndMs = Math.min(start + longTerm.stepMs, endMs)
    const values = [low, high, end]
      .map((each) => each / factor)
      .filter((each, index, all) => each !== all[index - 1])
    for (const [index, each] of values.entries())
      points.push([stepEndMs - ((values.length - 1 - index) * (stepEndMs - start)) / values.length, each])
  }
  return points
}

function bandOf(
  { p50, p95 }: LongTermLine,
  longTerm: LongTermSeries,
  factor: number,
  { fromMs, toMs }: TimeRange,
): Band | undefined {
  if (p50 === undefined || p95 === undefined) return undefined
  const steps = Array.from({ length: longTerm.count }, (_, step) => step).filter(
    (step) =>
      (p50[step] ?? null) !== null && startOf(longTerm, step + 1) > fromMs && startOf(longTerm, step) < toMs,
  )
  const column = (values: Column) => Float64Array.from(steps, (step) => (values[step] ?? Number.NaN) / factor)
  return {
    atMs: Float64Array.from(steps, (step) => startOf(longTerm, step)),
    stepMs: longTerm.stepMs,
    p50: column(p50),
    p95: column(p95),
  }
}

function joinBars(
  { id, increase, unwatched, restarts }: LongTermBars,
  own: BarSeries | undefined,
  longTerm: LongTermSeries,
  { fromMs, toMs }: SeriesData,
  seamMs: number,
  barMs: number,
): BarSeries {
  /** End of the bar that contains the seam. */
  const seamBarMs = Math.ceil(seamMs / barMs) * barMs
  const rows = increase.flatMap((by, step): CounterRow | readonly CounterRow[] => {
    const atMs = startOf(longTerm, step)
    if (by === null || atMs >= Math.min(seamBarMs, toMs)) return []
    return { atMs, increase: by, unwatched: unwatched[step] ?? 0, restarted: (restarts[step] ?? 0) > 0 }
  })
  const kept = barSeries(id, rows, barMs, EVER, { fromMs, toMs, count: COLUMNS_MAX })
  const bars = [...kept.bars, ...(own?.bars ?? []).filter((bar) => bar.fromMs >= seamBarMs)]
  return {
    ...kept,
    bars,
    increase: sum(bars.map((bar) => bar.increase)),
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
  const spans = createSpans(fromMs, seamMs)
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
