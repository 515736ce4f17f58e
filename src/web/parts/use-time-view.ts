import { useRef } from 'react'
import type { ChartZoom } from '#ui/chart/chart-types.ts'
import { useSearchParams } from '#react/location.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSteps } from '#react/ticking.tsx'
import {
  addressWith,
  following,
  liveSpanMs,
  moveMsFor,
  stretch,
  viewFromAddress,
  windowOf,
  type TimeView,
  type TimeWindow,
} from './time-view.ts'

export type TimeControl = {
  readonly view: TimeView
  readonly window: TimeWindow
  /** This computer's time, Unix ms; renewed as often as the axis moves. */
  readonly nowMs: number
  /** `keep`: the browser's way back leads to what is on screen now. */
  readonly show: (view: TimeView, keep?: 'keep') => void
}

/**
 * The part of the time axis on screen. It stands in the address whole, so it survives reload and can be shared.
 * `startedMs`: when what is shown begins, Unix ms.
 */
export function useTimeView(startedMs: number): TimeControl {
  const [params, setParams] = useSearchParams()
  const view = viewFromAddress(params)
  const { fleet } = useDashboard()
  const snapshot = fleet.get()
  // Each move draws every chart of the page anew. An answer between two moves renders the page by itself.
  const steadyMs = useSteps(
    view.kind === 'live'
      ? Math.max(MOVE_MIN_MS, moveMsFor(liveSpanMs(view.range, snapshot.wallMs, startedMs)))
      : HOLD_MS,
  )
  const nowMs = snapshot.wallMs + Math.max(0, steadyMs - snapshot.nowMs)
  return {
    view,
    window: windowOf(view, nowMs, startedMs),
    nowMs,
    show: (next, keep) => setParams((old) => addressWith(old, next), { replace: keep === undefined }),
  }
}

/** Of a young history a column is a second wide. */
const MOVE_MIN_MS = 5_000

/** A view that stands still needs the time only to know how far forward it can go. */
const HOLD_MS = 60_000

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
