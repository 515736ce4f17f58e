import { useState } from 'react'
import type { ChartZoom } from './chart-types.ts'

/** Where it began and where it is now, in Unix ms. */
type Drag = { readonly anchorMs: number; readonly atMs: number }

/** A stretch that is being chosen on the chart, by pointer or by keys; shorter than `leastMs` it is none. */
export function useSelection(zoom: ChartZoom | undefined, leastMs: number) {
  const [drag, setDrag] = useState<Drag>()
  const range =
    drag === undefined || Math.abs(drag.atMs - drag.anchorMs) < leastMs
      ? undefined
      : ([Math.min(drag.anchorMs, drag.atMs), Math.max(drag.anchorMs, drag.atMs)] as const)
  return {
    /** Undefined while nothing is chosen, or a click has not moved. */
    range,
    begin: (atMs: number) => setDrag({ anchorMs: atMs, atMs }),
    drag: (atMs: number) => setDrag((last) => last && { ...last, atMs }),
    extend: (anchorMs: number, atMs: number) =>
      setDrag((last) => ({ anchorMs: last?.anchorMs ?? anchorMs, atMs })),
    drop: () => setDrag(undefined),
    finish: () => {
      setDrag(undefined)
      if (range !== undefined) zoom?.into(...range)
    },
  }
}
