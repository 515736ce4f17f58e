import { DEFAULTS } from '#base/defaults.ts'
import type { Metric, MetricKind } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Sample } from './history.ts'

/** What of a metric's definition history needs. Plain data: what is kept describes itself. */
export type StoredMetric = Pick<Metric, 'id' | 'kind'> & {
  readonly [Option in 'exact' | 'distribution' | 'resolution']?: Metric[Option] | undefined
} & { readonly measured?: 'latencyMs' | undefined }

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
  /** 32 bits of a fingerprint; 0 where it is not known any more: nothing packs them, so that blocks keep the last one only. */
  readonly print: Uint32Array<ArrayBuffer>
  readonly flags: Uint8Array<ArrayBuffer>
}

/** Each text once. */
export type TextTable = { readonly list: string[]; readonly places: Map<string, number> }

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
export type SampleKeys = {
  readonly value: string
  readonly exact: string
  readonly increase: string
  readonly restarted: string
  readonly unwatched: string
  readonly changed: string
}

export const sampleKeys = ({ id, kind }: Pick<StoredMetric, 'id' | 'kind'>): SampleKeys => ({
  value: kind === 'timestamp' ? `${id}AgeMs` : id,
  exact: `${id}Exact`,
  increase: `${id}Increase`,
  restarted: `${id}Restarted`,
  unwatched: `${id}Unwatched`,
  changed: `${id}Changed`,
})

/** Of one shape whatever a definition has besides: a loop that meets many shapes looks each member up anew. */
const storedMetrics = new WeakMap<StoredMetric, Pick<MetricColumns, 'metric' | 'keys'>>()

/** The same for the same definition, so that columns of one registry are told to be alike at a glance. */
function stored(given: StoredMetric): Pick<MetricColumns, 'metric' | 'keys'> {
  let found = storedMetrics.get(given)
  if (found === undefined) {
    const { id, kind, exact, distribution, resolution, measured } = given
    const metric: StoredMetric = { id, kind, exact, distribution, resolution, measured }
    const made = { metric, keys: sampleKeys(metric) }
    storedMetrics.set(given, made)
    storedMetrics.set(metric, made)
    return made
  }
  return found
}

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

/** Samples that are gone through column by column: few enough that they stay in the processor's cache meanwhile. */
const BLOCK = 128

/** Adds samples behind the last one; at most about `samplesMax` are kept, the oldest go first. */
export function appendSamples(series: Series, samples: readonly Sample[], samplesMax: number): void {
  for (let from = 0; from < samples.length;) {
    const place = placeForNext(series, samplesMax)
    const room = Math.max(1, Math.min(series.columns.atMs.length, capacityMaxOf(samplesMax)) - place)
    const block = samples.length === 1 ? samples : samples.slice(from, from + Math.min(BLOCK, room))
    addBlock(series, block, place)
    series.length += block.length
    from += block.length
  }
}

export const appendSample = (series: Series, sample: Sample, samplesMax: number): void =>
  appendSamples(series, [sample], samplesMax)

type Block = readonly Sample[]

function addBlock({ columns, texts }: Series, block: Block, start: number): void {
  let lastMs = start === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[start - 1] ?? 0)
  let place = start
  for (const { atMs, everyMs, serviceMs, outcome } of block) {
    columns.atMs[place] = lastMs = after(lastMs, atMs)
    columns.everyMs[place] = everyMs ?? DEFAULTS.pollIntervalMs
    columns.serviceMs[place] = Math.round(serviceMs ?? Number.NaN)
    columns.outcome[place] = OUTCOME_CODES[outcome]
    place++
  }
  for (const column of columns.metrics) {
    addMetric(column, block, start, texts)
    if (column.metric.kind === 'counter') markUnwatched(columns, column, start, place)
  }
}

/** Marks the rows `[start, end)` of a counter before which nobody watched since its last value. */
export function markUnwatched(
  { atMs, everyMs, outcome }: SeriesColumns,
  { value, flags }: Pick<MetricColumns, 'value' | 'flags'>,
  start: number,
  end: number,
): void {
  const pollAt = (place: number): PollTime => ({
    atMs: atMs[place] ?? 0,
    everyMs: everyMs[place] ?? 0,
    outcome: outcome[place] ?? NOT_WATCHED,
  })
  for (let place = Math.max(1, start); place < end; place++) {
    const isKnownBefore = !Number.isNaN(value[place - 1])
    const isMarkedBefore = !isKnownBefore && ((flags[place - 1] ?? 0) & UNWATCHED) !== 0
    if (isMarkedBefore || !isWatchedBetween(pollAt(place - 1), pollAt(place)))
      flags[place] = (flags[place] ?? 0) | UNWATCHED
  }
}

