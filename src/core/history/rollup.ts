import { addHistograms, EMPTY_HISTOGRAM, type Histogram } from './histogram.ts'

/** What is summed up over time. */
export const VALUES = ['heartbeatAgeMs', 'participation', 'stake', 'latencyMs'] as const
export type ValueName = (typeof VALUES)[number]

/** Of these the distribution is kept, from `HISTOGRAM_STEP_MS` on. */
export const SPREAD_VALUES = ['heartbeatAgeMs', 'participation', 'latencyMs'] as const
export type SpreadName = (typeof SPREAD_VALUES)[number]

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

/**
 * Steps of equal length, on multiples of it since 1970, oldest first. A step in which
 * nothing was known and nobody watched has no row.
 */
export type Rollup = {
  readonly stepMs: number
  readonly startMs: number[]
  readonly values: Readonly<Record<ValueName, ValueColumns>>
  /** Place in OUTCOMES to the polls that ended so, and to the time for which that held. */
  readonly polls: TimeBy<number>
  /** When the first and the last poll of each step began, counted from the step's start; NaN where none did. */
  readonly firstPollMs: number[]
  readonly lastPollMs: number[]
  readonly outcomeMs: TimeBy<number>
  readonly statusMs: TimeBy<string>
  readonly threatIncrease: number[]
  readonly restarts: number[]
  readonly proofChanges: number[]
  /** Undefined in steps too short for a distribution. */
  readonly spread: Readonly<Record<SpreadName, Histogram[]>> | undefined
}

const VALUE_COLUMNS = ['min', 'max', 'first', 'last', 'sum', 'count'] as const

const emptyValues = (): ValueColumns => ({ min: [], max: [], first: [], last: [], sum: [], count: [] })

export const createRollup = (stepMs: number, withSpread: boolean): Rollup => ({
  stepMs,
  startMs: [],
  values: {
    heartbeatAgeMs: emptyValues(),
    participation: emptyValues(),
    stake: emptyValues(),
    latencyMs: emptyValues(),
  },
  polls: new Map(),
  firstPollMs: [],
  lastPollMs: [],
  outcomeMs: new Map(),
  statusMs: new Map(),
  threatIncrease: [],
  restarts: [],
  proofChanges: [],
  spread: withSpread ? { heartbeatAgeMs: [], participation: [], latencyMs: [] } : undefined,
})

/** Adds an empty row and returns its place. */
export function addRow(rollup: Rollup, startMs: number): number {
  const place = rollup.startMs.push(startMs) - 1
  for (const name of VALUES) {
    const columns = rollup.values[name]
    columns.min.push(Number.NaN)
    columns.max.push(Number.NaN)
    columns.first.push(Number.NaN)
    columns.last.push(Number.NaN)
    columns.sum.push(0)
    columns.count.push(0)
  }
  for (const by of [rollup.polls, rollup.outcomeMs, rollup.statusMs])
    for (const column of by.values()) column.push(0)
  rollup.firstPollMs.push(Number.NaN)
  rollup.lastPollMs.push(Number.NaN)
  rollup.threatIncrease.push(0)
  rollup.restarts.push(0)
  rollup.proofChanges.push(0)
  if (rollup.spread !== undefined) for (const name of SPREAD_VALUES) rollup.spread[name].push(EMPTY_HISTOGRAM)
  return place
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
  const withSpread = parts.length > 0 && parts.every(({ spread }) => spread !== undefined)
  const whole = createRollup(stepMs, withSpread)
  if (parts.every((part) => part.stepMs === stepMs) && areApart(parts)) {
    for (const part of parts) appendRollup(whole, part)
    return whole
  }
  for (const { part, row } of inOrder(parts)) {
    const startMs = Math.floor((part.startMs[row] ?? 0) / stepMs) * stepMs
    const lastPlace = whole.startMs.length - 1
    const place = whole.startMs[lastPlace] === startMs ? lastPlace : addRow(whole, startMs)
    addRowTo(whole, place, part, row)
  }
  return whole
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
  const add = <T>(to: T[], from: readonly T[]): void => {
    for (const one of from) to.push(one)
  }
  add(whole.startMs, part.startMs)
  for (const name of VALUES) {
    const [to, from] = [whole.values[name], part.values[name]]
    for (const column of VALUE_COLUMNS) add(to[column], from[column])
  }
  addColumns(whole.polls, part.polls, before, whole.startMs.length)
  addColumns(whole.outcomeMs, part.outcomeMs, before, whole.startMs.length)
  addColumns(whole.statusMs, part.statusMs, before, whole.startMs.length)
  for (const column of ['firstPollMs', 'lastPollMs', 'threatIncrease', 'restarts', 'proofChanges'] as const)
    add(whole[column], part[column])
  if (whole.spread !== undefined && part.spread !== undefined)
    for (const name of SPREAD_VALUES) add(whole.spread[name], part.spread[name])
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
function* inOrder(parts: readonly Rollup[]): Generator<{ part: Rollup; row: number }> {
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
    yield { part, row }
  }
}

function addRowTo(whole: Rollup, place: number, part: Rollup, row: number): void {
  for (const name of VALUES) addValue(whole.values[name], place, part.values[name], row)
  const rows = whole.startMs.length
  addKeyed(whole.polls, place, rows, part.polls, row)
  const fromMs = (part.startMs[row] ?? 0) - (whole.startMs[place] ?? 0)
  addPollTime(whole, place, fromMs + (part.firstPollMs[row] ?? Number.NaN))
  addPollTime(whole, place, fromMs + (part.lastPollMs[row] ?? Number.NaN))
  addKeyed(whole.outcomeMs, place, rows, part.outcomeMs, row)
  addKeyed(whole.statusMs, place, rows, part.statusMs, row)
  whole.threatIncrease[place] = (whole.threatIncrease[place] ?? 0) + (part.threatIncrease[row] ?? 0)
  whole.restarts[place] = (whole.restarts[place] ?? 0) + (part.restarts[row] ?? 0)
  whole.proofChanges[place] = (whole.proofChanges[place] ?? 0) + (part.proofChanges[row] ?? 0)
  if (whole.spread === undefined || part.spread === undefined) return
  for (const name of SPREAD_VALUES)
    whole.spread[name][place] = addHistograms(
      whole.spread[name][place] ?? EMPTY_HISTOGRAM,
      part.spread[name][row] ?? EMPTY_HISTOGRAM,
    )
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

/** Rows `[start, end)` alone. */
export function takeRows(rollup: Rollup, start: number, end: number): Rollup {
  const part = createRollup(rollup.stepMs, rollup.spread !== undefined)
  for (let row = start; row < end; row++) addRowTo(part, addRow(part, rollup.startMs[row] ?? 0), rollup, row)
  return part
}
