import { BUCKETS, EMPTY_HISTOGRAM, type Histogram } from '#history/histogram.ts'
import { createRollup, type ByKey, type RolledMetric, type Rollup } from '#history/rollup.ts'
import {
  decoded,
  encodeTable,
  numbersIn,
  readTable,
  refuse,
  rowCount,
  textsIn,
  type TableReader,
} from './columns.ts'
import { metricHead, metricsIn } from './stored-metric.ts'

/** A roll-up as bytes. Nothing is rounded. */
export function encodeRollup(rollup: Rollup): Uint8Array<ArrayBuffer> {
  const { startMs, stepMs, withSpread, metrics, polls, outcomeMs } = rollup
  const sinceStart = (column: readonly number[]) => column.map((atMs, row) => atMs - (startMs[row] ?? 0))
  const head = {
    rows: startMs.length,
    stepMs,
    withSpread,
    metrics: metrics.map(({ metric }) => metricHead(metric)),
    polls: Array.from(polls.keys()),
    outcomes: Array.from(outcomeMs.keys()),
    columns: metrics.map(({ columns }) => Array.from(columns.keys())),
  }
  return encodeTable(head, [
    startMs.map((start) => start / stepMs),
    sinceStart(rollup.firstPollMs),
    sinceStart(rollup.lastPollMs),
    ...[polls, outcomeMs, ...metrics.map(({ columns }) => columns)].flatMap((by) => Array.from(by.values())),
    ...metrics.flatMap(({ spread }) => (spread === undefined ? [] : spreadColumns(spread))),
  ])
}

const spreadColumns = (histograms: readonly Histogram[]): readonly (readonly number[])[] => [
  histograms.map(({ buckets }) => buckets.length),
  histograms.flatMap(({ buckets }) => buckets),
  histograms.flatMap(({ counts }) => counts),
]

/**
 * Undefined for bytes that no roll-up was written as. `wanted`: the metrics whose distributions are wanted, all where
 * absent; the others come empty.
 */
export const decodeRollup = (bytes: Uint8Array, wanted?: readonly string[]): Rollup | undefined =>
  decoded(() => readRollup(readTable(bytes), wanted))

function readRollup(reader: TableReader, wanted: readonly string[] | undefined): Rollup {
  const { head } = reader
  const rows = rowCount(head.get('rows'))
  const stepMs = Number(head.get('stepMs'))
  const names = head.get('columns')
  if (!(stepMs > 0) || !Array.isArray(names)) return refuse()
  const starts = Array.from(reader.next(rows), (start) => start * stepMs)
  const rollup = createRollup(stepMs, head.get('withSpread') === true, metricsIn(head.get('metrics')), starts)
  for (const column of [rollup.firstPollMs, rollup.lastPollMs])
    for (const [row, sinceMs] of reader.next(rows).entries()) column[row] = (starts[row] ?? 0) + sinceMs
  readKeyed(reader, rows, rollup.polls, numbersIn(head.get('polls')))
  readKeyed(reader, rows, rollup.outcomeMs, numbersIn(head.get('outcomes')))
  for (const [which, { metric, columns }] of rollup.metrics.entries()) {
    const kept = textsIn(names[which])
    if (metric.kind !== 'state' && kept.join() !== Array.from(columns.keys()).join()) refuse()
    readKeyed(reader, rows, columns, kept)
  }
  const metrics = rollup.metrics.map((rolled) => spreadRead(reader, rolled, rows, wanted))
  reader.end()
  return { ...rollup, metrics }
}

/** What `Array.from` gives, in a third of the time. */
function plain(values: Float64Array): number[] {
  const column: number[] = []
  for (let row = 0; row < values.length; row++) column.push(values[row] ?? 0)
  return column
}

function readKeyed<K>(reader: TableReader, rows: number, by: ByKey<K>, keys: readonly K[]): void {
  if (new Set(keys).size !== keys.length) refuse()
  for (const key of keys) by.set(key, plain(reader.next(rows)))
}

function spreadRead(
  reader: TableReader,
  rolled: RolledMetric,
  rows: number,
  wanted: readonly string[] | undefined,
): RolledMetric {
  if (rolled.spread === undefined) return rolled
  const sizes = Array.from(reader.next(rows), rowCount)
  const all = rowCount(sizes.reduce((sum, size) => sum + size, 0))
  const columns = [reader.next(all), reader.next(all)]
  if (wanted?.includes(rolled.metric.id) === false) return rolled
  const [buckets = [], counts = []] = columns.map(plain)
  if (buckets.some((bucket) => !(bucket >= 0 && bucket < BUCKETS))) refuse()
  let end = 0
  const spread = sizes.map((size): Histogram => {
    const start = end
    end += size
    return size === 0
      ? EMPTY_HISTOGRAM
      : { buckets: buckets.slice(start, end), counts: counts.slice(start, end) }
  })
  return { ...rolled, spread }
}
