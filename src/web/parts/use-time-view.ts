import { useRef } from 'react'
import type { ChartZoom } from '#ui/chart/chart-types.ts'
import { useSearchParams } from '#react/location.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSteps } from '#react/ticking.tsx'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatSpan } from '#texts/format.ts'
import {
  addressWith,
  following,
  liveSpanMs,
  moveMsFor,
  RANGE_MS,
  RANGES,
  stretch,
  viewFromAddress,
  windowOf,
  type TimeView,
} from './time-view.ts'

export type TimeControl = ReturnType<typeof useTimeView>

/**
 * The visible time range, held in the URL, so that it survives a reload and can be shared. `startedMs` is the start of the data
 * in Unix ms.
 */
export function useTimeView(startedMs: number) {
  const [params, setParams] = useSearchParams()
  const view = viewFromAddress(params)
  const { fleet } = useDashboard()
  const snapshot = fleet.get()
  // Each step redraws every chart of the page. An answer between two steps renders on its own.
  const steadyMs = useSteps(
    view.kind === 'live'
      ? Math.max(MOVE_MIN_MS, moveMsFor(liveSpanMs(view.range, snapshot.wallMs, startedMs)))
      : HOLD_MS,
  )
  const nowMs = snapshot.wallMs + Math.max(0, steadyMs - snapshot.nowMs)
  return {
    view,
    window: windowOf(view, nowMs, startedMs),
    /** Wall-clock time in Unix ms; updated whenever the axis advances. */
    nowMs,
    /** `keep` adds a history entry, so that the browser's Back returns to the current view. */
    show: (next: TimeView, keep?: 'keep'): void =>
      setParams((old) => addressWith(old, next), { replace: keep === undefined }),
  }
}

/** Uses the label of the range button of this length, if there is one. */
export function lengthOf({ window: { fromMs, toMs } }: TimeControl): string {
  const range = RANGES.find((one) => RANGE_MS[one] === toMs - fromMs)
  return range === undefined ? formatSpan(toMs - fromMs) : nodeHistoryTexts.range.names[range]
}

/** Minimum step, because a short history has columns of one second. Most services answer this often. */
const MOVE_MIN_MS = 10_000

/** A fixed view needs the time only to limit stepping forward. */
const HOLD_MS = 60_000

/** Zoom steps that can be undone; zooming out further leads to the live view. */
const STEPS_MAX = 20

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
