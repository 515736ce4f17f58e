import { DEFAULTS } from '#base/defaults.ts'
import type { Metric, MetricKind } from '#metrics/metric.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Sample } from './history.ts'

/** The part of a metric's definition that history stores, so that records describe themselves. */
export type StoredMetric = Pick<Metric, 'id' | 'kind'> & {
  readonly [Option in 'distribution' | 'resolution']?: Metric[Option] | undefined
} & { readonly exact?: boolean | undefined; readonly measured?: 'latencyMs' | undefined }

/** One node's samples as columns, oldest first, in `[0, length)` of each array. */
export type Series = { length: number; columns: SeriesColumns }

/** NaN means unknown. */
export type SeriesColumns = {
  /** Whole Unix ms. */
  readonly atMs: Numbers
  readonly everyMs: Numbers
  readonly serviceMs: Numbers
  /** An outcome's code, or NOT_WATCHED. */
  readonly outcome: Numbers
  readonly metrics: readonly MetricColumns[]
}

type Numbers = Float64Array<ArrayBuffer>
type Texts = (string | undefined)[]

/** The columns of one metric. Its kind decides which it has; the others are empty. */
export type MetricColumns = {
  readonly metric: StoredMetric
  readonly keys: SampleKeys
  /**
   * A gauge's value, a counter's total, a timestamp's age in whole ms, or 32 bits of a fingerprint.
   * Fingerprints don't compress, so blocks keep only the last one.
   */
  readonly value: Numbers
  /** For counters. */
  readonly increase: Numbers
  readonly flags: Numbers
  /**
   * A state's word; else the exact decimal if the double is not exact. May be shorter than the other columns.
   */
  readonly text: Texts
}

/** A flag of counters: it restarted. */
export const RESTARTED = 1
/**
 * A flag of counters: part of the time since the last value was not watched. Rows without a value have it
 * too, so that each row follows from the one before it.
 */
export const UNWATCHED = 2
/** A flag of fingerprints. */
export const CHANGED = 1
export const KNOWN = 2

/** Stands for an outcome where no poll was made: from this moment nobody watched. */
export const NOT_WATCHED = 255

type Outcome = 'answered' | FailureKind

/**
 * The stored code of each outcome. It is independent of the failure table, so that records stay readable when
 * the table grows.
 */
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

/** Outcomes of polls that were never sent: they say nothing about the service. */
export const isUnasked = (outcome: Outcome): boolean => outcome === 'offline' || outcome === 'signed-out'

/** How long after a poll the next one is overdue, ms. */
export const maxGapMsOf = (everyMs: number): number => everyMs * DEFAULTS.staleAfterIntervals

/**
 * How long a row holds if nothing follows it, ms: an answer for as long as a reading counts as current, a failure for up
 * to the engine's longest wait.
 */
export const holdsMs = (outcome: number, maxGapMs: number): number =>
  outcome === ANSWERED ? maxGapMs : Math.max(maxGapMs, DEFAULTS.slowestWaitMs)

/** The time until which a row holds if nothing follows it. A row that starts unwatched time holds for 0 ms. */
export function holdsUntilMs(
  { atMs, everyMs, outcome }: SeriesColumns,
  row: number,
  maxGapMs = maxGapMsOf(everyMs[row] ?? 0),
): number {
  const [startMs = 0, code = NOT_WATCHED] = [atMs[row], outcome[row]]
  return code === NOT_WATCHED ? startMs : startMs + holdsMs(code, maxGapMs)
}

/** The part of a poll that decides whether the time to the next one was watched. `outcome`: its code. */
export type PollTime = { readonly atMs: number; readonly everyMs: number; readonly outcome: number }

/** Whether the time from one poll of a node to the next was watched. Failed polls count as watched. */
export function isWatchedBetween(before: PollTime, next: Pick<PollTime, 'atMs' | 'everyMs'>): boolean {
  const outcome = OUTCOMES[before.outcome]
  if (outcome === undefined || isUnasked(outcome)) return false
  // A poll is not late if a longer interval was set in between.
  const maxGapMs = maxGapMsOf(Math.max(before.everyMs, next.everyMs))
  return next.atMs - before.atMs <= holdsMs(before.outcome, maxGapMs)
}

const isOutcome = (text: string): text is Outcome => Object.hasOwn(OUTCOME_CODES, text)

/** Outcomes by their codes. */
export const OUTCOMES: readonly Outcome[] = Object.keys(OUTCOME_CODES)
  .filter(isOutcome)
  .toSorted((a, b) => OUTCOME_CODES[a] - OUTCOME_CODES[b])

export const ANSWERED = OUTCOME_CODES.answered

