import { METRICS } from '#metrics/metrics.ts'
import { addHistograms, EMPTY_HISTOGRAM, type Histogram } from './histogram.ts'
import type { StoredMetric } from './series.ts'

/** One column each; NaN where a step has no value, `count` 0 there. Sums are to six decimals. */
export type ValueColumns = {
  readonly min: number[]
  readonly max: number[]
  readonly first: number[]
  readonly last: number[]
  readonly sum: number[]
  readonly count: number[]
}

/** Milliseconds in each step, by outcome code or status word; the columns are as long as `startMs`, with 0 where it did not occur. */
export type TimeBy<K> = Map<K, number[]>

/** What was rolled up of one metric, by its kind. */
export type RolledMetric =
  | RolledValues
  | {
      readonly kind: 'counter'
      readonly metric: StoredMetric
      readonly increase: number[]
      /** Counted while nobody watched, known since the poll that ended it: in no increase. */
      readonly unwatched: number[]
      readonly restarts: number[]
    }
  | { readonly kind: 'state'; readonly metric: StoredMetric; readonly heldMs: TimeBy<string> }
  | { readonly kind: 'fingerprint'; readonly metric: StoredMetric; readonly changes: number[] }

export type RolledOf<K extends RolledMetric['kind']> = Extract<RolledMetric, { readonly kind: K }>
export type RolledValues = {
  readonly kind: 'gauge' | 'timestamp'
  readonly metric: StoredMetric
  readonly values: ValueColumns
  /** Undefined for a metric without, and in steps too short for a distribution. */
  readonly spread: Histogram[] | undefined
}

/**
 * Steps of equal length, on multiples of it since 1970, oldest first. A step in which
 * nothing was known and nobody watched has no row.
 */
export type Rollup = {
  readonly stepMs: number
  readonly startMs: number[]
  /** Code of an outcome to the polls that ended so, and to the time for which that held. */
  readonly polls: TimeBy<number>
  /** When the first and the last poll of each step began, counted from the step's start; NaN where none did. */
  readonly firstPollMs: number[]
  readonly lastPollMs: number[]
  readonly outcomeMs: TimeBy<number>
  readonly withSpread: boolean
  readonly metrics: readonly RolledMetric[]
}

const VALUE_COLUMNS = ['min', 'max', 'first', 'last', 'sum', 'count'] as const

/** A counter's columns. */
export const COUNTS = ['increase', 'unwatched', 'restarts'] as const

const emptyValues = (): ValueColumns => ({ min: [], max: [], first: [], last: [], sum: [], count: [] })

export const createRollup = (
  stepMs: number,
  withSpread: boolean,
  metrics: readonly StoredMetric[] = METRICS,
): Rollup => ({
  stepMs,
  startMs: [],
  polls: new Map(),
  firstPollMs: [],
  lastPollMs: [],
  outcomeMs: new Map(),
  withSpread,
  metrics: metrics.map((metric) => emptyMetric(metric, withSpread)),
})

export function emptyMetric(metric: StoredMetric, withSpread: boolean): RolledMetric {
  const { kind } = metric
  switch (kind) {
    case 'gauge':
    case 'timestamp': {
      const spread = withSpread && metric.distribution !== undefined ? [] : undefined
      return { kind, metric, values: emptyValues(), spread }
    }
    case 'counter':
      return { kind, metric, increase: [], unwatched: [], restarts: [] }
    case 'state':
      return { kind, metric, heldMs: new Map() }
    case 'fingerprint':
      return { kind, metric, changes: [] }
  }
}

/** What was rolled up of a metric; undefined where nothing was, or it is of another kind. */
export const rolledMetric = ({ metrics }: Rollup, id: string): RolledMetric | undefined =>
  metrics.find(({ metric }) => metric.id === id)

export function rolledValues(rollup: Rollup, id: string): RolledValues | undefined {
  const rolled = rolledMetric(rollup, id)
  return rolled?.kind === 'gauge' || rolled?.kind === 'timestamp' ? rolled : undefined
}

