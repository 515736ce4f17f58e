import { DAY_MS } from '#base/time.ts'
import { sum } from '#base/sum.ts'
import type { Usual, UsualRange } from './charts.ts'
import { rolledColumn, type Rollup } from '#history/rollup.ts'
import { ANSWERED, type StoredMetric } from '#history/series.ts'
import { TIERS } from '#history/tiers.ts'

const STEP_MS = TIERS.minute.stepMs

export const USUAL_MS = 7 * DAY_MS
/** Metrics with less data have no usual range. */
export const USUAL_KNOWN_MS = DAY_MS
/** Counters with fewer bars have no usual range. */
const BARS_MIN = 10
/** The share of a bar that must be known. */
const BAR_KNOWN = 0.9
const LOW_SHARE = 0.05
const HIGH_SHARE = 0.95

/** The part of 1-minute rollups that `usualBars` reads, about a tenth of them. */
export const countersOf = (minutes: Rollup): Rollup => ({
  ...minutes,
  polls: new Map(),
  outcomeMs: new Map(Array.from(minutes.outcomeMs).filter(([outcome]) => outcome === ANSWERED)),
  firstPollMs: [],
  lastPollMs: [],
  metrics: minutes.metrics
    .filter(({ metric }) => metric.kind === 'counter')
    .map(({ columns, ...counter }) => ({
      ...counter,
      columns: new Map(Array.from(columns).filter(([name]) => name === 'increase')),
    })),
})

/** A minute is short enough that its lowest, highest and mean value represent it. */
export function usualValues(minutes: Rollup): Usual {
  const polls = sum(minutes.polls.get(ANSWERED))
  const usual: Record<string, UsualRange> = {}
  for (const id of idsIn(minutes, ({ distribution }) => distribution !== undefined)) {
    const count = sum(rolledColumn(minutes, id, 'count'))
    const isKnown = polls > 0 && (watchedIn(minutes) * count) / polls >= USUAL_KNOWN_MS
    const range = isKnown ? between(weighed(minutes, id)) : undefined
    if (range !== undefined) usual[id] = range
  }
  return usual
}

export function usualBars(minutes: Rollup, barMs: number): Usual {
  const usual: Record<string, UsualRange> = {}
  if (watchedIn(minutes) < USUAL_KNOWN_MS || barMs % STEP_MS !== 0) return usual
  for (const id of idsIn(minutes, ({ kind }) => kind === 'counter')) {
    const range = between(wholeBars(minutes, id, barMs))
    if (range !== undefined) usual[id] = range
  }
  return usual
}

const idsIn = ({ metrics }: Rollup, isWanted: (metric: StoredMetric) => boolean): readonly string[] =>
  metrics.flatMap(({ metric }) => (isWanted(metric) ? metric.id : []))

/** The time during which the node's latest poll was answered, ms. */
const watchedIn = ({ outcomeMs }: Rollup): number => sum(outcomeMs.get(ANSWERED))

/** The number of occurrences of each value. There are tens of thousands, and only their order matters. */
type Weights = Map<number, number>

const add = (weights: Weights, value: number, weight: number): void => {
  weights.set(value, (weights.get(value) ?? 0) + weight)
}

/** The lowest and highest value of each step are known; the others count as their mean. */
function weighed(minutes: Rollup, id: string): Weights {
  const weights: Weights = new Map()
  const [min, max, sums] = (['min', 'max', 'sum'] as const).map((name) => rolledColumn(minutes, id, name))
  for (const [row, n] of rolledColumn(minutes, id, 'count').entries()) {
    const [low = Number.NaN, high = Number.NaN] = [min?.[row], max?.[row]]
    if (n > 0) add(weights, low, 1)
    if (n > 1) add(weights, high, 1)
    // Sums are rounded, so the mean of equal values can be slightly off.
    const mean = Math.min(high, Math.max(low, ((sums?.[row] ?? 0) - low - high) / (n - 2)))
    if (n > 2) add(weights, mean, n - 2)
  }
  return weights
}

/** The increase in each bar that was watched throughout. Bars are aligned to the epoch. */
function wholeBars(minutes: Rollup, id: string, barMs: number): Weights {
  const bars = new Map<number, { increase: number; knownMs: number }>()
  const increase = rolledColumn(minutes, id, 'increase')
  const known = minutes.outcomeMs.get(ANSWERED)
  for (const [row, start] of minutes.startMs.entries()) {
    const which = Math.floor(start / barMs)
    const bar = bars.get(which) ?? { increase: 0, knownMs: 0 }
    bars.set(which, bar)
    bar.increase += increase[row] ?? 0
    bar.knownMs += known?.[row] ?? 0
  }
  const whole = Array.from(bars.values()).filter(({ knownMs }) => knownMs >= barMs * BAR_KNOWN)
  const weights: Weights = new Map()
  if (whole.length >= BARS_MIN) for (const bar of whole) add(weights, bar.increase, 1)
  return weights
}

/** The values at ranks 5 and 95 of 100; undefined if there are none. */
function between(weights: Weights): UsualRange | undefined {
  const sorted = Float64Array.from(weights.keys()).toSorted()
  let all = 0
  for (const weight of weights.values()) all += weight
  const at = (share: number): number | undefined => {
    let seen = 0
    return sorted.find((value) => (seen += weights.get(value) ?? 0) >= share * all)
  }
  const [low, high] = [at(LOW_SHARE), at(HIGH_SHARE)]
  return low === undefined || high === undefined ? undefined : [low, high]
}
