import { chartable } from './chartable.ts'
import type { ChartSpan, PlainRow, StepLine, ValueRow } from './chart-types.ts'

/** Index of the first time at or after `atMs`; the length if there is none. */
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

/** The row's value at a time, as text; undefined if it has none there. A point may be up to `reachMs` away. */
export function textAt(row: PlainRow, atMs: number, reachMs: number): string | undefined {
  if (row.kind === 'ticks') {
    const place = nearest(row.atMs, atMs)
    const at = place === undefined ? undefined : row.atMs[place]
    return at !== undefined && Math.abs(at - atMs) <= reachMs ? row.format(at) : undefined
  }
  if (row.kind === 'bars') {
    const bar = row.bars.find((candidate) => candidate.fromMs <= atMs && atMs < candidate.toMs)
    return bar === undefined ? undefined : said(row, bar.value)
  }
  const { atMs: times, value } = row.points
  const exact = nearest(times, atMs)
  const held = row.kind === 'steps' ? firstAtOrAfter(times, atMs + 1) - 1 : exact
  const at = held === undefined ? undefined : times[held]
  if (held === undefined || at === undefined) return undefined
  if (row.kind !== 'steps' && Math.abs(at - atMs) > reachMs) return undefined
  const middle = value[held] ?? Number.NaN
  if (row.kind === 'steps') return saidStep(row, at, middle)
  if (row.kind !== 'band') return said(row, middle)
  const upper = row.upper[held] ?? Number.NaN
  const isWhole = !Number.isNaN(chartable(middle)) && !Number.isNaN(chartable(upper))
  return isWhole ? row.formatBand(middle, upper) : said(row, middle)
}

const saidStep = (row: ValueRow & StepLine, atMs: number, value: number): string | undefined =>
  row.exactAt?.(atMs) ?? said(row, value)

/** A value that cannot be drawn has no text here; the raw record shows it exactly. */
const said = (row: { readonly format: (value: number) => string }, value: number) =>
  Number.isNaN(chartable(value)) ? undefined : row.format(value)

export const spanAt = (spans: readonly ChartSpan[], atMs: number): ChartSpan | undefined =>
  spans.find((span) => span.fromMs <= atMs && atMs <= span.toMs)

const timesOf = (row: PlainRow): Float64Array | undefined =>
  row.kind === 'ticks' ? row.atMs : row.kind === 'bars' ? undefined : row.points.atMs

/** The next moment with a point in any row; undefined past the last. */
export function neighbour(rows: readonly PlainRow[], atMs: number, direction: 1 | -1): number | undefined {
  let best: number | undefined
  for (const row of rows) {
    const times = timesOf(row)
    if (times === undefined) continue
    const place = direction === 1 ? firstAtOrAfter(times, atMs + 1) : firstAtOrAfter(times, atMs) - 1
    const at = times[place]
    if (at !== undefined && (best === undefined || (at - best) * direction < 0)) best = at
  }
  return best
}

export function nearestMoment(rows: readonly PlainRow[], atMs: number): number | undefined {
  const candidates = [neighbour(rows, atMs + 1, -1), neighbour(rows, atMs - 1, 1)].filter(
    (at) => at !== undefined,
  )
  return candidates.toSorted((a, b) => Math.abs(a - atMs) - Math.abs(b - atMs))[0]
}
