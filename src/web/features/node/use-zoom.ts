import { useRef } from 'react'
import type { ChartZoom } from '#ui/chart/chart-types.ts'
import { following, stretch, type TimeView } from './time-view.ts'
import type { TimeControl } from './use-time-view.ts'

/** Steps back that are remembered; further back leads to now. */
const STEPS_MAX = 20

/** What dragging over the chart does: each drag looks closer, and each way back undoes one. */
export function useZoom({ view, nowMs, show }: TimeControl): ChartZoom {
  const before = useRef<readonly TimeView[]>([])
  return {
    into: (fromMs, toMs) => {
      before.current = [...before.current, view].slice(-STEPS_MAX)
      show(stretch(view, fromMs, toMs, nowMs), 'keep')
    },
    back:
      view.kind === 'live'
        ? undefined
        : () => {
            const last = before.current.at(-1) ?? following(view)
            before.current = before.current.slice(0, -1)
            show(last)
          },
  }
}
