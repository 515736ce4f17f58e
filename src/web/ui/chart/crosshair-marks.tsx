import { ItemMark } from './compared.tsx'
import type { ReadValue } from './moment.ts'
import { AXIS_SLOT } from './slots.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'

/** Chips stand left of the line in the last part of the plot, so that they are not cut. */
const FLIP_SHARE = 0.75
/** Chips of one row stand below each other. */
const CHIP_PX = 18

type CrosshairMarksProps = {
  readonly xPx: number
  readonly time: string
  readonly values: readonly ReadValue[]
  readonly geometry: ChartGeometry
  readonly topPx: number
}

/** The line, the time on the axis, and a chip with the value in each row. */
export function CrosshairMarks({ xPx, time, values, geometry, topPx }: CrosshairMarksProps) {
  const isFlipped = xPx > geometry.plotWidthPx * FLIP_SHARE
  const axis = geometry.slots[AXIS_SLOT]
  return (
    <div aria-hidden>
      <div className="crosshair-line" style={{ left: xPx }} />
      {axis !== undefined && (
        <span
          className="crosshair-label time"
          style={{ left: xPx, top: axis.topPx + axis.heightPx / 2 - topPx }}
        >
          {time}
        </span>
      )}
      {values.map(({ id, text, slot, place }, at) => {
        const above = values.slice(0, at).filter((one) => one.slot === slot).length
        return (
          <span
            key={id}
            className={isFlipped ? 'crosshair-label flipped' : 'crosshair-label'}
            style={{ left: xPx, top: (geometry.slots[slot]?.topPx ?? 0) - topPx + above * CHIP_PX }}
          >
            {place !== undefined && <ItemMark place={place} />} {text}
          </span>
        )
      })}
    </div>
  )
}