/** The names of a metric's values in a sample. */
export const sampleKeys = ({ id, kind }: Pick<StoredMetric, 'id' | 'kind'>) => ({
  /** A state's word, 8 hex digits of a fingerprint, or the nearest double. */
  value: kind === 'timestamp' ? `${id}AgeMs` : id,
  /** The decimal text, if the double is not exact. */
  exact: `${id}Exact`,
  /** Since the node's last good sample; 0 for the first. After a restart it is the new total. */
  increase: `${id}Increase`,
  restarted: `${id}Restarted`,
  /** Part of the time that the increase spans was not watched. Stored rows have a flag of their own. */
  unwatched: `${id}Unwatched`,
  /** Whether the fingerprint differs from the node's last one. */
  changed: `${id}Changed`,
})
export type SampleKeys = Readonly<ReturnType<typeof sampleKeys>>

/** The number columns of each kind, and the value of each in an unknown row. */
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

export function createSeries(metrics: readonly StoredMetric[], capacity = FIRST_CAPACITY): Series {
  // Thousands of small buffers cost more to make and to collect than one for all columns.
  const count = metrics.reduce<number>((sum, { kind }) => sum + PARTS[kind].length, POLL_COLUMNS.length)
  const numbers = new Float64Array(count * capacity)
  let at = 0
  const next = (): Numbers => numbers.subarray(at, (at += capacity))
  return {
    length: 0,
    columns: {
      atMs: next(),
      everyMs: next(),
      serviceMs: next(),
      outcome: next(),
      metrics: metrics.map((metric) => metricColumns(metric, next)),
    },
  }
}

function metricColumns(given: StoredMetric, next: () => Numbers): MetricColumns {
  const { metric, keys } = sharedBy(given)
  const numbers = (part: NumberPart): Numbers => (PARTS[given.kind].includes(part) ? next() : NO_NUMBERS)
  return {
    // Spreading these two would make an object that takes three times as long to read.
    metric,
    keys,
    value: numbers('value'),
    increase: numbers('increase'),
    flags: numbers('flags'),
    text: [],
  }
}

type Shared = Pick<MetricColumns, 'metric' | 'keys'>
const SHARED = new WeakMap<StoredMetric, Shared>()

/** The same objects for all nodes, in one shape for all metrics: loops over many shapes are slower. */
function sharedBy(given: StoredMetric): Shared {
  const { id, kind, exact, distribution, resolution, measured } = given
  let shared = SHARED.get(given)
  if (shared === undefined) {
    const metric: StoredMetric = { id, kind, exact, distribution, resolution, measured }
    shared = { metric, keys: sampleKeys(metric) }
    SHARED.set(given, shared).set(metric, shared)
  }
  return shared
}

export const columnsOf = ({ columns }: Series, id: string): MetricColumns | undefined =>
  columns.metrics.find(({ metric }) => metric.id === id)

export const metricsOf = ({ columns }: Series): readonly StoredMetric[] =>
  columns.metrics.map(({ metric }) => metric)

/** Few enough samples to stay in the processor's cache while each column is filled. */
const BLOCK = 128

export function appendSamples(series: Series, samples: readonly Sample[]): void {
  for (let from = 0; from < samples.length; from += BLOCK) {
    const block = samples.length === 1 ? samples : samples.slice(from, from + BLOCK)
    reserve(series, block.length)
    addBlock(series, block)
    series.length += block.length
  }
}

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

/** Keeps times increasing, because a binary search relies on it. */
function after(lastMs: number, atMs: number): number {
  const wholeMs = Math.round(atMs)
  return wholeMs > lastMs ? wholeMs : lastMs + 1
}

