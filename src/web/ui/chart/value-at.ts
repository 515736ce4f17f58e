import { chartable } from './chartable.ts'
import type { ChartLane, ChartSpan, StepLine, ValueLane } from './chart-types.ts'

/** Place of the first time at or after `atMs`; the length where there is none. */
function firstAtOrAfter(times: Float64Array, atMs: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < atMs) low = middle + 1
    else high = middle
  }
  return low
}

function nearest(times: Float64Array, atMs: number): number | undefined {
  const after = firstAtOrAfter(times, atMs)
  const before = after - 1
  if (before < 0) return times.length > 0 ? 0 : undefined
  if (after >= times.length) return before
  return atMs - (times[before] ?? 0) <= (times[after] ?? 0) - atMs ? before : after
}

/** What the lane showed at a time, in words; undefined where it has no value there. `reachMs` is how far a point may lie. */
export function textAt(lane: ChartLane, atMs: number, reachMs: number): string | undefined {
  if (lane.kind === 'ticks') {
    const place = nearest(lane.atMs, atMs)
    const at = place === undefined ? undefined : lane.atMs[place]
    return at !== undefined && Math.abs(at - atMs) <= reachMs ? lane.format(at) : undefined
  }
  if (lane.kind === 'bars') {
    const bar = lane.bars.find((candidate) => candidate.fromMs <= atMs && atMs < candidate.toMs)
    return bar === undefined ? undefined : said(lane, bar.value)
  }
  const { atMs: times, value } = lane.points
  const exact = nearest(times, atMs)
  const held = lane.kind === 'steps' ? firstAtOrAfter(times, atMs + 1) - 1 : exact
  const at = held === undefined ? undefined : times[held]
  if (held === undefined || at === undefined) return undefined
  if (lane.kind !== 'steps' && Math.abs(at - atMs) > reachMs) return undefined
  const middle = value[held] ?? Number.NaN
  if (lane.kind === 'steps') return saidStep(lane, at, middle)
  if (lane.kind !== 'band') return said(lane, middle)
  const upper = lane.upper[held] ?? Number.NaN
  const isWhole = !Number.isNaN(chartable(middle)) && !Number.isNaN(chartable(upper))
  return isWhole ? lane.formatBand(middle, upper) : said(lane, middle)
}

/** A step at one of its points: by its exact words where it has some. */
const saidStep = (lane: ValueLane & StepLine, atMs: number, value: number): string | undefined =>
  lane.exactAt?.(atMs) ?? said(lane, value)

/** A value that can't be drawn is not said either: the record says it exactly. */
const said = (lane: { readonly format: (value: number) => string }, value: number) =>
  Number.isNaN(chartable(value)) ? undefined : lane.format(value)

/** The stretch that covers a time. */
export const spanAt = (spans: readonly ChartSpan[], atMs: number): ChartSpan | undefined =>
  spans.find((span) => span.fromMs <= atMs && atMs <= span.toMs)

const timesOf = (lane: ChartLane): Float64Array | undefined =>
  lane.kind === 'ticks' ? lane.atMs : lane.kind === 'bars' ? undefined : lane.points.atMs

/** The next moment with a point in any lane, in one direction; undefined past the last. */
export function neighbour(lanes: readonly ChartLane[], atMs: number, direction: 1 | -1): number | undefined {
  let best: number | undefined
  for (const lane of lanes) {
    const times = timesOf(lane)
    if (times === undefined) continue
    const place = direction === 1 ? firstAtOrAfter(times, atMs + 1) : firstAtOrAfter(times, atMs) - 1
    const at = times[place]
    if (at !== undefined && (best === undefined || (at - best) * direction < 0)) best = at
  }
  return best
}

/** The moment with a point in any lane that is nearest to a time. */
export function nearestMoment(lanes: readonly ChartLane[], atMs: number): number | undefined {
  const candidates = [neighbour(lanes, atMs + 1, -1), neighbour(lanes, atMs - 1, 1)].filter(
    (at) => at !== undefined,
  )
  return candidates.toSorted((a, b) => Math.abs(a - atMs) - Math.abs(b - atMs))[0]
}
