import type { Usual, UsualQuery, UsualRange } from './history.ts'
import { addRollups, cutRows, rolledColumn, type ByKey, type Rollup } from './rollup.ts'
import { ANSWERED, type StoredMetric } from './series.ts'
import { TIERS } from './tiers.ts'

const STEP_MS = TIERS.minute.stepMs

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

/** 1-minute rollups, of which the steps that start in `[fromMs, toMs)` count. */
export type UsualPart = { readonly minutes: Rollup; readonly fromMs: number; readonly toMs: number }

/** What was read of one node up to a time. */
export type KnownUsual = {
  readonly toMs: number
  /** Hours to which nothing comes any more, one after another; and what follows them. */
  readonly closed: readonly UsualPart[]
  readonly open: UsualPart
  readonly values: Usual
  readonly isWhole: boolean
}

/** What of the parts is from this time on: columns for seven days are not to be held for fourteen. */
export const partsFrom = (parts: readonly UsualPart[], fromMs: number): readonly UsualPart[] =>
  parts
    .filter((part) => part.toMs > fromMs)
    .map((part) => {
      if (part.fromMs >= fromMs) return part
      const { startMs } = part.minutes
      return { ...part, fromMs, minutes: cutRows(part.minutes, firstPlace(startMs, fromMs), startMs.length) }
    })

/**
 * With a part that follows. Hours become days: each part has its columns, which are as large as a few rows. What was read beside
 * the part's own time is in the parts next to it.
 */
export function withPart(parts: readonly UsualPart[], next: UsualPart): readonly UsualPart[] {
  const last = parts.at(-1)
  const isJoined = last !== undefined && next.toMs - last.fromMs <= DAY_MS
  const fromMs = isJoined ? last.fromMs : next.fromMs
  const useful = usefulOf(next)
  const all = isJoined ? addRollups([last.minutes, useful], STEP_MS) : useful
  // Columns that were added to, row by row, are longer than what is in them.
  const minutes = cutRows(all, 0, all.startMs.length)
  return [...(isJoined ? parts.slice(0, -1) : parts), { minutes, fromMs, toMs: next.toMs }]
}

/** Only what is asked of them: with a column of seven days for each way to fail, a node that fails would take twice as much. */
function usefulOf({ minutes, fromMs, toMs }: UsualPart): Rollup {
  const { startMs } = minutes
  const within = cutRows(minutes, firstPlace(startMs, fromMs), firstPlace(startMs, toMs))
  return {
    ...within,
    polls: answeredOf(within.polls),
    outcomeMs: answeredOf(within.outcomeMs),
    metrics: within.metrics.filter(
      ({ metric }) => metric.kind === 'counter' || metric.distribution !== undefined,
    ),
  }
}

const answeredOf = (by: ByKey<number>): ByKey<number> =>
  new Map(Array.from(by).filter(([outcome]) => outcome === ANSWERED))

/** From 1-minute rollups, which are fine enough that the lowest, the highest and the middle of each stand for its values. Parts follow each other. */
export const usualOf = (
  parts: readonly UsualPart[],
  { toMs, barMs }: Pick<UsualQuery, 'toMs' | 'barMs'>,
): Usual => ({ ...usualValues(parts, toMs), ...usualBars(parts, toMs, barMs) })

export function usualValues(parts: readonly UsualPart[], toMs: number): Usual {
  const spans = spansIn(parts, toMs)
  const watchedMs = watchedIn(spans)
  const polls = sumOver(spans, (minutes) => minutes.polls.get(ANSWERED))
  const usual: Record<string, UsualRange> = {}
  for (const id of idsIn(parts, ({ distribution }) => distribution !== undefined)) {
    const count = sumOver(spans, (minutes) => rolledColumn(minutes, id, 'count'))
    const isKnown = polls > 0 && (watchedMs * count) / polls >= USUAL_KNOWN_MS
    const range = isKnown ? between(weighed(spans, id)) : undefined
    if (range !== undefined) usual[id] = range
  }
  return usual
}

export function usualBars(parts: readonly UsualPart[], toMs: number, barMs: number): Usual {
  const spans = spansIn(parts, toMs)
  const usual: Record<string, UsualRange> = {}
  if (watchedIn(spans) < USUAL_KNOWN_MS || barMs % STEP_MS !== 0) return usual
  for (const id of idsIn(parts, ({ kind }) => kind === 'counter')) {
    const range = between(wholeBars(spans, id, barMs))
    if (range !== undefined) usual[id] = range
  }
  return usual
}

