import { sum } from '#base/sum.ts'
import type { Metric } from '#metrics/metric.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Band, SeriesQuery, SeriesSpan } from './charts.ts'
import { rolledQuantile } from '#history/roll-series.ts'
import { rolledColumn, rolledMetric, stepsWithin, type Rollup } from '#history/rollup.ts'
import { columnsFor, EVER, rangeOf, type SeriesSource, type SourceLine } from './series-data.ts'
import { createSpans, failureOfCode, kindOf } from './spans.ts'

/**
 * Charts from rollups. A step that only touches the range counts in full. `spread`: rollups with
 * distributions, of any step.
 */
export function rollupSource(given: Rollup, spread: Rollup, query: SeriesQuery): SeriesSource {
  const { fromMs, toMs } = rangeOf(query)
  const rollup = within(given, fromMs, toMs)
  const banded = spread === given ? rollup : within(spread, fromMs, toMs)
  const polls = Array.from(rollup.polls, ([code, made]) => [kindOf(code), sum(made)] as const)
  // The narrowest whole number of steps that fits into the columns.
  const columnMs =
    given.stepMs * Math.max(1, Math.ceil((toMs - fromMs) / given.stepMs / columnsFor(query.columns)))
  const isKept = ({ id, kind }: Metric): boolean => rolledMetric(rollup, id)?.metric.kind === kind
  const changed = (column: readonly number[]): readonly number[] =>
    rollup.startMs.filter((_, row) => (column[row] ?? 0) > 0)
  return {
    stepMs: columnMs,
    samples: sum(polls.map(([, made]) => made)),
    answered: sum(polls.map(([kind, made]) => (kind === 'answered' ? made : 0))),
    answeredMs: timeOf(rollup, fromMs, toMs, (kind) => kind === 'answered'),
    notWatchedMs: toMs - fromMs - timeOf(rollup, fromMs, toMs, (kind) => kind !== 'not-watched'),
    spans: spansOfRows(rollup, fromMs, toMs),
    barMinMs: columnMs,
    barStepMs: given.stepMs,
    counted: EVER,
    line: (metric) =>
      isKept(metric)
        ? {
            ...lineOf(rollup, metric.id, query.maxGapMs),
            band: metric.chart?.band === true ? bandOf(banded, metric.id) : undefined,
          }
        : undefined,
    counts: (metric) => {
      if (!isKept(metric)) return undefined
      const [increase, unwatched, restarts] = (['increase', 'unwatched', 'restarts'] as const).map((name) =>
        rolledColumn(rollup, metric.id, name),
      )
      return rollup.startMs.map((atMs, row) => ({
        atMs,
        increase: increase?.[row] ?? 0,
        unwatched: unwatched?.[row] ?? 0,
        restarted: (restarts?.[row] ?? 0) > 0,
      }))
    },
    changes: (metric) => (isKept(metric) ? changed(rolledColumn(rollup, metric.id, 'changes')) : undefined),
  }
}

/** The steps that overlap the range. */
const within = (rollup: Rollup, fromMs: number, toMs: number): Rollup =>
  stepsWithin(rollup, Math.floor(fromMs / rollup.stepMs) * rollup.stepMs, toMs)

/**
 * First, lowest, highest and last value of each step, the first and last at their own times, so that the line
 * between steps equals the line through every sample. It breaks at failures and unwatched time.
 */
function lineOf(rollup: Rollup, id: string, maxGapMs: number): SourceLine {
  const { startMs, stepMs, polls } = rollup
  const kept = (['first', 'min', 'max', 'last'] as const).map((name) => rolledColumn(rollup, id, name))
  const [count, last] = [rolledColumn(rollup, id, 'count'), kept.at(-1)]
  const isAsked = (row: number): boolean => Array.from(polls.values()).some((made) => (made[row] ?? 0) > 0)
  const at: number[] = []
  const value: number[] = []
  let endMs = Number.NaN
  let isBroken = false
  for (const [row, start] of startMs.entries()) {
    if ((count[row] ?? 0) === 0) {
      isBroken ||= isAsked(row)
      continue
    }
    if (at.length > 0 && (isBroken || start - endMs >= maxGapMs)) {
      at.push((endMs + start) / 2)
      value.push(Number.NaN)
    }
    isBroken = false
    endMs = start + stepMs
    const [fromMs, toMs] = [rollup.firstPollMs[row] ?? start, rollup.lastPollMs[row] ?? start]
    const from = value.length
    // A repeated value needs no point, except the last, where the line to the next step begins.
    for (const column of kept) {
      const one = column[row] ?? Number.NaN
      if (value.length === from || one !== value.at(-1) || (column === last && toMs > fromMs)) value.push(one)
    }
    const apartMs = (toMs - fromMs) / Math.max(1, value.length - from - 1)
    while (at.length < value.length) at.push(fromMs + (at.length - from) * apartMs)
  }
  return {
    atMs: Float64Array.from(at),
    value: Float64Array.from(value),
    maxGapAt: () => Number.POSITIVE_INFINITY,
  }
}

/** The outcome of each step. The worst one stands for the whole step, so that no failure is hidden. */
export function spansOfRows(
  { startMs, stepMs, outcomeMs, polls }: Rollup,
  fromMs: number,
  toMs: number,
): readonly SeriesSpan[] {
  const spans = createSpans(fromMs, toMs)
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
    // An outcome can have no length, for example if an answer followed within a millisecond.
    for (const [code, column] of polls) if ((column[row] ?? 0) > 0) failure ??= failureOfCode(code)
    // The larger part of a partly watched step decides how it is drawn.
    const isAnswered = answeredMs * 2 >= Math.min(stepMs, toMs - start)
    const kind = failure !== undefined ? 'no-answer' : isAnswered ? 'answered' : 'not-watched'
    spans.add(start, start + stepMs, kind, failure)
  }
  return spans.all()
}

/** How long the outcome lasted in the range; a step at the edge counts in proportion. */
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
      if (partMs > 0) sumMs += ((column[row] ?? 0) * partMs) / stepMs
    }
  }
  return Math.min(sumMs, toMs - fromMs)
}

function bandOf(rollup: Rollup, id: string): Band {
  const at = (share: number): Float64Array =>
    Float64Array.from(rollup.startMs, (_, row) => rolledQuantile(rollup, id, row, share))
  return { atMs: Float64Array.from(rollup.startMs), stepMs: rollup.stepMs, p50: at(0.5), p95: at(0.95) }
}
