import type { TimeRange } from '#base/time.ts'
import type { MetricKind } from '#metrics/metric.ts'
import { addHistograms, EMPTY_HISTOGRAM, type Histogram } from './histogram.ts'
import type { StoredMetric } from './series.ts'

/** Columns by outcome code, status word or name, each as long as `startMs`. */
export type ByKey<K> = Map<K, number[]>

export type RolledMetric = {
  readonly metric: StoredMetric
  /** By the names in `COLUMNS`; for a state, how long it had each word, in ms. */
  readonly columns: ByKey<string>
  /** Undefined if the metric has no distribution, or the steps are too short for one. */
  readonly spread: Histogram[] | undefined
}

/**
 * Steps of equal length, aligned to the epoch, oldest first. An unwatched step without a value has no row.
 */
export type Rollup = {
  readonly stepMs: number
  readonly startMs: readonly number[]
  /** By outcome code, the polls with that outcome and how long it lasted. */
  readonly polls: ByKey<number>
  readonly outcomeMs: ByKey<number>
  /** When the first and the last poll of each step began, Unix ms; NaN for none. */
  readonly firstPollMs: number[]
  readonly lastPollMs: number[]
  readonly withSpread: boolean
  readonly metrics: readonly RolledMetric[]
}

const VALUES = ['min', 'max', 'first', 'last', 'sum', 'count'] as const

/**
 * The columns of each kind. `unwatched`: increases from gaps, which `increase` excludes, in the step of the
 * poll that ended the gap. `count` is 0 for a step without a value. Sums have six decimals.
 */
export const COLUMNS = {
  gauge: VALUES,
  timestamp: VALUES,
  counter: ['increase', 'unwatched', 'restarts'],
  fingerprint: ['changes'],
  state: [],
} as const satisfies Readonly<Record<MetricKind, readonly string[]>>

/** How to merge two rows of a column, the earlier first. Merging `none` with a row gives that row. */
type Rule<T> = { readonly none: T; readonly add: (one: T, other: T) => T }

const SUM: Rule<number> = { none: 0, add: (one, other) => one + other }
const MIN: Rule<number> = {
  none: Number.NaN,
  add: (one, other) => (other < one || one !== one ? other : one),
}
const MAX: Rule<number> = {
  none: Number.NaN,
  add: (one, other) => (other > one || one !== one ? other : one),
}
const RULES: ReadonlyMap<string, Rule<number>> = new Map([
  ['min', MIN],
  ['max', MAX],
  ['first', { none: Number.NaN, add: (one, other) => (one === one ? one : other) }],
  ['last', { none: Number.NaN, add: (one, other) => (other === other ? other : one) }],
  ['sum', { none: 0, add: (one, other) => tidySum(one + other) }],
])
const SPREAD: Rule<Histogram> = { none: EMPTY_HISTOGRAM, add: addHistograms }

const ruleOf = (kind: MetricKind, name: string): Rule<number> =>
  (kind === 'state' ? undefined : RULES.get(name)) ?? SUM

/** Sums of decimals carry errors in their last bits, which would compress badly. */
export const tidySum = (sum: number): number => {
  const tidy = Math.round(sum * 1e6) / 1e6 + 0 // Turns -0 into 0.
  return Math.abs(sum) < 1e9 ? tidy : sum
}

/** A rollup of steps without values. */
export function createRollup(
  stepMs: number,
  withSpread: boolean,
  metrics: readonly StoredMetric[],
  startMs: readonly number[] = [],
): Rollup {
  const filled = <T>(value: T): T[] => startMs.map(() => value)
  return {
    stepMs,
    startMs,
    polls: new Map(),
    outcomeMs: new Map(),
    firstPollMs: filled(Number.NaN),
    lastPollMs: filled(Number.NaN),
    withSpread,
    metrics: metrics.map((metric) => ({
      metric,
      columns: new Map(COLUMNS[metric.kind].map((name) => [name, filled(ruleOf(metric.kind, name).none)])),
      spread: withSpread && metric.distribution !== undefined ? filled(EMPTY_HISTOGRAM) : undefined,
    })),
  }
}

export const rolledMetric = ({ metrics }: Rollup, id: string): RolledMetric | undefined =>
  metrics.find(({ metric }) => metric.id === id)

/** One of its columns; empty if the rollup does not have it. */
export const rolledColumn = (
  rollup: Rollup,
  id: string,
  name: (typeof COLUMNS)[MetricKind][number],
): readonly number[] => rolledMetric(rollup, id)?.columns.get(name) ?? []

/** Adds to a row of a column; missing rows before it become 0. */
export function addTo<K>(by: ByKey<K>, key: K, row: number, amount: number): void {
  let column = by.get(key)
  if (column === undefined) by.set(key, (column = []))
  while (column.length <= row) column.push(0)
  column[row] = (column[row] ?? 0) + amount
}