/** Adds an empty row and returns its place. */
export function addRow(rollup: Rollup, startMs: number): number {
  const place = rollup.startMs.push(startMs) - 1
  for (const by of [rollup.polls, rollup.outcomeMs]) for (const column of by.values()) column.push(0)
  rollup.firstPollMs.push(Number.NaN)
  rollup.lastPollMs.push(Number.NaN)
  for (const rolled of rollup.metrics) addMetricRow(rolled)
  return place
}

function addMetricRow(rolled: RolledMetric): void {
  switch (rolled.kind) {
    case 'gauge':
    case 'timestamp': {
      const { min, max, first, last, sum, count } = rolled.values
      for (const column of [min, max, first, last]) column.push(Number.NaN)
      sum.push(0)
      count.push(0)
      rolled.spread?.push(EMPTY_HISTOGRAM)
      break
    }
    case 'counter':
      for (const what of COUNTS) rolled[what].push(0)
      break
    case 'state':
      for (const column of rolled.heldMs.values()) column.push(0)
      break
    case 'fingerprint':
      rolled.changes.push(0)
  }
}

/** Adds to a row's column by key; a key that is new gets a column. */
export function addTo<K>(by: TimeBy<K>, key: K, place: number, rows: number, amount: number): void {
  let column = by.get(key)
  if (column === undefined) by.set(key, (column = Array.from({ length: rows }, () => 0)))
  column[place] = (column[place] ?? 0) + amount
}

/** Sums of decimals carry errors of the last bits, which would be all that is left to write. */
export const tidySum = (sum: number): number => {
  const tidy = Math.round(sum * 1e6) / 1e6 + 0 // no -0
  return Math.abs(sum) < 1e9 ? tidy : sum
}

/** The same at a longer step, a whole multiple of the present one. */
export function coarsen(rollup: Rollup, stepMs: number): Rollup {
  return addRollups([rollup], stepMs)
}

/**
 * Several roll-ups of one node as one, at this step or a longer one. Rows of the same step add up, the
 * earlier of two roll-ups first.
 */
export function addRollups(parts: readonly Rollup[], stepMs: number): Rollup {
  const withSpread = parts.length > 0 && parts.every((part) => part.withSpread)
  const whole = createRollup(stepMs, withSpread, parts.length === 0 ? METRICS : metricsOf(parts))
  if (parts.every((part) => part.stepMs === stepMs) && areApart(parts)) {
    for (const part of parts) appendRollup(whole, part)
    return whole
  }
  const pairs = parts.map((part) => pairsOf(whole, part))
  for (const { which, part, row } of inOrder(parts)) {
    const startMs = Math.floor((part.startMs[row] ?? 0) / stepMs) * stepMs
    const lastPlace = whole.startMs.length - 1
    const place = whole.startMs[lastPlace] === startMs ? lastPlace : addRow(whole, startMs)
    addRowTo(whole, place, part, row, pairs[which] ?? [])
  }
  return whole
}

/** Every metric that one of them knows. */
function metricsOf(parts: readonly Rollup[]): readonly StoredMetric[] {
  const known = new Map<string, StoredMetric>()
  for (const { metrics } of parts)
    for (const { metric } of metrics) if (!known.has(metric.id)) known.set(metric.id, metric)
  return Array.from(known.values())
}

/** Whether each begins behind the end of the one before: as records that were read in order do. */
function areApart(parts: readonly Rollup[]): boolean {
  let lastMs = Number.NEGATIVE_INFINITY
  for (const { startMs } of parts) {
    if ((startMs[0] ?? Number.POSITIVE_INFINITY) <= lastMs) return false
    lastMs = startMs.at(-1) ?? lastMs
  }
  return true
}

