import {
  createReader,
  createWriter,
  guarded,
  readCount,
  readText,
  readVarint,
  refuse,
  written,
  writeByte,
  writeText,
  writeVarint,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'
import { readNumbers, ROWS_MAX, writeNumbers } from './column-codec.ts'
import { readRuns, readTimes, writeRuns, writeTimes } from './step-codec.ts'
import { readProofPairs, readProofs, writeProofs } from './proof-codec.ts'
import { setProof } from './proof-columns.ts'
import { createSeries, placeOfText, TEXTS, type Series } from './series.ts'

/** Rows `[start, end)` of a series as bytes, column by column. Nothing is rounded. */
export function encodeSeries(series: Series, start = 0, end = series.length): Uint8Array<ArrayBuffer> {
  const writer = createWriter(64 + (end - start) * 8)
  writeSeries(writer, series, start, end)
  return written(writer)
}

/** Undefined for bytes that no series was written as. */
export function decodeSeries(bytes: Uint8Array): Series | undefined {
  return guarded(() => {
    const reader = createReader(bytes)
    const series = readSeries(reader)
    return reader.at === bytes.length ? series : refuse()
  })
}

const NUMBER_COLUMNS = [
  'latencyMs',
  'heartbeatAgeMs',
  'participation',
  'stake',
  'threatTotal',
  'threatIncrease',
  'everyMs',
] as const

/**
 * Layout 0 began with its count of rows and had the proofs among the texts; a later layout says so
 * behind a count of 0, after which layout 0 has another 0. Layout 1 had two words of each proof's
 * fingerprint. All are read still.
 *
 * 30 days of one node, 259,200 samples each 10 s with a proof that is new with nearly each, take 3,368 kB in day
 * blocks and 1,229 kB deflated (layout 1: 4,366 and 2,225). By column, plain and deflated: `atMs` 260 and 1,
 * `latencyMs` 517 and 136, `heartbeatAgeMs` 605 and 99, `participation` 259 and 24, `stake` 152 and 1,
 * `threatTotal` 259 and 53, `threatIncrease` 259 and nothing, as it follows from the total (layout 1: 58),
 * `flags` 218 and 22, the proofs 835 either way (layout 1: 1,834 and 1,769), all others 2 and 2.
 */
const LAYOUT = 2

export function writeSeries(writer: ByteWriter, series: Series, start: number, end: number): void {
  const { columns } = series
  writeVarint(writer, 0)
  writeByte(writer, LAYOUT)
  writeVarint(writer, end - start)
  writeTimes(writer, columns.atMs, start, end)
  for (const name of NUMBER_COLUMNS) {
    if (name === 'threatIncrease') {
      const increases = columns[name].subarray(start, end)
      writeNumbers(writer, increases, 0, end - start, steps(columns.threatTotal, start, end))
    } else writeNumbers(writer, columns[name], start, end)
  }
  // The service's time lies near ours, or off by much the same from row to row.
  writeNumbers(writer, lead(columns.serviceMs, columns.atMs, start, end), 0, end - start)
  writeRuns(writer, columns.outcome, start, end)
  writeRuns(writer, columns.flags, start, end)
  writeProofs(writer, columns, start, end)
  writeTexts(writer, series, start, end)
}

export function readSeries(reader: ByteReader): Series {
  const first = readVarint(reader)
  const layout = first === 0 ? (reader.bytes[reader.at] ?? refuse()) : 0
  if (layout > LAYOUT) refuse()
  if (layout > 0) reader.at++
  const count = layout > 0 ? readVarint(reader) : first
  if (count > ROWS_MAX) refuse()
  const series = createSeries(Math.max(count, 1))
  const { columns } = series
  readTimes(reader, count, columns.atMs)
  for (const name of NUMBER_COLUMNS) {
    const near = layout > 1 && name === 'threatIncrease' ? steps(columns.threatTotal, 0, count) : undefined
    readNumbers(reader, count, columns[name], near)
  }
  readNumbers(reader, count, columns.serviceMs)
  for (let place = 0; place < count; place++)
    columns.serviceMs[place] = (columns.serviceMs[place] ?? 0) + (columns.atMs[place] ?? 0)
  readRuns(reader, count, 256, columns.outcome)
  readRuns(reader, count, 256, columns.flags)
  if (layout > 1) readProofs(reader, columns, count)
  else if (layout === 1) readProofPairs(reader, columns, count)
  readTexts(reader, series, count)
  if (layout === 0) readProofTexts(reader, series, count)
  series.length = count
  return series
}

/** What a counter's increases are expected to be; on a restart it counts from 0. */
function steps(totals: Float64Array, start: number, end: number): Float64Array {
  const increases = new Float64Array(end - start)
  let last = Number.NaN
  for (let place = start; place < end; place++) {
    const total = totals[place] ?? Number.NaN
    if (total !== total) continue
    if (last === last) increases[place - start] = total < last ? total : total - last
    last = total
  }
  return increases
}

const lead = (values: Float64Array, from: Float64Array, start: number, end: number): Float64Array => {
  const differences = values.slice(start, end)
  for (let place = start; place < end; place++)
    differences[place - start] = (values[place] ?? 0) - (from[place] ?? 0)
  return differences
}

/** A dictionary of the texts that occur, and for each column the runs of places in it. */
function writeTexts(writer: ByteWriter, { columns, texts }: Series, start: number, end: number): void {
  const used = new Map<number, number>([[0, 0]])
  const list: string[] = []
  const placed = TEXTS.map((name) => {
    const column = columns[name]
    const places = new Uint32Array(end - start)
    let last = 0
    let lastPlace = 0
    for (let row = start; row < end; row++) {
      const place = column[row] ?? 0
      if (place !== last) {
        last = place
        const known = used.get(place)
        lastPlace = known ?? list.push(texts.list[place] ?? '')
        if (known === undefined) used.set(place, lastPlace)
      }
      places[row - start] = lastPlace
    }
    return places
  })
  writeVarint(writer, list.length)
  for (const text of list) writeText(writer, text)
  for (const places of placed) writeRuns(writer, places, 0, places.length)
}

function readTexts(reader: ByteReader, { columns, texts }: Series, count: number): void {
  const size = readCount(reader)
  for (let place = 1; place <= size; place++) if (placeOfText(texts, readText(reader)) !== place) refuse()
  for (const name of TEXTS) readRuns(reader, count, size + 1, columns[name])
}

/** Proofs as layout 0 has them: behind the other texts, in the same dictionary. */
function readProofTexts(reader: ByteReader, { columns, texts }: Series, count: number): void {
  const places = new Uint32Array(count)
  readRuns(reader, count, texts.list.length, places)
  for (const [row, place] of places.entries())
    setProof(columns, row, place === 0 ? undefined : texts.list[place])
}
