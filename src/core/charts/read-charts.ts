import { DEFAULTS } from '#base/defaults.ts'
import { putNewest } from '#base/newest-last.ts'
import { DAY_MS, HOUR_MS } from '#base/time.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import { TIER_NAMES, TIERS, type TierName } from '#history/tiers.ts'
import { stepsWithin, type Rollup } from '#history/rollup.ts'
import { rollupsOf, samplesAround } from '#history/store/read-history.ts'
import type { StoreState } from '#history/store/store-state.ts'
import type { Charts, SeriesData, SeriesQuery, Usual, UsualQuery } from './charts.ts'
import { rollupSource } from './rollup-source.ts'
import { sampleSource } from './sample-source.ts'
import { seriesDataOf } from './series-data.ts'
import { countersOf, USUAL_MS, usualBars, usualValues } from './usual.ts'

type KnownUsual = {
  /** The store's revision at the time of the read. */
  readonly revision: number
  /** The end of the seven days, a whole hour. */
  readonly toMs: number
  readonly counters: Rollup
  readonly values: Usual
}

/** Usual ranges stay in memory for this many recently viewed nodes, about 0.3 MB each. */
const NODES_MAX = 4

/** Charts from the stored history. */
export function createCharts(state: StoreState): Charts {
  const { metrics } = state
  const banded = metrics.flatMap(({ id, chart }) => (chart?.band === true ? [id] : []))
  const known = new Map<string, KnownUsual>()

  /** Reads samples or rollups, whichever fit the range. */
  const readSeriesData = async (query: SeriesQuery): Promise<SeriesData> => {
    const everyMs = query.maxGapMs / DEFAULTS.staleAfterIntervals
    const tier = tierFor(query.toMs - query.fromMs, query.fromMs, everyMs, state.status.get().reach)
    if (tier === 'samples') {
      const { content } = await samplesAround(state, query, query.maxGapMs)
      return seriesDataOf(sampleSource(content, query), query, metrics)
    }
    const { content: rollup } = await rollupsOf(state, tier, query, banded)
    const spread = rollup.withSpread ? rollup : (await rollupsOf(state, 'quarter', query, banded)).content
    return seriesDataOf(rollupSource(rollup, spread, query), query, metrics)
  }

  /** The usual ranges of the seven days up to the last whole hour, read once an hour. */
  const readUsual = async ({ node, toMs, barMs }: UsualQuery): Promise<Usual> => {
    const { revision } = state
    const hourMs = Math.floor(toMs / HOUR_MS) * HOUR_MS
    let found = known.get(node)
    if (found?.toMs !== hourMs || found.revision !== revision) {
      const range = { node, fromMs: hourMs - USUAL_MS, toMs: hourMs }
      const read = await rollupsOf(state, 'minute', range, banded)
      const minutes = stepsWithin(read.content, range.fromMs, hourMs)
      found = { revision, toMs: hourMs, counters: countersOf(minutes), values: usualValues(minutes) }
      // An incomplete read is repeated.
      if (read.isWhole) putNewest(known, node, found, NODES_MAX)
    }
    return { ...found.values, ...usualBars(found.counters, barMs) }
  }

  return { readSeriesData, readUsual }
}

/** Charts of more samples use rollups. */
const SAMPLES_READ_MAX = 25_000
/** Limits the number of records that a chart reads. */
const SAMPLES_RANGE_MAX_MS = 25 * HOUR_MS
const MINUTE_RANGE_MAX_MS = 50 * HOUR_MS
const QUARTER_RANGE_MAX_MS = 14 * DAY_MS

/**
 * The resolution to read a range at: enough rows for every pixel and not many more. `reach`: how far back
 * each resolution goes. Takes a coarser one if it goes back further.
 */
export function tierFor(
  rangeMs: number,
  fromMs: number,
  everyMs: number,
  reach: HistoryStatus['reach'],
): TierName {
  const oldestMs = (tier: TierName): number => reach[tier] ?? Number.POSITIVE_INFINITY
  const best: TierName =
    rangeMs <= SAMPLES_RANGE_MAX_MS && rangeMs / Math.max(1, everyMs) <= SAMPLES_READ_MAX
      ? 'samples'
      : rangeMs <= MINUTE_RANGE_MAX_MS
        ? 'minute'
        : rangeMs <= QUARTER_RANGE_MAX_MS
          ? 'quarter'
          : 'hour'
  const { rank } = TIERS[best]
  const further = TIER_NAMES.slice(rank + 1).filter((name) => oldestMs(name) < oldestMs(best) - DAY_MS)
  const candidates = [best, ...further]
  const enough = candidates.find((name) => oldestMs(name) <= fromMs)
  return enough ?? candidates.reduce((a, b) => (oldestMs(b) < oldestMs(a) ? b : a))
}
