import type { LimitLine, ValueRow } from './chart-types.ts'

const isBeyond = (value: number, { value: limit, bad }: LimitLine): boolean =>
  bad === 'above' ? value >= limit : value <= limit

/** Whether the row has a value beyond the limit at a place of its points. */
const isPointBeyond = (row: Exclude<ValueRow, { readonly kind: 'bars' }>, limit: LimitLine, at: number) =>
  isBeyond(row.points.value[at] ?? Number.NaN, limit) ||
  (row.kind === 'band' && isBeyond(row.upper[at] ?? Number.NaN, limit))

/** Whether any value lies beyond the limit: most rows have none, and need no second drawing. */
export const isReached = (row: ValueRow, limit: LimitLine): boolean =>
  row.kind === 'bars'
    ? row.bars.some((bar) => isBeyond(bar.value, limit))
    : row.points.value.some((_, at) => isPointBeyond(row, limit, at))

/**
 * The row with only what lies beyond the limit, and the points on either side of that. On a long
 * scale a value within its limit lies in the limit's own pixel: it must not take its colour.
 */
export function onlyBeyond(row: ValueRow, limit: LimitLine): ValueRow {
  if (row.kind === 'bars') return { ...row, bars: row.bars.filter((bar) => isBeyond(bar.value, limit)) }
  const isOut = (at: number): boolean => isPointBeyond(row, limit, at)
  // A step holds its value up to the next point, so the one before is none of it.
  const isShown = (at: number) => isOut(at) || isOut(at - 1) || (row.kind !== 'steps' && isOut(at + 1))
  const value = row.points.value.map((one, at) => (isShown(at) ? one : Number.NaN))
  return { ...row, points: { ...row.points, value } }
}
