import { HOUR_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { ok, type Result } from '#base/result.ts'
import { rollSeries } from '#history/roll-series.ts'
import { addRollups, type Rollup } from '#history/rollup.ts'
import {
  columnsOf,
  createSeries,
  holdsUntilMs,
  maxGapMsOf,
  metricsOf,
  placeAt,
  UNWATCHED,
  type Series,
} from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import { segmentFromMs, segmentToMs, SPREAD_FROM_MS, TIERS, type SegmentId } from '#history/tiers.ts'
import {
  blockChanges,
  readRollupBlocks,
  readSampleBlocks,
  replaceSteps,
  type BlockWrite,
  type RollupTier,
  type Window,
} from './blocks.ts'
import { ALL_KEYS, segmentKey, under, type StoredNode } from './database.ts'
import { lastMsOf, mergeRows, rowsWithin, sliceRows } from './head-block.ts'
import { mergedLast } from './last-values.ts'
import { flush } from './recent.ts'
import type { StoreState } from './store-state.ts'

/** Nodes whose rows go into blocks in one transaction: few enough that a second's polls don't wait for them. */
const NODES_STEP = 16

/**
 * Brings every row of the head block into blocks, some nodes at a time: their blocks, how far they are compacted and how
 * much there is are one transaction. What is cut off in between goes on from there, since each node says which recent
 * batches it is done with; the batches go when all are.
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
      untilMs: isGapOpen(rows)
        ? Number.NEGATIVE_INFINITY
        : Math.max(stored.untilMs, holdsUntilMs(rows.columns, rows.length - 1)),
      last: lastValues.byNode?.get(name) ?? mergedLast(stored.last, rows, lastValues.metrics),
    })
    await state.yieldToEventLoop()
  }
  if (nodes.size === 0) return ok(undefined)
  const { changes, grown } = await blockChanges(state.packer, writes)
  const done = await database.commit(changes, { nodes, grown })
  if (!done.ok) return done
  for (const [name, count] of counts) head.drop(name, count)
  state.compactions++
  return done
}

/** Whether a counter's last row has no value, and a gap before it: that gap is still to be told of in the next one. */
const isGapOpen = (rows: Series): boolean =>
  metricsOf(rows).some(({ id, kind }) => {
    const columns = kind === 'counter' ? columnsOf(rows, id) : undefined
    const last = rows.length - 1
    return (
      columns !== undefined &&
      Number.isNaN(columns.value[last]) &&
      ((columns.flags[last] ?? 0) & UNWATCHED) !== 0
    )
  })

/** How long a row stands for what it says: mostly for so long at most, */
const HOLD_MS = DEFAULTS.slowestWaitMs
/** and of a node that is asked as rarely as can be, for so long. */
const LONGEST_HOLD_MS = maxGapMsOf(DEFAULTS.pollIntervalMaxMs)

/**
 * The blocks of a node as they are with these rows, put between the others by time. The roll-ups of every hour that they
 * touch are worked out anew from all samples of it: so doing it twice changes nothing.
 */
export async function placeRows(
  state: StoreState,
  { number: node, untilMs }: StoredNode,
  rows: Series,
): Promise<Result<readonly BlockWrite[], StorageFailure>> {
  const firstMs = rows.columns.atMs[0] ?? 0
  const isRare =
    untilMs > firstMs + HOLD_MS || rows.columns.everyMs.some((everyMs) => maxGapMsOf(everyMs) > HOLD_MS)
  const aroundMs = isRare ? LONGEST_HOLD_MS : HOLD_MS
  const read = await readSampleBlocks(state, node, firstMs - aroundMs, lastMsOf(rows) + aroundMs)
  if (!read.ok) return read
  const merged = mergeRows(read.value.rows, rows)
  const windows = windowsOf(rows, merged)
  const writes: BlockWrite[] = daysOf(rows).map((fromMs) => ({
    tier: 'samples',
    node,
    fromMs,
    content: rowsWithin(merged, fromMs, fromMs + TIERS.samples.blockMs),
    before: read.value.blocks.get(fromMs),
  }))
  const fresh = windows.map((window) => rollSeries(merged, window, TIERS.quarter.stepMs, true))
  for (const tier of ['quarter', 'hour'] as const) {
    const rolled = tier === 'quarter' ? fresh : fresh.map((part) => addRollups([part], TIERS.hour.stepMs))
    const placed = await placeRollups(state, tier, node, rolled, windows)
    if (!placed.ok) return placed
    writes.push(...placed.value)
  }
  return ok(writes)
}

/** Days in which there are rows. */
function daysOf({ columns, length }: Series): readonly number[] {
  const { blockMs } = TIERS.samples
  const days = new Set<number>()
  for (let at = 0; at < length; at++) days.add(Math.floor((columns.atMs[at] ?? 0) / blockMs) * blockMs)
  return Array.from(days)
}

/** The hours in which rows change what held: their own time, and that of the rows before them. One stretch for hours that follow each other. */
function windowsOf(rows: Series, merged: Series): readonly Window[] {
  const windows: Window[] = []
  for (let row = 0; row < rows.length; row++) {
    const atMs = rows.columns.atMs[row] ?? 0
    const at = placeAt(merged, atMs)
    const fromMs = Math.floor(atMs / HOUR_MS) * HOUR_MS
    const untilMs = Math.max(
      atMs + 1,
      holdsUntilMs(merged.columns, at),
      at === 0 ? 0 : holdsUntilMs(merged.columns, at - 1),
    )
    const toMs = Math.ceil(untilMs / HOUR_MS) * HOUR_MS
    const last = windows.at(-1)
    if (last !== undefined && fromMs <= last.toMs)
      windows[windows.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, toMs) }
    else windows.push({ fromMs, toMs })
  }
  return windows
}

