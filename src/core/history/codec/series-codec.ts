import * as v from 'valibot'
import { increasesOf } from '#history/counter.ts'
import { createSeries, hasText, type Series, type SeriesColumns } from '#history/series.ts'
import { decoded, encodeTable, MetricShape, readColumn, readTable } from './columns.ts'

/**
 * A column of rows and how it is written: as it is, as a distance from its row's time, the last of each node alone, or only
 * where it is not what these totals say.
 */
type Stored = {
  readonly values: Float64Array
  readonly as: 'is' | 'age' | 'last' | { readonly totals: Float64Array }
}

/** Every column of numbers but the times, in the order in which they are written. What a metric does not have is empty. */
const storedColumns = ({ everyMs, serviceMs, outcome, metrics }: SeriesColumns): readonly Stored[] => [
  { values: everyMs, as: 'is' },
  { values: serviceMs, as: 'age' },
  { values: outcome, as: 'is' },
  ...metrics
    .flatMap(({ metric: { kind }, value, increase, flags }): readonly Stored[] => [
      { values: value, as: kind === 'timestamp' ? 'age' : kind === 'fingerprint' ? 'last' : 'is' },
      { values: increase, as: { totals: value } },
      { values: flags, as: 'is' },
    ])
    .filter(({ values }) => values.length > 0),
]

const HeadShape = v.object({
  rows: v.number(),
  /** Whether a column says whose each row is. */
  isBatch: v.boolean(),
  metrics: v.array(MetricShape),
  /** What the text columns point at, from 1 on; 0 is no text. */
  texts: v.array(v.string()),
})

/**
 * Rows `[start, end)` of a series as bytes; `nodes`: for each row its node's number, where they are of several. Of
 * fingerprints, which are random and pack badly, only each node's last one is kept, and of the others whether they differed
 * from the one before.
 */
export function encodeSeries(
  { columns }: Series,
  start: number,
  end: number,
  nodes?: ArrayLike<number>,
): Uint8Array<ArrayBuffer> {
  const atMs = columns.atMs.subarray(start, end)
  const numbers = storedColumns(columns).map(({ values, as }) => {
    const cut = values.subarray(start, end)
    if (as === 'age') return before(atMs, cut)
    if (as === 'last') return lastOfEach(cut, nodes)
    if (as === 'is') return cut
    const expected = increasesOf(as.totals.subarray(start, end))
    for (let at = 0; at < cut.length; at++)
      expected[at] = cut[at] === expected[at] ? Number.NaN : (cut[at] ?? 0)
    return expected
  })
  const places = new Map<string | undefined, number>([[undefined, 0]])
  const texts = columns.metrics
    .filter(({ metric }) => hasText(metric))
    .map(({ text }) => {
      const column = new Float64Array(end - start)
      let [last, place] = [text[start], -1]
      for (let row = start; row < end; row++) {
        if (text[row] !== last || place < 0) {
          last = text[row]
          place = places.get(last) ?? places.size
          places.set(last, place)
        }
        column[row - start] = place
      }
      return column
    })
  const head: v.InferOutput<typeof HeadShape> = {
    rows: end - start,
    isBatch: nodes !== undefined,
    metrics: columns.metrics.map(({ metric }) => metric),
    texts: Array.from(places.keys()).filter((text) => text !== undefined),
  }
  return encodeTable(head, [stepsOf(atMs), ...(nodes === undefined ? [] : [nodes]), ...numbers, ...texts])
}

/** A day or an hour is mostly asked at even intervals: their steps differ by little. */
function stepsOf(atMs: Float64Array): Float64Array {
  const steps = atMs.slice()
  for (let at = 1; at < steps.length; at++) steps[at] = (atMs[at] ?? 0) - (atMs[at - 1] ?? 0)
  return steps
}

/** What lies at about the same moment for long is written as its distance from the row's time. Done twice, it is as before. */
function before(atMs: Float64Array, values: Float64Array): Float64Array {
  const distances = new Float64Array(values.length)
  for (let at = 0; at < values.length; at++) distances[at] = (atMs[at] ?? 0) - (values[at] ?? 0)
  return distances
}

function lastOfEach(values: Float64Array, nodes: ArrayLike<number> | undefined): Float64Array {
  const kept = new Float64Array(values.length).fill(Number.NaN)
  let done: number | undefined
  for (let at = values.length - 1; at >= 0; at--) {
    const node = nodes?.[at] ?? 0
    if (node === done || Number.isNaN(values[at])) continue
    done = node
    kept[at] = values[at] ?? 0
  }
  return kept
}

/** Rows, and for each its node's number, where they are of several. */
type Batch = { readonly series: Series; readonly nodes: ArrayLike<number> }

/** Undefined for bytes that no series was written as. */
export const decodeSeries = (bytes: Uint8Array): Batch | undefined => decoded(() => readSeries(bytes))

function readSeries(bytes: Uint8Array): Batch {
  const { head, columns: written } = readTable(bytes, HeadShape)
  const { rows } = head
  let read = 0
  const next = () => readColumn(written[read++], rows)
  const steps = next()
  const nodes = head.isBatch ? next() : new Float64Array()
  const series = createSeries(Math.max(1, rows), head.metrics)
  const { atMs, metrics } = series.columns
  let last = 0
  for (let row = 0; row < rows; row++) atMs[row] = last += steps[row] ?? 0
  if (Number.isNaN(last)) throw new RangeError()
  for (const { values, as } of storedColumns(series.columns)) {
    const column = next()
    if (typeof as === 'object') {
      const expected = increasesOf(as.totals.subarray(0, rows))
      for (let row = 0; row < rows; row++) if (column[row] !== column[row]) column[row] = expected[row] ?? 0
    }
    values.set(as === 'age' ? before(atMs, column) : column)
  }
  for (const { metric, text } of metrics) {
    if (!hasText(metric)) continue
    for (const place of next()) text.push(head.texts[place - 1])
  }
  if (read !== written.length) throw new RangeError()
  series.length = rows
  return { series, nodes }
}
