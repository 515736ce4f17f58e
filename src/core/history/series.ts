import { DEFAULTS } from '#base/defaults.ts'
import type { Metric, MetricKind } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Sample } from './history.ts'

/** What of a metric's definition history needs. Plain data: what is kept describes itself. */
export type StoredMetric = Pick<Metric, 'id' | 'kind' | 'exact' | 'distribution' | 'resolution'> & {
  readonly measured?: 'latencyMs'
}

/** One node's samples as columns, oldest first, in `[0, length)` of each array. */
export type Series = {
  length: number
  columns: SeriesColumns
  /** What the text columns point at; place 0 is "no text". */
  texts: TextTable
}

/** NaN, and place 0 in the text columns, is "not known". */
export type SeriesColumns = {
  /** Whole Unix ms. */
  readonly atMs: Float64Array<ArrayBuffer>
  /** The interval at which the node was asked. */
  readonly everyMs: Float64Array<ArrayBuffer>
  readonly serviceMs: Float64Array<ArrayBuffer>
  /** Code of an outcome, or NOT_WATCHED. */
  readonly outcome: Uint8Array<ArrayBuffer>
  readonly metrics: readonly MetricColumns[]
}

/** What is kept of one metric. Which arrays there are its kind says; the others are empty. */
export type MetricColumns = {
  readonly metric: StoredMetric
  readonly keys: SampleKeys
  /** Of a gauge its value, of a counter its total, of a timestamp its age in whole ms. */
  readonly value: Float64Array<ArrayBuffer>
  /** Of a counter. */
  readonly increase: Float64Array<ArrayBuffer>
  /** Of a state its word; else the exact decimal, only where the double is not exact. */
  readonly text: Uint32Array<ArrayBuffer>
  /**
   * 32 bits of a fingerprint; 0 where `KNOWN` is not set. They are all but random, so that nothing packs them: with 64
   * of them they were four fifths of all that is kept of a node whose record is always new.
   */
  readonly print: Uint32Array<ArrayBuffer>
  readonly flags: Uint8Array<ArrayBuffer>
}

/** Each text once. */
export type TextTable = { readonly list: string[]; readonly places: Map<string, number> }

/** Flags of a counter, */
export const RESTARTED = 1
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
}

const isOutcome = (text: string): text is Outcome => Object.hasOwn(OUTCOME_CODES, text)

/** Outcomes by their codes. */
export const OUTCOMES: readonly Outcome[] = Object.keys(OUTCOME_CODES)
  .filter(isOutcome)
  .toSorted((a, b) => OUTCOME_CODES[a] - OUTCOME_CODES[b])

export const ANSWERED = OUTCOME_CODES.answered

/** What a metric's values are called in a sample. */
export type SampleKeys = {
  readonly value: string
  readonly exact: string
  readonly increase: string
  readonly restarted: string
  readonly changed: string
}

export const sampleKeys = ({ id, kind }: Pick<StoredMetric, 'id' | 'kind'>): SampleKeys => ({
  value: kind === 'timestamp' ? `${id}AgeMs` : id,
  exact: `${id}Exact`,
  increase: `${id}Increase`,
  restarted: `${id}Restarted`,
  changed: `${id}Changed`,
})

type Part = 'value' | 'increase' | 'text' | 'print' | 'flags'
const PARTS: Readonly<Record<MetricKind, readonly Part[]>> = {
  gauge: ['value', 'text'],
  counter: ['value', 'increase', 'text', 'flags'],
  timestamp: ['value'],
  state: ['text'],
  fingerprint: ['print', 'flags'],
}

/** Whether a metric has such a column. */
export const hasPart = ({ kind, exact }: StoredMetric, part: Part): boolean =>
  PARTS[kind].includes(part) && (part !== 'text' || kind !== 'gauge' || exact === true)

const FIRST_CAPACITY = 64
/** From so many rows on arrays grow faster: each time costs a copy of them, and what is not written to takes no memory. */
const MANY = 16_384
const FEW = 16