/** Flags the rows `[start, end)` of a counter that follow unwatched time. */
function markUnwatched(
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

/**
 * Each kind has its own loop: at a place in the code that reads a single property name, the browser takes a
 * tenth of the time.
 */
function addMetric(columns: SeriesColumns, column: MetricColumns, block: Block, start: number): void {
  const { metric, keys, value, increase, flags, text } = column
  let row = start
  switch (metric.kind) {
    case 'gauge':
      return addGauge(column, block, start)
    case 'timestamp':
      for (const sample of block) value[row++] = Math.round(numberIn(sample[keys.value]))
      return undefined
    case 'counter':
      for (const sample of block) {
        value[row] = numberIn(sample[keys.value])
        increase[row] = numberIn(sample[keys.increase], 0)
        flags[row] =
          (sample[keys.restarted] === true ? RESTARTED : 0) |
          (sample[keys.unwatched] === true ? UNWATCHED : 0)
        addText(text, row++, sample[keys.exact])
      }
      return markUnwatched(columns, column, start, row)
    case 'state':
      for (const sample of block) addText(text, row++, sample[keys.value])
      return undefined
    case 'fingerprint':
      for (const sample of block) {
        const [bits, changed] = [bitsOf(sample[keys.value]), sample[keys.changed]]
        // An imported sample may say that its fingerprint changed without having the fingerprint.
        const isKnown = !Number.isNaN(bits) || typeof changed === 'boolean'
        value[row] = bits
        flags[row++] = (changed === true ? CHANGED : 0) | (isKnown ? KNOWN : 0)
      }
      return undefined
  }
}

function addGauge({ metric, keys, value, text }: MetricColumns, block: Block, start: number): void {
  const { measured, exact, resolution } = metric
  let row = start
  // A metric that is measured on an answer has no value without one.
  if (measured !== undefined)
    for (const sample of block)
      value[row++] = sample.outcome === 'answered' ? numberIn(sample[measured]) : Number.NaN
  else
    for (const sample of block) {
      value[row] = numberIn(sample[keys.value])
      addText(text, row++, exact === true ? sample[keys.exact] : undefined)
    }
  if (resolution === undefined) return
  // 12.3 is stored as 123 / 10, because 123 × 0.1 is not exact.
  const scale = Math.round(1 / resolution)
  for (row = start; row < start + block.length; row++)
    value[row] = Math.round((value[row] ?? 0) * scale) / scale
}

const numberIn = (value: unknown, none = Number.NaN): number => (typeof value === 'number' ? value : none)

/** Shares equal texts, because each answer is parsed into new strings. */
function addText(texts: Texts, row: number, text: unknown): void {
  if (typeof text !== 'string') return
  const last = texts.at(-1)
  texts[row] = text === last ? last : text
}

/**
 * The number that 8 hex digits stand for. Using `parseInt` would take a quarter of the time of a whole
 * sample.
 */
function bitsOf(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  let bits = 0
  for (let at = 0; at < DIGITS; at++) {
    const code = text.charCodeAt(at)
    bits = (bits << 4) | ((code & 0xf) + (code >> 6) * 9)
  }
  return bits >>> 0
}

/** Marks the start of unwatched time, up to the next sample. */
export function appendNotWatched(series: Series, fromMs: number): void {
  reserve(series, 1)
  const { columns, length } = series
  columns.atMs[length] = after(columns.atMs[length - 1] ?? Number.NEGATIVE_INFINITY, fromMs)
  columns.everyMs[length] = DEFAULTS.pollIntervalMs
  columns.serviceMs[length] = Number.NaN
  columns.outcome[length] = NOT_WATCHED
  for (const column of columns.metrics)
    for (const part of PARTS[column.metric.kind]) column[part][length] = NUMBERS[part]
  series.length++
}

/** Appends rows `[start, end)` of another series. The caller makes sure that times increase. */
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

/** Below this many rows a loop copies faster than a view, as in a flush with six rows of each node. */
const FEW = 16

/** Fills with `none` if the source does not have the column. */
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

/** Adds the columns that only the other series has, so that no metric is lost. */
function addMissing(series: Series, from: Series): void {
  const { columns } = series
  if (from.columns.metrics.every(({ metric }, which) => columns.metrics[which]?.metric.id === metric.id))
    return
  const missing = metricsOf(from).filter(({ id }) => columnsOf(series, id) === undefined)
  if (missing.length === 0) return
  const { metrics } = createSeries(missing, columns.atMs.length).columns
  for (const column of metrics) for (const part of PARTS[column.metric.kind]) column[part].fill(NUMBERS[part])
  series.columns = { ...columns, metrics: [...columns.metrics, ...metrics] }
}

/** The first row at or after `atMs`. */
export function rowFrom({ columns, length }: Series, atMs: number): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((columns.atMs[middle] ?? 0) < atMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Moves every row, because the clock that dated them was wrong. */
export function shiftSeries({ columns, length }: Series, byMs: number): void {
  for (let row = 0; row < length; row++) columns.atMs[row] = (columns.atMs[row] ?? 0) + byMs
}

export function dropBefore(series: Series, row: number): void {
  if (row > 0) moveTo(series, Math.max(series.length - row, FIRST_CAPACITY), row)
}

/** Drops the oldest rows once the series is a quarter too long. */
export function trim(series: Series, samplesMax: number): void {
  if (series.length > samplesMax * 1.25)
    moveTo(series, Math.ceil(samplesMax * 1.25) + 1, series.length - samplesMax)
}

function reserve(series: Series, count: number): void {
  const { length, columns } = series
  if (length + count > columns.atMs.length) moveTo(series, Math.max(length + count, length * 2), 0)
}

/** Copies the rows from `from` on into columns of their own, because a read may still use the old ones. */
function moveTo(series: Series, capacity: number, from: number): void {
  const moved = createSeries(metricsOf(series), capacity)
  appendRows(moved, series, from, series.length)
  series.columns = moved.columns
  series.length = moved.length
}

const DIGITS = 8

/** The stored part of a fingerprint, 8 hex digits: one change in 4 billion goes unnoticed. */
export const keptFingerprint = (fingerprint: string): string => fingerprint.slice(0, DIGITS)

/** 8 hex digits; undefined if unknown. */
export const fingerprintAt = ({ value }: MetricColumns, row: number): string | undefined => {
  const bits = value[row] ?? Number.NaN
  return Number.isNaN(bits) ? undefined : bits.toString(16).padStart(DIGITS, '0')
}
