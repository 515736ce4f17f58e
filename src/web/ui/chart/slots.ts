import type { ChartGeometry, Slot } from './use-chart-geometry.ts'

export const AXIS_SLOT = 'axis'
export const HEALTH_SLOT = 'health'

/** The row slots, top to bottom. On a phone, the row heads are between them. */
export const rowSlots = ({ slots }: ChartGeometry): readonly Slot[] =>
  Object.entries(slots)
    .filter(([name]) => name !== AXIS_SLOT && name !== HEALTH_SLOT)
    .map(([, slot]) => slot)
    .toSorted((a, b) => a.topPx - b.topPx)

export function rowsExtent(geometry: ChartGeometry): Slot {
  const slots = rowSlots(geometry)
  const first = slots.at(0)
  const last = slots.at(-1)
  if (first === undefined || last === undefined) return { topPx: 0, heightPx: 0 }
  return { topPx: first.topPx, heightPx: last.topPx + last.heightPx - first.topPx }
}
