import type { TimeRange } from '#base/time.ts'
import { createTally, quantile, type Histogram } from './histogram.ts'
import {
  addTo,
  COLUMNS,
  createRollup,
  rolledMetric,
  tidySum,
  type ByKey,
  type RolledMetric,
  type Rollup,
} from './rollup.ts'
import {
  ANSWERED,
  CHANGED,
  holdsUntilMs,
  metricsOf,
  NOT_WATCHED,
  rowFrom,
  RESTARTED,
  UNWATCHED,
  type MetricColumns,
  type Series,
  type StoredMetric,
} from './series.ts'

/**
 * Aggregates the rows of a series by step. Rows before the window give the state at its start. Time that no
 * row covers was not watched and counts nowhere.
 */
export function rollSeries(series: Series, window: TimeRange, stepMs: number, withSpread: boolean): Rollup {
  const { columns } = series
  const start = rowFrom(series, window.fromMs)
  const states = columns.metrics.map(({ metric, text }) => ({
    text: metric.kind === 'state' ? text : [],
    heldMs: new Map<string, number[]>(),
  }))
  const { rows, ...polled } = rollPolls(series, start, window, stepMs, states)
  const rollup = createRollup(stepMs, withSpread, metricsOf(series), polled.startMs)
  const metrics = rollup.metrics.map((rolled, which) =>
    rolled.metric.kind === 'state' ? { ...rolled, columns: states[which]?.heldMs ?? rolled.columns } : rolled,
  )
  for (const [which, rolled] of metrics.entries()) {
    const metric = columns.metrics[which]
    if (metric !== undefined) rollMetric(rolled, metric, rows, start)
  }
  return { ...rollup, ...polled, metrics }
}

/** The words of a state, and how long each lasted. */
type State = { readonly text: MetricColumns['text']; readonly heldMs: ByKey<string> }

/**
 * The steps, their polls, and how long each outcome and state lasted in them. `rows`: the row of each poll, -1 for
 * none. Processes one metric at a time, which is faster.
 */
function rollPolls(
  series: Series,
  start: number,
  window: TimeRange,
  stepMs: number,
  states: readonly State[],
) {
  const { columns, length } = series
  const end = rowFrom(series, window.toMs)
  const rows = new Int32Array(Math.max(0, end - start)).fill(-1)
  const startMs: number[] = []
  const polls: ByKey<number> = new Map()
  const outcomeMs: ByKey<number> = new Map()
  const firstPollMs: number[] = []
  const lastPollMs: number[] = []
  let row = -1
  let rowEndMs = Number.NEGATIVE_INFINITY
  const rowAt = (atMs: number): void => {
    if (atMs < rowEndMs) return
    const begun = Math.floor(atMs / stepMs) * stepMs
    row = startMs.push(begun) - 1
    rowEndMs = begun + stepMs
    firstPollMs.push(Number.NaN)
    lastPollMs.push(Number.NaN)
  }
  for (let index = Math.max(0, start - 1); index < end; index++) {
    const atMs = columns.atMs[index] ?? 0
    const outcome = columns.outcome[index] ?? NOT_WATCHED
    if (outcome === NOT_WATCHED) continue
    if (index >= start) {
      rowAt(atMs)
      rows[index - start] = row
      addTo(polls, outcome, row, 1)
      if (Number.isNaN(firstPollMs[row])) firstPollMs[row] = atMs
      lastPollMs[row] = atMs
    }
    const nextMs = index + 1 < length ? (columns.atMs[index + 1] ?? 0) : Number.POSITIVE_INFINITY
    const untilMs = Math.min(nextMs, holdsUntilMs(columns, index), window.toMs)
    for (let fromMs = Math.max(atMs, window.fromMs); fromMs < untilMs;) {
      rowAt(fromMs)
      const partMs = Math.min(untilMs, rowEndMs) - fromMs
      addTo(outcomeMs, outcome, row, partMs)
      if (outcome === ANSWERED)
        for (const { heldMs, text } of states) {
          const word = text[index]
          if (word !== undefined) addTo(heldMs, word, row, partMs)
        }
      fromMs += partMs
    }
  }
  for (const by of [polls, outcomeMs, ...states.map(({ heldMs }) => heldMs)])
    for (const column of by.values()) while (column.length < startMs.length) column.push(0)
  return { rows, startMs, polls, outcomeMs, firstPollMs, lastPollMs }
}

function rollMetric(rolled: RolledMetric, columns: MetricColumns, rows: Int32Array, start: number): void {
  switch (rolled.metric.kind) {
    case 'gauge':
    case 'timestamp':
      return rollValues(rolled, columns, rows, start)
    case 'counter':
      return rows.forEach((row, at) => {
        const by = columns.increase[start + at] ?? 0
        const flags = columns.flags[start + at] ?? 0
        if (row < 0) return
        if (by !== 0) addTo(rolled.columns, (flags & UNWATCHED) === 0 ? 'increase' : 'unwatched', row, by)
        if ((flags & RESTARTED) !== 0) addTo(rolled.columns, 'restarts', row, 1)
      })
    case 'fingerprint':
      return rows.forEach((row, at) => {
        if (row >= 0 && ((columns.flags[start + at] ?? 0) & CHANGED) !== 0)
          addTo(rolled.columns, 'changes', row, 1)
      })
    case 'state':
      return undefined // Rollups of a state store how long each value lasted.
  }
}

function rollValues(
  { columns, spread }: RolledMetric,
  { metric, value: values }: MetricColumns,
  rows: Int32Array,
  start: number,
): void {
  const [min = [], max = [], first = [], last = [], sum = [], count = []] = COLUMNS.gauge.map((name) =>
    columns.get(name),
  )
  const tally = spread && createTally()
  let before = -1
  const endRow = (): void => {
    if (before < 0) return
    sum[before] = tidySum(sum[before] ?? 0)
    if (spread !== undefined && tally !== undefined) spread[before] = tally.take()
  }
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? -1
    const value = values[start + at] ?? Number.NaN
    if (row < 0 || value !== value) continue
    if (row === before) {
      if (value < (min[row] ?? 0)) min[row] = value
      if (value > (max[row] ?? 0)) max[row] = value
    } else {
      endRow()
      before = row
      first[row] = min[row] = max[row] = value
    }
    tally?.add(scaled(metric, value))
    last[row] = value
    sum[row] = (sum[row] ?? 0) + value
    count[row] = (count[row] ?? 0) + 1
  }
  endRow()
}

/** Distributions of values close to 1 count the distance from 1, in parts per million. */
const MILLION = 1e6

const scaled = ({ distribution }: StoredMetric, value: number): number =>
  distribution === 'complement' ? (1 - value) * MILLION : value

export const quantileOf = ({ distribution }: StoredMetric, histogram: Histogram, share: number): number =>
  distribution === 'complement' ? 1 - quantile(histogram, 1 - share) / MILLION : quantile(histogram, share)

/**
 * A quantile of a metric in one row, within its lowest and highest value: these are known exactly, and a bucket's middle can lie
 * beyond them. NaN if unknown.
 */
export function rolledQuantile(rollup: Rollup, id: string, row: number, share: number): number {
  const { metric, columns, spread } = rolledMetric(rollup, id) ?? {}
  const histogram = spread?.[row]
  if (metric === undefined || histogram === undefined) return Number.NaN
  const [min = Number.NaN, max = Number.NaN] = [columns?.get('min')?.[row], columns?.get('max')?.[row]]
  return Math.min(max, Math.max(min, quantileOf(metric, histogram, share)))
}
