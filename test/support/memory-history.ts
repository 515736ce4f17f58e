import type { History } from '#history/history.ts'
import { sampleSource } from '#history/sample-source.ts'
import { seriesDataOf } from '#history/series-data.ts'
import { createSeries } from '#history/series.ts'
import { createHeadBlock, samplesOfEach } from '#history/store/head-block.ts'

/** History of one session, in memory. */
export function createMemoryHistory(): History {
  const head = createHeadBlock(samplesOfEach)
  return {
    append: async ({ samples, gaps }) => {
      gaps.forEach(head.addGap)
      head.addSamples(samples)
    },
    readSeriesData: async (query) =>
      seriesDataOf(sampleSource(head.nodes.get(query.node)?.series ?? createSeries(), query), query),
    forget: async (nodes) => nodes.forEach(head.forget),
  }
}
