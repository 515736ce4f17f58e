import type { LimitLine, ValueRow } from './chart-types.ts'

export const isBeyond = (value: number, { value: limit, bad }: LimitLine): boolean =>
  bad === 'above' ? value >= limit : value <= limit

const isPointBeyond = (row: Exclude<ValueRow, { readonly kind: 'bars' }>, limit: LimitLine, at: number) =>
  isBeyond(row.points.value[at] ?? Number.NaN, limit) ||
  (row.kind === 'band' && isBeyond(row.upper[at] ?? Number.NaN, limit))

/** Whether any value lies beyond the limit. Most rows have none and need no second path. */
export const isReached = (row: ValueRow, limit: LimitLine): boolean =>
  row.kind === 'bars'
    ? row.bars.some((bar) => isBeyond(bar.value, limit))
    : row.points.value.some((_, at) => isPointBeyond(row, limit, at))

/**
 * The row reduced to the values beyond the limit and their neighbouring points. On a large scale, a value within its limit
 * shares a pixel with the limit and must not take its colour.
 */
export function onlyBeyond(row: ValueRow, limit: LimitLine): ValueRow {
  if (row.kind === 'bars') return { ...row, bars: row.bars.filter((bar) => isBeyond(bar.value, limit)) }
  const isOut = (at: number): boolean => isPointBeyond(row, limit, at)
  // A step holds its value until the next point, so the point before the excursion stays hidden.
  const isShown = (at: number) => isOut(at) || isOut(at - 1) || (row.kind !== 'steps' && isOut(at + 1))
  const value = row.points.value.map((one, at) => (isShown(at) ? one : Number.NaN))
  return { ...row, points: { ...row.points, value } }
}