/** Joins rollups of one node and step that follow each other in time. */
export function joinRollups(parts: readonly Rollup[], stepMs: number, withSpread: boolean): Rollup {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const known = new Map(parts.flatMap(({ metrics }) => metrics.map(({ metric }) => [metric.id, metric])))
  const joined = <T>(columnOf: (part: Rollup) => readonly T[] | undefined, none: T): T[] => {
    const nothing: T[] = []
    return nothing.concat(...parts.map((part) => columnOf(part) ?? part.startMs.map(() => none)))
  }
  const keyed = <K>(
    byOf: (part: Rollup) => ByKey<K> | undefined,
    noneOf: (key: K) => number = () => SUM.none,
  ): ByKey<K> => {
    const keys = new Set(parts.flatMap((part) => Array.from(byOf(part)?.keys() ?? [])))
    return new Map(
      Array.from(keys, (key) => [key, joined((part) => byOf(part)?.get(key), noneOf(key))] as const),
    )
  }
  return {
    stepMs,
    withSpread,
    startMs: joined(({ startMs }) => startMs, 0),
    polls: keyed(({ polls }) => polls),
    outcomeMs: keyed(({ outcomeMs }) => outcomeMs),
    firstPollMs: joined(({ firstPollMs }) => firstPollMs, Number.NaN),
    lastPollMs: joined(({ lastPollMs }) => lastPollMs, Number.NaN),
    metrics: Array.from(known.values(), (metric) => {
      const of = (part: Rollup): RolledMetric | undefined => {
        const rolled = rolledMetric(part, metric.id)
        return rolled?.metric.kind === metric.kind ? rolled : undefined
      }
      return {
        metric,
        columns: keyed(
          (part) => of(part)?.columns,
          (name) => ruleOf(metric.kind, name).none,
        ),
        spread:
          withSpread && metric.distribution !== undefined
            ? joined((part) => of(part)?.spread, EMPTY_HISTOGRAM)
            : undefined,
      }
    }),
  }
}

/** Maps every column, with the rule that merges its rows. */
function mapColumns(rollup: Rollup, map: <T>(column: readonly T[], rule: Rule<T>) => T[]): Rollup {
  const keyed = <K>(by: ByKey<K>, ruleFor: (key: K) => Rule<number>): ByKey<K> =>
    new Map(Array.from(by, ([key, column]) => [key, map(column, ruleFor(key))]))
  return {
    ...rollup,
    polls: keyed(rollup.polls, () => SUM),
    outcomeMs: keyed(rollup.outcomeMs, () => SUM),
    firstPollMs: map(rollup.firstPollMs, MIN),
    lastPollMs: map(rollup.lastPollMs, MAX),
    metrics: rollup.metrics.map(({ metric, columns, spread }) => ({
      metric,
      columns: keyed(columns, (name) => ruleOf(metric.kind, name)),
      spread: spread && map(spread, SPREAD),
    })),
  }
}

/** Aggregates a rollup to a step that is a whole multiple of its own. */
export function coarsen(fine: Rollup, stepMs: number): Rollup {
  const startMs: number[] = []
  const coarseRows = fine.startMs.map((atMs) => {
    const start = Math.floor(atMs / stepMs) * stepMs
    return startMs.at(-1) === start ? startMs.length - 1 : startMs.push(start) - 1
  })
  const merged = mapColumns(fine, (column, { none, add }) => {
    const sums = startMs.map(() => none)
    for (const [row, value] of column.entries()) {
      const coarseRow = coarseRows[row] ?? 0
      sums[coarseRow] = add(sums[coarseRow] ?? none, value)
    }
    return sums
  })
  return { ...merged, stepMs, startMs }
}

/** The steps that start in `[fromMs, toMs)`. */
export function stepsWithin(rollup: Rollup, fromMs: number, toMs: number): Rollup {
  const start = rollup.startMs.findIndex((atMs) => atMs >= fromMs)
  return cutRows(
    rollup,
    Math.max(0, start),
    start < 0 ? 0 : rollup.startMs.findLastIndex((atMs) => atMs < toMs) + 1,
  )
}

/** Rows `[start, end)`, with every key. */
function cutRows(rollup: Rollup, start: number, end: number): Rollup {
  if (start === 0 && end === rollup.startMs.length) return rollup
  const cut = <T>(column: readonly T[]): T[] => column.slice(start, Math.max(start, end))
  return { ...mapColumns(rollup, cut), startMs: cut(rollup.startMs) }
}

const pollsIn = ({ polls }: Rollup, row: number): number => {
  let sum = 0
  for (const column of polls.values()) sum += column[row] ?? 0
  return sum
}

/**
 * Replaces the steps of a window with fresh ones. A stored step with more polls stays: its samples are gone.
 */
export function replaceSteps(stored: Rollup, fresh: Rollup, { fromMs, toMs }: TimeRange): Rollup {
  const chosen = new Map<number, { readonly from: Rollup; readonly row: number; readonly polls: number }>()
  for (const from of [stored, fresh])
    for (const [row, startMs] of from.startMs.entries()) {
      const polls = pollsIn(from, row)
      if (from === stored && polls === 0 && startMs >= fromMs && startMs < toMs) continue
      if (polls >= (chosen.get(startMs)?.polls ?? 0)) chosen.set(startMs, { from, row, polls })
    }
  const runs: { readonly from: Rollup; readonly start: number; end: number }[] = []
  for (const startMs of Array.from(chosen.keys()).toSorted((a, b) => a - b)) {
    const { from = fresh, row = 0 } = chosen.get(startMs) ?? {}
    const last = runs.at(-1)
    if (last?.from === from && last.end === row) last.end++
    else runs.push({ from, start: row, end: row + 1 })
  }
  const parts = runs.map(({ from, start, end }) => cutRows(from, start, end))
  return parts.length === 0
    ? cutRows(stored, 0, 0)
    : joinRollups(parts, stored.stepMs, stored.withSpread && fresh.withSpread)
}
