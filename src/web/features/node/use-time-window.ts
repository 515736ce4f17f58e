import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useDashboard } from '#react/dashboard.ts'
import { useSteps } from '#react/ticking.tsx'
import { useFleet } from '#react/use-fleet.ts'
import {
  earlierEnd,
  laterEnd,
  offeredRanges,
  rangeFromText,
  STEP_MS,
  windowOf,
  type Range,
  type TimeWindow,
} from './range.ts'

export type TimeControl = {
  readonly range: Range
  readonly offered: readonly Range[]
  readonly window: TimeWindow
  readonly live: boolean
  readonly setRange: (range: Range) => void
  /** Undefined where there is nothing in that direction. */
  readonly earlier: (() => void) | undefined
  readonly later: (() => void) | undefined
  /** Holds the window where it is, or lets it follow the time again. */
  readonly toggleLive: () => void
}

/** The part of the time axis on screen. The range stands in the address; where a paused window ends does not. */
export function useTimeWindow(): TimeControl {
  const [params, setParams] = useSearchParams()
  const range = rangeFromText(params.get('range'))
  const [endMs, setEndMs] = useState<number>()
  const { fleet } = useDashboard()
  // Renders again only when the axis has moved by some pixels, not every second.
  const steadyMs = useSteps(STEP_MS[range])
  const startedMs = useFleet((snapshot) => snapshot.screen.startedWallMs)
  const snapshot = fleet.get()
  const wallMs = snapshot.wallMs + Math.max(0, steadyMs - snapshot.nowMs)
  const window = windowOf(range, endMs, wallMs, startedMs)
  return {
    range,
    offered: offeredRanges(wallMs - startedMs, range),
    window,
    live: endMs === undefined,
    setRange: (next) =>
      setParams(
        (old) => {
          const changed = new URLSearchParams(old)
          changed.set('range', next)
          return changed
        },
        { replace: true },
      ),
    earlier: window.fromMs > startedMs ? () => setEndMs(earlierEnd(window, range)) : undefined,
    later: endMs === undefined ? undefined : () => setEndMs(laterEnd(window, range, wallMs)),
    toggleLive: () => setEndMs(endMs === undefined ? window.toMs : undefined),
  }
}