function addMetric(column: MetricColumns, block: Block, start: number, texts: TextTable): void {
  const { metric, keys, value, increase, text, flags } = column
  switch (metric.kind) {
    case 'gauge':
      addNumbers(value, start, block, metric.measured ?? keys.value, Number.NaN)
      if (metric.measured !== undefined) dropUnanswered(value, start, block)
      if (metric.resolution !== undefined) roundAll(value, start, block, metric.resolution)
      if (metric.exact === true) addTexts(text, start, block, keys.exact, texts)
      break
    case 'timestamp':
      addNumbers(value, start, block, keys.value, Number.NaN)
      roundAll(value, start, block, 1)
      break
    case 'counter':
      addNumbers(value, start, block, keys.value, Number.NaN)
      addNumbers(increase, start, block, keys.increase, 0)
      addTexts(text, start, block, keys.exact, texts)
      addFlags(flags, start, block, keys.restarted, RESTARTED)
      addFlags(flags, start, block, keys.unwatched, UNWATCHED)
      break
    case 'state':
      addTexts(text, start, block, keys.value, texts)
      break
    case 'fingerprint':
      addFlags(flags, start, block, keys.changed, CHANGED)
      addPrints(column, start, block)
  }
}

const gathered = Array.from({ length: BLOCK }, (): unknown => undefined)
/** Names get their places in the order in which they are met. */
const slots = new Map<string, number>()

/**
 * What a block's samples have by a name, up to the next call. A registry may have any names, and the browser remembers
 * one for each place in code that reads a member: with a place for each of the built-in ones, a third less of the time.
 */
function gather(samples: Block, key: string): readonly unknown[] {
  const block: readonly Readonly<Record<string, unknown>>[] = samples
  let at = 0
  switch (slotOf(key)) {
    case 0:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 1:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 2:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 3:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 4:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 5:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 6:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 7:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 8:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 9:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 10:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    case 11:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
    default:
      for (const fields of block) gathered[at++] = fields[key]
      return gathered
  }
}

function slotOf(key: string): number {
  let slot = slots.get(key)
  if (slot === undefined) slots.set(key, (slot = slots.size))
  return slot
}

function addNumbers(into: Float64Array, start: number, block: Block, key: string, none: number): void {
  const values = gather(block, key)
  for (let at = 0; at < block.length; at++) {
    const value = values[at]
    into[start + at] = typeof value === 'number' ? value : none
  }
}

function addTexts(into: Uint32Array, start: number, block: Block, key: string, texts: TextTable): void {
  const values = gather(block, key)
  for (let at = 0; at < block.length; at++) {
    const value = values[at]
    into[start + at] = typeof value === 'string' ? placeOfText(texts, value) : 0
  }
}

function addFlags(into: Uint8Array, start: number, block: Block, key: string, flag: number): void {
  const values = gather(block, key)
  for (let at = 0; at < block.length; at++)
    if (values[at] === true) into[start + at] = (into[start + at] ?? 0) | flag
}

/** A sample that was imported may say that its fingerprint changed, without the fingerprint. */
function addPrints({ keys, print, flags }: MetricColumns, start: number, block: Block): void {
  const changes = gather(block, keys.changed)
  for (let at = 0; at < block.length; at++)
    if (typeof changes[at] === 'boolean') flags[start + at] = (flags[start + at] ?? 0) | KNOWN
  const values = gather(block, keys.value)
  for (let at = 0; at < block.length; at++) {
    const value = values[at]
    const word = typeof value === 'string' && value.length === DIGITS ? hexWord(value) : -1
    print[start + at] = word === -1 ? 0 : word
    if (word !== -1) flags[start + at] = (flags[start + at] ?? 0) | KNOWN
  }
}

/** What is measured of an answer says nothing where there was none. */
function dropUnanswered(into: Float64Array, start: number, block: Block): void {
  for (const [at, { outcome }] of block.entries()) if (outcome !== 'answered') into[start + at] = Number.NaN
}

function roundAll(into: Float64Array, start: number, block: Block, resolution: number): void {
  // 12.3 is 123 / 10, and not 123 * 0.1.
  const scale = Math.round(1 / resolution)
  for (let place = start; place < start + block.length; place++)
    into[place] = Math.round((into[place] ?? 0) * scale) / scale
}

