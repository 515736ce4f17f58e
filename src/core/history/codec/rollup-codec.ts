import { BUCKETS, EMPTY_HISTOGRAM, type Histogram } from '#history/histogram.ts'
import {
  COUNTS,
  createRollup,
  type RolledMetric,
  type RolledValues,
  type Rollup,
  type TimeBy,
} from '#history/rollup.ts'
import { ANSWERED } from '#history/series.ts'
import {
  decoded,
  encodeTable,
  numbersIn,
  readTable,
  refuse,
  rowCount,
  textsIn,
  type Column,
  type TableReader,
} from './columns.ts'
import { metricHead, metricsIn } from './stored-metric.ts'

/** A roll-up as bytes. Nothing is rounded. */
export function encodeRollup(rollup: Rollup): Uint8Array<ArrayBuffer> {
  const { startMs, stepMs, withSpread, metrics, polls, outcomeMs } = rollup
  const head = {
    rows: startMs.length,
    stepMs,
    withSpread,
    metrics: metrics.map(({ metric }) => metricHead(metric)),
    polls: Array.from(polls.keys()),
    outcomes: Array.from(outcomeMs.keys()),
    words: metrics.flatMap((rolled) => (rolled.kind === 'state' ? [Array.from(rolled.heldMs.keys())] : [])),
  }
  return encodeTable(head, [
    { values: startMs.map((start) => start / stepMs) },
    { values: rollup.firstPollMs },
    { values: rollup.lastPollMs },
    ...keyedColumns(polls),
    ...keyedColumns(outcomeMs),
    ...metrics.flatMap((rolled) => metricColumns(rollup, rolled)),
  ])
}

const keyedColumns = <K>(by: TimeBy<K>): readonly Column[] =>
  Array.from(by.values(), (values): Column => ({ values }))

function metricColumns(rollup: Rollup, rolled: RolledMetric): readonly Column[] {
  switch (rolled.kind) {
    case 'gauge':
    case 'timestamp':
      return [
        ...VALUES.map((name): Column => ({
          values: name === 'last' ? lasts(rollup, rolled, rolled.values.last) : rolled.values[name],
          near: NEAR[name](rollup, rolled),
        })),
        ...(rolled.spread === undefined ? [] : spreadColumns(rolled.spread)),
      ]
    case 'counter':
      return COUNTS.map((what): Column => ({ values: rolled[what] }))
    case 'state':
      return keyedColumns(rolled.heldMs)
    case 'fingerprint':
      return [{ values: rolled.changes }]
  }
}

const spreadColumns = (histograms: readonly Histogram[]): readonly Column[] => [
  { values: histograms.map(({ buckets }) => buckets.length) },
  { values: histograms.flatMap(({ buckets }) => buckets) },
  { values: histograms.flatMap(({ counts }) => counts) },
]

/** In this order, since each is expected near what those before it say. */
const VALUES = ['count', 'last', 'first', 'min', 'max', 'sum'] as const

type Near = (rollup: Rollup, rolled: RolledValues) => readonly number[] | undefined

const NEAR: Readonly<Record<(typeof VALUES)[number], Near>> = {
  /** Mostly every answer has every value. */
  count: ({ polls }) => polls.get(ANSWERED),
  last: () => undefined,
  first: followers,
  min: (_, { values: { first, last } }) => first.map((one, row) => Math.min(one, last[row] ?? one)),
  max: (_, { values: { first, last } }) => first.map((one, row) => Math.max(one, last[row] ?? one)),
  sum: (_, { values: { count, first, last, min, max } }) =>
    count.map((many, row) => {
      const [one = 0, other = 0] = [first[row], last[row]]
      const middle = ((min[row] ?? 0) + (max[row] ?? 0)) / 2
      return many < 2 ? many * one : one + other + (many - 2) * middle
    }),
}

/** The last value before each step, to which an age has added the time that passed. */
function followers(
  { startMs, firstPollMs, lastPollMs }: Rollup,
  { kind, values: { last } }: RolledValues,
): readonly number[] {
  let [value, valueMs] = [0, Number.NaN]
  return startMs.map((start, row) => {
    const passedMs = start + (firstPollMs[row] ?? 0) - valueMs
    const near = kind === 'timestamp' && passedMs === passedMs ? value + passedMs : value
    const own = last[row] ?? Number.NaN
    if (own === own) [value, valueMs] = [own, start + (lastPollMs[row] ?? 0)]
    return near
  })
}

