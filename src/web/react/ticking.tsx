import type { ReactNode } from 'react'
import { useDashboard } from './dashboard.ts'
import { useNow, useStore } from './use-fleet.ts'

type TickingProps = { readonly children: (nowMs: number) => ReactNode }

/** The smallest piece that ticks: only what it draws is rendered again each second. */
export const Ticking = ({ children }: TickingProps): ReactNode => children(useNow())

/** This computer's time now, in Unix ms; undefined before the engine's first word. Renewed once a second. */
export function useWallNow(): number | undefined {
  const nowMs = useNow()
  const { fleet } = useDashboard()
  return useStore(fleet, (snapshot) =>
    snapshot.revision === 0 ? undefined : snapshot.wallMs + (nowMs - snapshot.nowMs),
  )
}

/** A step that nobody lives to see the end of: for what is to stand still. */
export const NEVER_MS = Number.MAX_SAFE_INTEGER

/** The steady time rounded down to whole steps, for what may change more rarely than once a second. */
export function useSteps(stepMs: number): number {
  const { seconds } = useDashboard()
  return useStore(seconds, (nowMs) => Math.floor(nowMs / stepMs) * stepMs)
}
