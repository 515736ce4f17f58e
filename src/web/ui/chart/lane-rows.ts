import { AXIS_SLOT, HEALTH_SLOT } from './slots.ts'
import type { ChartGeometry, Slot } from './use-chart-geometry.ts'

/** The rows of the lanes, from above. On a phone the lanes' heads stand between them. */
export const laneRows = ({ slots }: ChartGeometry): readonly Slot[] =>
  Object.entries(slots)
    .filter(([name]) => name !== AXIS_SLOT && name !== HEALTH_SLOT)
    .map(([, slot]) => slot)
    .toSorted((a, b) => a.topPx - b.topPx)

/** From the top of the first lane to the bottom of the last. */
export function lanesExtent(geometry: ChartGeometry): Slot {
  const rows = laneRows(geometry)
  const first = rows.at(0)
  const last = rows.at(-1)
  if (first === undefined || last === undefined) return { topPx: 0, heightPx: 0 }
  return { topPx: first.topPx, heightPx: last.topPx + last.heightPx - first.topPx }
}
