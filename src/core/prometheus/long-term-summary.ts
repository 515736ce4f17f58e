import { boundOutages, lengthMsOf, type Outage, type Summary } from '#report/summary.ts'
import type { TimeRange } from '#base/time.ts'
import { sum } from '#base/sum.ts'
import type { Metric, MetricRegistry, ReportFigure } from '#metrics/metric.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { UnitFactors } from './join-series.ts'
import type { Column, LongTermBars, LongTermLine, LongTermSeries } from './long-term-series.ts'

/**
 * A report from a query API's steps. A step that is partly outside the time ranges counts in proportion, and an outage
 * begins with its step. Time without a scrape was not watched.
 */
export function longTermSummary(
  series: LongTermSeries,
  ranges: readonly TimeRange[],
  scrapeMs: number,
  registry: MetricRegistry,
  factors: UnitFactors,
): Summary {
  const steps = stepsOf(series, ranges, scrapeMs)
  const [answeredMs, noAnswerMs] = [
    sum(steps.map((each) => each.upMs)),
    sum(steps.map((each) => each.downMs)),
  ]
  const figures = registry.flatMap((metric) => {
    const kept = series.metrics.find(({ id }) => id === metric.id)
    if (kept === undefined || metric.report === undefined) return []
    const found = kept.kind === 'bars' ? barFigures(kept, series, ranges) : lineFigures(kept, series, ranges)
    return [[metric.id, inUnit(metric, found, factors.get(metric.id) ?? 1)] as const]
  })
  return {
    answeredMs,
    noAnswerMs,
    notWatchedMs: lengthMsOf(ranges) - answeredMs - noAnswerMs,
    figures: Object.fromEntries(figures),
    ...boundOutages(outagesOf(steps, series.stepMs)),
  }
}

type Step = {
  readonly startMs: number
  readonly upMs: number
  readonly downMs: number
  readonly failure: FailureKind | undefined
}

const stepsOf = (
  { fromMs, stepMs, count, up, scrapes, failures }: LongTermSeries,
  ranges: readonly TimeRange[],
  scrapeMs: number,
): readonly Step[] =>
  Array.from({ length: count }, (_, step) => {
    const startMs = fromMs + step * stepMs
    const found = scrapes[step] ?? 0
    // One missing scrape is not a gap, because the number of scrapes depends on where the step begins.
    const share = found === 0 ? 0 : Math.min(1, ((found + 1) * scrapeMs) / stepMs)
    const knownMs = overlapMs(ranges, startMs, stepMs) * share
    const upMs = knownMs * (up[step] ?? 0)
    return { startMs, upMs, downMs: knownMs - upMs, failure: failures[step] ?? undefined }
  })

/** Consecutive steps in which the node was down are one outage. */
function outagesOf(steps: readonly Step[], stepMs: number): readonly Outage[] {
  const outages: Outage[] = []
  let endMs = Number.NaN
  for (const { startMs, downMs, failure } of steps) {
    if (downMs <= 0) continue
    const last = startMs === endMs ? outages.pop() : undefined
    const { fromMs, toMs } = last ?? { fromMs: startMs, toMs: startMs }
    outages.push({ fromMs, toMs: toMs + downMs, failure: last?.failure ?? failure, isCut: false })
    endMs = startMs + stepMs
  }
  return outages
}

type Found = Partial<Record<ReportFigure, number | undefined>>

/** Mean and p95 use one value per step. */
function lineFigures(line: LongTermLine, series: LongTermSeries, ranges: readonly TimeRange[]): Found {
  const [last, min] = [line.last, line.min].map((column) => within(column, series, ranges))
  const sorted = (last ?? []).toSorted((a, b) => a - b)
  return {
    mean: sum(sorted) / sorted.length,
    min: Math.min(...(min ?? [])),
    first: last?.[0],
    last: last?.at(-1),
    p95: sorted[Math.ceil(0.95 * sorted.length) - 1],
  }
}

const barFigures = (
  { increase, unwatched }: LongTermBars,
  series: LongTermSeries,
  ranges: readonly TimeRange[],
): Found => ({
  increase: sum([increase, unwatched].flatMap((column) => within(column, series, ranges))),
})

/** The values of the steps that lie at least half within the time ranges. */
const within = (column: Column, { fromMs, stepMs }: LongTermSeries, ranges: readonly TimeRange[]) =>
  column.filter(
    (value, step): value is number =>
      value !== null && overlapMs(ranges, fromMs + step * stepMs, stepMs) * 2 >= stepMs,
  )

const inUnit = (
  { report = [] }: Metric,
  found: Found,
  factor: number,
): Partial<Record<ReportFigure, number>> =>
  Object.fromEntries(
    report.flatMap((name) => {
      const value = found[name]
      return value !== undefined && Number.isFinite(value) ? [[name, value / factor] as const] : []
    }),
  )

const overlapMs = (ranges: readonly TimeRange[], fromMs: number, lengthMs: number): number =>
  sum(
    ranges.map((range) =>
      Math.max(0, Math.min(range.toMs, fromMs + lengthMs) - Math.max(range.fromMs, fromMs)),
    ),
  )
