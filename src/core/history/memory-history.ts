import { DEFAULTS } from '#base/defaults.ts'
import type { Gap, History, HistoryBatch } from './history.ts'
import { seriesDataOf } from './series-data.ts'
import { appendSample, createSeries, shiftSeries, type Series } from './series.ts'

/** Gaps that are remembered; a computer that sleeps 20 times a day fills this in a month and a half. */
const GAPS_MAX = 1_000

/** Where nothing is kept, memory is shared by the whole fleet: the more nodes, the fewer samples each. */
export const samplesOfEach = (nodes: number): number =>
  Math.min(
    DEFAULTS.samplesPerNodeMax,
    Math.max(DEFAULTS.samplesPerNodeMin, Math.floor(DEFAULTS.samplesInMemoryMax / Math.max(1, nodes))),
  )

/**
 * History of this session, in memory. Bounded for the whole fleet: the more nodes there are,
 * the fewer samples each of them keeps.
 */
export function createMemoryHistory(): History {
  const seriesByNode = new Map<string, Series>()
  let gaps: readonly Gap[] = []

  const addGap = (gap: Gap): void => {
    const byMs = gap.toMs - gap.fromMs
    if (byMs >= 0) {
      gaps = [...gaps, gap].slice(-GAPS_MAX)
      return
    }
    // The clock was set back: earlier samples are told by the clock as it is now, or they would lie in the future.
    gaps = gaps.map((earlier) => ({ ...earlier, fromMs: earlier.fromMs + byMs, toMs: earlier.toMs + byMs }))
    for (const series of seriesByNode.values()) shiftSeries(series, byMs)
  }

  const append = (batch: HistoryBatch): void => {
    batch.gaps.forEach(addGap)
    for (const sample of batch.samples) {
      const series = seriesByNode.get(sample.node) ?? createSeries()
      seriesByNode.set(sample.node, series)
      appendSample(series, sample, samplesOfEach(seriesByNode.size))
    }
  }

  return {
    append: async (batch) => append(batch),
    readSeriesData: async (query) =>
      seriesDataOf(seriesByNode.get(query.node) ?? createSeries(), gaps, query),
    forget: async (nodes) => nodes.forEach((node) => seriesByNode.delete(node)),
  }
}