async function placeRollups(
  state: StoreState,
  tier: RollupTier,
  node: number,
  fresh: readonly Rollup[],
  windows: readonly Window[],
): Promise<Result<readonly BlockWrite[], StorageFailure>> {
  const { blockMs } = TIERS[tier]
  const writes: BlockWrite[] = []
  const starts = new Set<number>()
  for (const { fromMs, toMs } of windows)
    for (let at = Math.floor(fromMs / blockMs) * blockMs; at < toMs; at += blockMs) starts.add(at)
  for (const fromMs of starts) {
    const read = await readRollupBlocks(state, tier, node, fromMs, fromMs + blockMs)
    if (!read.ok) return read
    const content = replaceSteps(read.value.rollup, fresh, windows, { fromMs, toMs: fromMs + blockMs })
    if (content.startMs.length > 0)
      writes.push({ tier, node, fromMs, content, before: read.value.blocks.get(fromMs) })
  }
  return ok(writes)
}

/**
 * Puts what a segment of samples says by the minute in the place of the samples, node by node: each week of a node is in
 * samples or in minutes, and never in both or in neither.
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
  const samples = await readSampleBlocks(state, node, window.fromMs - DEFAULTS.slowestWaitMs, window.toMs)
  if (!samples.ok) return samples
  const { stepMs } = TIERS.minute
  const fresh = rollSeries(samples.value.rows, window, stepMs, stepMs >= SPREAD_FROM_MS)
  const placed = await placeRollups(state, 'minute', node, [fresh], [window])
  if (!placed.ok) return placed
  const days = Array.from(samples.value.blocks).filter(([fromMs]) => fromMs >= window.fromMs)
  const { changes, grown } = await blockChanges(state.packer, [
    ...placed.value,
    ...days.map(([fromMs, before]): BlockWrite => ({
      tier: 'samples',
      node,
      fromMs,
      content: createSeries(1),
      before,
    })),
  ])
  const done = await state.database.commit(changes, { grown })
  state.compactions++
  return done
}
