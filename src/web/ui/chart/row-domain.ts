import { chartable } from './chartable.ts'
import type { ScaledRow } from './chart-types.ts'

/**
 * A limit is drawn if it lies within this many times the span of the values; otherwise only its label is shown at the
 * edge.
 */
const NEAR_SPANS = 3
/** Minimum height of a flat line's domain, as a share of its value, so that noise is not magnified. */
const FLAT_SHARE = 0.02

/** The lowest and highest value on the row's axis. Always finite and never empty. */
export function rowDomain(row: ScaledRow): readonly [number, number] {
  if (row.domain !== undefined) return orderly(chartable(row.domain[0]), chartable(row.domain[1]))
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  const include = (raw: number) => {
    const value = chartable(raw)
    if (value < low) low = value
    if (value > high) high = value
  }
  if (row.kind === 'bars') for (const bar of row.bars) include(bar.value)
  else if (row.kind === 'lines')
    for (const { points } of row.lines) for (const value of points.value) include(value)
  else for (const value of row.points.value) include(value)
  if (row.kind === 'band') for (const value of row.upper) include(value)
  for (const value of row.usual ?? []) include(value)
  if (row.kind === 'bars' || row.kind === 'area' || row.kind === 'band') include(0)
  if (row.kind === 'lines' && row.fromZero === true) include(0)
  if (low > high) return [0, 1]
  const reach = (high - low || Math.abs(high) * FLAT_SHARE) * NEAR_SPANS
  const limits = (row.limits ?? []).map((limit) => chartable(limit.value))
  // Only the nearest limit on each side; a more distant one would flatten the line.
  const nextAbove = Math.min(...limits.filter((value) => value > high))
  const nextBelow = Math.max(...limits.filter((value) => value < low))
  if (nextAbove - high <= reach) high = nextAbove
  if (low - nextBelow <= reach) low = nextBelow
  return orderly(low, high)
}

function orderly(low: number, high: number): readonly [number, number] {
  const from = Number.isNaN(low) ? 0 : low
  const to = Number.isNaN(high) ? from + 1 : high
  if (to - from > 0) return [from, to]
  const half = Math.max(Math.abs(from) * FLAT_SHARE, 1) / 2
  // Values that are never negative get no negative axis.
  return from >= 0 && from < half ? [0, half * 2] : [from - half, from + half]
}
