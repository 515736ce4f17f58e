import { increasesOf } from '#history/counter.ts'
import { createSeries, placeOfText, type Series, type SeriesColumns } from '#history/series.ts'
import {
  VALUES_MAX,
  decoded,
  encodeTable,
  readTable,
  refuse,
  rowCount,
  textsIn,
  type TableReader,
} from './columns.ts'
import { metricHead, metricsIn } from './stored-metric.ts'

/** Rows of several nodes, as they are written to disk together. */
export type Batch = {
  /** For each row its node's number. */
  readonly nodes: ArrayLike<number>
  /** By how much, in ms, the clock was set back before these rows: each below 0. */
  readonly shifts: readonly number[]
}

/**
 * A column of rows and how it is written: as it is, as a distance from its row's time, as a place in the dictionary, the last
 * of each node alone, or only where it is not what these totals say.
 */
type Stored = {
  readonly values: Float64Array | Uint32Array | Uint8Array
  readonly as: 'is' | 'age' | 'text' | 'last' | { readonly totals: Float64Array }
}

/** Every column but the times, in the order in which they are written. What a metric does not have is empty. */
const storedColumns = ({ everyMs, serviceMs, outcome, metrics }: SeriesColumns): readonly Stored[] => [
  { values: everyMs, as: 'is' },
  { values: serviceMs, as: 'age' },
  { values: outcome, as: 'is' },
  ...metrics
    .flatMap(({ metric, value, increase, text, flags, print }): readonly Stored[] => [
      { values: value, as: metric.kind === 'timestamp' ? 'age' : 'is' },
      { values: increase, as: { totals: value } },
      { values: text, as: 'text' },
      { values: flags, as: 'is' },
      { values: print, as: 'last' },
    ])
    .filter(({ values }) => values.length > 0),
]

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
  const { columns } = series
  const atMs = columns.atMs.subarray(start, end)
  const dictionary = createDictionary(series)
  const encoded = storedColumns(columns).map((column) => {
    const values = column.values.subarray(start, end)
    if (column.as === 'age') return before(atMs, values)
    if (column.as === 'text') return dictionary.places(values)
    if (column.as === 'last') return lastPrints(values, batch?.nodes)
    if (column.as === 'is') return values
    const expected = increasesOf(column.as.totals.subarray(start, end))
    for (let at = 0; at < values.length; at++)
      expected[at] = values[at] === expected[at] ? Number.NaN : (values[at] ?? 0)
    return expected
  })
  return encodeTable(
    {
      rows: end - start,
      metrics: columns.metrics.map(({ metric }) => metricHead(metric)),
      texts: dictionary.texts,
      shifts: batch?.shifts,
    },
    [stepsOf(atMs), ...(batch === undefined ? [] : [batch.nodes]), ...encoded],
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
function before(atMs: Float64Array, values: ArrayLike<number>): Float64Array {
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
    places: (column: ArrayLike<number>): Float64Array => {
      const places = new Float64Array(column.length)
      let [last, place] = [0, 0]
      for (let at = 0; at < column.length; at++) {
        const text = column[at] ?? 0
        if (text !== last) {
          last = text
          place = used.get(text) ?? texts.push(list[text] ?? '')
          used.set(text, place)
        }
        places[at] = place
      }
      return places
    },
  }
}

function lastPrints(print: ArrayLike<number>, nodes: ArrayLike<number> | undefined): Float64Array {
  const prints = new Float64Array(print.length).fill(Number.NaN)
  let done: number | undefined
  for (let at = print.length - 1; at >= 0; at--) {
    const node = nodes?.[at] ?? 0
    if (node === done || print[at] === 0) continue
    done = node
    prints[at] = print[at] ?? 0
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
  const nodes = withNodes ? next(rows) : new Float64Array()
  for (const { values, as } of storedColumns(columns)) {
    const read = next(rows)
    if (typeof as === 'object') {
      const expected = increasesOf(as.totals.subarray(0, rows))
      for (let at = 0; at < rows; at++) if (read[at] !== read[at]) read[at] = expected[at] ?? 0
    }
    if (as === 'text' && !read.every((place) => place in texts.list)) refuse()
    values.set(as === 'age' ? before(atMs, read) : read)
  }
  series.length = rows
  reader.end()
  return { series, nodes }
}
