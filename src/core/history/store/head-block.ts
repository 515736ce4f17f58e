import { DEFAULTS } from '#base/defaults.ts'
import type { Gap, Sample } from '#history/history.ts'
import {
  appendNotWatched,
  appendRows,
  appendSamples,
  createSeries,
  dropBefore,
  metricsOf,
  placeAt,
  shiftSeries,
  type Series,
  type StoredMetric,
} from '#history/series.ts'

/** Where nothing is kept, memory is shared by the whole fleet: the more nodes, the fewer samples each. */
export const samplesOfEach = (nodes: number): number =>
  Math.min(
    DEFAULTS.samplesPerNodeMax,
    Math.max(DEFAULTS.samplesPerNodeMin, Math.floor(DEFAULTS.samplesInMemoryMax / Math.max(1, nodes))),
  )

/** One node's newest rows. */
export type HeadNode = {
  series: Series
  /** 1 where the first row is kept in a record already, and only says what held before the others; else 0. */
  carried: number
  /** Rows that are kept: the first so many. */
  flushed: number
  /** Rows that are in the rollups already, of either kind: the first so many. */
  readonly rolled: { minute: number; coarse: number }
}

/**
 * The newest rows of every node, in memory: what no record holds yet. Where nothing can be
 * kept it is all there is, and the oldest give way.
 */
export type HeadBlock = {
  readonly nodes: ReadonlyMap<string, HeadNode>
  /** Rows of all nodes. */
  readonly size: () => number
  /** Each node's in the order in which they came. */
  readonly addSamples: (samples: readonly Sample[]) => void
  readonly addGap: (gap: Gap) => void
  /** Rows of one node that were read back from the store. What was kept twice, as after a clear, is there once. */
  readonly addRows: (node: string, rows: Series, start: number, end: number, carried: boolean) => void
  /** Drops so many of a node's first rows, which records hold now, but for the last of them: it is carried. */
  readonly settle: (node: string, count: number) => void
  readonly forget: (node: string) => void
}

/** `samplesPerNode`: how many each may keep where there are so many nodes. */
export function createHeadBlock(
  samplesPerNode: (nodes: number) => number,
  metrics?: readonly StoredMetric[],
): HeadBlock {
  const nodes = new Map<string, HeadNode>()
  let rows = 0

  const nodeOf = (key: string): HeadNode => {
    let node = nodes.get(key)
    if (node === undefined) nodes.set(key, (node = newNode(metrics)))
    return node
  }
  /** So many rows more; where the oldest gave way for them, what is said of those goes too. */
  const addTo = (node: HeadNode, count: number, add: (samplesMax: number) => void): void => {
    const before = node.series.length
    add(samplesPerNode(nodes.size))
    const gone = before + count - node.series.length
    rows += count - gone
    if (gone === 0) return
    node.carried = 0
    takeBack(node, gone)
  }

  return {
    nodes,
    size: () => rows,
    addSamples: (samples) => {
      for (let from = 0; from < samples.length;) {
        const key = samples[from]?.node ?? ''
        let to = from + 1
        while (samples[to]?.node === key) to++
        const node = nodeOf(key)
        const run = samples.slice(from, to)
        addTo(node, run.length, (samplesMax) => appendSamples(node.series, run, samplesMax))
        from = to
      }
    },
    addGap: ({ fromMs, toMs }) => {
      const byMs = Math.round(toMs - fromMs)
      for (const node of nodes.values())
        // The clock was set back: what was kept so far happened that much earlier.
        if (byMs < 0) shiftSeries(node.series, byMs)
        else addTo(node, 1, (samplesMax) => appendNotWatched(node.series, fromMs, samplesMax))
    },
    addRows: (key, from, start, end, carried) => {
      const node = nodeOf(key)
      if (carried && node.series.length === 0 && end > start) node.carried = 1
      const before = node.series.length
      if (startMsOf(from, start) > lastMsOf(node.series)) appendRows(node.series, from, start, end)
      else node.series = mergeRows(node.series, rowsOf(from, start, end))
      rows += node.series.length - before
      if (carried) markFirst(node, placeAt(node.series, startMsOf(from, start) + 1))
    },
    settle: (key, count) => {
      const node = nodes.get(key)
      if (node === undefined || count === 0) return
      dropBefore(node.series, count - 1)
      rows -= count - 1
      takeBack(node, count - 1)
      node.carried = 1
    },
    forget: (key) => {
      rows -= nodes.get(key)?.series.length ?? 0
      nodes.delete(key)
    },
  }
}

const startMsOf = ({ columns, length }: Series, start: number): number =>
  start < length ? (columns.atMs[start] ?? 0) : Number.POSITIVE_INFINITY

const lastMsOf = ({ columns, length }: Series): number =>
  length === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[length - 1] ?? 0)

function rowsOf(from: Series, start: number, end: number): Series {
  const rows = createSeries(Math.max(1, end - start), metricsOf(from))
  appendRows(rows, from, start, end)
  return rows
}

const newNode = (metrics?: readonly StoredMetric[]): HeadNode => ({
  series: createSeries(undefined, metrics),
  carried: 0,
  flushed: 0,
  rolled: { minute: 0, coarse: 0 },
})

/** A carried row is in records, and so is each row before it: all of them were summed up. */
function markFirst({ rolled }: HeadNode, count: number): void {
  rolled.minute = Math.max(rolled.minute, count)
  rolled.coarse = Math.max(rolled.coarse, count)
}

/** So many of the first rows are gone: what is said of the first so many moves with them. */
function takeBack(node: HeadNode, gone: number): void {
  node.flushed = Math.max(0, node.flushed - gone)
  node.rolled.minute = Math.max(0, node.rolled.minute - gone)
  node.rolled.coarse = Math.max(0, node.rolled.coarse - gone)
}

/** Rows of one node by time, without those that are there twice. */
export function mergeRows(one: Series, other: Series): Series {
  const merged = createSeries(Math.max(1, one.length + other.length), metricsOf(one))
  let at = 0
  let to = 0
  while (at < one.length || to < other.length) {
    const mine = at < one.length ? (one.columns.atMs[at] ?? 0) : Number.POSITIVE_INFINITY
    const theirs = to < other.length ? (other.columns.atMs[to] ?? 0) : Number.POSITIVE_INFINITY
    // As many at once as there are before the other's next: mostly all of them.
    if (mine <= theirs) {
      let end = at + 1
      while (end < one.length && (one.columns.atMs[end] ?? 0) < theirs) end++
      appendRows(merged, one, at, end)
      at = end
      if (mine === theirs) to++
    } else {
      let end = to + 1
      while (end < other.length && (other.columns.atMs[end] ?? 0) < mine) end++
      appendRows(merged, other, to, end)
      to = end
    }
  }
  return merged
}
