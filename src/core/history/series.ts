import { DEFAULTS } from '#base/defaults.ts'
import type { Metric, MetricKind } from '#metrics/metric.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Sample } from './history.ts'

/** What of a metric's definition history needs. Plain data: what is kept describes itself. */
export type StoredMetric = Pick<Metric, 'id' | 'kind'> & {
  readonly [Option in 'distribution' | 'resolution']?: Metric[Option] | undefined
} & { readonly exact?: boolean | undefined; readonly measured?: 'latencyMs' | undefined }

/** One node's samples as columns, oldest first, in `[0, length)` of each array. */
export type Series = { length: number; columns: SeriesColumns }

/** NaN is "not known". */
export type SeriesColumns = {
  /** Whole Unix ms. */
  readonly atMs: Numbers
  /** The interval at which the node was asked. */
  readonly everyMs: Numbers
  readonly serviceMs: Numbers
  /** Code of an outcome, or NOT_WATCHED. */
  readonly outcome: Numbers
  readonly metrics: readonly MetricColumns[]
}

type Numbers = Float64Array<ArrayBuffer>
type Texts = (string | undefined)[]

/** What is kept of one metric. Which columns there are its kind says; the others are empty. */
export type MetricColumns = {
  readonly metric: StoredMetric
  readonly keys: SampleKeys
  /**
   * Of a gauge its value, of a counter its total, of a timestamp its age in whole ms, of a fingerprint 32 bits: nothing
   * packs those, so that blocks keep the last one only.
   */
  readonly value: Numbers
  /** Of a counter. */
  readonly increase: Numbers
  readonly flags: Numbers
  /** Of a state its word; else the exact decimal, only where the double is not exact. Rows from its end on have none. */
  readonly text: Texts
}

/** Flags of a counter: it restarted, */
export const RESTARTED = 1
/**
 * and nobody watched for some time since its last value. Also set in rows without a value, so that each row follows
 * from the one before it.
 */
export const UNWATCHED = 2
/** and of a fingerprint. */
export const CHANGED = 1
export const KNOWN = 2

/** In place of an outcome: no poll, but the moment from which nobody watched. */
export const NOT_WATCHED = 255

type Outcome = 'answered' | FailureKind

/** What each is written as; not its place in the failure table, so that records stay readable when that one grows. */
export const OUTCOME_CODES: Readonly<Record<Outcome, number>> = {
  answered: 0,
  'node-id-invalid': 1,
  unauthorized: 2,
  forbidden: 3,
  'node-unknown': 4,
  'rate-limited': 5,
  'server-error': 6,
  'unexpected-status': 7,
  redirected: 8,
  unreachable: 9,
  timeout: 10,
  'cut-off': 11,
  'mixed-content': 12,
  offline: 13,
  'not-json': 14,
  'too-large': 15,
  'not-a-record': 16,
  'wrong-node': 17,
  'no-key': 18,
  'key-locked': 19,
  'signer-failed': 20,
  'no-token': 21,
  'signed-out': 22,
  repeated: 23,
}

/** Outcomes of polls that never left for the service: of it nothing is known then. */
export const isUnasked = (outcome: Outcome): boolean => outcome === 'offline' || outcome === 'signed-out'

/** How long after a poll the next one is due, ms. */
export const maxGapMsOf = (everyMs: number): number => everyMs * DEFAULTS.staleAfterIntervals

/**
 * How long a row stands for what follows it, ms: an answer for as long as a reading counts as current; a failure up to
 * the engine's slowest wait, since the engine waits longer after failures.
 */
export const holdsMs = (outcome: number, maxGapMs: number): number =>
  outcome === ANSWERED ? maxGapMs : Math.max(maxGapMs, DEFAULTS.slowestWaitMs)

/** Up to when a row stands for what it says while nothing follows it: a moment from which nobody watched, for no time. */
export function holdsUntilMs(
  { atMs, everyMs, outcome }: SeriesColumns,
  row: number,
  maxGapMs = maxGapMsOf(everyMs[row] ?? 0),
): number {
  const [startMs = 0, code = NOT_WATCHED] = [atMs[row], outcome[row]]
  return code === NOT_WATCHED ? startMs : startMs + holdsMs(code, maxGapMs)
}

/** A poll, by what tells whether somebody watched up to the next one. `outcome`: its code. */
export type PollTime = { readonly atMs: number; readonly everyMs: number; readonly outcome: number }

/** Whether somebody watched all the time from one poll of a node to the next. Failed polls are watched time. */
export function isWatchedBetween(before: PollTime, next: Pick<PollTime, 'atMs' | 'everyMs'>): boolean {
  const outcome = OUTCOMES[before.outcome]
  if (outcome === undefined || isUnasked(outcome)) return false
  // After a longer interval was set, the poll is not late.
  const maxGapMs = maxGapMsOf(Math.max(before.everyMs, next.everyMs))
  return next.atMs - before.atMs <= holdsMs(before.outcome, maxGapMs)
}

