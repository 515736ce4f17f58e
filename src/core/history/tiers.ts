const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Time is cut into segments, each a database of its own, so that what is too old goes by
 * deleting whole databases: nothing else gives room back at once.
 */
export const SEGMENTS = {
  samples: { spanMs: 7 * DAY_MS },
  minute: { spanMs: 28 * DAY_MS },
  coarse: { spanMs: 28 * DAY_MS },
} as const
export type SegmentKind = keyof typeof SEGMENTS

/**
 * The resolutions, finest first. New rows of a node go into a record of `partMs`; when the
 * day is over, the records of each `blockMs` become one. Both are whole parts of the segment.
 */
export const TIERS = {
  samples: { place: 0, segment: 'samples', stepMs: 0, partMs: HOUR_MS, blockMs: DAY_MS },
  minute: { place: 1, segment: 'minute', stepMs: 60_000, partMs: HOUR_MS, blockMs: DAY_MS },
  quarter: { place: 2, segment: 'coarse', stepMs: 900_000, partMs: DAY_MS, blockMs: 7 * DAY_MS },
  hour: { place: 3, segment: 'coarse', stepMs: HOUR_MS, partMs: DAY_MS, blockMs: 28 * DAY_MS },
} as const
export type TierName = keyof typeof TIERS
export const TIER_NAMES = ['samples', 'minute', 'quarter', 'hour'] as const

/** A minute holds too few samples for a distribution; from here on each step has one. */
export const SPREAD_FROM_MS = TIERS.quarter.stepMs

export type SegmentId = { readonly kind: SegmentKind; readonly index: number }

/** Databases of history begin so. */
export const HISTORY_PREFIX = 'immune-history'

export const segmentName = ({ kind, index }: SegmentId): string => `${HISTORY_PREFIX}-${kind}-${index}`

/** Undefined for a database that is none of history's. */
export function segmentOfName(name: string): SegmentId | undefined {
  const match = /^immune-history-(samples|minute|coarse)-(-?\d{1,9})$/.exec(name)
  const kind = match?.[1]
  if (kind !== 'samples' && kind !== 'minute' && kind !== 'coarse') return undefined
  return { kind, index: Number(match?.[2]) }
}

export const segmentAt = (kind: SegmentKind, atMs: number): SegmentId => ({
  kind,
  index: Math.floor(atMs / SEGMENTS[kind].spanMs),
})

export const segmentFromMs = ({ kind, index }: SegmentId): number => index * SEGMENTS[kind].spanMs
export const segmentToMs = ({ kind, index }: SegmentId): number => (index + 1) * SEGMENTS[kind].spanMs

/** Every segment of a kind that `[fromMs, toMs)` touches, oldest first; only ones that exist, so that no range is too long. */
export const segmentsIn = (
  kind: SegmentKind,
  fromMs: number,
  toMs: number,
  existing: Iterable<string>,
): readonly SegmentId[] =>
  Array.from(existing, segmentOfName)
    .filter(
      (id): id is SegmentId => id?.kind === kind && segmentFromMs(id) < toMs && segmentToMs(id) > fromMs,
    )
    .toSorted((a, b) => a.index - b.index)

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
