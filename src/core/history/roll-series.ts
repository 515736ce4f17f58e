import { createTally, quantile, type Histogram } from './histogram.ts'
import {
  addPollTime,
  addRow,
  addTo,
  createRollup,
  tidySum,
  type RolledMetric,
  type RolledValues,
  type Rollup,
  type ValueColumns,
} from './rollup.ts'
import {
  ANSWERED,
  CHANGED,
  holdsMs,
  maxGapMsOf,
  metricsOf,
  NOT_WATCHED,
  placeAt,
  RESTARTED,
  UNWATCHED,
  type MetricColumns,
  type Series,
  type StoredMetric,
} from './series.ts'

/** Unix ms; only what lies in it is counted. */
export type Window = { readonly fromMs: number; readonly toMs: number }

/**
 * Sums up rows of a series step by step. Rows before the window say what held when it began.
 * Time that no row stands for was not watched, and is in no column. `limit`: rows from there on
 * only say when what came before them ended.
 */
export function rollSeries(
  series: Series,
  window: Window,
  stepMs: number,
  withSpread: boolean,
  limit = series.length,
): Rollup {
  const rollup = createRollup(stepMs, withSpread, metricsOf(series))
  const start = placeAt(series, window.fromMs)
  const end = Math.min(limit, placeAt(series, window.toMs))
  rollTimes(rollup, series, Math.max(0, start - 1), end, window)
  rollValues(rollup, series, start, end)
  return rollup
}

/**
 * The same for rows `[start, end)` that came after their time was summed up, as when a clock was set
 * back: what they say counts, their time was counted already.
 */
export function rollLate(
  series: Series,
  start: number,
  end: number,
  stepMs: number,
  withSpread: boolean,
): Rollup {
  const rollup = createRollup(stepMs, withSpread, metricsOf(series))
  const { columns } = series
  for (let place = start; place < end; place++) {
    const startMs = Math.floor((columns.atMs[place] ?? 0) / stepMs) * stepMs
    if (columns.outcome[place] !== NOT_WATCHED && rollup.startMs.at(-1) !== startMs) addRow(rollup, startMs)
  }
  rollValues(rollup, series, start, end)
  return rollup
}

/** The time of each outcome and state; makes the rows, also for those that only hold a sample. */
function rollTimes(
  rollup: Rollup,
  { columns, length, texts }: Series,
  start: number,
  end: number,
  window: Window,
): void {
  const { stepMs } = rollup
  const states = rollup.metrics.flatMap((rolled, which) =>
    rolled.kind === 'state' ? [{ heldMs: rolled.heldMs, text: columns.metrics[which]?.text }] : [],
  )
  let row = -1
  let rowEndMs = Number.NEGATIVE_INFINITY
  const rowAt = (atMs: number): void => {
    if (atMs < rowEndMs) return
    const startMs = Math.floor(atMs / stepMs) * stepMs
    row = addRow(rollup, startMs)
    rowEndMs = startMs + stepMs
  }
  for (let place = start; place < end; place++) {
    const atMs = columns.atMs[place] ?? 0
    const outcome = columns.outcome[place] ?? NOT_WATCHED
    if (outcome === NOT_WATCHED) continue
    const nextMs = place + 1 < length ? (columns.atMs[place + 1] ?? 0) : Number.POSITIVE_INFINITY
    const untilMs = Math.min(
      nextMs,
      atMs + holdsMs(outcome, maxGapMsOf(columns.everyMs[place] ?? 0)),
      window.toMs,
    )
    let fromMs = Math.max(atMs, window.fromMs)
    if (atMs >= window.fromMs) rowAt(atMs)
    while (fromMs < untilMs) {
      rowAt(fromMs)
      const partMs = Math.min(untilMs, rowEndMs) - fromMs
      addTo(rollup.outcomeMs, outcome, row, row + 1, partMs)
      if (outcome === ANSWERED)
        for (const { heldMs, text } of states) {
          const word = text?.[place] ?? 0
          if (word !== 0) addTo(heldMs, texts.list[word] ?? '', row, row + 1, partMs)
        }
      fromMs += partMs
    }
  }
}

