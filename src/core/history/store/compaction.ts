import { HOUR_MS, type TimeRange } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { ok, type Result } from '#base/result.ts'
import { rollSeries } from '#history/roll-series.ts'
import { coarsen, replaceSteps, stepsWithin, type Rollup } from '#history/rollup.ts'
import { createSeries, holdsUntilMs, maxGapMsOf, UNWATCHED, type Series } from '#history/series.ts'
import type { StorageFailure } from '#storage/storage.ts'
import { segmentFromMs, segmentToMs, TIERS, type SegmentId } from '#history/tiers.ts'
import {
  blockChanges,
  hasSpread,
  readRollupBlocks,
  readSampleBlocks,
  type BlockWrite,
  type RollupTier,
} from './blocks.ts'
import { ALL_KEYS, segmentKey, under, type StoredNode } from './database.ts'
import { lastMsOf, mergeRows, rowsWithin, sliceRows } from './head-block.ts'
import { mergedLast } from './last-values.ts'
import { flush } from './recent.ts'
import type { StoreState } from './store-state.ts'

/** Nodes to compact in one transaction: few enough that the polls of a second don't wait for it. */
const NODES_STEP = 16

/**
 * Moves every row of the head block into blocks. One transaction writes a few nodes' blocks, how far each is compacted, and the
 * sizes, so compaction continues there after a crash. The batches are deleted after the last node.
 */
export async function compact(state: StoreState): Promise<Result<undefined, StorageFailure>> {
  const flushed = await state.exclusive(() => flush(state))
  if (!flushed.ok) return flushed
  if (state.head.size() === 0) return ok(undefined)
  const { seq } = state.database.meta()
  const names = Array.from(state.head.nodes.keys())
  for (let from = 0; from < names.length; from += NODES_STEP) {
    const done = await state.exclusive(() => compactNodes(state, names.slice(from, from + NODES_STEP)))
    if (!done.ok) return done
  }
  const recent = { table: 'recent', from: ALL_KEYS.from, to: [seq, Number.NEGATIVE_INFINITY] } as const
  return state.exclusive(() => state.database.commit([{ kind: 'delete', range: recent }]))
}

async function compactNodes(
  state: StoreState,
  names: readonly string[],
): Promise<Result<undefined, StorageFailure>> {
  const { database, head, lastValues } = state
  const { seq } = database.meta()
  const writes: BlockWrite[] = []
  const nodes = new Map<string, StoredNode>()
  const counts = new Map<string, number>()
  for (const name of names) {
    const headNode = head.nodes.get(name)
    const stored = database.nodes.get(name)
    if (headNode === undefined || stored === undefined || headNode.flushed === 0) continue
    const rows = sliceRows(headNode.series, 0, headNode.flushed)
    counts.set(name, rows.length)
    const placed = await placeRows(state, stored, rows)
    if (!placed.ok) return placed
    writes.push(...placed.value)
    nodes.set(name, {
      ...stored,
      compactedUntil: seq,
      untilMs: isGapOpen(rows) ? Number.NEGATIVE_INFINITY : holdsUntilMs(rows.columns, rows.length - 1),
      last: lastValues.byNode.get(name) ?? mergedLast(stored.last, rows, lastValues.metrics),
    })
    await state.yieldToEventLoop()
  }
  if (nodes.size === 0) return ok(undefined)
  const { changes, grown } = await blockChanges(state.packer, writes)
  const done = await database.commit(changes, { nodes, grown })
  if (done.ok) for (const [name, count] of counts) head.drop(name, count)
  return done
}

/**
 * Whether a counter's last row has no value but follows a gap: the next value still has to report that gap.
 */
const isGapOpen = ({ columns, length }: Series): boolean =>
  columns.metrics.some(
    ({ metric, value, flags }) =>
      metric.kind === 'counter' &&
      Number.isNaN(value[length - 1]) &&
      ((flags[length - 1] ?? 0) & UNWATCHED) !== 0,
  )

/** The longest that a row holds at usual poll intervals. */
export const HOLD_MS = DEFAULTS.slowestWaitMs
/** How long a row of the most rarely polled node holds. */
export const LONGEST_HOLD_MS = maxGapMsOf(DEFAULTS.pollIntervalMaxMs)

/**
 * Merges rows into a node's blocks by time, and computes the rollups of the hours that they touch again from
 * all samples, so that repeating it changes nothing.
 */