/** An age as the moment since which it grows, which mostly stays the same. Done twice, it is as before. */
const lasts = (
  { startMs, lastPollMs }: Rollup,
  { kind }: RolledValues,
  last: ArrayLike<number>,
): ArrayLike<number> =>
  kind === 'timestamp' ? startMs.map((start, row) => start + (lastPollMs[row] ?? 0) - (last[row] ?? 0)) : last

/**
 * Undefined for bytes that no roll-up was written as. `wanted`: the metrics whose distributions are wanted, all where
 * absent; the others are the greater part of the bytes, and come empty.
 */
export const decodeRollup = (bytes: Uint8Array, wanted?: readonly string[]): Rollup | undefined =>
  decoded(() => readRollup(readTable(bytes), wanted))

function readRollup(reader: TableReader, wanted: readonly string[] | undefined): Rollup {
  const { head } = reader
  const rows = rowCount(head.get('rows'))
  const stepMs = Number(head.get('stepMs'))
  const words = head.get('words')
  if (!(stepMs > 0) || !Array.isArray(words)) return refuse()
  const rollup = createRollup(stepMs, head.get('withSpread') === true, metricsIn(head.get('metrics')))
  fill(rollup.startMs, reader.next(rows), stepMs)
  fill(rollup.firstPollMs, reader.next(rows))
  fill(rollup.lastPollMs, reader.next(rows))
  readKeyed(reader, rows, rollup.polls, numbersIn(head.get('polls')))
  readKeyed(reader, rows, rollup.outcomeMs, numbersIn(head.get('outcomes')))
  let states = 0
  const metrics = rollup.metrics.map((rolled) => {
    if (rolled.kind === 'state') readKeyed(reader, rows, rolled.heldMs, textsIn(words[states++]))
    return rolled.kind === 'gauge' || rolled.kind === 'timestamp'
      ? readValues(reader, rollup, rolled, wanted)
      : readCounts(reader, rows, rolled)
  })
  reader.end()
  return { ...rollup, metrics }
}

/** Into plain arrays, to which rows may be added. */
function fill(column: number[], values: ArrayLike<number>, scale = 1): void {
  for (let row = 0; row < values.length; row++) column.push((values[row] ?? 0) * scale)
}

function readKeyed<K>(reader: TableReader, rows: number, by: TimeBy<K>, keys: readonly K[]): void {
  for (const key of keys) {
    const column: number[] = []
    fill(column, reader.next(rows))
    if (by.has(key)) refuse()
    by.set(key, column)
  }
}

function readCounts(reader: TableReader, rows: number, rolled: RolledMetric): RolledMetric {
  if (rolled.kind === 'counter') for (const what of COUNTS) fill(rolled[what], reader.next(rows))
  if (rolled.kind === 'fingerprint') fill(rolled.changes, reader.next(rows))
  return rolled
}

function readValues(
  reader: TableReader,
  rollup: Rollup,
  rolled: RolledValues,
  wanted: readonly string[] | undefined,
): RolledValues {
  const rows = rollup.startMs.length
  for (const name of VALUES) {
    const values = reader.next(rows, NEAR[name](rollup, rolled))
    fill(rolled.values[name], name === 'last' ? lasts(rollup, rolled, values) : values)
  }
  if (rolled.spread === undefined) return rolled
  if (wanted === undefined || wanted.includes(rolled.metric.id))
    return { ...rolled, spread: readSpread(reader, rows) }
  for (let column = 0; column < 3; column++) reader.skip()
  return { ...rolled, spread: rollup.startMs.map(() => EMPTY_HISTOGRAM) }
}

function readSpread(reader: TableReader, rows: number): Histogram[] {
  const sizes = Array.from(reader.next(rows), rowCount)
  const all = rowCount(sizes.reduce((sum, size) => sum + size, 0))
  const buckets = Array.from(reader.next(all))
  const counts = Array.from(reader.next(all))
  if (buckets.some((bucket) => !(bucket >= 0 && bucket < BUCKETS))) refuse()
  let end = 0
  return sizes.map((size): Histogram => {
    const start = end
    end += size
    return size === 0
      ? EMPTY_HISTOGRAM
      : { buckets: buckets.slice(start, end), counts: counts.slice(start, end) }
  })
}