function rollValues(rollup: Rollup, { columns }: Series, start: number, end: number): void {
  const { startMs, stepMs } = rollup
  // The row of each place, -1 where there is no poll: then each metric is gone through by itself, which is faster.
  const rows = new Int32Array(Math.max(0, end - start)).fill(-1)
  let row = -1
  for (let place = start; place < end; place++) {
    const atMs = columns.atMs[place] ?? 0
    const outcome = columns.outcome[place] ?? NOT_WATCHED
    if (outcome === NOT_WATCHED) continue
    if (row < 0 || atMs >= (startMs[row] ?? 0) + stepMs) {
      row++
      while ((startMs[row] ?? Number.POSITIVE_INFINITY) + stepMs <= atMs) row++
    }
    rows[place - start] = row
    addTo(rollup.polls, outcome, row, startMs.length, 1)
    addPollTime(rollup, row, atMs - (startMs[row] ?? 0))
  }
  for (const [which, rolled] of rollup.metrics.entries()) {
    const metric = columns.metrics[which]
    if (metric !== undefined) rollMetric(rolled, metric, rows, start)
  }
}

function rollMetric(rolled: RolledMetric, columns: MetricColumns, rows: Int32Array, start: number): void {
  switch (rolled.kind) {
    case 'gauge':
    case 'timestamp':
      return rollColumn(rolled, columns, rows, start)
    case 'counter':
      return rows.forEach((row, at) => {
        const by = columns.increase[start + at] ?? 0
        const flags = columns.flags[start + at] ?? 0
        if (row < 0) return
        const counts = (flags & UNWATCHED) === 0 ? rolled.increase : rolled.unwatched
        if (by !== 0) counts[row] = (counts[row] ?? 0) + by
        if ((flags & RESTARTED) !== 0) rolled.restarts[row] = (rolled.restarts[row] ?? 0) + 1
      })
    case 'fingerprint':
      return rows.forEach((row, at) => {
        if (row >= 0 && ((columns.flags[start + at] ?? 0) & CHANGED) !== 0)
          rolled.changes[row] = (rolled.changes[row] ?? 0) + 1
      })
    case 'state':
      return undefined // by the time for which it held
  }
}

function rollColumn(
  { values, spread }: RolledValues,
  { metric, value: column }: MetricColumns,
  rows: Int32Array,
  start: number,
): void {
  const tally = spread && createTally()
  let last = -1
  const endRow = (): void => {
    if (last < 0) return
    values.sum[last] = tidySum(values.sum[last] ?? 0)
    if (spread !== undefined && tally !== undefined) spread[last] = tally.take()
  }
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? -1
    const value = column[start + at] ?? Number.NaN
    if (row < 0 || value !== value) continue
    if (row !== last) endRow()
    last = row
    addValue(values, row, value)
    tally?.add(scaled(metric, value))
  }
  endRow()
}

function addValue(columns: ValueColumns, row: number, value: number): void {
  const count = columns.count[row] ?? 0
  columns.count[row] = count + 1
  columns.last[row] = value
  if (count === 0) {
    columns.first[row] = columns.min[row] = columns.max[row] = columns.sum[row] = value
    return
  }
  if (value < (columns.min[row] ?? 0)) columns.min[row] = value
  if (value > (columns.max[row] ?? 0)) columns.max[row] = value
  columns.sum[row] = (columns.sum[row] ?? 0) + value
}

/** What lies close to 1 is told apart by what is missing: in parts of a million. */
const MILLION = 1e6

const scaled = ({ distribution }: StoredMetric, value: number): number =>
  distribution === 'complement' ? (1 - value) * MILLION : value

/** The value below which a share of the values lies, of a metric's distribution. */
export const quantileOf = ({ distribution }: StoredMetric, histogram: Histogram, share: number): number =>
  distribution === 'complement' ? 1 - quantile(histogram, 1 - share) / MILLION : quantile(histogram, share)
