import { DEFAULTS } from '#base/defaults.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Sample } from './history.ts'
import { setProof } from './proof-columns.ts'

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
  atMs: Float64Array<ArrayBuffer>
  /** In steps of 0.1 ms. */
  latencyMs: Float64Array<ArrayBuffer>
  heartbeatAgeMs: Float64Array<ArrayBuffer>
  participation: Float64Array<ArrayBuffer>
  stake: Float64Array<ArrayBuffer>
  threatTotal: Float64Array<ArrayBuffer>
  threatIncrease: Float64Array<ArrayBuffer>
  /** The interval at which the node was asked. */
  everyMs: Float64Array<ArrayBuffer>
  serviceMs: Float64Array<ArrayBuffer>
  /** Place in OUTCOMES, or NOT_WATCHED. */
  outcome: Uint8Array<ArrayBuffer>
  flags: Uint8Array<ArrayBuffer>
  status: Uint32Array<ArrayBuffer>
  /** Exact decimal text, only where the double is not exact. */
  stakeText: Uint32Array<ArrayBuffer>
  threatText: Uint32Array<ArrayBuffer>
  /** The proof's fingerprint; 0 where `HAS_PROOF` is not set. */
  proof: Uint32Array<ArrayBuffer>
}

/** Each text once. */
export type TextTable = { readonly list: string[]; readonly places: Map<string, number> }

export const RESTARTED = 1
export const PROOF_CHANGED = 2

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
}

const isOutcome = (name: string): name is Outcome => Object.hasOwn(OUTCOME_CODES, name)

/** Outcomes by their codes. */
export const OUTCOMES: readonly Outcome[] = Object.keys(OUTCOME_CODES)
  .filter(isOutcome)
  .toSorted((a, b) => OUTCOME_CODES[a] - OUTCOME_CODES[b])

const FIRST_CAPACITY = 64
/** From so many rows on arrays grow faster: each time costs a copy of them, and what is not written to takes no memory. */
const MANY = 16_384
const FEW = 16

export const createTexts = (): TextTable => ({ list: [''], places: new Map() })

export const createSeries = (capacity = FIRST_CAPACITY): Series => ({
  length: 0,
  columns: allocate(capacity),
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

/** Adds a sample behind the last one; at most about `samplesMax` are kept, the oldest go first. */
export function appendSample(series: Series, sample: Sample, samplesMax: number): void {
  const place = nextPlace(series, sample.atMs, samplesMax)
  const { columns, texts } = series
  const isAnswered = sample.outcome === 'answered'
  columns.latencyMs[place] = isAnswered ? Math.round(sample.latencyMs * 10) / 10 : Number.NaN
  columns.heartbeatAgeMs[place] = Math.round(sample.heartbeatAgeMs ?? Number.NaN)
  columns.participation[place] = sample.participation ?? Number.NaN
  columns.stake[place] = sample.stake ?? Number.NaN
  columns.threatTotal[place] = sample.threatTotal ?? Number.NaN
  columns.threatIncrease[place] = sample.threatIncrease ?? 0
  columns.everyMs[place] = sample.everyMs ?? DEFAULTS.pollIntervalMs
  columns.serviceMs[place] = Math.round(sample.serviceMs ?? Number.NaN)
  columns.outcome[place] = OUTCOME_CODES[sample.outcome]
  columns.flags[place] =
    (sample.threatRestarted === true ? RESTARTED : 0) | (sample.proofChanged === true ? PROOF_CHANGED : 0)
  setProof(columns, place, sample.proof)
  columns.status[place] = placeOfText(texts, sample.status)
  columns.stakeText[place] = placeOfText(texts, sample.stakeExact)
  columns.threatText[place] = placeOfText(texts, sample.threatExact)
}

/** Notes that nobody watched from then on, up to the next sample. */
export function appendNotWatched(series: Series, fromMs: number, samplesMax: number): void {
  const place = nextPlace(series, fromMs, samplesMax)
  const { columns } = series
  for (const name of NUMBERS) columns[name][place] = Number.NaN
  columns.threatIncrease[place] = 0
  columns.everyMs[place] = DEFAULTS.pollIntervalMs
  columns.outcome[place] = NOT_WATCHED
  for (const name of CODES) columns[name][place] = 0
}

/** Copies rows `[start, end)` of another series behind the last row. Times must not go back; the caller sees to it. */
export function appendRows(series: Series, from: Series, start: number, end: number): void {
  const count = end - start
  if (count <= 0) return
  if (series.length + count > series.columns.atMs.length)
    moveTo(series, Math.max(series.length + count, series.length * 2), 0)
  const { columns, length } = series
  for (const name of COLUMNS) {
    const [into, source] = [columns[name], from.columns[name]]
    // A view costs more than it saves where a flush brings six rows of each of a thousand nodes.
    if (count > FEW) into.set(source.subarray(start, end), length)
    else for (let place = 0; place < count; place++) into[length + place] = source[start + place] ?? 0
  }
  const moved = new Map<number, number>()
  for (const name of TEXTS) {
    const column = columns[name]
    for (let place = length; place < length + count; place++) {
      const old = column[place] ?? 0
      if (old === 0) continue
      let fresh = moved.get(old)
      if (fresh === undefined) moved.set(old, (fresh = placeOfText(series.texts, from.texts.list[old])))
      column[place] = fresh
    }
  }
  series.length += count
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

/** CompactionGuard every row by so much, when the clock that dated them was wrong. */
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
  const columns = allocate(capacity)
  for (const name of COLUMNS) columns[name].set(old[name].subarray(from, series.length))
  series.columns = columns
  series.length -= from
  if (from > 0) dropUnusedTexts(series)
}

function dropUnusedTexts(series: Series): void {
  const { list } = series.texts
  const texts = createTexts()
  for (const name of TEXTS) {
    const column = series.columns[name]
    for (let place = 0; place < series.length; place++) {
      const old = column[place] ?? 0
      if (old !== 0) column[place] = placeOfText(texts, list[old])
    }
  }
  series.texts = texts
}

const capacityMaxOf = (samplesMax: number): number => Math.ceil(samplesMax * 1.25)

const allocate = (capacity: number): SeriesColumns => ({
  atMs: new Float64Array(capacity),
  latencyMs: new Float64Array(capacity),
  heartbeatAgeMs: new Float64Array(capacity),
  participation: new Float64Array(capacity),
  stake: new Float64Array(capacity),
  threatTotal: new Float64Array(capacity),
  threatIncrease: new Float64Array(capacity),
  everyMs: new Float64Array(capacity),
  serviceMs: new Float64Array(capacity),
  outcome: new Uint8Array(capacity),
  flags: new Uint8Array(capacity),
  status: new Uint32Array(capacity),
  stakeText: new Uint32Array(capacity),
  threatText: new Uint32Array(capacity),
  proof: new Uint32Array(capacity),
})

const NUMBERS = [
  'latencyMs',
  'heartbeatAgeMs',
  'participation',
  'stake',
  'threatTotal',
  'threatIncrease',
  'everyMs',
  'serviceMs',
] as const
export const TEXTS = ['status', 'stakeText', 'threatText'] as const
const CODES = ['flags', 'proof', ...TEXTS] as const
const COLUMNS = ['atMs', 'outcome', ...NUMBERS, ...CODES] as const