export const createTexts = (): TextTable => ({ list: [''], places: new Map() })

export const createSeries = (
  capacity = FIRST_CAPACITY,
  metrics: readonly StoredMetric[] = METRICS,
): Series => ({
  length: 0,
  columns: allocate(capacity, metrics),
  texts: createTexts(),
})

/** Place of a text in the table; it is added where it is new. */
export function placeOfText({ list, places }: TextTable, text: string | undefined): number {
  if (text === undefined) return 0
  const known = places.get(text)
  if (known !== undefined) return known
  places.set(text, list.length)
  return list.push(text) - 1
}

/** What is kept of a metric; undefined where nothing is. */
export const columnsOf = ({ columns }: Series, id: string): MetricColumns | undefined =>
  columns.metrics.find(({ metric }) => metric.id === id)

export const metricsOf = ({ columns }: Series): readonly StoredMetric[] =>
  columns.metrics.map(({ metric }) => metric)

/** Adds a sample behind the last one; at most about `samplesMax` are kept, the oldest go first. */
export function appendSample(series: Series, sample: Sample, samplesMax: number): void {
  const place = nextPlace(series, sample.atMs, samplesMax)
  const { columns, texts } = series
  const isAnswered = sample.outcome === 'answered'
  columns.everyMs[place] = sample.everyMs ?? DEFAULTS.pollIntervalMs
  columns.serviceMs[place] = Math.round(sample.serviceMs ?? Number.NaN)
  columns.outcome[place] = OUTCOME_CODES[sample.outcome]
  const fields: Readonly<Record<string, unknown>> = sample
  for (const column of columns.metrics) {
    const { metric, keys } = column
    const value = fields[metric.measured ?? keys.value]
    switch (metric.kind) {
      case 'gauge':
        column.value[place] =
          metric.measured !== undefined && !isAnswered
            ? Number.NaN
            : rounded(numberIn(value), metric.resolution)
        if (metric.exact === true) column.text[place] = placeOfText(texts, textIn(fields[keys.exact]))
        break
      case 'timestamp':
        column.value[place] = Math.round(numberIn(value))
        break
      case 'counter': {
        const increase = fields[keys.increase]
        column.value[place] = numberIn(value)
        column.increase[place] = typeof increase === 'number' ? increase : 0
        column.text[place] = placeOfText(texts, textIn(fields[keys.exact]))
        column.flags[place] = fields[keys.restarted] === true ? RESTARTED : 0
        break
      }
      case 'state':
        column.text[place] = placeOfText(texts, textIn(value))
        break
      case 'fingerprint': {
        const word = typeof value === 'string' && value.length === DIGITS ? hexWord(value) : -1
        column.print[place] = word === -1 ? 0 : word
        column.flags[place] = (word === -1 ? 0 : KNOWN) | (fields[keys.changed] === true ? CHANGED : 0)
      }
    }
  }
}

const numberIn = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
function rounded(value: number, resolution: number | undefined): number {
  if (resolution === undefined) return value
  // 12.3 is 123 / 10, and not 123 * 0.1.
  const scale = Math.round(1 / resolution)
  return Math.round(value * scale) / scale
}

/** Notes that nobody watched from then on, up to the next sample. */
export function appendNotWatched(series: Series, fromMs: number, samplesMax: number): void {
  const place = nextPlace(series, fromMs, samplesMax)
  const { columns } = series
  columns.everyMs[place] = DEFAULTS.pollIntervalMs
  columns.serviceMs[place] = Number.NaN
  columns.outcome[place] = NOT_WATCHED
  for (const { value, increase, text, print, flags } of columns.metrics) {
    if (value.length > 0) value[place] = Number.NaN
    for (const codes of [increase, text, print, flags]) if (codes.length > 0) codes[place] = 0
  }
}

