import type { LaneData } from '#history/history.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useSteps, useWallNow } from '#react/ticking.tsx'
import { useLanes } from '#react/use-history.ts'

const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A bar of the threat counter is not drawn here, but the query wants one. */
const COLUMNS = 720

/** A range that ends now, read anew once a minute. Undefined until it is there. */
function useEndingNow(node: NodeLive, lengthMs: number, maxGapMs: number): LaneData | undefined {
  const minute = useSteps(MINUTE_MS)
  const wallMs = useWallNow() ?? 0
  const toMs = Math.ceil(wallMs / MINUTE_MS) * MINUTE_MS
  const { data } = useLanes(
    { node: node.key, fromMs: toMs - lengthMs, toMs, columns: COLUMNS, barMs: lengthMs / 24, maxGapMs },
    minute,
  )
  return data
}

export const useDay = (node: NodeLive, maxGapMs: number): LaneData | undefined =>
  useEndingNow(node, DAY_MS, maxGapMs)

export const useLastHour = (node: NodeLive, maxGapMs: number): LaneData | undefined =>
  useEndingNow(node, HOUR_MS, maxGapMs)
