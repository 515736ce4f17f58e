import { DEFAULTS } from '#base/defaults.ts'
import { groupBy } from '#base/group-by.ts'
import type { Gap, Sample } from '#history/history.ts'
import {
  appendNotWatched,
  appendRows,
  appendSamples,
  createSeries,
  dropBefore,
  metricsOf,
  rowFrom,
  shiftSeries,
  trim,
  UNWATCHED,
  type Series,
  type StoredMetric,
} from '#history/series.ts'

/** Without a store, the whole fleet shares the memory: the more nodes, the fewer samples each. */
export const samplesOfEach = (nodes: number): number =>
  Math.min(
    DEFAULTS.samplesPerNodeMax,
    Math.max(DEFAULTS.samplesPerNodeMin, Math.floor(DEFAULTS.samplesInMemoryMax / Math.max(1, nodes))),
  )

export type HeadNode = {
  series: Series
  /** The number of leading rows that are on disk. */
  flushed: number
}

/**
 * The newest rows of every node, which no block has yet. While the store fails, the oldest rows are dropped.
 */
export class HeadBlock {
  readonly #nodes = new Map<string, HeadNode>()
  readonly nodes: ReadonlyMap<string, HeadNode> = this.#nodes
  readonly #samplesPerNode: (nodes: number) => number
  readonly #metrics: readonly StoredMetric[]
  readonly #untilMsOf: (node: string) => number | undefined

  /**
   * `samplesPerNode`: the most samples per node, by the number of nodes. `untilMsOf`: the time until which a node's last row in
   * blocks holds.
   */
  constructor(
    samplesPerNode: (nodes: number) => number,
    metrics: readonly StoredMetric[],
    untilMsOf: (node: string) => number | undefined = () => undefined,
  ) {
    this.#samplesPerNode = samplesPerNode
    this.#metrics = metrics
    this.#untilMsOf = untilMsOf
  }

  /** Rows of all nodes. */
  size(): number {
    let rows = 0
    for (const { series } of this.#nodes.values()) rows += series.length
    return rows
  }

  #nodeOf(key: string): HeadNode {
    let node = this.#nodes.get(key)
    if (node === undefined) {
      node = { series: createSeries(this.#metrics), flushed: 0 }
      this.#nodes.set(key, node)
    }
    return node
  }

  /** Drops a node's oldest rows if it has too many. */
  #trim(node: HeadNode): void {
    const before = node.series.length
    trim(node.series, this.#samplesPerNode(this.#nodes.size))
    node.flushed = Math.max(0, node.flushed - before + node.series.length)
  }

  /** The samples of each node are in order. */
  addSamples(samples: readonly Sample[]): void {
    for (const [key, rows] of groupBy(samples, ({ node }) => node)) {
      const node = this.#nodeOf(key)
      const isFirst = node.series.length === 0
      appendSamples(node.series, rows)
      this.#trim(node)
      if (isFirst) markFirst(node.series, this.#untilMsOf(key))
    }
  }

  addGap({ fromMs, toMs }: Gap): void {
    const byMs = Math.round(toMs - fromMs)
    for (const node of this.#nodes.values())
      // The clock was set back, so the rows in memory happened that much earlier.
      if (byMs < 0) shiftSeries(node.series, byMs)
      else {
        appendNotWatched(node.series, fromMs)
        this.#trim(node)
      }
  }

  /** Adds stored rows of one node, without duplicates. */
  addRows(key: string, from: Series, start = 0, end = from.length): void {
    const node = this.#nodeOf(key)
    if (timeAt(from, start) > lastMsOf(node.series)) appendRows(node.series, from, start, end)
    else node.series = mergeRows(node.series, sliceRows(from, start, end))
  }

  /** Drops a node's first rows, once blocks have them. */
  drop(key: string, count: number): void {
    const node = this.#nodes.get(key)
    if (node === undefined) return
    dropBefore(node.series, count)
    node.flushed = Math.max(0, node.flushed - count)
  }

  forget(key: string): void {
    this.#nodes.delete(key)
  }
}

/** Flags the first row of counters if nobody watched between the last row in blocks and it. */
function markFirst({ columns }: Series, untilMs = Number.POSITIVE_INFINITY): void {
  if ((columns.atMs[0] ?? 0) <= untilMs) return
  for (const { metric, flags } of columns.metrics)
    if (metric.kind === 'counter') flags[0] = (flags[0] ?? 0) | UNWATCHED
}

const timeAt = ({ columns, length }: Series, at: number): number =>
  at < length ? (columns.atMs[at] ?? 0) : Number.POSITIVE_INFINITY

/** Infinite without rows. */
export const firstMsOf = (series: Series | undefined): number =>
  series === undefined ? Number.POSITIVE_INFINITY : timeAt(series, 0)

export const lastMsOf = ({ columns, length }: Series): number =>
  length === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[length - 1] ?? 0)

export function sliceRows(from: Series, start: number, end: number): Series {
  const rows = createSeries(metricsOf(from), Math.max(1, end - start))
  appendRows(rows, from, start, end)
  return rows
}

/** Rows of `[fromMs, toMs)`. */
export const rowsWithin = (series: Series, fromMs: number, toMs: number): Series =>
  sliceRows(series, rowFrom(series, fromMs), rowFrom(series, toMs))

/** Merges rows of one node by time, without duplicates. */
export function mergeRows(one: Series, other: Series): Series {
  if (other.length === 0) return one
  if (one.length === 0) return other
  const merged = createSeries(metricsOf(one), one.length + other.length)
  let at = 0
  let to = 0
  // Copies rows of one series up to the next row of the other, in turn; usually one copy has all rows.
  while (at < one.length || to < other.length) {
    const start = at
    at = rowFrom(one, timeAt(other, to))
    appendRows(merged, one, start, at)
    if (timeAt(other, to) === timeAt(one, at)) to++
    const next = to
    to = Math.max(to, rowFrom(other, timeAt(one, at)))
    appendRows(merged, other, next, to)
  }
  return merged
}
