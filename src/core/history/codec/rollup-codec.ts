import { sum } from '#base/sum.ts'
import * as v from 'valibot'
import { BUCKETS, EMPTY_HISTOGRAM, type Histogram } from '#history/histogram.ts'
import { createRollup, type Rollup } from '#history/rollup.ts'
import { decoded, encodeTable, MetricShape, readColumn, readTable } from './columns.ts'

const HeadShape = v.object({
  rows: v.number(),
  stepMs: v.pipe(v.number(), v.minValue(1)),
  withSpread: v.boolean(),
  /** Each metric with the names of its columns. */
  metrics: v.array(v.object({ metric: MetricShape, names: v.array(v.string()) })),
  polls: v.array(v.number()),
  outcomes: v.array(v.number()),
})

/** Encodes a rollup without rounding. */
export function encodeRollup(rollup: Rollup): Uint8Array<ArrayBuffer> {
  const { startMs, stepMs, withSpread, metrics, polls, outcomeMs } = rollup
  const sinceStart = (column: readonly number[]) => column.map((atMs, row) => atMs - (startMs[row] ?? 0))
  const head: v.InferOutput<typeof HeadShape> = {
    rows: startMs.length,
    stepMs,
    withSpread,
    metrics: metrics.map(({ metric, columns }) => ({ metric, names: Array.from(columns.keys()) })),
    polls: Array.from(polls.keys()),
    outcomes: Array.from(outcomeMs.keys()),
  }
  return encodeTable(head, [
    startMs.map((start) => start / stepMs),
    sinceStart(rollup.firstPollMs),
    sinceStart(rollup.lastPollMs),
    ...[polls, outcomeMs, ...metrics.map(({ columns }) => columns)].flatMap((by) => Array.from(by.values())),
    ...metrics
      .filter(({ spread = [] }) => spread.length > 0)
      .flatMap(({ spread = [] }) => [
        spread.map(({ buckets }) => buckets.length),
        spread.flatMap(({ buckets }) => buckets),
        spread.flatMap(({ counts }) => counts),
      ]),
  ])
}

/**
 * Undefined if the bytes are not a rollup. `wanted`: the metrics whose distributions are decoded; the others
 * are empty. Absent: all.
 */
export const decodeRollup = (bytes: Uint8Array, wanted?: readonly string[]): Rollup | undefined =>
  decoded(() => readRollup(bytes, wanted))

function readRollup(bytes: Uint8Array, wanted: readonly string[] | undefined): Rollup {
  const { head, columns: written } = readTable(bytes, HeadShape)
  const { rows, stepMs } = head
  let read = 0
  const next = (count = rows): number[] => plain(readColumn(written[read++], count))
  const startMs = next().map((start) => start * stepMs)
  const metrics = head.metrics.map(({ metric }) => metric)
  const nextTimes = () => next().map((sinceMs, row) => sinceMs + (startMs[row] ?? 0))
  const rollup = {
    ...createRollup(stepMs, head.withSpread, metrics, startMs),
    firstPollMs: nextTimes(),
    lastPollMs: nextTimes(),
  }
  for (const code of head.polls) rollup.polls.set(code, next())
  for (const code of head.outcomes) rollup.outcomeMs.set(code, next())
  for (const [which, { columns }] of rollup.metrics.entries())
    for (const name of head.metrics[which]?.names ?? []) columns.set(name, next())
  for (const { metric, spread } of rollup.metrics) {
    if (spread === undefined || rows === 0) continue
    if (wanted?.includes(metric.id) === false) read += 3
    else readSpread(spread, next)
  }
  if (read !== written.length) throw new RangeError()
  return rollup
}

/** Like `Array.from`, in a third of the time. */
function plain(values: Float64Array): number[] {
  const column: number[] = []
  for (let row = 0; row < values.length; row++) column.push(values[row] ?? 0)
  return column
}

function readSpread(spread: Histogram[], next: (count?: number) => number[]): void {
  const sizes = next()
  if (!sizes.every((size) => size >= 0 && size <= BUCKETS)) throw new RangeError()
  const all = sum(sizes)
  const [buckets, counts] = [next(all), next(all)]
  if (!buckets.every((bucket) => bucket >= 0 && bucket < BUCKETS)) throw new RangeError()
  let end = 0
  for (const [row, size] of sizes.entries()) {
    const start = end
    end += size
    spread[row] =
      size === 0 ? EMPTY_HISTOGRAM : { buckets: buckets.slice(start, end), counts: counts.slice(start, end) }
  }
}