/** The metrics of such a kind that some of the parts know. */
const idsIn = (
  parts: readonly UsualPart[],
  isMeant: (metric: StoredMetric) => boolean,
): ReadonlySet<string> =>
  new Set(
    parts.flatMap(({ minutes }) =>
      minutes.metrics.flatMap(({ metric }) => (isMeant(metric) ? metric.id : [])),
    ),
  )

/** Rows `[from, to)` of a roll-up. */
type Span = { readonly minutes: Rollup; readonly from: number; readonly to: number }

const spansIn = (parts: readonly UsualPart[], toMs: number): readonly Span[] =>
  parts.map((part) => ({
    minutes: part.minutes,
    from: firstPlace(part.minutes.startMs, Math.max(part.fromMs, toMs - USUAL_MS)),
    to: firstPlace(part.minutes.startMs, Math.min(part.toMs, toMs)),
  }))

/** Of rows in order, the place of the first that starts at this time or later. */
const firstPlace = (startMs: readonly number[], atMs: number): number => {
  const place = startMs.findIndex((start) => start >= atMs)
  return place < 0 ? startMs.length : place
}

/** For how long the node's last request was one that was answered. */
const watchedIn = (spans: readonly Span[]): number =>
  sumOver(spans, (minutes) => minutes.outcomeMs.get(ANSWERED))

function sumOver(
  spans: readonly Span[],
  columnOf: (minutes: Rollup) => readonly number[] | undefined,
): number {
  let sum = 0
  for (const { minutes, from, to } of spans) {
    const column = columnOf(minutes)
    for (let place = from; place < to; place++) sum += column?.[place] ?? 0
  }
  return sum
}

/** Values, and how many there are of each: tens of thousands, of which only the order matters. */
type Weights = Map<number, number>

const add = (weights: Weights, value: number, weight: number): void => {
  weights.set(value, (weights.get(value) ?? 0) + weight)
}

/** The lowest and the highest of each step are known; the others stand at their mean. */
function weighed(spans: readonly Span[], id: string): Weights {
  const weights: Weights = new Map()
  for (const { minutes, from, to } of spans) {
    const [min, max, sum, count] = (['min', 'max', 'sum', 'count'] as const).map((name) =>
      rolledColumn(minutes, id, name),
    )
    for (let place = from; place < to; place++) {
      const [low = Number.NaN, high = Number.NaN, n = 0] = [min?.[place], max?.[place], count?.[place]]
      if (n > 0) add(weights, low, 1)
      if (n > 1) add(weights, high, 1)
      // Sums are rounded, so that the mean of equal values may miss them by a hair.
      const mean = Math.min(high, Math.max(low, ((sum?.[place] ?? 0) - low - high) / (n - 2)))
      if (n > 2) add(weights, mean, n - 2)
    }
  }
  return weights
}

/** What came in each bar that was watched all the time, on multiples of its width since 1970. */
function wholeBars(spans: readonly Span[], id: string, barMs: number): Weights {
  const bars = new Map<number, { increase: number; knownMs: number }>()
  for (const { minutes, from, to } of spans) {
    const { startMs, outcomeMs } = minutes
    const increase = rolledColumn(minutes, id, 'increase')
    const known = outcomeMs.get(ANSWERED)
    for (let place = from; place < to; place++) {
      const which = Math.floor((startMs[place] ?? 0) / barMs)
      const bar = bars.get(which) ?? { increase: 0, knownMs: 0 }
      bars.set(which, bar)
      bar.increase += increase[place] ?? 0
      bar.knownMs += known?.[place] ?? 0
    }
  }
  const weights: Weights = new Map()
  let whole = 0
  for (const { increase, knownMs } of bars.values())
    if (knownMs >= barMs * BAR_KNOWN) {
      whole++
      add(weights, increase, 1)
    }
  return whole < BARS_MIN ? new Map() : weights
}

/** The values at ranks 5 and 95 of 100; undefined where there is none. */
function between(weights: Weights): UsualRange | undefined {
  const sorted = Float64Array.from(weights.keys()).toSorted()
  let total = 0
  for (const weight of weights.values()) total += weight
  const at = (share: number): number | undefined => {
    let seen = 0
    return sorted.find((value) => (seen += weights.get(value) ?? 0) >= share * total)
  }
  const [low, high] = [at(LOW_SHARE), at(HIGH_SHARE)]
  return low === undefined || high === undefined ? undefined : [low, high]
}