/** Puts the rows of a roll-up at the same step behind those of another, column by column. */
function appendRollup(whole: Rollup, part: Rollup): void {
  const before = whole.startMs.length
  append(whole.startMs, part.startMs)
  const rows = whole.startMs.length
  addColumns(whole.polls, part.polls, before, rows)
  addColumns(whole.outcomeMs, part.outcomeMs, before, rows)
  append(whole.firstPollMs, part.firstPollMs)
  append(whole.lastPollMs, part.lastPollMs)
  for (const rolled of whole.metrics) {
    const from = rolledMetric(part, rolled.metric.id)
    if (from?.kind === rolled.kind) appendMetric(rolled, from, before, rows)
    else for (let row = before; row < rows; row++) addMetricRow(rolled)
  }
}

const append = <T>(to: T[], from: readonly T[]): void => {
  for (const one of from) to.push(one)
}

function appendMetric(to: RolledMetric, from: RolledMetric, before: number, rows: number): void {
  if (
    (to.kind === 'gauge' || to.kind === 'timestamp') &&
    (from.kind === 'gauge' || from.kind === 'timestamp')
  ) {
    for (const column of VALUE_COLUMNS) append(to.values[column], from.values[column])
    if (to.spread !== undefined) append(to.spread, from.spread ?? [])
  } else if (to.kind === 'counter' && from.kind === 'counter') {
    for (const what of COUNTS) append(to[what], from[what])
  } else if (to.kind === 'state' && from.kind === 'state') addColumns(to.heldMs, from.heldMs, before, rows)
  else if (to.kind === 'fingerprint' && from.kind === 'fingerprint') append(to.changes, from.changes)
}

function addColumns<K>(whole: TimeBy<K>, part: TimeBy<K>, before: number, rows: number): void {
  for (const key of part.keys())
    if (!whole.has(key))
      whole.set(
        key,
        Array.from({ length: before }, () => 0),
      )
  for (const [key, column] of whole) {
    const from = part.get(key)
    for (let place = before; place < rows; place++) column.push(from?.[place - before] ?? 0)
  }
}

/** Rows of all parts by time; where they tie, the earlier part's first. */
function* inOrder(parts: readonly Rollup[]): Generator<{ which: number; part: Rollup; row: number }> {
  const at = parts.map(() => 0)
  while (true) {
    let next = -1
    for (const [which, part] of parts.entries()) {
      const startMs = part.startMs[at[which] ?? 0]
      if (startMs === undefined) continue
      if (next === -1 || startMs < (parts[next]?.startMs[at[next] ?? 0] ?? 0)) next = which
    }
    const part = parts[next]
    if (part === undefined) return
    const row = at[next] ?? 0
    at[next] = row + 1
    yield { which: next, part, row }
  }
}

type Pairs = readonly (readonly [to: RolledMetric, from: RolledMetric])[]

const pairsOf = (whole: Rollup, part: Rollup): Pairs =>
  whole.metrics.flatMap((to) => {
    const from = rolledMetric(part, to.metric.id)
    return from === undefined ? [] : [[to, from] as const]
  })

function addRowTo(whole: Rollup, place: number, part: Rollup, row: number, pairs: Pairs): void {
  const rows = whole.startMs.length
  addKeyed(whole.polls, place, rows, part.polls, row)
  const fromMs = (part.startMs[row] ?? 0) - (whole.startMs[place] ?? 0)
  addPollTime(whole, place, fromMs + (part.firstPollMs[row] ?? Number.NaN))
  addPollTime(whole, place, fromMs + (part.lastPollMs[row] ?? Number.NaN))
  addKeyed(whole.outcomeMs, place, rows, part.outcomeMs, row)
  for (const [to, from] of pairs) addMetric(to, place, rows, from, row)
}

