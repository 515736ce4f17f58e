import type { MetricKind } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { addHistograms, EMPTY_HISTOGRAM, type Histogram } from './histogram.ts'
import type { StoredMetric } from './series.ts'

/** Columns by outcome code, by status word or by name, each as long as `startMs`. */
export type ByKey<K> = Map<K, number[]>

/** What was rolled up of one metric. */
export type RolledMetric = {
  readonly metric: StoredMetric
  /** By the names of `COLUMNS`; of a state the milliseconds for which it was each word. */
  readonly columns: ByKey<string>
  /** Undefined for a metric without, and in steps too short for a distribution. */
  readonly spread: Histogram[] | undefined
}

/**
 * Steps of equal length, on multiples of it since 1970, oldest first. A step in which
 * nothing was known and nobody watched has no row.
 */
export type Rollup = {
  readonly stepMs: number
  readonly startMs: readonly number[]
  /** Code of an outcome to the polls that ended so, and to the time for which that held. */
  readonly polls: ByKey<number>
  readonly outcomeMs: ByKey<number>
  /** When the first and the last poll of each step began, Unix ms; NaN where none did. */
  readonly firstPollMs: number[]
  readonly lastPollMs: number[]
  readonly withSpread: boolean
  readonly metrics: readonly RolledMetric[]
}

const VALUES = ['min', 'max', 'first', 'last', 'sum', 'count'] as const

/**
 * What is kept of each kind. `unwatched`: counted while nobody watched, known since the poll that ended it: in no increase.
 * Where a step has no value `count` is 0. Sums are to six decimals.
 */
export const COLUMNS = {
  gauge: VALUES,
  timestamp: VALUES,
  counter: ['increase', 'unwatched', 'restarts'],
  fingerprint: ['changes'],
  state: [],
} as const satisfies Readonly<Record<MetricKind, readonly string[]>>

/** How two rows of a column become one, the earlier first; `none` and a row are that row. */
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

/** Sums of decimals carry errors of the last bits, which would be all that is left to write. */
export const tidySum = (sum: number): number => {
  const tidy = Math.round(sum * 1e6) / 1e6 + 0 // no -0
  return Math.abs(sum) < 1e9 ? tidy : sum
}

/** Steps of which nothing is known yet. */
export function createRollup(
  stepMs: number,
  withSpread: boolean,
  metrics: readonly StoredMetric[] = METRICS,
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

/** What was rolled up of a metric; undefined where nothing was. */
export const rolledMetric = ({ metrics }: Rollup, id: string): RolledMetric | undefined =>
  metrics.find(({ metric }) => metric.id === id)

/** One of its columns; empty where nothing was rolled up, or as another kind. */
export const rolledColumn = (
  rollup: Rollup,
  id: string,
  name: (typeof COLUMNS)[MetricKind][number],
): readonly number[] => rolledMetric(rollup, id)?.columns.get(name) ?? []

/** Adds to a column by key; a key that is new gets a column of so many rows. */
export function addTo<K>(by: ByKey<K>, key: K, place: number, rows: number, amount: number): void {
  let column = by.get(key)
  if (column === undefined) by.set(key, (column = []))
  while (column.length < rows) column.push(0)
  column[place] = (column[place] ?? 0) + amount
}

/**
 * Rows of several roll-ups of one node as these steps. `placeOf`: the place of the step that a row adds up to, -1 where to none;
 * of rows of the same step, the earlier roll-up's come first.
 */
export function gatherRows(
  parts: readonly Rollup[],
  stepMs: number,
  startMs: readonly number[],
  placeOf: (part: Rollup, row: number) => number,
): Rollup {
  const known = new Map<string, StoredMetric>()
  for (const { metrics } of parts)
    for (const { metric } of metrics) known.set(metric.id, known.get(metric.id) ?? metric)
  const withSpread = parts.every((part) => part.withSpread)
  const whole = createRollup(stepMs, withSpread, Array.from(known.values()), startMs)
  for (const part of parts) {
    const places = Int32Array.from(part.startMs, (_, row) => placeOf(part, row))
    addKeyed(whole.polls, part.polls, places, startMs.length)
    addKeyed(whole.outcomeMs, part.outcomeMs, places, startMs.length)
    addRows(whole.firstPollMs, part.firstPollMs, places, MIN)
    addRows(whole.lastPollMs, part.lastPollMs, places, MAX)
    for (const { metric, columns, spread } of whole.metrics) {
      const from = rolledMetric(part, metric.id)
      if (from?.metric.kind !== metric.kind) continue
      if (metric.kind === 'state') addKeyed(columns, from.columns, places, startMs.length)
      else
        for (const [name, column] of columns)
          addRows(column, from.columns.get(name) ?? [], places, ruleOf(metric.kind, name))
      if (spread !== undefined) addRows(spread, from.spread ?? [], places, SPREAD)
    }
  }
  return whole
}

function addRows<T>(to: T[], from: readonly T[], places: Int32Array, { none, add }: Rule<T>): void {
  for (let row = 0; row < from.length; row++) {
    const place = places[row] ?? -1
    if (place >= 0) to[place] = add(to[place] ?? none, from[row] ?? none)
  }
}

function addKeyed<K>(to: ByKey<K>, from: ByKey<K>, places: Int32Array, rows: number): void {
  for (const [key, column] of from)
    for (let row = 0; row < column.length; row++) {
      const amount = column[row] ?? 0
      const place = places[row] ?? -1
      if (place >= 0 && amount !== 0) addTo(to, key, place, rows, amount)
    }
}

/** Several roll-ups of one node as one, at this step or a whole multiple of it. */
export function addRollups(parts: readonly Rollup[], stepMs: number): Rollup {
  const startOf = (atMs: number): number => Math.floor(atMs / stepMs) * stepMs
  const starts = new Set(parts.flatMap(({ startMs }) => startMs.map(startOf)))
  const startMs = Array.from(starts).toSorted((a, b) => a - b)
  const places = new Map(startMs.map((start, place) => [start, place]))
  return gatherRows(parts, stepMs, startMs, (part, row) => places.get(startOf(part.startMs[row] ?? 0)) ?? -1)
}

/** Rows `[start, end)` alone, with every key. */
export function cutRows(rollup: Rollup, start: number, end: number): Rollup {
  const cut = <T>(column: readonly T[]): T[] => column.slice(start, Math.max(start, end))
  const keyed = <K>(by: ByKey<K>): ByKey<K> => new Map(Array.from(by, ([key, column]) => [key, cut(column)]))
  return {
    ...rollup,
    startMs: cut(rollup.startMs),
    polls: keyed(rollup.polls),
    outcomeMs: keyed(rollup.outcomeMs),
    firstPollMs: cut(rollup.firstPollMs),
    lastPollMs: cut(rollup.lastPollMs),
    metrics: rollup.metrics.map(({ metric, columns, spread }) => ({
      metric,
      columns: keyed(columns),
      spread: spread && cut(spread),
    })),
  }
}