const isOutcome = (text: string): text is Outcome => Object.hasOwn(OUTCOME_CODES, text)

/** Outcomes by their codes. */
export const OUTCOMES: readonly Outcome[] = Object.keys(OUTCOME_CODES)
  .filter(isOutcome)
  .toSorted((a, b) => OUTCOME_CODES[a] - OUTCOME_CODES[b])

export const ANSWERED = OUTCOME_CODES.answered

/** What a metric's values are called in a sample. */
export const sampleKeys = ({ id, kind }: Pick<StoredMetric, 'id' | 'kind'>) => ({
  value: kind === 'timestamp' ? `${id}AgeMs` : id,
  exact: `${id}Exact`,
  increase: `${id}Increase`,
  restarted: `${id}Restarted`,
  unwatched: `${id}Unwatched`,
  changed: `${id}Changed`,
})
export type SampleKeys = Readonly<ReturnType<typeof sampleKeys>>

/** Number columns of each kind, and what stands in a row of which nothing is known. */
const NUMBERS = { value: Number.NaN, increase: 0, flags: 0 } as const
type NumberPart = keyof typeof NUMBERS
const PARTS: Readonly<Record<MetricKind, readonly NumberPart[]>> = {
  gauge: ['value'],
  counter: ['value', 'increase', 'flags'],
  timestamp: ['value'],
  state: [],
  fingerprint: ['value', 'flags'],
}
const POLL_COLUMNS = ['atMs', 'everyMs', 'serviceMs', 'outcome'] as const

export const hasText = ({ kind, exact }: StoredMetric): boolean =>
  kind === 'counter' || kind === 'state' || (kind === 'gauge' && exact === true)

const FIRST_CAPACITY = 64
const NO_NUMBERS: Numbers = new Float64Array()

export const createSeries = (metrics: readonly StoredMetric[], capacity = FIRST_CAPACITY): Series => ({
  length: 0,
  columns: {
    atMs: new Float64Array(capacity),
    everyMs: new Float64Array(capacity),
    serviceMs: new Float64Array(capacity),
    outcome: new Float64Array(capacity),
    metrics: metrics.map((metric) => metricColumns(metric, capacity)),
  },
})

function metricColumns(given: StoredMetric, capacity: number): MetricColumns {
  // Of one shape whatever a definition has besides: a loop that meets many shapes looks each member up anew.
  const { id, kind, exact, distribution, resolution, measured } = given
  const metric: StoredMetric = { id, kind, exact, distribution, resolution, measured }
  const numbers = (part: NumberPart): Numbers =>
    PARTS[kind].includes(part) ? new Float64Array(capacity) : NO_NUMBERS
  return {
    metric,
    keys: sampleKeys(metric),
    value: numbers('value'),
    increase: numbers('increase'),
    flags: numbers('flags'),
    text: [],
  }
}

/** What is kept of a metric; undefined where nothing is. */
export const columnsOf = ({ columns }: Series, id: string): MetricColumns | undefined =>
  columns.metrics.find(({ metric }) => metric.id === id)

export const metricsOf = ({ columns }: Series): readonly StoredMetric[] =>
  columns.metrics.map(({ metric }) => metric)

/** Samples that are gone through column by column: few enough that they stay in the processor's cache. */
const BLOCK = 128

/** Adds samples behind the last one; about `samplesMax` are kept, the oldest go first. */
export function appendSamples(series: Series, samples: readonly Sample[], samplesMax: number): void {
  for (let from = 0; from < samples.length; from += BLOCK) {
    const block = samples.length === 1 ? samples : samples.slice(from, from + BLOCK)
    reserve(series, block.length)
    addBlock(series, block)
    series.length += block.length
  }
  trim(series, samplesMax)
}

export const appendSample = (series: Series, sample: Sample, samplesMax: number): void =>
  appendSamples(series, [sample], samplesMax)

type Block = readonly Sample[]

function addBlock({ columns, length }: Series, block: Block): void {
  let lastMs = length === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[length - 1] ?? 0)
  let row = length
  for (const { atMs, everyMs, serviceMs, outcome } of block) {
    columns.atMs[row] = lastMs = after(lastMs, atMs)
    columns.everyMs[row] = everyMs ?? DEFAULTS.pollIntervalMs
    columns.serviceMs[row] = Math.round(serviceMs ?? Number.NaN)
    columns.outcome[row] = outcome === 'answered' ? ANSWERED : OUTCOME_CODES[outcome]
    row++
  }
  for (const column of columns.metrics) addMetric(columns, column, block, length)
}

