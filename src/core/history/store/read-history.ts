import type { MetricRegistry } from '#metrics/metric.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { Result } from '#base/result.ts'
import type { Store } from '#base/store.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import type { SeriesData, SeriesQuery, Usual, UsualQuery } from '#history/history.ts'
import { seriesDataOf } from '#history/series-data.ts'
import { rolledSeriesData } from '#history/rolled-series-data.ts'
import { rollLate, rollSeries } from '#history/roll-series.ts'
import { addRollups, createRollup, type Rollup } from '#history/rollup.ts'
import { createSeries, placeAt, type Series } from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import { SPREAD_FROM_MS, tierFor, TIERS, type TierName } from '#history/tiers.ts'
import { USUAL_MS, partsFrom, usualBars, usualValues, withPart, type UsualPart } from '#history/usual.ts'
import type { CompactionGuard } from './compaction-guard.ts'
import { mergeRows, type HeadBlock, type HeadNode } from './head-block.ts'
import {
  chartForm,
  readParts,
  ROLLUP_FORM,
  SERIES_FORM,
  type RecordForm,
  type RecordStore,
} from './records.ts'

const HOUR_MS = 3_600_000

/** What history is read from. */
export type ReadState = RecordStore & {
  readonly metrics: MetricRegistry
  readonly head: HeadBlock
  readonly compaction: CompactionGuard
  /** Up to here time is in the rollups; what is later is in the head block only. */
  readonly rolledToMs: { minute: number; coarse: number }
  /** What was usual, by node: another map once what is kept has become another. */
  readonly usual: Map<string, KnownUsual>
  readonly status: Store<HistoryStatus>
}

/** A stretch of one node's time. */
export type NodeRange = { readonly node: string; readonly fromMs: number; readonly toMs: number }

/** How far before the range a row may lie that still holds in it. */
const BEFORE_MS = DEFAULTS.slowAfterRejectionMs

/** Every row of the range, of records and of memory; and some before it. */
export async function readSamples(
  state: ReadState,
  { node, fromMs, toMs }: NodeRange,
  maxGapMs = 0,
): Promise<Series> {
  const firstMs = fromMs - Math.max(maxGapMs, BEFORE_MS)
  return state.compaction.steady(async () => {
    const parts = await readParts(state, SERIES_FORM, 'samples', node, firstMs, toMs)
    const head = state.head.nodes.get(node)?.series ?? createSeries(1)
    return [...partsOf(parts), head].reduce(mergeRows)
  })
}

type RollupForm = Pick<RecordForm<Rollup>, 'decode'>

/** What records say, and what memory adds to it. `form`: with all that was summed up, or as far as lanes need it. */
export const readRollups = async (
  state: ReadState,
  tier: Exclude<TierName, 'samples'>,
  range: NodeRange,
  form: RollupForm = ROLLUP_FORM,
): Promise<Rollup> => (await readAllRollups(state, tier, range, form)).rollups

/** The same. `isWhole`: false where records could not be read just now. */
async function readAllRollups(
  state: ReadState,
  tier: Exclude<TierName, 'samples'>,
  { node, fromMs, toMs }: NodeRange,
  form: RollupForm,
): Promise<{ readonly rollups: Rollup; readonly isWhole: boolean }> {
  const { stepMs } = TIERS[tier]
  const withSpread = stepMs >= SPREAD_FROM_MS
  return state.compaction.steady(async () => {
    const parts = await readParts(state, form, tier, node, fromMs, toMs)
    const head = state.head.nodes.get(node)
    const mine = head === undefined ? [] : headRollups(state, head, tier, withSpread, toMs)
    const all = [...partsOf(parts), ...mine]
    const rollups = all.length === 0 ? createRollup(stepMs, withSpread) : addRollups(all, stepMs)
    return { rollups, isWhole: parts.ok }
  })
}

