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

/** How long before a range a row can begin that still stands in it. */
const BEFORE_MS = DEFAULTS.slowestWaitMs

export type NodeRange = Window & { readonly node: string }

/** `isWhole`: false if blocks could not be read. */
type Read<T> = { readonly content: T; readonly isWhole: boolean }

/**
 * Rows from blocks and memory. It copies those in memory first: rows that are compacted during the read are
 * then in both, and merging removes duplicates.
 */
async function samplesOf(state: StoreState, { node, fromMs, toMs }: NodeRange): Promise<Read<Series>> {
  const head = { ...(state.head.nodes.get(node)?.series ?? createSeries(state.metrics, 1)) }
  const number = state.database.nodes.get(node)?.number
  const read = number === undefined ? undefined : await readSampleBlocks(state, number, { fromMs, toMs })
  const rows = read?.ok === true ? read.value.content : createSeries(state.metrics, 1)
  return { content: mergeRows(rows, head), isWhole: read?.ok !== false }
}

/** Every row of the range, and some before it. */
export const readSamples = async (state: StoreState, range: NodeRange, maxGapMs = 0): Promise<Series> =>
  (await samplesOf(state, { ...range, fromMs: range.fromMs - Math.max(maxGapMs, BEFORE_MS) })).content

type Decode = (bytes: Uint8Array) => Rollup | undefined

/** Decodes only what charts need. Never write the result back: the rest would be lost. */
function decodeForChart(metrics: MetricRegistry): Decode {
  const banded = metrics.flatMap(({ id, chart }) => (chart?.band === true ? [id] : []))
  return (bytes) => decodeRollup(bytes, banded)
}

/** Stored rollups, completed from samples that are not rolled up yet. */
export const readRollups = async (
  state: StoreState,
  tier: RollupTier,
  range: NodeRange,
  decode?: Decode,
): Promise<Rollup> => (await rollupsOf(state, tier, range, decode)).content

/** Reads samples first, because samples become rollups and never the reverse. */
export async function rollupsOf(
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
 * The part of a range to compute from samples: for minutes, all time with samples; else the hours with rows
 * in memory.
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

/** The charts of one node, at the resolution that fits the range. */
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

/** The most recently viewed nodes, about 3 MB each. */
const NODES_MAX = 4

/** The usual ranges of the seven days up to the last whole hour, read once an hour. */
export async function readUsual(state: StoreState, { node, toMs, barMs }: UsualQuery): Promise<Usual> {
  const { usual } = state
  const hourMs = Math.floor(toMs / HOUR_MS) * HOUR_MS
  let known = usual.get(node)
  if (known?.toMs !== hourMs) {
    const range = { node, fromMs: hourMs - USUAL_MS, toMs: hourMs }
    const read = await rollupsOf(state, 'minute', range, decodeForChart(state.metrics))
    const minutes = usefulOf(read.content, range.fromMs, hourMs)
    known = { toMs: hourMs, minutes, values: usualValues(minutes) } satisfies KnownUsual
    // The history may have changed during the read, or the read failed: then it is not cached.
    if (state.usual === usual && read.isWhole) {
      usual.delete(node)
      usual.set(node, known)
      for (const oldest of Array.from(usual.keys()).slice(0, -NODES_MAX)) usual.delete(oldest)
    }
  }
  return { ...known.values, ...usualBars(known.minutes, barMs) }
}
