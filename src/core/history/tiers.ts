import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'

/** Segments of time, each a range of keys. Retention deletes whole segments. */
export const SEGMENTS = {
  samples: { rank: 0, spanMs: 7 * DAY_MS },
  minute: { rank: 1, spanMs: 28 * DAY_MS },
  coarse: { rank: 2, spanMs: 28 * DAY_MS },
} as const
export type SegmentKind = keyof typeof SEGMENTS
export const SEGMENT_KINDS = ['samples', 'minute', 'coarse'] as const

/**
 * The resolutions, finest first. A block has a node's rows of `blockMs`. While samples exist, minutes are
 * computed from them on reading: at a 10 s interval they would take more space than the samples.
 */
export const TIERS = {
  samples: { rank: 0, segment: 'samples', stepMs: 0, blockMs: DAY_MS },
  minute: { rank: 1, segment: 'minute', stepMs: MINUTE_MS, blockMs: 7 * DAY_MS },
  quarter: { rank: 2, segment: 'coarse', stepMs: 15 * MINUTE_MS, blockMs: DAY_MS },
  hour: { rank: 3, segment: 'coarse', stepMs: HOUR_MS, blockMs: 7 * DAY_MS },
} as const
export type TierName = keyof typeof TIERS
export const TIER_NAMES = ['samples', 'minute', 'quarter', 'hour'] as const

export type SegmentId = { readonly kind: SegmentKind; readonly index: number }

export const segmentAt = (kind: SegmentKind, atMs: number): SegmentId => ({
  kind,
  index: Math.floor(atMs / SEGMENTS[kind].spanMs),
})

export const segmentFromMs = ({ kind, index }: SegmentId): number => index * SEGMENTS[kind].spanMs
export const segmentToMs = ({ kind, index }: SegmentId): number => (index + 1) * SEGMENTS[kind].spanMs