/** Copies rows `[start, end)` of another series behind the last row. Times must not go back; the caller sees to it. */
export function appendRows(series: Series, from: Series, start: number, end: number): void {
  const count = end - start
  if (count <= 0) return
  if (series.length + count > series.columns.atMs.length)
    moveTo(series, Math.max(series.length + count, series.length * 2), 0)
  addMissing(series, from)
  const { columns, length } = series
  for (const name of POLL_COLUMNS) copyRows(columns[name], length, from.columns[name], start, end)
  const moved = new Map<number, number>()
  for (const column of columns.metrics) {
    const source = columnsOf(from, column.metric.id) ?? NOTHING
    copyNumbers(column.value, length, source.value, start, end, Number.NaN)
    copyNumbers(column.increase, length, source.increase, start, end, 0)
    copyNumbers(column.print, length, source.print, start, end, 0)
    copyNumbers(column.flags, length, source.flags, start, end, 0)
    copyTexts({ series, from, moved }, column.text, source.text, start, end)
  }
  series.length += count
}

type Numbers = Float64Array | Uint32Array | Uint8Array

function copyRows(into: Numbers, at: number, source: Numbers, start: number, end: number): void {
  const count = end - start
  // A view costs more than it saves where a flush brings six rows of each of a thousand nodes.
  if (count > FEW) into.set(source.subarray(start, end), at)
  else for (let place = 0; place < count; place++) into[at + place] = source[start + place] ?? 0
}

/** Where the source knows nothing of it, `none`. */
function copyNumbers(
  into: Numbers,
  at: number,
  source: Numbers,
  start: number,
  end: number,
  none: number,
): void {
  if (into.length === 0) return
  if (source.length > 0) copyRows(into, at, source, start, end)
  else into.fill(none, at, at + end - start)
}

function copyTexts(
  {
    series,
    from,
    moved,
  }: { readonly series: Series; readonly from: Series; readonly moved: Map<number, number> },
  into: Uint32Array,
  source: Uint32Array,
  start: number,
  end: number,
): void {
  if (into.length === 0) return
  for (let place = start; place < end; place++) {
    const old = source[place] ?? 0
    let fresh = old === 0 ? 0 : moved.get(old)
    if (fresh === undefined) moved.set(old, (fresh = placeOfText(series.texts, from.texts.list[old])))
    into[series.length + place - start] = fresh
  }
}

/** Gives a series the columns that another one has: what is kept stays, whoever reads it. */
function addMissing(series: Series, from: Series): void {
  const { columns } = series
  const missing = from.columns.metrics.filter(({ metric }) => columnsOf(series, metric.id) === undefined)
  if (missing.length === 0) return
  const capacity = columns.atMs.length
  const added = missing.map(({ metric }) => {
    const column = metricColumns(metric, capacity)
    if (column.value.length > 0) column.value.fill(Number.NaN, 0, series.length)
    return column
  })
  series.columns = { ...columns, metrics: [...columns.metrics, ...added] }
}

/** Place of the first row that is not before `atMs`. */
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
  for (let place = 0; place < length; place++) columns.atMs[place] = (columns.atMs[place] ?? 0) + byMs
}

/** Drops the rows before this place, and the texts that only they used. */
export function dropBefore(series: Series, place: number): void {
  if (place <= 0) return
  moveTo(series, Math.max(series.length - place, FIRST_CAPACITY), place)
}

/** The place for one more row. The engine's samples come in order; a search by time must never meet one that does not. */
function nextPlace(series: Series, atMs: number, samplesMax: number): number {
  const capacity = series.columns.atMs.length
  if (series.length === capacity || series.length >= capacityMaxOf(samplesMax)) makeRoom(series, samplesMax)
  const { columns } = series
  const place = series.length++
  const wholeMs = Math.round(atMs)
  const lastMs = place === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[place - 1] ?? 0)
  columns.atMs[place] = wholeMs > lastMs ? wholeMs : lastMs + 1
  return place
}

