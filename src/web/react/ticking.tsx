import type { ReactNode } from 'react'
import { useDashboard } from './dashboard.ts'
import { useNow, useStore } from './use-fleet.ts'

type TickingProps = { readonly children: (nowMs: number) => ReactNode }

/** Limits the re-render of each second to its children. */
export const Ticking = ({ children }: TickingProps): ReactNode => children(useNow())

/** Wall-clock time in Unix ms, updated once a second; undefined before the engine's first update. */
export function useWallNow(): number | undefined {
  const nowMs = useNow()
  const { fleet } = useDashboard()
  return useStore(fleet, (snapshot) =>
    snapshot.revision === 0 ? undefined : snapshot.wallMs + (nowMs - snapshot.nowMs),
  )
}

/** Step for values that must not tick. */
export const NEVER_MS = Number.MAX_SAFE_INTEGER

/** Monotonic time rounded down to whole steps, for values that change less often than every second. */
export function useSteps(stepMs: number): number {
  const { seconds } = useDashboard()
  return useStore(seconds, (nowMs) => Math.floor(nowMs / stepMs) * stepMs)
}