export async function placeRows(
  state: StoreState,
  { number: node, untilMs }: StoredNode,
  rows: Series,
): Promise<Result<readonly BlockWrite[], StorageFailure>> {
  const firstMs = rows.columns.atMs[0] ?? 0
  const isRare =
    !Number.isFinite(untilMs) ||
    untilMs > firstMs + HOLD_MS ||
    rows.columns.everyMs.some((everyMs) => maxGapMsOf(everyMs) > HOLD_MS)
  const holdMs = isRare ? LONGEST_HOLD_MS : HOLD_MS
  const window = {
    fromMs: Math.floor(firstMs / HOUR_MS) * HOUR_MS,
    toMs: Math.ceil((lastMsOf(rows) + holdMs) / HOUR_MS) * HOUR_MS,
  }
  const read = await readSampleBlocks(state, node, { ...window, fromMs: window.fromMs - holdMs })
  if (!read.ok) return read
  const merged = mergeRows(read.value.content, rows)
  const writes: BlockWrite[] = blocksAt(rows.columns.atMs.subarray(0, rows.length), TIERS.samples).map(
    (fromMs) => ({
      tier: 'samples',
      node,
      fromMs,
      content: rowsWithin(merged, fromMs, fromMs + TIERS.samples.blockMs),
      before: read.value.sizes.get(fromMs),
    }),
  )
  const quarters = rollSeries(merged, window, TIERS.quarter.stepMs, true)
  const rolled = { quarter: quarters, hour: coarsen(quarters, TIERS.hour.stepMs) }
  for (const tier of ['quarter', 'hour'] as const) {
    const placed = await placeRollup(state, tier, node, rolled[tier], window)
    if (!placed.ok) return placed
    writes.push(...placed.value)
  }
  return ok(writes)
}

/** Starts of the tier's blocks that have rows at these times. */
const blocksAt = (times: ArrayLike<number>, { blockMs }: { readonly blockMs: number }): readonly number[] =>
  Array.from(new Set(Array.from(times, (atMs) => Math.floor(atMs / blockMs) * blockMs)))

async function placeRollup(
  state: StoreState,
  tier: RollupTier,
  node: number,
  fresh: Rollup,
  window: TimeRange,
): Promise<Result<readonly BlockWrite[], StorageFailure>> {
  const { blockMs } = TIERS[tier]
  const read = await readRollupBlocks(state, tier, node, window)
  if (!read.ok) return read
  const { content: stored, sizes } = read.value
  const whole = replaceSteps(stored, fresh, window)
  // A block that lost its only step is also written, which deletes it.
  return ok(
    blocksAt([...stored.startMs, ...whole.startMs], TIERS[tier]).map((fromMs) => ({
      tier,
      node,
      fromMs,
      content: stepsWithin(whole, fromMs, fromMs + blockMs),
      before: sizes.get(fromMs),
    })),
  )
}

/**
 * Replaces a segment of samples with 1-minute rollups, one transaction a node, so that a node's week is
 * always in exactly one of the two.
 */
export async function moveToMinutes(
  state: StoreState,
  id: SegmentId,
): Promise<Result<undefined, StorageFailure>> {
  const range = { table: 'blocks', ...under(segmentKey(id)), keysOnly: true } as const
  const listed = await state.database.read([range])
  if (!listed.ok) return listed
  for (const node of new Set((listed.value[0] ?? []).map((row) => Number(row.key[3])))) {
    const done = await state.exclusive(() => moveNodeToMinutes(state, id, node))
    if (!done.ok) return done
    await state.yieldToEventLoop()
  }
  return ok(undefined)
}

async function moveNodeToMinutes(
  state: StoreState,
  id: SegmentId,
  node: number,
): Promise<Result<undefined, StorageFailure>> {
  const window = { fromMs: segmentFromMs(id), toMs: segmentToMs(id) }
  const samples = await readSampleBlocks(state, node, { ...window, fromMs: window.fromMs - HOLD_MS })
  if (!samples.ok) return samples
  const fresh = rollSeries(samples.value.content, window, TIERS.minute.stepMs, hasSpread('minute'))
  const placed = await placeRollup(state, 'minute', node, fresh, window)
  if (!placed.ok) return placed
  const days = Array.from(samples.value.sizes).filter(([fromMs]) => fromMs >= window.fromMs)
  const { changes, grown } = await blockChanges(state.packer, [
    ...placed.value,
    ...days.map(([fromMs, before]): BlockWrite => ({
      tier: 'samples',
      node,
      fromMs,
      content: createSeries([], 1),
      before,
    })),
  ])
  return state.database.commit(changes, { grown })
}