/** The engine's samples come in order; a search by time must never meet one that does not. */
function after(lastMs: number, atMs: number): number {
  const wholeMs = Math.round(atMs)
  return wholeMs > lastMs ? wholeMs : lastMs + 1
}

/** Marks the rows `[start, end)` of a counter before which nobody watched since its last value. */
export function markUnwatched(
  { atMs, everyMs, outcome }: SeriesColumns,
  { value, flags }: Pick<MetricColumns, 'value' | 'flags'>,
  start: number,
  end: number,
): void {
  const pollAt = (row: number): PollTime => ({
    atMs: atMs[row] ?? 0,
    everyMs: everyMs[row] ?? 0,
    outcome: outcome[row] ?? NOT_WATCHED,
  })
  for (let row = Math.max(1, start); row < end; row++) {
    const isKnownBefore = !Number.isNaN(value[row - 1])
    const isMarkedBefore = !isKnownBefore && ((flags[row - 1] ?? 0) & UNWATCHED) !== 0
    if (isMarkedBefore || !isWatchedBetween(pollAt(row - 1), pollAt(row)))
      flags[row] = (flags[row] ?? 0) | UNWATCHED
  }
}

/** A registry may have metrics of any names. */
type Fields = Readonly<Record<string, unknown>>

/**
 * Each kind has a loop of its own: the browser reads a member by its name in a tenth of the time at a place in code that
 * meets one name alone.
 */
function addMetric(columns: SeriesColumns, column: MetricColumns, block: Block, start: number): void {
  const { metric, keys, value, increase, flags, text } = column
  const samples: readonly Fields[] = block
  let row = start
  switch (metric.kind) {
    case 'gauge':
      return addGauge(column, block, start)
    case 'timestamp':
      for (const fields of samples) value[row++] = Math.round(numberIn(fields[keys.value]))
      return undefined
    case 'counter':
      for (const fields of samples) {
        value[row] = numberIn(fields[keys.value])
        increase[row] = numberIn(fields[keys.increase], 0)
        flags[row] =
          (fields[keys.restarted] === true ? RESTARTED : 0) |
          (fields[keys.unwatched] === true ? UNWATCHED : 0)
        addText(text, row++, fields[keys.exact])
      }
      return markUnwatched(columns, column, start, row)
    case 'state':
      for (const fields of samples) addText(text, row++, fields[keys.value])
      return undefined
    case 'fingerprint':
      for (const fields of samples) {
        const [bits, changed] = [bitsOf(fields[keys.value]), fields[keys.changed]]
        // A sample that was imported may say whether its fingerprint changed, without the fingerprint.
        const isKnown = !Number.isNaN(bits) || typeof changed === 'boolean'
        value[row] = bits
        flags[row++] = (changed === true ? CHANGED : 0) | (isKnown ? KNOWN : 0)
      }
      return undefined
  }
}

function addGauge({ metric, keys, value, text }: MetricColumns, block: Block, start: number): void {
  const { measured, exact, resolution } = metric
  const samples: readonly Fields[] = block
  let row = start
  // What is measured of an answer says nothing where there was none.
  if (measured !== undefined)
    for (const sample of block)
      value[row++] = sample.outcome === 'answered' ? numberIn(sample[measured]) : Number.NaN
  else if (exact === true)
    for (const fields of samples) {
      value[row] = numberIn(fields[keys.value])
      addText(text, row++, fields[keys.exact])
    }
  else for (const fields of samples) value[row++] = numberIn(fields[keys.value])
  if (resolution === undefined) return
  // 12.3 is 123 / 10, and not 123 * 0.1.
  const scale = Math.round(1 / resolution)
  for (row = start; row < start + block.length; row++)
    value[row] = Math.round((value[row] ?? 0) * scale) / scale
}

const numberIn = (value: unknown, none = Number.NaN): number => (typeof value === 'number' ? value : none)

/** What was parsed anew for each answer is kept once. */
function addText(texts: Texts, row: number, text: unknown): void {
  if (typeof text !== 'string') return
  const last = texts.at(-1)
  texts[row] = text === last ? last : text
}

/** What 8 hex digits stand for. By hand: `parseInt` takes a quarter of all that a sample takes. */
function bitsOf(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  let bits = 0
  for (let at = 0; at < DIGITS; at++) {
    const code = text.charCodeAt(at)
    bits = (bits << 4) | ((code & 0xf) + (code >> 6) * 9)
  }
  return bits >>> 0
}

/** Notes that nobody watched from then on, up to the next sample. */
export function appendNotWatched(series: Series, fromMs: number, samplesMax: number): void {
  reserve(series, 1)
  const { columns, length } = series
  columns.atMs[length] = after(columns.atMs[length - 1] ?? Number.NEGATIVE_INFINITY, fromMs)
  columns.everyMs[length] = DEFAULTS.pollIntervalMs
  columns.serviceMs[length] = Number.NaN
  columns.outcome[length] = NOT_WATCHED
  for (const column of columns.metrics)
    for (const part of PARTS[column.metric.kind]) column[part][length] = NUMBERS[part]
  series.length++
  trim(series, samplesMax)
}

