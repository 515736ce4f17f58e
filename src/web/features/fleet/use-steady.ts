import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { NEVER_MS, useSteps } from '#react/ticking.tsx'
import type { FleetRow } from './order.ts'

/** A pointer at rest for this long no longer freezes the rows. */
const HELD_MS = 20_000
const STEP_MS = 1_000

/**
 * Freezes the row order while a pointer is over the table, so that a click hits the intended row. Changes to the view apply at
 * once, and removed nodes disappear.
 */
export function useSteady(made: readonly FleetRow[], view: object) {
  const { nowMs } = useDashboard()
  const [movedMs, setMovedMs] = useState<number>()
  // Each tick redraws the rows, so it ticks only while a pointer is over them.
  const stepMs = useSteps(movedMs === undefined ? NEVER_MS : STEP_MS)
  const [kept, setKept] = useState({ made, view })
  const isPointing = movedMs !== undefined && stepMs - movedMs < HELD_MS
  if (movedMs !== undefined && !isPointing) setMovedMs(undefined)
  const isHeld = isPointing && kept.view === view && kept.made !== made && hasSameRows(kept.made, made)
  if (!isHeld && (kept.made !== made || kept.view !== view)) setKept({ made, view })
  return {
    rows: isHeld ? kept.made : made,
    isHeld,
    pointer: {
      onPointerMove: () => {
        const now = nowMs()
        // Limits state updates to one a second.
        if (movedMs === undefined || now - movedMs >= STEP_MS) setMovedMs(now)
      },
      onPointerLeave: () => setMovedMs(undefined),
    },
  }
}

const hasSameRows = (before: readonly FleetRow[], now: readonly FleetRow[]): boolean => {
  if (before.length !== now.length) return false
  const ids = new Set(now.map(({ id }) => id))
  return before.every(({ id }) => ids.has(id))
}
