import { DEFAULTS } from '#base/defaults.ts'
import { createTally } from './histogram.ts'
import {
  addPollTime,
  addRow,
  addTo,
  createRollup,
  SPREAD_VALUES,
  tidySum,
  VALUES,
  type Rollup,
  type SpreadName,
  type ValueColumns,
} from './rollup.ts'
import { NOT_WATCHED, OUTCOMES, placeAt, PROOF_CHANGED, RESTARTED, type Series } from './series.ts'

/** Unix ms; only what lies in it is counted. */
export type Window = { readonly fromMs: number; readonly toMs: number }

const ANSWERED = OUTCOMES.indexOf('answered')

/**
 * How long a row stands for what it says while nothing follows: a good answer for as long as
 * a reading counts as current; a failure up to the engine's slowest wait, since waiting
 * longer after a failure is what the engine does.
 */
export const holdsMs = (outcome: number, maxGapMs: number): number =>
  outcome === ANSWERED ? maxGapMs : Math.max(maxGapMs, DEFAULTS.slowAfterRejectionMs)

/** How long after a row nothing else is needed to know what held, at its own interval. */
export const maxGapMsOf = (everyMs: number): number => everyMs * DEFAULTS.staleAfterIntervals

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
  const rollup = createRollup(stepMs, withSpread)
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
  const rollup = createRollup(stepMs, withSpread)
  const { columns } = series
  for (let place = start; place < end; place++) {
    const startMs = Math.floor((columns.atMs[place] ?? 0) / stepMs) * stepMs
    if (columns.outcome[place] !== NOT_WATCHED && rollup.startMs.at(-1) !== startMs) addRow(rollup, startMs)
  }
  rollValues(rollup, series, start, end)
  return rollup
}

/** The time of each outcome and status; makes the rows, also for those that only hold a sample. */
function rollTimes(
  rollup: Rollup,
  { columns, length, texts }: Series,
  start: number,
  end: number,
  window: Window,
): void {
  const { stepMs } = rollup
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
    const status = outcome === ANSWERED ? texts.list[columns.status[place] ?? 0] : undefined
    while (fromMs < untilMs) {
      rowAt(fromMs)
      const partMs = Math.min(untilMs, rowEndMs) - fromMs
      addTo(rollup.outcomeMs, outcome, row, row + 1, partMs)
      if (status !== undefined && (columns.status[place] ?? 0) !== 0)
        addTo(rollup.statusMs, status, row, row + 1, partMs)
      fromMs += partMs
    }
  }
}

function rollValues(rollup: Rollup, series: Series, start: number, end: number): void {
  const { columns } = series
  const { startMs, stepMs, spread } = rollup
  const tallies =
    spread &&
    ({ heartbeatAgeMs: createTally(), participation: createTally(), latencyMs: createTally() } as const)
  const { values } = rollup
  const takeSpread = (row: number): void => {
    if (spread === undefined || tallies === undefined || row < 0) return
    for (const name of SPREAD_VALUES) spread[name][row] = tallies[name].take()
  }
  let row = -1
  for (let place = start; place < end; place++) {
    const atMs = columns.atMs[place] ?? 0
    const outcome = columns.outcome[place] ?? NOT_WATCHED
    if (outcome === NOT_WATCHED) continue
    if (row < 0 || atMs >= (startMs[row] ?? 0) + stepMs) {
      takeSpread(row)
      row++
      while ((startMs[row] ?? Number.POSITIVE_INFINITY) + stepMs <= atMs) row++
    }
    addTo(rollup.polls, outcome, row, startMs.length, 1)
    addPollTime(rollup, row, atMs - (startMs[row] ?? 0))
    for (const name of VALUES) {
      const value = columns[name][place] ?? Number.NaN
      if (value !== value) continue
      addValue(values[name], row, value)
      if (tallies !== undefined && name !== 'stake') tallies[name].add(scaled(name, value))
    }
    const increase = columns.threatIncrease[place] ?? 0
    if (increase !== 0) rollup.threatIncrease[row] = (rollup.threatIncrease[row] ?? 0) + increase
    const flags = columns.flags[place] ?? 0
    if (flags === 0) continue
    if ((flags & RESTARTED) !== 0) rollup.restarts[row] = (rollup.restarts[row] ?? 0) + 1
    if ((flags & PROOF_CHANGED) !== 0) rollup.proofChanges[row] = (rollup.proofChanges[row] ?? 0) + 1
  }
  takeSpread(row)
  for (const name of VALUES) {
    const { sum } = values[name]
    for (let place = 0; place < sum.length; place++) sum[place] = tidySum(sum[place] ?? 0)
  }
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

/** Participation lies close to 1, where what is missing tells more than what is there: parts in a million. */
const MILLION = 1e6

const scaled = (name: SpreadName, value: number): number =>
  name === 'participation' ? (1 - value) * MILLION : value

/** Back from a middle of a bucket to the value. */
export const unscaled = (name: SpreadName, middle: number): number =>
  name === 'participation' ? 1 - middle / MILLION : middle
