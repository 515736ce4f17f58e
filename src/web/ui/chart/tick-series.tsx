import { useXAxisScale } from 'recharts'
import type { TickLane } from './chart-types.ts'
import { ticksPath } from './lane-path.ts'
import type { Slot } from './use-chart-geometry.ts'

const TOP_SHARE = 0.28

/** Moments without a value: one stroke each, in the middle of the row. */
export function TickSeries({ lane, slot }: { readonly lane: TickLane; readonly slot: Slot | undefined }) {
  const toX = useXAxisScale()
  if (toX === undefined || slot === undefined) return null
  const topY = slot.topPx + slot.heightPx * TOP_SHARE
  const bottomY = slot.topPx + slot.heightPx * (1 - TOP_SHARE)
  return <path className="pl two" d={ticksPath(lane.atMs, (atMs) => toX(atMs) ?? 0, topY, bottomY)} />
}
