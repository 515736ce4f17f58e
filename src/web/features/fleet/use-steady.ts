import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { NEVER_MS, useSteps } from '#react/ticking.tsx'
import type { FleetRow } from './order.ts'

/** A pointer that lies still for so long is not about to press anything. */
const HELD_MS = 20_000
const STEP_MS = 1_000

/**
 * Keeps rows where they are while a pointer is over them, so that none is pressed in place of another. What the
 * reader changes in the view holds at once, and a node that is gone does not stay.
 */
export function useSteady(made: readonly FleetRow[], view: object) {
  const { nowMs } = useDashboard()
  const [movedMs, setMovedMs] = useState<number>()
  // Rows are drawn anew whenever this ticks.
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
        // Once a second is enough.
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
