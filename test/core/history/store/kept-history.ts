import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Sentinel } from '#history/history-status.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { Sample } from '#history/history.ts'
import { createCharts } from '#charts/read-charts.ts'
import { readSummary } from '#report/read-summary.ts'
import type { SummaryQuery } from '#report/summary.ts'
import { createStoredHistory } from '#history/store/stored-history.ts'
import type { LineSource, TransferTask } from '#history/transfer/transfer.ts'
import { createTransfers } from '#history/transfer/transfers.ts'
import { drawn } from '#test/core/history/samples.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage, packerOf } from '#test/support/memory-storage.ts'

/** Packs synchronously, so that tests wait for no other thread. */
export const quickPacker = packerOf(deflateRawSync, inflateRawSync)

/** A file, as a page reads it. */
export const linesOf = (text: string): LineSource =>
  async function* () {
    yield* text.split('\n')
  }

/** A history stored in memory, with a clock that the test moves. */
export function createKept(
  storage = createMemoryStorage(),
  clock = createFakeClock(TEST_START_MS),
  writer = 'one',
  metrics: MetricRegistry = METRICS,
  whenPaused = async (): Promise<void> => undefined,
) {
  const stored = createStoredHistory({
    clock,
    storage,
    packer: quickPacker,
    pause: async () => {
      await whenPaused()
    },
    writer,
    metrics,
  })
  const history = {
    ...stored,
    ...createCharts(stored.state),
    readSummary: (query: SummaryQuery) => readSummary(stored.state, query),
    transfer: createTransfers(stored),
  }
  const status = () => history.status.get()
  const sampleOf = (node: string, given: Partial<Sample> = {}): Sample => ({
    node,
    atMs: clock.wallMs(),
    latencyMs: 20,
    everyMs: 60_000,
    outcome: 'answered',
    ...given,
  })
  return {
    clock,
    storage,
    history,
    status,
    start: (known?: Sentinel) => history.start(known),
    add: (node: string, given?: Partial<Sample>) =>
      history.append({ samples: [sampleOf(node, given)], gaps: [] }),
    /** Adds `count` samples of each node, `everyMs` apart. */
    watch: async (nodes: readonly string[], count: number, everyMs: number, given?: Partial<Sample>) => {
      for (let round = 0; round < count; round++) {
        await history.append({
          samples: nodes.map((node) => sampleOf(node, { everyMs, ...given })),
          gaps: [],
        })
        await clock.advance(everyMs)
      }
    },
    /** The end of a transfer and the text that it wrote. */
    transfer: async (task: TransferTask<LineSource>) => {
      let text = ''
      const end = await history.transfer(task, async (part) => {
        text += part
        return true
      })
      return { end, text }
    },
    /** Rows of a table of a segment, by their keys. */
    rows: (name: string, table: string) =>
      Array.from(storage.databases.get(name)?.get(table)?.values() ?? [], ({ key, value }) => ({
        key,
        value,
      })),
    /** The meta row of a database. */
    meta: (name: string): Readonly<Record<string, unknown>> => ({
      ...Object(storage.databases.get(name)?.get('meta')?.get('["meta"]')?.value),
    }),
    names: () => Array.from(storage.databases.keys()).toSorted(),
    /** The chart data of the last `rangeMs`. */
    lanes: async (node: string, rangeMs: number, everyMs = 60_000) =>
      drawn(
        await history.readSeriesData({
          node,
          fromMs: clock.wallMs() - rangeMs,
          toMs: clock.wallMs(),
          columns: 4_000,
          barMs: 60_000,
          maxGapMs: everyMs * 2.5,
        }),
      ),
  }
}
