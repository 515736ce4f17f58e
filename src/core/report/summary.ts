import { MINUTE_MS, type TimeRange } from '#base/time.ts'
import type { SeriesSpan } from '#charts/charts.ts'
import type { ReportFigure } from '#metrics/metric.ts'
import type { FailureKind } from '#protocol/failure.ts'

/** An outage as history shows it. */
export type Outage = TimeRange & {
  /** The most frequent failure. */
  readonly failure: FailureKind | undefined
  /** Not watched just before or after, so it may have been longer. */
  readonly isCut: boolean
}

/** One node over the time ranges of a report. `answeredMs`, `noAnswerMs` and `notWatchedMs` add up to their length. */
export type Summary = {
  readonly answeredMs: number
  readonly noAnswerMs: number
  readonly notWatchedMs: number
  /** By metric; unknown figures are absent. */
  readonly figures: Readonly<Record<string, Readonly<Partial<Record<ReportFigure, number>>>>>
  /** The first `OUTAGES_MAX`, oldest first. */
  readonly outages: readonly Outage[]
  readonly outageCount: number
}

export type SummaryQuery = {
  readonly node: string
  /** In order, not overlapping; both ends on whole minutes. */
  readonly ranges: readonly TimeRange[]
}

export type Reports = {
  /** Rejects if some of the history could not be read. */
  readonly readSummary: (query: SummaryQuery) => Promise<Summary>
}

/** A node that fails at every other poll for a month has 86,000 outages; nobody reads so long a list. */
const OUTAGES_MAX = 500

export const STEP_MS = MINUTE_MS

/** The steps of a report, on which maintenance and range begin and end. */
export const toStep = (atMs: number): number => Math.round(atMs / STEP_MS) * STEP_MS

export const lengthMsOf = (ranges: readonly TimeRange[]): number =>
  ranges.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)

/** The range minus the others, which may overlap; on whole minutes. */
export function without(range: TimeRange, others: readonly TimeRange[]): readonly TimeRange[] {
  const left: TimeRange[] = []
  const endMs = toStep(range.toMs)
  let atMs = toStep(range.fromMs)
  for (const other of others.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = Math.min(endMs, toStep(other.fromMs))
    if (fromMs > atMs) left.push({ fromMs: atMs, toMs: fromMs })
    atMs = Math.max(atMs, toStep(other.toMs))
  }
  return endMs > atMs ? [...left, { fromMs: atMs, toMs: endMs }] : left
}

/** The outages in consecutive spans; adjacent ones become one. */
export function outagesOf(spans: readonly SeriesSpan[]): readonly Outage[] {
  type Run = { fromMs: number; toMs: number; isCut: boolean; readonly ms: Map<FailureKind, number> }
  const runs: Run[] = []
  for (const [index, { fromMs, toMs, kind, failure }] of spans.entries()) {
    if (kind !== 'no-answer') continue
    const [before, after] = [spans[index - 1], spans[index + 1]]
    const kindBefore = before?.toMs === fromMs ? before.kind : undefined
    const kindAfter = after?.fromMs === toMs ? after.kind : undefined
    let run = kindBefore === 'no-answer' ? runs.at(-1) : undefined
    if (run === undefined) runs.push((run = { fromMs, toMs, isCut: false, ms: new Map() }))
    run.toMs = toMs
    run.isCut ||= kindBefore === 'not-watched' || kindAfter === 'not-watched'
    if (failure !== undefined) run.ms.set(failure, (run.ms.get(failure) ?? 0) + toMs - fromMs)
  }
  return runs.map(({ fromMs, toMs, isCut, ms }) => ({
    fromMs,
    toMs,
    isCut,
    failure: Array.from(ms).toSorted((a, b) => b[1] - a[1])[0]?.[0],
  }))
}

export const boundOutages = (outages: readonly Outage[]): Pick<Summary, 'outages' | 'outageCount'> => ({
  outages: outages.slice(0, OUTAGES_MAX),
  outageCount: outages.length,
})

export type Availability = {
  /** The answered share of the time with a known outcome, 0 to 1; undefined without any. */
  readonly share: number | undefined
  /** The error budget of that time, and what is left of it; negative if overspent. */
  readonly budgetMs: number
  readonly leftMs: number
}

/** Time that nobody watched counts neither as up nor as down. */
export function availabilityOf(
  { answeredMs, noAnswerMs }: Pick<Summary, 'answeredMs' | 'noAnswerMs'>,
  target: number,
): Availability {
  const knownMs = answeredMs + noAnswerMs
  const budgetMs = knownMs * (1 - target)
  return { share: knownMs === 0 ? undefined : answeredMs / knownMs, budgetMs, leftMs: budgetMs - noAnswerMs }
}
