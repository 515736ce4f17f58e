import { DAY_MS, HOUR_MS } from '#base/time.ts'

/** Time is cut into segments, each a range of keys: what is too old goes by whole ones. */
export const SEGMENTS = {
  samples: { place: 0, spanMs: 7 * DAY_MS },
  minute: { place: 1, spanMs: 28 * DAY_MS },
  coarse: { place: 2, spanMs: 28 * DAY_MS },
} as const
export type SegmentKind = keyof typeof SEGMENTS
export const SEGMENT_KINDS = ['samples', 'minute', 'coarse'] as const

/**
 * The resolutions, finest first. A node's rows of each `blockMs` are one block. While samples are kept, minutes are
 * summed up from them when they are read: at ten seconds a poll they would take more room than the samples.
 */
export const TIERS = {
  samples: { place: 0, segment: 'samples', stepMs: 0, blockMs: DAY_MS },
  minute: { place: 1, segment: 'minute', stepMs: 60_000, blockMs: 7 * DAY_MS },
  quarter: { place: 2, segment: 'coarse', stepMs: 900_000, blockMs: DAY_MS },
  hour: { place: 3, segment: 'coarse', stepMs: HOUR_MS, blockMs: 7 * DAY_MS },
} as const
export type TierName = keyof typeof TIERS
export const TIER_NAMES = ['samples', 'minute', 'quarter', 'hour'] as const

/** A minute holds too few samples for a distribution; from here on each step has one. */
export const SPREAD_FROM_MS = TIERS.quarter.stepMs

export type SegmentId = { readonly kind: SegmentKind; readonly index: number }

export const segmentAt = (kind: SegmentKind, atMs: number): SegmentId => ({
  kind,
  index: Math.floor(atMs / SEGMENTS[kind].spanMs),
})

export const segmentFromMs = ({ kind, index }: SegmentId): number => index * SEGMENTS[kind].spanMs
export const segmentToMs = ({ kind, index }: SegmentId): number => (index + 1) * SEGMENTS[kind].spanMs

/** Samples that a chart is drawn from at most, before it is drawn from rollups. */
const SAMPLES_READ_MAX = 25_000
/** And no longer than this, so that few records are read. */
const SAMPLES_RANGE_MAX_MS = 25 * HOUR_MS
const MINUTE_RANGE_MAX_MS = 50 * HOUR_MS
const QUARTER_RANGE_MAX_MS = 14 * DAY_MS

/**
 * The resolution to read a range at: rows enough for every pixel, and never many more.
 * `reach`: how far back each one goes; where the best does not go back far enough, a coarser
 * one that goes further is taken.
 */
export function tierFor(
  rangeMs: number,
  fromMs: number,
  everyMs: number,
  reach: Readonly<Record<TierName, number>>,
): TierName {
  const best: TierName =
    rangeMs <= SAMPLES_RANGE_MAX_MS && rangeMs / Math.max(1, everyMs) <= SAMPLES_READ_MAX
      ? 'samples'
      : rangeMs <= MINUTE_RANGE_MAX_MS
        ? 'minute'
        : rangeMs <= QUARTER_RANGE_MAX_MS
          ? 'quarter'
          : 'hour'
  const { place } = TIERS[best]
  const further = TIER_NAMES.slice(place + 1).filter((name) => reach[name] < reach[best] - DAY_MS)
  const candidates = [best, ...further]
  const enough = candidates.find((name) => reach[name] <= fromMs)
  return enough ?? candidates.reduce((a, b) => (reach[b] < reach[a] ? b : a))
}
