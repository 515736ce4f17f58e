import type { Cause } from './cause.ts'
import type { FleetSnapshot } from '#fleet/live.ts'

/** How long a gap is reported after it ended. */
const GAP_TOLD_MS = 600_000

/** What is wrong with the watching itself. */
export function screenCauses(snapshot: FleetSnapshot, nowMs: number): readonly Cause[] {
  return [...gapCause(snapshot, nowMs), ...behindCause(snapshot)]
}

function gapCause({ screen, wallMs, nowMs: madeMs }: FleetSnapshot, nowMs: number): readonly Cause[] {
  const gap = screen.gaps.at(-1)
  if (gap === undefined || wallMs + nowMs - madeMs - gap.toWallMs >= GAP_TOLD_MS) return []
  const code = gap.reason === 'asleep' ? 'watch/asleep' : 'watch/clock-step'
  return [
    {
      ...OF_SCREEN,
      id: code,
      code,
      severity: 'none',
      sinceWallMs: gap.toWallMs,
      evidence: { kind: 'gap', gap },
    },
  ]
}

/** Reported once the most overdue request is later than a whole interval: every reading is older than it should be. */
function behindCause({ screen, services }: FleetSnapshot): readonly Cause[] {
  const intervalMs = Math.min(...Array.from(services.values(), ({ service }) => service.pollIntervalMs))
  if (screen.behindMs <= intervalMs) return []
  const evidence = { kind: 'behind', behindMs: screen.behindMs, intervalMs } as const
  return [{ ...OF_SCREEN, id: 'watch/behind', code: 'watch/behind', severity: 'warning', evidence }]
}

const OF_SCREEN = {
  scope: 'screen',
  serviceId: undefined,
  nodes: [],
  sinceMs: undefined,
  sinceWallMs: undefined,
  misses: 0,
  seenAt: undefined,
  nextPollMs: undefined,
} as const