/** Copies rows `[start, end)` of another series behind the last row. Times must not go back; the caller sees to it. */
export function appendRows(series: Series, from: Series, start: number, end: number): void {
  if (end <= start) return
  reserve(series, end - start)
  addMissing(series, from)
  const { columns, length } = series
  for (const name of POLL_COLUMNS)
    copyNumbers(columns[name], length, from.columns[name], start, end, Number.NaN)
  for (const [which, column] of columns.metrics.entries()) {
    const { metric, text } = column
    const beside = from.columns.metrics[which]
    const source = beside?.metric.id === metric.id ? beside : columnsOf(from, metric.id)
    for (const part of PARTS[metric.kind])
      copyNumbers(column[part], length, source?.[part] ?? NO_NUMBERS, start, end, NUMBERS[part])
    const texts = source?.text ?? []
    for (let row = start; row < Math.min(end, texts.length); row++) {
      const one = texts[row]
      if (one !== undefined) text[length + row - start] = one
    }
  }
  series.length += end - start
}

/** So many rows are copied sooner by a loop than through a view, as where a flush brings six rows of each node. */
const FEW = 16

/** Where the source knows nothing of it, `none`. */
function copyNumbers(
  into: Numbers,
  at: number,
  source: Numbers,
  start: number,
  end: number,
  none: number,
): void {
  if (source.length === 0) into.fill(none, at, at + end - start)
  else if (end - start > FEW) into.set(source.subarray(start, end), at)
  else for (let row = start; row < end; row++) into[at + row - start] = source[row] ?? 0
}

/** Gives a series the columns that another one has: what is kept stays, whoever reads it. */
function addMissing(series: Series, from: Series): void {
  const { columns } = series
  if (from.columns.metrics.every(({ metric }, which) => columns.metrics[which]?.metric.id === metric.id))
    return
  const added = metricsOf(from)
    .filter(({ id }) => columnsOf(series, id) === undefined)
    .map((metric) => {
      const column = metricColumns(metric, columns.atMs.length)
      for (const part of PARTS[metric.kind]) column[part].fill(NUMBERS[part])
      return column
    })
  if (added.length > 0) series.columns = { ...columns, metrics: [...columns.metrics, ...added] }
}

/** The first row that is not before `atMs`. */
export function placeAt({ columns, length }: Series, atMs: number): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((columns.atMs[middle] ?? 0) < atMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Moves every row by so much, when the clock that dated them was wrong. */
export function shiftSeries({ columns, length }: Series, byMs: number): void {
  for (let row = 0; row < length; row++) columns.atMs[row] = (columns.atMs[row] ?? 0) + byMs
}

/** Drops the rows before this one. */
export function dropBefore(series: Series, row: number): void {
  if (row > 0) moveTo(series, Math.max(series.length - row, FIRST_CAPACITY), row)
}

/** Drops the oldest once there are a quarter more than so many. */
function trim(series: Series, samplesMax: number): void {
  const max = Math.max(1, samplesMax)
  if (series.length > max * 1.25) moveTo(series, Math.ceil(max * 1.25) + 1, series.length - max)
}

/** Grows the columns by this many rows. */
function reserve(series: Series, count: number): void {
  const { length, columns } = series
  if (length + count > columns.atMs.length) moveTo(series, Math.max(length + count, length * 2), 0)
}

function moveTo(series: Series, capacity: number, from: number): void {
  const { columns, length } = series
  const moved = (column: Numbers): Numbers => {
    if (column.length === 0) return column
    const next = new Float64Array(capacity)
    next.set(column.subarray(from, length))
    return next
  }
  series.columns = {
    atMs: moved(columns.atMs),
    everyMs: moved(columns.everyMs),
    serviceMs: moved(columns.serviceMs),
    outcome: moved(columns.outcome),
    metrics: columns.metrics.map(({ metric, keys, value, increase, flags, text }) => ({
      metric,
      keys,
      value: moved(value),
      increase: moved(increase),
      flags: moved(flags),
      text: from === 0 ? text : text.slice(from),
    })),
  }
  series.length -= from
}

const DIGITS = 8

/** What is kept of a fingerprint: its first 8 hex digits, by which one change in 4 billion looks like none. */
export const keptFingerprint = (fingerprint: string): string => fingerprint.slice(0, DIGITS)

/** A fingerprint, 8 hex digits; undefined where none is known. */
export const fingerprintAt = ({ value }: MetricColumns, row: number): string | undefined => {
  const bits = value[row] ?? Number.NaN
  return Number.isNaN(bits) ? undefined : bits.toString(16).padStart(DIGITS, '0')
}
