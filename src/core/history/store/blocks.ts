import type { TimeRange } from '#base/time.ts'
import { ok, type Result } from '#base/result.ts'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { createRollup, joinRollups, type Rollup } from '#history/rollup.ts'
import { appendRows, createSeries, type Series } from '#history/series.ts'
import type { Change, Packer, StorageFailure, StorageKey } from '#storage/storage.ts'
import {
  segmentAt,
  segmentFromMs,
  segmentToMs,
  TIERS,
  type SegmentId,
  type TierName,
} from '#history/tiers.ts'
import { bytesOf, only, segmentKey, type Growth, type SegmentSize } from './database.ts'
import { sealPacked, unseal } from './envelope.ts'
import type { StoreState } from './store-state.ts'

export type RollupTier = Exclude<TierName, 'samples'>

/** The size in bytes of each block, by the block's start. */
type BlocksRead<T> = { readonly content: T; readonly sizes: ReadonlyMap<number, number> }

/** Decodes a node's blocks of a tier that overlap `[fromMs, toMs)`, oldest first. */
async function readBlocks<T>(
  state: StoreState,
  tier: TierName,
  node: number,
  { fromMs, toMs }: TimeRange,
  decode: (bytes: Uint8Array) => T | undefined,
): Promise<Result<BlocksRead<readonly T[]>, StorageFailure>> {
  const { database, packer } = state
  const { segment, rank, blockMs } = TIERS[tier]
  const firstMs = Math.floor(fromMs / blockMs) * blockMs
  // Reads existing segments only, so that the number of ranges is bounded.
  const ranges = segmentsWithin(database.sizes, segment, firstMs, toMs).map((id) => ({
    table: 'blocks' as const,
    from: [...segmentKey(id), rank, node, firstMs],
    to: [...segmentKey(id), rank, node, toMs],
  }))
  const read = await database.read(ranges)
  if (!read.ok) return read
  const content: T[] = []
  const sizes = new Map<number, number>()
  for (const { key, value } of read.value.flat()) {
    sizes.set(Number(key[4]), bytesOf(value))
    const bytes = await unseal(value, packer)
    const part = bytes && decode(bytes)
    if (part === undefined) state.noteDamaged()
    else content.push(part)
  }
  return ok({ content, sizes })
}

export const segmentsWithin = (
  sizes: ReadonlyMap<string, SegmentSize>,
  kind: SegmentId['kind'],
  fromMs: number,
  toMs: number,
): readonly SegmentId[] =>
  Array.from(sizes.values(), ({ id }) => id)
    .filter((id) => id.kind === kind && segmentFromMs(id) < toMs && segmentToMs(id) > fromMs)
    .toSorted((a, b) => a.index - b.index)

/** All samples of the blocks that overlap the window, including those outside it. */
export async function readSampleBlocks(
  state: StoreState,
  node: number,
  window: TimeRange,
): Promise<Result<BlocksRead<Series>, StorageFailure>> {
  const read = await readBlocks(state, 'samples', node, window, decodeSeries)
  if (!read.ok) return read
  const [first, ...others] = read.value.content
  const rows = first?.series ?? createSeries(state.metrics, 1)
  for (const { series } of others) appendRows(rows, series, 0, series.length)
  return ok({ content: rows, sizes: read.value.sizes })
}

/**
 * Rollups of the blocks that overlap the window. `spreadOf`: the metrics whose distributions are decoded. Absent:
 * all, which a block that is written back needs.
 */
export async function readRollupBlocks(
  state: StoreState,
  tier: RollupTier,
  node: number,
  window: TimeRange,
  spreadOf?: readonly string[],
): Promise<Result<BlocksRead<Rollup>, StorageFailure>> {
  const read = await readBlocks(state, tier, node, window, (bytes) => decodeRollup(bytes, spreadOf))
  if (!read.ok) return read
  const { content: parts, sizes } = read.value
  const content =
    parts.length === 0 ? emptyRollup(state, tier) : joinRollups(parts, TIERS[tier].stepMs, hasSpread(tier))
  return ok({ content, sizes })
}

/** A minute has too few samples for a distribution. */
export const hasSpread = (tier: RollupTier): boolean => tier !== 'minute'
export const emptyRollup = ({ metrics }: StoreState, tier: RollupTier): Rollup =>
  createRollup(TIERS[tier].stepMs, hasSpread(tier), metrics)

type Content =
  | { readonly tier: 'samples'; readonly content: Series }
  | { readonly tier: RollupTier; readonly content: Rollup }

/** A block to write. An empty one is deleted. `before`: the size in bytes of the block it replaces. */
export type BlockWrite = Content & {
  readonly node: number
  readonly fromMs: number
  readonly before: number | undefined
}

/** The changes that write the blocks, and the growth of their segments. */
export async function blockChanges(
  packer: Packer,
  writes: readonly BlockWrite[],
): Promise<{ readonly changes: readonly Change[]; readonly grown: readonly Growth[] }> {
  const changes: Change[] = []
  const grown: Growth[] = []
  for (const { before = 0, ...write } of writes) {
    const { tier, node, fromMs } = write
    const id = segmentAt(TIERS[tier].segment, fromMs)
    const key: StorageKey = [...segmentKey(id), TIERS[tier].rank, node, fromMs]
    const { firstMs, bytes } = contentOf(write)
    const value = bytes && (await sealPacked(bytes, packer))
    if (value === undefined) changes.push({ kind: 'delete', range: { table: 'blocks', ...only(key) } })
    else changes.push({ kind: 'put', table: 'blocks', key, value })
    grown.push({ id, bytes: bytesOf(value) - before, firstMs })
  }
  return { changes, grown }
}

function contentOf({ tier, content }: Content) {
  const isEmpty = (tier === 'samples' ? content.length : content.startMs.length) === 0
  const firstMs = (tier === 'samples' ? content.columns.atMs[0] : content.startMs[0]) ?? 0
  if (isEmpty) return { firstMs: Number.POSITIVE_INFINITY, bytes: undefined }
  return {
    firstMs,
    bytes: tier === 'samples' ? encodeSeries(content, 0, content.length) : encodeRollup(content),
  }
}