/** Rows that no rollup holds yet, and the time since the rollups end. */
function headRollups(
  state: ReadState,
  { series, carried, rolled }: HeadNode,
  tier: Exclude<TierName, 'samples'>,
  withSpread: boolean,
  toMs: number,
): readonly Rollup[] {
  const kind = tier === 'minute' ? 'minute' : 'coarse'
  const { stepMs } = TIERS[tier]
  const fromMs = state.rolledToMs[kind]
  const first = Math.max(carried, rolled[kind])
  const late = placeAt(series, fromMs)
  return [
    ...(first < late ? [rollLate(series, first, late, stepMs, withSpread)] : []),
    ...(fromMs < toMs ? [rollSeries(series, { fromMs, toMs }, stepMs, withSpread)] : []),
  ]
}

const partsOf = <T>(parts: Result<readonly T[], StorageFailure>): readonly T[] =>
  parts.ok ? parts.value : []

/** What a chart of one node draws, at the resolution that fits its range. */
export async function readSeriesData(state: ReadState, query: SeriesQuery): Promise<SeriesData> {
  const { reach } = state.status.get()
  const oldest = (at: number | undefined): number => at ?? Number.POSITIVE_INFINITY
  const everyMs = query.maxGapMs / DEFAULTS.staleAfterIntervals
  const tier = tierFor(query.toMs - query.fromMs, query.fromMs, everyMs, {
    samples: oldest(reach.samples),
    minute: oldest(reach.minute),
    quarter: oldest(reach.quarter),
    hour: oldest(reach.hour),
  })
  if (tier === 'samples')
    return seriesDataOf(await readSamples(state, query, query.maxGapMs), query, state.metrics)
  const rollup = await readRollups(state, tier, query, chartForm(state.metrics))
  const spread = rollup.withSpread
    ? rollup
    : await readRollups(state, 'quarter', query, chartForm(state.metrics))
  return rolledSeriesData(rollup, spread, query, state.metrics)
}

/** Nodes whose seven days stay in memory, about 3 MB each: those that were looked at last. */
const NODES_MAX = 4

/** What was read of one node up to a time. */
type KnownUsual = {
  readonly toMs: number
  /** Hours to which nothing comes any more, one after another; and what follows them. */
  readonly closed: readonly UsualPart[]
  readonly open: UsualPart
  readonly values: Usual
  readonly isWhole: boolean
}

/** What was usual. Seven days are read once; from then on, only what came since. */
export async function readUsual(state: ReadState, { node, toMs, barMs }: UsualQuery): Promise<Usual> {
  const { usual } = state
  const held = usual.get(node)
  const known = held?.toMs === toMs ? held : await readKnown(state, node, toMs, held?.closed ?? [])
  // What is kept may have become another meanwhile, or could not be read: then this is not held on to.
  if (state.usual === usual && known.isWhole) {
    usual.delete(node)
    usual.set(node, known)
    for (const oldest of Array.from(usual.keys()).slice(0, -NODES_MAX)) usual.delete(oldest)
  }
  return { ...known.values, ...usualBars([...known.closed, known.open], toMs, barMs) }
}

async function readKnown(
  state: ReadState,
  node: string,
  toMs: number,
  held: readonly UsualPart[],
): Promise<KnownUsual> {
  const firstMs = toMs - USUAL_MS
  let isWhole = true
  const part = async (fromMs: number, endMs: number): Promise<UsualPart> => {
    const read = await readAllRollups(
      state,
      'minute',
      { node, fromMs, toMs: endMs },
      chartForm(state.metrics),
    )
    isWhole &&= read.isWhole
    return { minutes: read.rollups, fromMs, toMs: endMs }
  }
  // A little more than is looked at, so that not all is read anew where the clock goes back by a second.
  const useful = partsFrom(held, firstMs - HOUR_MS)
  // A moment before the last of them ends is less than a week after the first of them begins: they do not reach.
  const reaches = (useful[0]?.fromMs ?? toMs) <= firstMs
  const before = reaches ? useful : []
  const closedMs = before.at(-1)?.toMs ?? firstMs
  // An answer of the hour before may still come.
  const closeMs = Math.max(closedMs, (Math.floor(toMs / HOUR_MS) - 1) * HOUR_MS)
  const closed = closeMs > closedMs ? withPart(before, await part(closedMs, closeMs)) : before
  const open = await part(closeMs, toMs)
  return { toMs, closed, open, values: usualValues([...closed, open], toMs), isWhole }
}
