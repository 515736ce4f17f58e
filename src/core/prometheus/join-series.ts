import type {
  Band,
  BarSeries,
  CounterBar,
  LineSeries,
  MetricSeries,
  SeriesData,
  SeriesSpan,
  UnwatchedIncrease,
} from '#history/history.ts'
import { pointsIn, statsOf } from '#history/series-data.ts'
import { createSpans, lengthOf } from '#history/spans.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { Column, LongTermBars, LongTermLine, LongTermSeries } from './long-term-series.ts'

/**
 * From when on this browser watched without a pause up to now or the range's end, Unix ms: up to then a query API knows
 * more. A pause that no chart could show is none.
 */
export function watchedSince(
  { spans, fromMs, toMs, stepMs }: SeriesData,
  pauseMs: number,
  nowMs: number,
): number {
  const tooShort = Math.max(pauseMs, stepMs)
  // An axis may end a little after now.
  const endMs = Math.min(toMs, Math.max(nowMs, fromMs))
  const pause = spans.findLast(
    (span) => span.kind === 'not-watched' && Math.min(span.toMs, endMs) - span.fromMs > tooShort,
  )
  return pause === undefined ? fromMs : Math.min(pause.toMs, toMs)
}

/** What a gauge was multiplied by before it was exposed; 1 where it is exposed as history keeps it. */
export type UnitFactors = ReadonlyMap<string, number>

type Joined = { readonly fromMs: number; readonly seamMs: number; readonly toMs: number }

/**
 * One history of two: what the query API keeps up to the seam, and what this browser recorded from there on. Bars that
 * the seam lies in are the query API's whole, since this browser saw but a part of them.
 */
export function joinSeries(
  registry: MetricRegistry,
  local: SeriesData,
  longTerm: LongTermSeries,
  seamMs: number,
  factors: UnitFactors,
): SeriesData {
  const range = { fromMs: local.fromMs, seamMs, toMs: local.toMs }
  const before = spansBefore(longTerm, range)
  const spans = [...before, ...cutSpans(local.spans, seamMs, local.toMs)]
  const metrics = registry.flatMap(({ id }): readonly MetricSeries[] => {
    const own = local.metrics.find((each) => each.id === id)
    const kept = longTerm.metrics.find((each) => each.id === id)
    if (kept?.kind === 'line' && (own === undefined || own.kind === 'line'))
      return [joinLine(id, own, kept, longTerm, range, factors.get(id) ?? 1)]
    if (kept?.kind === 'bars' && (own === undefined || own.kind === 'bars'))
      return [joinBars(id, own, kept, longTerm, range)]
    return own === undefined ? [] : [own]
  })
  const inRange = (step: number) => startOf(longTerm, step) < seamMs
  return {
    ...local,
    stepMs: Math.max(local.stepMs, longTerm.stepMs),
    samples: local.samples + sum(longTerm.scrapes.filter((_, step) => inRange(step))),
    points: pointsIn(metrics),
    answered:
      local.answered +
      Math.round(
        sum(longTerm.up.map((up, step) => (inRange(step) ? (up ?? 0) * (longTerm.scrapes[step] ?? 0) : 0))),
      ),
    answeredMs:
      lengthOf(cutSpans(local.spans, seamMs, local.toMs), 'answered') + answeredBefore(longTerm, range),
    notWatchedMs: lengthOf(spans, 'not-watched'),
    spans,
    metrics,
    longTerm: { untilMs: seamMs, missing: missingIn(registry, longTerm) },
  }
}

/** What an engine keeps no course of. */
const missingIn = (registry: MetricRegistry, { metrics }: LongTermSeries): readonly string[] =>
  registry.flatMap(({ id, chart }) =>
    chart === undefined || metrics.some((each) => each.id === id) ? [] : [id],
  )

const startOf = ({ fromMs, stepMs }: LongTermSeries, step: number): number => fromMs + step * stepMs

