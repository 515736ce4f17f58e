import { DAY_MS, HOUR_MS } from '#base/time.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import { TIER_NAMES, TIERS, type TierName } from '#history/tiers.ts'

/** Charts of more samples use rollups. */
const SAMPLES_READ_MAX = 25_000
/** Limits the number of records that a chart reads. */
const SAMPLES_RANGE_MAX_MS = 25 * HOUR_MS
const MINUTE_RANGE_MAX_MS = 50 * HOUR_MS
const QUARTER_RANGE_MAX_MS = 14 * DAY_MS

/**
 * The resolution to read a range at: enough rows for every pixel and not many more. `reach`: how far back
 * each resolution goes. Takes a coarser one if it goes back further.
 */
export function tierFor(
  rangeMs: number,
  fromMs: number,
  everyMs: number,
  reach: HistoryStatus['reach'],
): TierName {
  const oldestMs = (tier: TierName): number => reach[tier] ?? Number.POSITIVE_INFINITY
  const best: TierName =
    rangeMs <= SAMPLES_RANGE_MAX_MS && rangeMs / Math.max(1, everyMs) <= SAMPLES_READ_MAX
      ? 'samples'
      : rangeMs <= MINUTE_RANGE_MAX_MS
        ? 'minute'
        : rangeMs <= QUARTER_RANGE_MAX_MS
          ? 'quarter'
          : 'hour'
  const { rank } = TIERS[best]
  const further = TIER_NAMES.slice(rank + 1).filter((name) => oldestMs(name) < oldestMs(best) - DAY_MS)
  const candidates = [best, ...further]
  const enough = candidates.find((name) => oldestMs(name) <= fromMs)
  return enough ?? candidates.reduce((a, b) => (oldestMs(b) < oldestMs(a) ? b : a))
}
