import type { LimitLine, ValueLane } from './chart-types.ts'

const isBeyond = (value: number, { value: limit, bad }: LimitLine): boolean =>
  bad === 'above' ? value >= limit : value <= limit

/** Whether the lane has a value beyond the limit at a place of its points. */
const isPointBeyond = (lane: Exclude<ValueLane, { readonly kind: 'bars' }>, limit: LimitLine, at: number) =>
  isBeyond(lane.points.value[at] ?? Number.NaN, limit) ||
  (lane.kind === 'band' && isBeyond(lane.upper[at] ?? Number.NaN, limit))

/** Whether any value lies beyond the limit: most lanes have none, and need no second drawing. */
export const isReached = (lane: ValueLane, limit: LimitLine): boolean =>
  lane.kind === 'bars'
    ? lane.bars.some((bar) => isBeyond(bar.value, limit))
    : lane.points.value.some((_, at) => isPointBeyond(lane, limit, at))

/**
 * The lane with only what lies beyond the limit, and the points on either side of that. On a long
 * scale a value within its limit lies in the limit's own pixel: it must not take its colour.
 */
export function onlyBeyond(lane: ValueLane, limit: LimitLine): ValueLane {
  if (lane.kind === 'bars') return { ...lane, bars: lane.bars.filter((bar) => isBeyond(bar.value, limit)) }
  const isOut = (at: number): boolean => isPointBeyond(lane, limit, at)
  // A step holds its value up to the next point, so the one before is none of it.
  const isShown = (at: number) => isOut(at) || isOut(at - 1) || (lane.kind !== 'steps' && isOut(at + 1))
  const value = lane.points.value.map((one, at) => (isShown(at) ? one : Number.NaN))
  return { ...lane, points: { ...lane.points, value } }
}
