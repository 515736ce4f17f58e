import type { FailureKind } from '#protocol/failure.ts'
import type { Sample } from './history.ts'

/** One node's samples as columns, oldest first, in `[0, length)` of each array. */
export type Series = {
  length: number
  columns: SeriesColumns
}

export type SeriesColumns = {
  atMs: Float64Array<ArrayBuffer>
  latencyMs: Float32Array<ArrayBuffer>
  heartbeatAgeMs: Float64Array<ArrayBuffer>
  participation: Float64Array<ArrayBuffer>
  stake: Float64Array<ArrayBuffer>
  threatIncrease: Float64Array<ArrayBuffer>
  /** Place in OUTCOMES. */
  outcome: Uint8Array<ArrayBuffer>
  flags: Uint8Array<ArrayBuffer>
}

export const RESTARTED = 1
export const PROOF_CHANGED = 2

/** A list of codes and not of the failure table's keys in their order: what is written stays readable when the table grows. */
export const OUTCOMES: readonly ('answered' | FailureKind)[] = [
  'answered',
  'node-id-invalid',
  'unauthorized',
  'forbidden',
  'node-unknown',
  'rate-limited',
  'server-error',
  'unexpected-status',
  'redirected',
  'unreachable',
  'timeout',
  'cut-off',
  'mixed-content',
  'offline',
  'not-json',
  'too-large',
  'not-a-record',
  'wrong-node',
  'no-key',
  'key-locked',
  'signer-failed',
]

const FIRST_CAPACITY = 64

export const createSeries = (): Series => ({ length: 0, columns: allocate(FIRST_CAPACITY) })

/** Adds a sample behind the last one; at most about `samplesMax` are kept, the oldest go first. */
export function appendSample(series: Series, sample: Sample, samplesMax: number): void {
  const capacity = series.columns.atMs.length
  if (series.length === capacity || series.length >= capacityMaxOf(samplesMax)) makeRoom(series, samplesMax)
  const { columns, length } = series
  // The engine's samples come in order; a search by time must never meet one that does not.
  const lastMs = length === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[length - 1] ?? 0)
  columns.atMs[length] = sample.atMs > lastMs ? sample.atMs : lastMs + 1
  columns.latencyMs[length] = sample.outcome === 'answered' ? sample.latencyMs : Number.NaN
  columns.heartbeatAgeMs[length] = sample.heartbeatAgeMs ?? Number.NaN
  columns.participation[length] = sample.participation ?? Number.NaN
  columns.stake[length] = sample.stake ?? Number.NaN
  columns.threatIncrease[length] = sample.threatIncrease ?? 0
  columns.outcome[length] = OUTCOMES.indexOf(sample.outcome)
  columns.flags[length] =
    (sample.threatRestarted === true ? RESTARTED : 0) | (sample.proofChanged === true ? PROOF_CHANGED : 0)
  series.length++
}

/** Place of the first sample that is not before `atMs`. */
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

/** Moves every sample by so much, when the clock that dated them was wrong. */
export function shiftSeries({ columns, length }: Series, byMs: number): void {
  for (let place = 0; place < length; place++) columns.atMs[place] = (columns.atMs[place] ?? 0) + byMs
}

/** Doubles the arrays up to a quarter above the limit; there, drops the oldest, a quarter at a time. */
function makeRoom(series: Series, samplesMax: number): void {
  const capacityMax = capacityMaxOf(samplesMax)
  const kept = series.length >= capacityMax ? samplesMax : series.length
  const capacity = Math.min(Math.max(kept * 2, FIRST_CAPACITY), Math.max(capacityMax, kept + 1))
  const from = series.length - kept
  const old = series.columns
  const columns = allocate(capacity)
  columns.atMs.set(old.atMs.subarray(from, series.length))
  columns.latencyMs.set(old.latencyMs.subarray(from, series.length))
  columns.heartbeatAgeMs.set(old.heartbeatAgeMs.subarray(from, series.length))
  columns.participation.set(old.participation.subarray(from, series.length))
  columns.stake.set(old.stake.subarray(from, series.length))
  columns.threatIncrease.set(old.threatIncrease.subarray(from, series.length))
  columns.outcome.set(old.outcome.subarray(from, series.length))
  columns.flags.set(old.flags.subarray(from, series.length))
  series.columns = columns
  series.length = kept
}

const capacityMaxOf = (samplesMax: number): number => Math.ceil(samplesMax * 1.25)

const allocate = (capacity: number): SeriesColumns => ({
  atMs: new Float64Array(capacity),
  latencyMs: new Float32Array(capacity),
  heartbeatAgeMs: new Float64Array(capacity),
  participation: new Float64Array(capacity),
  stake: new Float64Array(capacity),
  threatIncrease: new Float64Array(capacity),
  outcome: new Uint8Array(capacity),
  flags: new Uint8Array(capacity),
})
