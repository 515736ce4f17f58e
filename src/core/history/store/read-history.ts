import { HOUR_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { decodeRollup } from '#history/codec/rollup-codec.ts'
import type { SeriesData, SeriesQuery, Usual, UsualQuery } from '#history/history.ts'
import { seriesDataOf } from '#history/series-data.ts'
import { rollupSource } from '#history/rollup-source.ts'
import { sampleSource } from '#history/sample-source.ts'
import { rollSeries } from '#history/roll-series.ts'
import { replaceSteps, type Rollup } from '#history/rollup.ts'
import { createSeries, type Series } from '#history/series.ts'
import { segmentFromMs, tierFor, TIERS } from '#history/tiers.ts'
import { USUAL_MS, usefulOf, usualBars, usualValues, type KnownUsual } from '#history/usual.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import {
  emptyRollup,
  hasSpread,
  readRollupBlocks,
  readSampleBlocks,
  segmentsWithin,
  type RollupTier,
  type Window,
} from './blocks.ts'
import { mergeRows } from './head-block.ts'
import type { StoreState } from './store-state.ts'

/** How far before a range a row may lie that still holds in it. */
const BEFORE_MS = DEFAULTS.slowestWaitMs

/** A stretch of one node's time. */
export type NodeRange = Window & { readonly node: string }

/** `isWhole`: false where blocks could not be read just now. */
type Read<T> = { readonly content: T; readonly isWhole: boolean }

/**
 * Rows of blocks and of memory. Those of memory are looked at first: what goes into blocks while these are read is in both
 * then, and counts once.
 */
async function samplesOf(state: StoreState, { node, fromMs, toMs }: NodeRange): Promise<Read<Series>> {
  const head = { ...(state.head.nodes.get(node)?.series ?? createSeries(state.metrics, 1)) }
  const number = state.database.nodes.get(node)?.number
  const read = number === undefined ? undefined : await readSampleBlocks(state, number, { fromMs, toMs })
  const rows = read?.ok === true ? read.value.content : createSeries(state.metrics, 1)
  return { content: mergeRows(rows, head), isWhole: read?.ok !== false }
}

/** Every row of the range, of blocks and of memory; and some before it. */
export const readSamples = async (state: StoreState, range: NodeRange, maxGapMs = 0): Promise<Series> =>
  (await samplesOf(state, { ...range, fromMs: range.fromMs - Math.max(maxGapMs, BEFORE_MS) })).content

type Decode = (bytes: Uint8Array) => Rollup | undefined

/** Roll-ups as far as charts are drawn from them. To be read only: what is left out would be lost by writing it. */
function decodeForChart(metrics: MetricRegistry): Decode {
  const banded = metrics.flatMap(({ id, chart }) => (chart?.band === true ? [id] : []))
  return (bytes) => decodeRollup(bytes, banded)
}

/** What blocks say, and what samples say of the time that is not rolled up yet. */
export const readRollups = async (
  state: StoreState,
  tier: RollupTier,
  range: NodeRange,
  decode?: Decode,
): Promise<Rollup> => (await rollupsOf(state, tier, range, decode)).content

/** Samples are read first, since they turn into roll-ups, and never the other way. */
async function rollupsOf(
  state: StoreState,
  tier: RollupTier,
  range: NodeRange,
  decode?: Decode,
): Promise<Read<Rollup>> {
  const { node, toMs } = range
  const { stepMs } = TIERS[tier]
  const fromMs = Math.floor(range.fromMs / stepMs) * stepMs
  const window = unrolled(state, tier, { node, fromMs, toMs })
  const samples = window && (await samplesOf(state, { node, ...window, fromMs: window.fromMs - BEFORE_MS }))
  const number = state.database.nodes.get(node)?.number ?? 0
  const read = await readRollupBlocks(state, tier, number, { fromMs, toMs }, decode)
  const stored = read.ok ? read.value.content : emptyRollup(state, tier)
  if (window === undefined || samples === undefined) return { content: stored, isWhole: read.ok }
  const fresh = rollSeries(samples.content, window, stepMs, hasSpread(tier))
  return { content: replaceSteps(stored, fresh, window), isWhole: read.ok && samples.isWhole }
}

/**
 * The part of a range that is worked out from samples: of minutes all of which there are samples, else the hours of rows
 * that no block holds.
 */
function unrolled(
  { head, database }: StoreState,
  tier: RollupTier,
  { node, fromMs, toMs }: NodeRange,
): Window | undefined {
  const rows = head.nodes.get(node)?.series
  const headMs =
    rows === undefined || rows.length === 0 ? Number.POSITIVE_INFINITY : (rows.columns.atMs[0] ?? 0)
  const segments = tier === 'minute' ? segmentsWithin(database.sizes, 'samples', fromMs, toMs) : []
  const firstMs = Math.min(Math.floor(headMs / HOUR_MS) * HOUR_MS, ...segments.map(segmentFromMs))
  return firstMs < toMs ? { fromMs: Math.max(fromMs, firstMs), toMs } : undefined
}

/** What a chart of one node draws, at the resolution that fits its range. */
export async function readSeriesData(state: StoreState, query: SeriesQuery): Promise<SeriesData> {
  const { reach } = state.status.get()
  const oldest = (at: number | undefined): number => at ?? Number.POSITIVE_INFINITY
  const everyMs = query.maxGapMs / DEFAULTS.staleAfterIntervals
  const tier = tierFor(query.toMs - query.fromMs, query.fromMs, everyMs, {
    samples: oldest(reach.samples),
    minute: oldest(reach.minute),
    quarter: oldest(reach.quarter),
    hour: oldest(reach.hour),
  })
  if (tier === 'samples') {
    const samples = await readSamples(state, query, query.maxGapMs)
    return seriesDataOf(sampleSource(samples, query), query, state.metrics)
  }
  const decode = decodeForChart(state.metrics)
  const rollup = await readRollups(state, tier, query, decode)
  const spread = rollup.withSpread ? rollup : await readRollups(state, 'quarter', query, decode)
  return seriesDataOf(rollupSource(rollup, spread, query), query, state.metrics)
}

/** Nodes whose seven days stay in memory, about 3 MB each: those that were looked at last. */
const NODES_MAX = 4

/** What was usual in the seven days up to the last whole hour, which are read once. */
export async function readUsual(state: StoreState, { node, toMs, barMs }: UsualQuery): Promise<Usual> {
  const { usual } = state
  const hourMs = Math.floor(toMs / HOUR_MS) * HOUR_MS
  let known = usual.get(node)
  if (known?.toMs !== hourMs) {
    const range = { node, fromMs: hourMs - USUAL_MS, toMs: hourMs }
    const read = await rollupsOf(state, 'minute', range, decodeForChart(state.metrics))
    const minutes = usefulOf(read.content, range.fromMs, hourMs)
    known = { toMs: hourMs, minutes, values: usualValues(minutes) } satisfies KnownUsual
    // What is kept may have become another meanwhile, or could not be read: then this is not held on to.
    if (state.usual === usual && read.isWhole) {
      usual.delete(node)
      usual.set(node, known)
      for (const oldest of Array.from(usual.keys()).slice(0, -NODES_MAX)) usual.delete(oldest)
    }
  }
  return { ...known.values, ...usualBars(known.minutes, barMs) }
}