function addMetric(to: RolledMetric, place: number, rows: number, from: RolledMetric, row: number): void {
  if (
    (to.kind === 'gauge' || to.kind === 'timestamp') &&
    (from.kind === 'gauge' || from.kind === 'timestamp')
  ) {
    addValue(to.values, place, from.values, row)
    if (to.spread !== undefined)
      to.spread[place] = addHistograms(
        to.spread[place] ?? EMPTY_HISTOGRAM,
        from.spread?.[row] ?? EMPTY_HISTOGRAM,
      )
  } else if (to.kind === 'counter' && from.kind === 'counter') {
    for (const what of COUNTS) to[what][place] = (to[what][place] ?? 0) + (from[what][row] ?? 0)
  } else if (to.kind === 'state' && from.kind === 'state') addKeyed(to.heldMs, place, rows, from.heldMs, row)
  else if (to.kind === 'fingerprint' && from.kind === 'fingerprint')
    to.changes[place] = (to.changes[place] ?? 0) + (from.changes[row] ?? 0)
}

/** A poll began so long after the step's start; NaN says nothing. */
export function addPollTime({ firstPollMs, lastPollMs }: Rollup, place: number, atMs: number): void {
  if (Number.isNaN(atMs)) return
  const first = firstPollMs[place] ?? Number.NaN
  const last = lastPollMs[place] ?? Number.NaN
  firstPollMs[place] = first <= atMs ? first : atMs
  lastPollMs[place] = last >= atMs ? last : atMs
}

function addValue(whole: ValueColumns, place: number, part: ValueColumns, row: number): void {
  const count = part.count[row] ?? 0
  if (count === 0) return
  const before = whole.count[place] ?? 0
  const min = part.min[row] ?? Number.NaN
  const max = part.max[row] ?? Number.NaN
  if (before === 0) whole.first[place] = part.first[row] ?? Number.NaN
  whole.last[place] = part.last[row] ?? Number.NaN
  whole.min[place] = before === 0 ? min : Math.min(min, whole.min[place] ?? min)
  whole.max[place] = before === 0 ? max : Math.max(max, whole.max[place] ?? max)
  whole.sum[place] = tidySum((whole.sum[place] ?? 0) + (part.sum[row] ?? 0))
  whole.count[place] = before + count
}

function addKeyed<K>(whole: TimeBy<K>, place: number, rows: number, part: TimeBy<K>, row: number): void {
  for (const [key, column] of part) {
    const amount = column[row] ?? 0
    if (amount !== 0) addTo(whole, key, place, rows, amount)
  }
}

/** Rows `[start, end)` alone, with every key: to be read only. */
export function cutRows(rollup: Rollup, start: number, end: number): Rollup {
  const cut = <T>(column: readonly T[]): T[] => column.slice(start, Math.max(start, end))
  const keyed = <K>(by: TimeBy<K>): TimeBy<K> =>
    new Map(Array.from(by, ([key, column]) => [key, cut(column)]))
  const cutMetric = (rolled: RolledMetric): RolledMetric => {
    switch (rolled.kind) {
      case 'gauge':
      case 'timestamp': {
        const { min, max, first, last, sum, count } = rolled.values
        const values = {
          min: cut(min),
          max: cut(max),
          first: cut(first),
          last: cut(last),
          sum: cut(sum),
          count: cut(count),
        }
        return { ...rolled, values, spread: rolled.spread && cut(rolled.spread) }
      }
      case 'counter':
        return {
          ...rolled,
          increase: cut(rolled.increase),
          unwatched: cut(rolled.unwatched),
          restarts: cut(rolled.restarts),
        }
      case 'state':
        return { ...rolled, heldMs: keyed(rolled.heldMs) }
      case 'fingerprint':
        return { ...rolled, changes: cut(rolled.changes) }
    }
  }
  return {
    ...rollup,
    startMs: cut(rollup.startMs),
    polls: keyed(rollup.polls),
    firstPollMs: cut(rollup.firstPollMs),
    lastPollMs: cut(rollup.lastPollMs),
    outcomeMs: keyed(rollup.outcomeMs),
    metrics: rollup.metrics.map(cutMetric),
  }
}
