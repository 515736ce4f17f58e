import type { Charts } from '#charts/charts.ts'
import type { History } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import { sampleSource } from '#charts/sample-source.ts'
import { seriesDataOf } from '#charts/series-data.ts'
import { createSeries } from '#history/series.ts'
import { HeadBlock, samplesOfEach } from '#history/store/head-block.ts'
import { createStoredHistory, type StoredHistory } from '#history/store/stored-history.ts'
import type { Clock } from '#base/clock.ts'
import { createMemoryStorage, nodePacker } from './memory-storage.ts'

/** In-memory history of one session. */
export function createMemoryHistory(): History & Pick<Charts, 'readSeriesData'> {
  const head = new HeadBlock(samplesOfEach, METRICS)
  return {
    append: async ({ samples, gaps }) => {
      for (const gap of gaps) head.addGap(gap)
      head.addSamples(samples)
    },
    readSeriesData: async (query) =>
      seriesDataOf(
        sampleSource(head.nodes.get(query.node)?.series ?? createSeries(METRICS), query),
        query,
        METRICS,
      ),
    forget: async (nodes) => {
      for (const node of nodes) head.forget(node)
    },
  }
}

/** The history store with its database in memory. */
export const storeInMemory = (clock: Clock, storage = createMemoryStorage(), writer = 'w'): StoredHistory =>
  createStoredHistory({
    clock,
    storage,
    packer: nodePacker,
    pause: async () => undefined,
    writer,
    metrics: METRICS,
  })