/** Notes that nobody watched from then on, up to the next sample. */
export function appendNotWatched(series: Series, fromMs: number, samplesMax: number): void {
  const place = placeForNext(series, samplesMax)
  series.length++
  const { columns } = series
  columns.atMs[place] = after(columns.atMs[place - 1] ?? Number.NEGATIVE_INFINITY, fromMs)
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
  const { atMs, everyMs, serviceMs, outcome } = from.columns
  copyDoubles(columns.atMs, length, atMs, start, end, Number.NaN)
  copyDoubles(columns.everyMs, length, everyMs, start, end, Number.NaN)
  copyDoubles(columns.serviceMs, length, serviceMs, start, end, Number.NaN)
  copyBytes(columns.outcome, length, outcome, start, end)
  const texts = { series, from, moved: new Map<number, number>() }
  for (const [which, column] of columns.metrics.entries()) {
    const there = from.columns.metrics[which]
    const source = there?.metric === column.metric ? there : (columnsOf(from, column.metric.id) ?? NOTHING)
    const { value, increase, print, flags, text } = column
    if (value.length > 0) copyDoubles(value, length, source.value, start, end, Number.NaN)
    if (increase.length > 0) copyDoubles(increase, length, source.increase, start, end, 0)
    if (print.length > 0) copyWords(print, length, source.print, start, end)
    if (flags.length > 0) copyBytes(flags, length, source.flags, start, end)
    if (text.length > 0) copyTexts(texts, text, source.text, start, end)
  }
  series.length += count
}

/**
 * Where the source knows nothing of it, `none`. A view costs more than it saves where a flush brings six rows of each
 * of a thousand nodes; and a loop over arrays of more than one kind takes several times as long.
 */
function copyDoubles(
  into: Float64Array,
  at: number,
  source: Float64Array,
  start: number,
  end: number,
  none: number,
): void {
  if (source.length === 0) into.fill(none, at, at + end - start)
  else if (end - start > FEW) into.set(source.subarray(start, end), at)
  else for (let place = start; place < end; place++) into[at + place - start] = source[place] ?? 0
}

function copyBytes(into: Uint8Array, at: number, source: Uint8Array, start: number, end: number): void {
  if (source.length === 0) into.fill(0, at, at + end - start)
  else if (end - start > FEW) into.set(source.subarray(start, end), at)
  else for (let place = start; place < end; place++) into[at + place - start] = source[place] ?? 0
}

function copyWords(into: Uint32Array, at: number, source: Uint32Array, start: number, end: number): void {
  if (source.length === 0) into.fill(0, at, at + end - start)
  else if (end - start > FEW) into.set(source.subarray(start, end), at)
  else for (let place = start; place < end; place++) into[at + place - start] = source[place] ?? 0
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
  let last = 0
  let fresh: number | undefined = 0
  for (let place = start; place < end; place++) {
    const old = source[place] ?? 0
    // Mostly the same as before it.
    if (old !== last) fresh = old === 0 ? 0 : moved.get(old)
    last = old
    if (fresh === undefined) moved.set(old, (fresh = placeOfText(series.texts, from.texts.list[old])))
    into[series.length + place - start] = fresh
  }
}

/** Gives a series the columns that another one has: what is kept stays, whoever reads it. */
function addMissing(series: Series, from: Series): void {
  const { columns } = series
  if (from.columns.metrics.every(({ metric }, which) => columns.metrics[which]?.metric === metric)) return
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

/** The place for one more row, for which room is made. */
function placeForNext(series: Series, samplesMax: number): number {
  const capacity = series.columns.atMs.length
  if (series.length === capacity || series.length >= capacityMaxOf(samplesMax)) makeRoom(series, samplesMax)
  return series.length
}

/** The engine's samples come in order; a search by time must never meet one that does not. */
function after(lastMs: number, atMs: number): number {
  const wholeMs = Math.round(atMs)
  return wholeMs > lastMs ? wholeMs : lastMs + 1
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
  const has = (part: Part): boolean => hasPart(metric, part)
  const { metric: plain, keys } = stored(metric)
  // Written out: what is spread into an object lies apart from it, and a flush meets thousands of them.
  return {
    metric: plain,
    keys,
    value: has('value') ? new Float64Array(capacity) : NOTHING.value,
    increase: has('increase') ? new Float64Array(capacity) : NOTHING.increase,
    text: has('text') ? new Uint32Array(capacity) : NOTHING.text,
    print: has('print') ? new Uint32Array(capacity) : NOTHING.print,
    flags: has('flags') ? new Uint8Array(capacity) : NOTHING.flags,
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

/** A fingerprint, 8 hex digits; undefined where none is known. Blocks keep the last one only. */
export const fingerprintAt = ({ print }: MetricColumns, place: number): string | undefined => {
  const word = print[place] ?? 0
  return word === 0 ? undefined : word.toString(16).padStart(DIGITS, '0')
}

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
