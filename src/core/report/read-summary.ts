import { DAY_MS, HOUR_MS, type TimeRange } from '#base/time.ts'
import { rolledQuantile, rollSeries } from '#history/roll-series.ts'
import {
  coarsen,
  joinRollups,
  rolledColumn,
  rolledMetric,
  stepsWithin,
  type Rollup,
} from '#history/rollup.ts'
import { spansOfRows } from '#charts/rollup-source.ts'
import { maxGapMsOf } from '#history/series.ts'
import { cutSpans, kindOf, spansOf } from '#charts/spans.ts'
import { boundOutages, lengthMsOf, outagesOf, STEP_MS, type Summary, type SummaryQuery } from './summary.ts'
import type { MetricRegistry, ReportFigure } from '#metrics/metric.ts'
import type { SeriesSpan } from '#charts/charts.ts'
import { TIERS } from '#history/tiers.ts'
import { readSamples, readRollups } from '#history/store/read-history.ts'
import type { StoreState } from '#history/store/store-state.ts'

/**
 * A report on one node. Whole hours and quarters come from rollups; the rest and the outages come from samples, while
 * they are kept.
 */
export async function readSummary(state: StoreState, { node, ranges }: SummaryQuery): Promise<Summary> {
  const [fromMs, toMs] = [ranges[0]?.fromMs ?? 0, ranges.at(-1)?.toMs ?? 0]
  const hours = await readRollups(state, 'hour', { node, fromMs, toMs })
  let quarters: Promise<Rollup> | undefined
  const levels: readonly Level[] = [
    { stepMs: TIERS.hour.stepMs, of: async () => hours },
    {
      stepMs: TIERS.quarter.stepMs,
      of: () => (quarters ??= readRollups(state, 'quarter', { node, fromMs, toMs })),
    },
    { stepMs: STEP_MS, of: (range) => minutesOf(state, node, range) },
  ]
  const parts: Rollup[] = []
  for (const range of ranges) parts.push(...(await coverWith(range, levels)))
  const spans: SeriesSpan[] = []
  for (const day of failingDays(hours, { fromMs, toMs })) {
    spans.push(...(await spansWithin(state, node, day)))
    await state.yieldToEventLoop()
  }
  return {
    ...figuresOf(parts, lengthMsOf(ranges), state.metrics),
    ...boundOutages(outagesOf(ranges.flatMap((range) => cutSpans(spans, range)))),
  }
}

type Level = { readonly stepMs: number; readonly of: (range: TimeRange) => Promise<Rollup> }

/** Covers a time range with the longest steps that fit. */
async function coverWith(range: TimeRange, levels: readonly Level[]): Promise<readonly Rollup[]> {
  const [longest, ...shorter] = levels
  if (longest === undefined || range.toMs <= range.fromMs) return []
  const { stepMs, of } = longest
  const fromMs = Math.ceil(range.fromMs / stepMs) * stepMs
  const toMs = Math.floor(range.toMs / stepMs) * stepMs
  if (toMs <= fromMs) return coverWith(range, shorter)
  return [
    ...(await coverWith({ fromMs: range.fromMs, toMs: fromMs }, shorter)),
    stepsWithin(await of({ fromMs, toMs }), fromMs, toMs),
    ...(await coverWith({ fromMs: toMs, toMs: range.toMs }, shorter)),
  ]
}

/** Whether samples reach back to this time, or to the beginning of the whole history if that is later. */
function hasSamples({ status }: StoreState, fromMs: number): boolean {
  const { samples = Number.POSITIVE_INFINITY, ...rollups } = status.get().reach
  const oldestMs = Math.min(...Object.values(rollups).map((atMs) => atMs ?? Number.POSITIVE_INFINITY))
  return samples <= Math.max(fromMs, oldestMs + HOUR_MS)
}

/** Uses samples while they are kept, because 1-minute rollups have no distributions. */
async function minutesOf(state: StoreState, node: string, range: TimeRange): Promise<Rollup> {
  return hasSamples(state, range.fromMs)
    ? rollSeries(await readSamples(state, { node, ...range }), range, STEP_MS, true)
    : readRollups(state, 'minute', { node, ...range })
}

async function spansWithin(
  state: StoreState,
  node: string,
  range: TimeRange,
): Promise<readonly SeriesSpan[]> {
  if (!hasSamples(state, range.fromMs))
    return spansOfRows(await readRollups(state, 'minute', { node, ...range }), range.fromMs, range.toMs)
  const samples = await readSamples(state, { node, ...range })
  const maxGapAt = (row: number): number => maxGapMsOf(samples.columns.everyMs[row] ?? 0)
  return spansOf(samples, { ...range, maxGapAt })
}

/** The days of a range with an outage. */
function failingDays({ startMs, outcomeMs }: Rollup, { fromMs, toMs }: TimeRange): readonly TimeRange[] {
  const days = new Set<number>()
  for (const [code, column] of outcomeMs)
    if (kindOf(code) === 'no-answer')
      for (const [row, ms] of column.entries())
        if (ms > 0) days.add(Math.floor((startMs[row] ?? 0) / DAY_MS) * DAY_MS)
  return Array.from(days)
    .toSorted((a, b) => a - b)
    .map((day) => ({ fromMs: Math.max(fromMs, day), toMs: Math.min(toMs, day + DAY_MS) }))
    .filter((day) => day.toMs > day.fromMs)
}

/** The figures of a report from consecutive rollups; without outages. */
function figuresOf(
  parts: readonly Rollup[],
  lengthMs: number,
  registry: MetricRegistry,
): Omit<Summary, 'outages' | 'outageCount'> {
  const row = coarsen(joinRollups(parts, 1, true), Number.MAX_SAFE_INTEGER)
  const timeOf = (kind: ReturnType<typeof kindOf>): number =>
    Array.from(row.outcomeMs).reduce(
      (sum, [code, column]) => (kindOf(code) === kind ? sum + (column[0] ?? 0) : sum),
      0,
    )
  const [answeredMs, noAnswerMs] = [timeOf('answered'), timeOf('no-answer')]
  const figures: Record<string, Partial<Record<ReportFigure, number>>> = {}
  for (const { id, kind, report = [] } of registry) {
    if (rolledMetric(row, id)?.metric.kind !== kind) continue
    const known = report.flatMap((figure) => {
      const value = FIGURES[figure](row, id)
      return Number.isFinite(value) ? [[figure, value] as const] : []
    })
    figures[id] = Object.fromEntries(known)
  }
  return { answeredMs, noAnswerMs, notWatchedMs: lengthMs - answeredMs - noAnswerMs, figures }
}

const at = (row: Rollup, id: string, name: Parameters<typeof rolledColumn>[2]): number =>
  rolledColumn(row, id, name)[0] ?? Number.NaN

const FIGURES: Readonly<Record<ReportFigure, (row: Rollup, id: string) => number>> = {
  mean: (row, id) => at(row, id, 'sum') / at(row, id, 'count'),
  min: (row, id) => at(row, id, 'min'),
  first: (row, id) => at(row, id, 'first'),
  last: (row, id) => at(row, id, 'last'),
  // An increase while nobody watched also counts for the report.
  increase: (row, id) => at(row, id, 'increase') + at(row, id, 'unwatched'),
  p95: (row, id) => rolledQuantile(row, id, 0, 0.95),
}