function joinLine(
  id: string,
  own: LineSeries | undefined,
  kept: LongTermLine,
  longTerm: LongTermSeries,
  { fromMs, seamMs, toMs }: Joined,
  factor: number,
): LineSeries {
  const at: number[] = []
  const value: number[] = []
  const put = (pointMs: number, each: number): void => {
    at.push(pointMs)
    value.push(each)
  }
  let before = -1
  for (let step = 0; step < longTerm.count; step++) {
    const start = startOf(longTerm, step)
    const [low, high, end] = [kept.min[step] ?? null, kept.max[step] ?? null, kept.last[step] ?? null]
    if (low === null || high === null || end === null || start >= seamMs) continue
    if (before !== -1 && before < step - 1) put((startOf(longTerm, before + 1) + start) / 2, Number.NaN)
    before = step
    // Spread over the step: of when in it they were, only that the last one ends it is known.
    const stepEndMs = Math.min(start + longTerm.stepMs, seamMs, toMs)
    const values = [low / factor, high / factor, end / factor].filter(
      (each, place, all) => each !== all[place - 1],
    )
    for (const [place, each] of values.entries()) {
      const pointMs = stepEndMs - ((values.length - 1 - place) * (stepEndMs - start)) / values.length
      put(pointMs, each)
    }
  }
  if (own !== undefined) {
    const first = own.points.atMs.findIndex((pointMs) => pointMs >= seamMs)
    const start = first === -1 ? own.points.atMs.length : first
    const seenMs = own.points.atMs[start]
    const keptMs = at.at(-1)
    // What neither has is a hole.
    if (seenMs !== undefined && keptMs !== undefined && seenMs - keptMs > 2 * longTerm.stepMs)
      put((keptMs + seenMs) / 2, Number.NaN)
    for (let place = start; place < own.points.atMs.length; place++) {
      put(own.points.atMs[place] ?? 0, own.points.value[place] ?? Number.NaN)
    }
  }
  const band = bandOf(kept, longTerm, factor, toMs)
  // A step that the range only touches counts whole, and is drawn from where the range begins.
  const drawn = at.filter((pointMs) => pointMs < fromMs).length
  return {
    id,
    kind: 'line',
    points: { atMs: Float64Array.from(at.slice(drawn)), value: Float64Array.from(value.slice(drawn)) },
    stats: statsOf({ min: value, max: value, last: value }, 0, value.length),
    exact: own?.exact ?? new Map(),
    ...(band !== undefined && { band }),
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

function joinBars(
  id: string,
  own: BarSeries | undefined,
  kept: LongTermBars,
  { barFromMs, barMs, barCount }: LongTermSeries,
  { fromMs, seamMs, toMs }: Joined,
): BarSeries {
  const seamBarMs = Math.ceil((seamMs - barFromMs) / barMs) * barMs + barFromMs
  const bars: CounterBar[] = []
  const unwatched: UnwatchedIncrease[] = []
  for (let bar = 0; bar < barCount; bar++) {
    const start = barFromMs + bar * barMs
    const increase = kept.increase[bar] ?? null
    if (increase === null || start >= seamBarMs || start >= toMs) continue
    bars.push({ fromMs: start, toMs: start + barMs, increase, restarted: (kept.restarts[bar] ?? 0) > 0 })
    const unseen = kept.unwatched[bar] ?? 0
    if (unseen > 0) unwatched.push({ atMs: Math.max(start, fromMs), increase: unseen })
  }
  // What came before the seam's bar ended is the query API's.
  unwatched.push(...(own?.unwatched ?? []).filter(({ atMs }) => atMs > seamBarMs))
  const restarts = [
    ...bars.filter(({ restarted }) => restarted).map((bar) => Math.max(bar.fromMs, fromMs)),
    ...(own?.restarts ?? []).filter((atMs) => atMs >= seamBarMs),
  ]
  bars.push(...(own?.bars ?? []).filter((bar) => bar.fromMs >= seamBarMs))
  return {
    id,
    kind: 'bars',
    bars,
    increase: bars.reduce((total, { increase }) => total + increase, 0),
    unwatched,
    restarts: Float64Array.from(restarts),
  }
}

/** Steps as stretches; one in which any scrape found the node failing counts whole as failed, as a step of rollups does. */
function spansBefore(longTerm: LongTermSeries, { fromMs, seamMs }: Joined): readonly SeriesSpan[] {
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

function answeredBefore(longTerm: LongTermSeries, { fromMs, seamMs }: Joined): number {
  let answeredMs = 0
  for (const [step, up] of longTerm.up.entries()) {
    const start = startOf(longTerm, step)
    const partMs = Math.min(start + longTerm.stepMs, seamMs) - Math.max(start, fromMs)
    if (up !== null && partMs > 0) answeredMs += up * partMs
  }
  return answeredMs
}

const cutSpans = (spans: readonly SeriesSpan[], fromMs: number, toMs: number): readonly SeriesSpan[] =>
  spans.flatMap((span) => {
    const [from, to] = [Math.max(span.fromMs, fromMs), Math.min(span.toMs, toMs)]
    return to > from ? [{ ...span, fromMs: from, toMs: to }] : []
  })

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)
