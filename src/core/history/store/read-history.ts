import { HOUR_MS, type TimeRange } from '#base/time.ts'
import { rollSeries } from '#history/roll-series.ts'
import { replaceSteps, type Rollup } from '#history/rollup.ts'
import { createSeries, type Series } from '#history/series.ts'
import { segmentFromMs, TIERS } from '#history/tiers.ts'
import {
  emptyRollup,
  hasSpread,
  readRollupBlocks,
  readSampleBlocks,
  segmentsWithin,
  type RollupTier,
} from './blocks.ts'
import { HOLD_MS, LONGEST_HOLD_MS } from './compaction.ts'
import { firstMsOf, mergeRows } from './head-block.ts'
import type { StoreState } from './store-state.ts'

type NodeRange = TimeRange & { readonly node: string }

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

/** Every readable row of the range, and some before it. */
export const samplesAround = (state: StoreState, range: NodeRange, maxGapMs = 0): Promise<Read<Series>> =>
  samplesOf(state, { ...range, fromMs: range.fromMs - Math.max(maxGapMs, HOLD_MS) })

/** Thrown where leaving out an unreadable part would hide the loss: in exports, imports and reports. */
export class UnreadableHistory extends Error {}

function whole<T>({ content, isWhole }: Read<T>): T {
  if (!isWhole) throw new UnreadableHistory('history can’t be read')
  return content
}

async function heldSamplesOf(state: StoreState, range: NodeRange): Promise<Read<Series>> {
  const near = await samplesAround(state, range)
  return firstMsOf(near.content) <= range.fromMs ? near : samplesAround(state, range, LONGEST_HOLD_MS)
}

/**
 * Every row of the range, and the last one before it if it may still hold there, however rare the polls are. Rejects with
 * `UnreadableHistory`.
 */
export const readSamples = async (state: StoreState, range: NodeRange): Promise<Series> =>
  whole(await heldSamplesOf(state, range))

/** Like `rollupsOf`, with all distributions. Rejects with `UnreadableHistory`. */
export const readRollups = async (state: StoreState, tier: RollupTier, range: NodeRange): Promise<Rollup> =>
  whole(await rollupsOf(state, tier, range))

/**
 * Stored rollups, completed from samples that are not rolled up yet. `spreadOf`: the metrics whose
 * distributions are read. Absent: all. Reads samples first, because samples become rollups and never the reverse.
 */
export async function rollupsOf(
  state: StoreState,
  tier: RollupTier,
  range: NodeRange,
  spreadOf?: readonly string[],
): Promise<Read<Rollup>> {
  const { node, toMs } = range
  const { stepMs } = TIERS[tier]
  const fromMs = Math.floor(range.fromMs / stepMs) * stepMs
  const window = unrolled(state, tier, { node, fromMs, toMs })
  const samples = window && (await heldSamplesOf(state, { node, ...window }))
  const number = state.database.nodes.get(node)?.number ?? 0
  const read = await readRollupBlocks(state, tier, number, { fromMs, toMs }, spreadOf)
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
): TimeRange | undefined {
  const headMs = firstMsOf(head.nodes.get(node)?.series)
  const segments = tier === 'minute' ? segmentsWithin(database.sizes, 'samples', fromMs, toMs) : []
  const firstMs = Math.min(Math.floor(headMs / HOUR_MS) * HOUR_MS, ...segments.map(segmentFromMs))
  return firstMs < toMs ? { fromMs: Math.max(fromMs, firstMs), toMs } : undefined
}
