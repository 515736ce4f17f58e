import { increasesOf } from '#history/counter.ts'
import { createSeries, hasPart, placeOfText, type MetricColumns, type Series } from '#history/series.ts'
import {
  VALUES_MAX,
  decoded,
  encodeTable,
  readTable,
  refuse,
  rowCount,
  textsIn,
  type Column,
  type TableReader,
} from './columns.ts'
import { metricHead, metricsIn } from './stored-metric.ts'

/** Rows of several nodes, as they are written to disk together. */
export type Batch = {
  /** For each row its node's number. */
  readonly nodes: ArrayLike<number>
  /** How many of the rows are polls, so that nobody has to decode them to know. */
  readonly polls?: number
  /** By how much, in ms, the clock was set back before these rows: each below 0. */
  readonly shifts: readonly number[]
}

/**
 * Rows `[start, end)` of a series as bytes. Of fingerprints, which are random and pack badly, only each node's last one is
 * kept, and of the others whether they differed from the one before.
 */
export function encodeSeries(
  series: Series,
  start = 0,
  end = series.length,
  batch?: Batch,
): Uint8Array<ArrayBuffer> {
  const nodes = batch?.nodes
  const { columns } = series
  const atMs = columns.atMs.subarray(start, end)
  const dictionary = createDictionary(series)
  const encoded: Column[] = [
    { values: stepsOf(atMs) },
    { values: columns.everyMs.subarray(start, end) },
    { values: before(atMs, columns.serviceMs.subarray(start, end)) },
    { values: columns.outcome.subarray(start, end) },
    ...(nodes === undefined ? [] : [{ values: nodes }]),
  ]
  for (const column of columns.metrics) {
    const value = column.value.subarray(start, end)
    if (column.metric.kind === 'timestamp') encoded.push({ values: before(atMs, value) })
    else if (hasPart(column.metric, 'value')) encoded.push({ values: value })
    if (hasPart(column.metric, 'increase'))
      encoded.push({
        values: column.increase.subarray(start, end),
        near: increasesOf(value, 0, value.length),
      })
    if (hasPart(column.metric, 'text')) encoded.push({ values: dictionary.places(column.text, start, end) })
    if (hasPart(column.metric, 'flags')) encoded.push({ values: column.flags.subarray(start, end) })
    if (hasPart(column.metric, 'print')) encoded.push({ values: lastPrints(column, start, end, nodes) })
  }
  const metrics = columns.metrics.map(({ metric }) => metricHead(metric))
  return encodeTable(
    { rows: end - start, metrics, texts: dictionary.texts, polls: batch?.polls, shifts: batch?.shifts },
    encoded,
  )
}

/** A day or an hour is mostly asked at even intervals: their steps differ by little. */
function stepsOf(atMs: Float64Array): Float64Array {
  const steps = new Float64Array(atMs.length)
  let last = 0
  for (let at = 0; at < atMs.length; at++) {
    const time = atMs[at] ?? 0
    steps[at] = time - last
    last = time
  }
  return steps
}

/** What lies at about the same moment for long is written as its distance from the row's time. Done twice, it is as before. */
function before(atMs: Float64Array, values: Float64Array): Float64Array {
  const distances = new Float64Array(values.length)
  for (let at = 0; at < values.length; at++) distances[at] = (atMs[at] ?? 0) - (values[at] ?? 0)
  return distances
}

/** The texts that rows use, each once. */
function createDictionary({ texts: { list } }: Series) {
  const used = new Map<number, number>([[0, 0]])
  const texts: string[] = []
  return {
    texts,
    places: (column: Uint32Array, start: number, end: number): Float64Array => {
      const places = new Float64Array(end - start)
      let [last, place] = [0, 0]
      for (let at = start; at < end; at++) {
        const text = column[at] ?? 0
        if (text !== last) {
          last = text
          place = used.get(text) ?? texts.push(list[text] ?? '')
          used.set(text, place)
        }
        places[at - start] = place
      }
      return places
    },
  }
}

function lastPrints(
  { print }: MetricColumns,
  start: number,
  end: number,
  nodes: ArrayLike<number> | undefined,
): Float64Array {
  const prints = new Float64Array(end - start).fill(Number.NaN)
  let done: number | undefined
  for (let at = end - 1; at >= start; at--) {
    const node = nodes?.[at - start] ?? 0
    if (node === done || print[at] === 0) continue
    done = node
    prints[at - start] = print[at] ?? 0
    if (nodes === undefined) break
  }
  return prints
}

/** Undefined for bytes that no series was written as. */
export const decodeSeries = (bytes: Uint8Array): Series | undefined =>
  decoded(() => readSeries(readTable(bytes), false).series)

/** The same for rows of several nodes. */
export const decodeBatch = (bytes: Uint8Array): (Batch & { readonly series: Series }) | undefined =>
  decoded(() => {
    const reader = readTable(bytes)
    const shifts = reader.head.get('shifts')
    if (!Array.isArray(shifts) || !shifts.every((byMs) => typeof byMs === 'number')) return refuse()
    return { ...readSeries(reader, true), shifts }
  })

function readSeries(
  reader: TableReader,
  withNodes: boolean,
): { readonly series: Series; readonly nodes: Float64Array } {
  const { head, next } = reader
  const rows = rowCount(head.get('rows'))
  const metrics = metricsIn(head.get('metrics'))
  // A few bytes must not take memory without end.
  if (rows * metrics.length > VALUES_MAX) refuse()
  const series = createSeries(Math.max(1, rows), metrics)
  const { columns, texts } = series
  for (const [at, text] of textsIn(head.get('texts')).entries())
    if (placeOfText(texts, text) !== at + 1) refuse()
  const atMs = next(rows)
  let last = 0
  for (let at = 0; at < rows; at++) atMs[at] = last += atMs[at] ?? 0
  if (Number.isNaN(last)) refuse()
  columns.atMs.set(atMs)
  columns.everyMs.set(next(rows))
  columns.serviceMs.set(before(atMs, next(rows)))
  columns.outcome.set(next(rows))
  const nodes = withNodes ? next(rows) : new Float64Array()
  for (const column of columns.metrics) {
    const { metric, value } = column
    if (metric.kind === 'timestamp') value.set(before(atMs, next(rows)))
    else if (hasPart(metric, 'value')) value.set(next(rows))
    if (hasPart(metric, 'increase')) column.increase.set(next(rows, increasesOf(value, 0, rows)))
    if (hasPart(metric, 'text')) column.text.set(textPlaces(next(rows), texts.list.length))
    if (hasPart(metric, 'flags')) column.flags.set(next(rows))
    if (hasPart(metric, 'print')) column.print.set(next(rows))
  }
  series.length = rows
  reader.end()
  return { series, nodes }
}

const textPlaces = (places: Float64Array, size: number): Float64Array =>
  places.every((place) => place >= 0 && place < size && Number.isInteger(place)) ? places : refuse()