/** Lengthens the arrays up to a quarter above the limit; there, drops the oldest, a quarter at a time. */
function makeRoom(series: Series, samplesMax: number): void {
  const capacityMax = capacityMaxOf(samplesMax)
  const kept = series.length >= capacityMax ? samplesMax : series.length
  const wanted = Math.max(kept * (kept < MANY ? 2 : 4), FIRST_CAPACITY)
  const capacity = Math.min(wanted, Math.max(capacityMax, kept + 1))
  moveTo(series, capacity, series.length - kept)
}

function moveTo(series: Series, capacity: number, from: number): void {
  const old = series.columns
  const columns = allocate(capacity, metricsOf(series))
  const { length } = series
  for (const name of POLL_COLUMNS) columns[name].set(old[name].subarray(from, length))
  for (const [which, column] of columns.metrics.entries())
    for (const part of ALL_PARTS)
      if (column[part].length > 0) column[part].set(old.metrics[which]?.[part].subarray(from, length) ?? [])
  series.columns = columns
  series.length -= from
  if (from > 0) dropUnusedTexts(series)
}

function dropUnusedTexts(series: Series): void {
  const { list } = series.texts
  const texts = createTexts()
  for (const { text } of series.columns.metrics)
    for (let place = 0; place < Math.min(series.length, text.length); place++) {
      const old = text[place] ?? 0
      if (old !== 0) text[place] = placeOfText(texts, list[old])
    }
  series.texts = texts
}

const capacityMaxOf = (samplesMax: number): number => Math.ceil(samplesMax * 1.25)

const allocate = (capacity: number, metrics: readonly StoredMetric[]): SeriesColumns => ({
  atMs: new Float64Array(capacity),
  everyMs: new Float64Array(capacity),
  serviceMs: new Float64Array(capacity),
  outcome: new Uint8Array(capacity),
  metrics: metrics.map((metric) => metricColumns(metric, capacity)),
})

function metricColumns(metric: StoredMetric, capacity: number): MetricColumns {
  const size = (part: Part): number => (hasPart(metric, part) ? capacity : 0)
  return {
    metric,
    keys: sampleKeys(metric),
    value: new Float64Array(size('value')),
    increase: new Float64Array(size('increase')),
    text: new Uint32Array(size('text')),
    print: new Uint32Array(size('print')),
    flags: new Uint8Array(size('flags')),
  }
}

const POLL_COLUMNS = ['atMs', 'everyMs', 'serviceMs', 'outcome'] as const
const ALL_PARTS = ['value', 'increase', 'text', 'print', 'flags'] as const
const NOTHING: Pick<MetricColumns, Part> = {
  value: new Float64Array(),
  increase: new Float64Array(),
  text: new Uint32Array(),
  print: new Uint32Array(),
  flags: new Uint8Array(),
}

const DIGITS = 8

/** What is kept of a fingerprint: its first 8 hex digits, by which one change in 4 billion looks like none. */
export const keptFingerprint = (fingerprint: string): string => fingerprint.slice(0, DIGITS)

/** A fingerprint, 8 hex digits; undefined where none is known. */
export const fingerprintAt = ({ print, flags }: MetricColumns, place: number): string | undefined =>
  ((flags[place] ?? 0) & KNOWN) === 0 ? undefined : (print[place] ?? 0).toString(16).padStart(DIGITS, '0')

const NO_DIGIT = 16

/** What each character stands for as a hex digit in lower case. */
const HEX_DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (const [digit, character] of Array.from('0123456789abcdef').entries())
  HEX_DIGITS[character.charCodeAt(0)] = digit

/**
 * The first eight hex digits, in lower case, as a number; -1 where there is anything else. Looked up, since which of
 * two ranges a digit lies in can't be foretold: that took a tenth of all that a sample takes.
 */
function hexWord(text: string): number {
  let word = 0
  let seen = 0
  for (let place = 0; place < DIGITS; place++) {
    const digit = HEX_DIGITS[text.charCodeAt(place)] ?? NO_DIGIT
    seen |= digit
    word = (word << 4) | digit
  }
  return seen < NO_DIGIT ? word >>> 0 : -1
}
