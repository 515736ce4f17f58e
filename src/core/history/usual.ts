import type { Rollup, ValueColumns, ValueName } from './rollup.ts'
import { OUTCOMES } from './series.ts'

const DAY_MS = 86_400_000
/** How far back what is usual looks. */
export const USUAL_MS = 7 * DAY_MS
/** Of less than this nothing is called usual. */
export const USUAL_KNOWN_MS = DAY_MS
/** And of fewer bars than this. */
const BARS_MIN = 10
/** The share of a bar that has to be known, or it is no whole one. */
const BAR_KNOWN = 0.9
const LOW_SHARE = 0.05
const HIGH_SHARE = 0.95

/** What 90 of 100 values lay between: the 5th and the 95th of 100. */
export type UsualRange = readonly [low: number, high: number]

/** What was usual in the last seven days; a value of which less than a day is known has no range. */
export type Usual = {
  /** Ms. */
  readonly heartbeatAge?: UsualRange
  /** 0 to 1. */
  readonly participation?: UsualRange
  /** Ms. */
  readonly latency?: UsualRange
  /** Threat responses in one bar of the query's width. */
  readonly threats?: UsualRange
}

export type UsualQuery = {
  readonly node: string
  /** End of the seven days, Unix ms. */
  readonly toMs: number
  /** Width of one threat bar; only whole minutes have a range. */
  readonly barMs: number
}

/** From sums of a minute, which are fine enough that the lowest, the highest and the middle of each stand for its values. */
export function usualOf(minutes: Rollup, { toMs, barMs }: Pick<UsualQuery, 'toMs' | 'barMs'>): Usual {
  const places = placesIn(minutes, toMs - USUAL_MS, toMs)
  const knownMs = answeredMs(minutes)
  const polls = answeredPolls(minutes, places)
  const watchedMs = places.reduce((sumMs, place) => sumMs + knownMs(place), 0)
  const rangeOf = (name: ValueName): UsualRange | undefined => {
    const columns = minutes.values[name]
    const count = places.reduce((sum, place) => sum + (columns.count[place] ?? 0), 0)
    const isKnown = polls > 0 && (watchedMs * count) / polls >= USUAL_KNOWN_MS
    return isKnown ? between(weighed(columns, places)) : undefined
  }
  const ranges = {
    heartbeatAge: rangeOf('heartbeatAgeMs'),
    participation: rangeOf('participation'),
    latency: rangeOf('latencyMs'),
    threats:
      watchedMs >= USUAL_KNOWN_MS && barMs % minutes.stepMs === 0
        ? between(wholeBars(minutes, places, barMs, knownMs))
        : undefined,
  }
  const { heartbeatAge, participation, latency, threats } = ranges
  return {
    ...(heartbeatAge && { heartbeatAge }),
    ...(participation && { participation }),
    ...(latency && { latency }),
    ...(threats && { threats }),
  }
}

const placesIn = ({ startMs }: Rollup, fromMs: number, toMs: number): readonly number[] =>
  Array.from(startMs.keys()).filter((place) => {
    const atMs = startMs[place] ?? Number.NaN
    return atMs >= fromMs && atMs < toMs
  })

const ANSWERED = OUTCOMES.indexOf('answered')

/** For how much of a step the node's last request was one that was answered. */
const answeredMs =
  ({ outcomeMs }: Rollup) =>
  (place: number): number =>
    outcomeMs.get(ANSWERED)?.[place] ?? 0

const answeredPolls = ({ polls }: Rollup, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (polls.get(ANSWERED)?.[place] ?? 0), 0)

/** A value, and of how many it stands. */
type Weighed = { readonly value: number; readonly weight: number }

/** The lowest and the highest of each step are known; the others stand at their mean. */
function weighed({ min, max, sum, count }: ValueColumns, places: readonly number[]): readonly Weighed[] {
  return places.flatMap((place): readonly Weighed[] => {
    const [low, high, n] = [min[place] ?? Number.NaN, max[place] ?? Number.NaN, count[place] ?? 0]
    if (n === 0) return []
    if (n === 1) return [{ value: low, weight: 1 }]
    const ends = [
      { value: low, weight: 1 },
      { value: high, weight: 1 },
    ]
    if (n === 2) return ends
    // Sums are rounded, so that the mean of equal values may miss them by a hair.
    const mean = Math.min(high, Math.max(low, ((sum[place] ?? 0) - low - high) / (n - 2)))
    return [...ends, { value: mean, weight: n - 2 }]
  })
}

/** What came in each bar that was watched all the time, on multiples of its width since 1970. */
function wholeBars(
  { startMs, threatIncrease }: Rollup,
  places: readonly number[],
  barMs: number,
  knownMs: (place: number) => number,
): readonly Weighed[] {
  const bars = new Map<number, { increase: number; knownMs: number }>()
  for (const place of places) {
    const fromMs = Math.floor((startMs[place] ?? 0) / barMs) * barMs
    const bar = bars.get(fromMs) ?? { increase: 0, knownMs: 0 }
    bars.set(fromMs, bar)
    bar.increase += threatIncrease[place] ?? 0
    bar.knownMs += knownMs(place)
  }
  const whole = Array.from(bars.values()).filter((bar) => bar.knownMs >= barMs * BAR_KNOWN)
  return whole.length < BARS_MIN ? [] : whole.map(({ increase }) => ({ value: increase, weight: 1 }))
}

/** The values at ranks 5 and 95 of 100; undefined where there is none. */
function between(values: readonly Weighed[]): UsualRange | undefined {
  const sorted = values.toSorted((a, b) => a.value - b.value)
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0)
  const at = (share: number): number | undefined => {
    let seen = 0
    return sorted.find(({ weight }) => (seen += weight) >= share * total)?.value
  }
  const [low, high] = [at(LOW_SHARE), at(HIGH_SHARE)]
  return low === undefined || high === undefined ? undefined : [low, high]
}
