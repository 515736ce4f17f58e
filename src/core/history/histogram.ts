/**
 * Counts values in fixed buckets, 16 to the octave, each 4.4 % wide, so that histograms of any time and
 * resolution add up. Stores only the buckets that are not empty, lowest first.
 */
export type Histogram = { readonly buckets: readonly number[]; readonly counts: readonly number[] }

export const EMPTY_HISTOGRAM: Histogram = { buckets: [], counts: [] }

const PER_OCTAVE = 16
/** Bucket 1 begins at 2^-10, and everything below is bucket 0. The last bucket begins at 2^53. */
const OCTAVES_BELOW_1 = 10
const LAST = (OCTAVES_BELOW_1 + 53) * PER_OCTAVE
export const BUCKETS = LAST + 1

/** The bucket of a value; 0 up to 2^-10. */
export function bucketOf(value: number): number {
  if (!(value > 2 ** -OCTAVES_BELOW_1)) return 0
  return Math.min(LAST, 1 + Math.floor((Math.log2(value) + OCTAVES_BELOW_1) * PER_OCTAVE))
}

/** The geometric middle of a bucket, within 2.2 % of every value in it. */
export const middleOf = (bucket: number): number =>
  bucket === 0 ? 0 : 2 ** ((bucket - 0.5) / PER_OCTAVE - OCTAVES_BELOW_1)

export function addHistograms(one: Histogram, other: Histogram): Histogram {
  if (other.buckets.length === 0) return one
  if (one.buckets.length === 0) return other
  const buckets: number[] = []
  const counts: number[] = []
  let at = 0
  let to = 0
  while (at < one.buckets.length || to < other.buckets.length) {
    const mine = one.buckets[at] ?? BUCKETS
    const theirs = other.buckets[to] ?? BUCKETS
    buckets.push(Math.min(mine, theirs))
    counts.push(
      (mine <= theirs ? (one.counts[at++] ?? 0) : 0) + (theirs <= mine ? (other.counts[to++] ?? 0) : 0),
    )
  }
  return { buckets, counts }
}

/** Counts values until the histogram is read, then starts again. */
export function createTally() {
  const all = new Uint32Array(BUCKETS)
  let used: number[] = []
  return {
    add: (value: number): void => {
      const bucket = bucketOf(value)
      if (all[bucket] === 0) used.push(bucket)
      all[bucket] = (all[bucket] ?? 0) + 1
    },
    take: (): Histogram => {
      if (used.length === 0) return EMPTY_HISTOGRAM
      const buckets = used.toSorted((a, b) => a - b)
      const counts = buckets.map((bucket) => all[bucket] ?? 0)
      for (const bucket of buckets) all[bucket] = 0
      used = []
      return { buckets, counts }
    },
  }
}

/** The value at rank ceil(share × count), to 2.2 %; NaN for an empty histogram. `share`: 0 to 1. */
export function quantile({ buckets, counts }: Histogram, share: number): number {
  let count = 0
  for (let index = 0; index < counts.length; index++) count += counts[index] ?? 0
  const rank = Math.max(1, Math.ceil(share * count))
  let seen = 0
  for (let index = 0; index < buckets.length; index++) {
    seen += counts[index] ?? 0
    if (seen >= rank) return middleOf(buckets[index] ?? 0)
  }
  return Number.NaN
}
