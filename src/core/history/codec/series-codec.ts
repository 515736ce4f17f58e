import * as v from 'valibot'
import { createSeries, hasText, metricsOf, type Series, type SeriesColumns } from '#history/series.ts'
import { decoded, encodeTable, MetricShape, readColumn, readTable } from './columns.ts'

/**
 * How a column is written: as it is; as a distance from the row's time; only the last value of each node; or
 * only where it differs from the expected increase.
 */
type Stored = {
  readonly values: Float64Array
  readonly as: 'is' | 'age' | 'last' | { readonly totals: Float64Array }
}

/**
 * Every column of numbers except the times, in the order of the format. Columns that a metric lacks are
 * empty.
 */
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
  /** Whether a column names the node of each row. */
  isBatch: v.boolean(),
  metrics: v.array(MetricShape),
  /** Text columns hold 1-based indexes into this list; 0 stands for no text. */
  texts: v.array(v.string()),
})

/**
 * Encodes rows `[start, end)`. `nodes`: the number of each row's node, if the rows belong to several nodes.
 * Fingerprints are random and don't compress, so it keeps only each node's last one, and for each of the others
 * whether it changed.
 */
export function encodeSeries(
  series: Series,
  start: number,
  end: number,
  nodes?: ArrayLike<number>,
): Uint8Array<ArrayBuffer> {
  const texts = new Map<string, number>()
  for (const { text } of series.columns.metrics)
    text.slice(start, end).forEach((one = '') => texts.has(one) || texts.set(one, texts.size + 1))
  const head: v.InferOutput<typeof HeadShape> = {
    rows: end - start,
    isBatch: nodes !== undefined,
    metrics: Array.from(metricsOf(series)),
    texts: Array.from(texts.keys()),
  }
  return encodeTable(head, writtenColumns(series, start, end, nodes, texts))
}

/** Each column is written before the next is computed, so they share a buffer. */
function* writtenColumns(
  { columns }: Series,
  start: number,
  end: number,
  nodes: ArrayLike<number> | undefined,
  texts: ReadonlyMap<string, number>,
): Generator<ArrayLike<number>> {
  const atMs = columns.atMs.subarray(start, end)
  const shared = new Float64Array(end - start)
  yield stepsOf(atMs, shared)
  if (nodes !== undefined) yield nodes
  for (const { values, as } of storedColumns(columns)) {
    const cut = values.subarray(start, end)
    if (as === 'is') yield cut
    else if (as === 'age') yield before(atMs, cut, shared)
    else if (as === 'last') yield lastOfEach(cut, nodes, shared)
    else yield unlike(cut, increasesOf(as.totals.subarray(start, end), shared))
  }
  for (const { metric, text } of columns.metrics) {
    if (!hasText(metric)) continue
    shared.fill(0)
    text.slice(start, end).forEach((one = '', row) => (shared[row] = texts.get(one) ?? 0))
    yield shared
  }
}

/** Polls come at even intervals, so their steps differ by little. */
function stepsOf(atMs: Float64Array, into: Float64Array): Float64Array {
  for (let at = 0; at < into.length; at++) into[at] = (atMs[at] ?? 0) - (atMs[at - 1] ?? 0)
  return into
}

/** Writes a time that stays constant for many rows as its distance from the row's time. Its own inverse. */
function before(atMs: Float64Array, values: Float64Array, into: Float64Array): Float64Array {
  for (let at = 0; at < values.length; at++) into[at] = (atMs[at] ?? 0) - (values[at] ?? 0)
  return into
}

function lastOfEach(
  values: Float64Array,
  nodes: ArrayLike<number> | undefined,
  into: Float64Array,
): Float64Array {
  let done: number | undefined
  for (let at = values.length - 1; at >= 0; at--) {
    const node = nodes?.[at] ?? 0
    const value = values[at] ?? Number.NaN
    into[at] = node === done ? Number.NaN : value
    if (value === value) done = node
  }
  return into
}

/** The increases that follow from the totals; a restart counts from 0. */
export function increasesOf(totals: Float64Array, into: Float64Array): Float64Array {
  let last = Number.NaN
  for (const [row, total] of totals.entries()) {
    into[row] = Number.isNaN(total - last) ? 0 : total < last ? total : total - last
    if (!Number.isNaN(total)) last = total
  }
  return into
}

/** The values that differ from the expected ones. */
function unlike(values: Float64Array, expected: Float64Array): Float64Array {
  for (let at = 0; at < values.length; at++)
    expected[at] = values[at] === expected[at] ? Number.NaN : (values[at] ?? 0)
  return expected
}

/** Rows, with the number of each row's node if they belong to several nodes. */
type Batch = { readonly series: Series; readonly nodes: ArrayLike<number> }

export const decodeSeries = (bytes: Uint8Array): Batch | undefined => decoded(() => readSeries(bytes))

function readSeries(bytes: Uint8Array): Batch {
  const { head, columns: written } = readTable(bytes, HeadShape)
  const { rows } = head
  let read = 0
  const next = () => readColumn(written[read++], rows)
  const steps = next()
  const nodes = head.isBatch ? next() : new Float64Array()
  const series = createSeries(head.metrics, Math.max(1, rows))
  const { atMs, metrics } = series.columns
  let last = 0
  for (let row = 0; row < rows; row++) atMs[row] = last += steps[row] ?? 0
  if (Number.isNaN(last)) throw new RangeError()
  for (const { values, as } of storedColumns(series.columns)) {
    const column = next()
    if (typeof as === 'object') {
      const expected = increasesOf(as.totals.subarray(0, rows), new Float64Array(rows))
      for (let row = 0; row < rows; row++) if (column[row] !== column[row]) column[row] = expected[row] ?? 0
    }
    values.set(as === 'age' ? before(atMs, column, column) : column)
  }
  for (const { metric, text } of metrics) {
    if (!hasText(metric)) continue
    for (const [row, code] of next().entries()) if (code > 0) text[row] = head.texts[code - 1]
  }
  if (read !== written.length) throw new RangeError()
  series.length = rows
  return { series, nodes }
}
