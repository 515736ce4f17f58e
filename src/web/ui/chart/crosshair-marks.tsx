import { ItemMark } from './compared.tsx'
import type { ReadValue } from './moment.ts'
import { AXIS_SLOT } from './slots.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'

/** Beyond this share of the plot width, value chips go to the left of the line so that they are not cut off. */
const FLIP_SHARE = 0.75
const CHIP_PX = 18

type CrosshairMarksProps = {
  readonly xPx: number
  readonly time: string
  readonly values: readonly ReadValue[]
  readonly geometry: ChartGeometry
  readonly topPx: number
}

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
