import { ok, type Result } from '#base/result.ts'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { addRollups, createRollup, gatherRows, type Rollup } from '#history/rollup.ts'
import { appendRows, createSeries, type Series } from '#history/series.ts'
import type { Change, Packer, StorageFailure, StorageKey, StoredRow } from '#history/storage.ts'
import {
  segmentAt,
  segmentFromMs,
  segmentToMs,
  SPREAD_FROM_MS,
  TIERS,
  type SegmentId,
  type TierName,
} from '#history/tiers.ts'
import { only, segmentKey, type Growth, type SegmentSize } from './database.ts'
import { sealPacked, unseal } from './envelope.ts'
import type { StoreState } from './store-state.ts'

export type Window = { readonly fromMs: number; readonly toMs: number }
export type RollupTier = Exclude<TierName, 'samples'>

const keyOf = (tier: TierName, node: number, fromMs: number): StorageKey => [
  ...segmentKey(segmentAt(TIERS[tier].segment, fromMs)),
  TIERS[tier].place,
  node,
  fromMs,
]

type Stored = { readonly fromMs: number; readonly value: unknown }

/** A tier's blocks of a node that may hold something of `[fromMs, toMs)`, oldest first. */
async function readBlocks(
  { database }: StoreState,
  tier: TierName,
  node: number,
  fromMs: number,
  toMs: number,
): Promise<Result<readonly Stored[], StorageFailure>> {
  const { segment, place, blockMs } = TIERS[tier]
  const firstMs = Math.floor(fromMs / blockMs) * blockMs
  // Only of segments that exist, so that no range is too long.
  const ranges = segmentsWithin(database.sizes, segment, firstMs, toMs).map((id) => ({
    table: 'blocks' as const,
    from: [...segmentKey(id), place, node, firstMs],
    to: [...segmentKey(id), place, node, toMs],
  }))
  const read = await database.read(ranges)
  return read.ok ? ok(read.value.flat().map(storedOf)) : read
}

const storedOf = ({ key, value }: StoredRow): Stored => ({ fromMs: Number(key[4]), value })

export const segmentsWithin = (
  sizes: ReadonlyMap<string, SegmentSize>,
  kind: SegmentId['kind'],
  fromMs: number,
  toMs: number,
): readonly SegmentId[] =>
  Array.from(sizes.values(), ({ id }) => id)
    .filter((id) => id.kind === kind && segmentFromMs(id) < toMs && segmentToMs(id) > fromMs)
    .toSorted((a, b) => a.index - b.index)

/** Samples in blocks that touch `[fromMs, toMs)`, all of what lies in them; and the bytes of each block, by its start. */
export async function readSampleBlocks(
  state: StoreState,
  node: number,
  fromMs: number,
  toMs: number,
): Promise<Result<{ readonly rows: Series; readonly blocks: ReadonlyMap<number, number> }, StorageFailure>> {
  const read = await readBlocks(state, 'samples', node, fromMs, toMs)
  if (!read.ok) return read
  const rows = createSeries(1)
  const blocks = new Map<number, number>()
  for (const block of read.value) {
    const part = await contentOf(state, block, decodeSeries)
    blocks.set(block.fromMs, bytesOf(block))
    if (part !== undefined) appendRows(rows, part, 0, part.length)
  }
  return ok({ rows, blocks })
}

/** Roll-ups in blocks that touch `[fromMs, toMs)`. `decode`: as far as charts need them, or all there is. */
export async function readRollupBlocks(
  state: StoreState,
  tier: RollupTier,
  node: number,
  fromMs: number,
  toMs: number,
  decode: (bytes: Uint8Array) => Rollup | undefined = decodeRollup,
): Promise<
  Result<{ readonly rollup: Rollup; readonly blocks: ReadonlyMap<number, number> }, StorageFailure>
> {
  const { stepMs } = TIERS[tier]
  const read = await readBlocks(state, tier, node, fromMs, toMs)
  if (!read.ok) return read
  const parts: Rollup[] = []
  const blocks = new Map<number, number>()
  for (const block of read.value) {
    const part = await contentOf(state, block, decode)
    blocks.set(block.fromMs, bytesOf(block))
    if (part !== undefined) parts.push(part)
  }
  const rollup =
    parts.length === 0 ? createRollup(stepMs, stepMs >= SPREAD_FROM_MS) : addRollups(parts, stepMs)
  return ok({ rollup, blocks })
}

/** Undefined where a block is damaged, which is counted. */
async function contentOf<T>(
  { packer, onDamaged }: StoreState,
  { value }: Stored,
  decode: (bytes: Uint8Array) => T | undefined,
): Promise<T | undefined> {
  const bytes = await unseal(value, packer)
  const content = bytes && decode(bytes)
  if (content === undefined) onDamaged()
  return content
}

const bytesOf = ({ value }: Pick<Stored, 'value'>): number => (value instanceof Uint8Array ? value.length : 0)

/** A block as it is to be; without rows it goes. `before`: bytes of the one in its place. */
export type BlockWrite = {
  readonly node: number
  readonly fromMs: number
  readonly before: number | undefined
} & (
  | { readonly tier: 'samples'; readonly content: Series }
  | { readonly tier: RollupTier; readonly content: Rollup }
)

/** The changes that write blocks, and by how much their segments grow with them. */
export async function blockChanges(
  packer: Packer,
  writes: readonly BlockWrite[],
): Promise<{ readonly changes: readonly Change[]; readonly grown: readonly Growth[] }> {
  const changes: Change[] = []
  const grown: Growth[] = []
  for (const { before = 0, ...write } of writes) {
    const key = keyOf(write.tier, write.node, write.fromMs)
    const [firstMs = Number.POSITIVE_INFINITY, bytes] =
      write.tier === 'samples'
        ? [write.content.columns.atMs.subarray(0, write.content.length)[0], () => encodeSeries(write.content)]
        : [write.content.startMs[0], () => encodeRollup(write.content)]
    const value = Number.isFinite(firstMs) ? await sealPacked(bytes(), packer) : undefined
    if (value === undefined) changes.push({ kind: 'delete', range: { table: 'blocks', ...only(key) } })
    else changes.push({ kind: 'put', table: 'blocks', key, value })
    const id = segmentAt(TIERS[write.tier].segment, write.fromMs)
    grown.push({ id, bytes: bytesOf({ value }) - before, firstMs })
  }
  return { changes, grown }
}

const pollsOf = ({ polls }: Rollup, row: number): number => {
  let sum = 0
  for (const column of polls.values()) sum += column[row] ?? 0
  return sum
}

/**
 * A roll-up with the steps of these windows as they were worked out anew, within `range`. A step of which more polls are
 * known stays: its samples are gone.
 */
export function replaceSteps(
  stored: Rollup,
  fresh: readonly Rollup[],
  windows: readonly Window[],
  range: Window,
): Rollup {
  const sources = [stored, ...fresh]
  const chosen = new Map<number, { readonly from: Rollup; readonly row: number }>()
  for (const [place, from] of sources.entries())
    for (const [row, startMs] of from.startMs.entries()) {
      if (startMs < range.fromMs || startMs >= range.toMs) continue
      const polls = pollsOf(from, row)
      const isReplaced = windows.some((window) => startMs >= window.fromMs && startMs < window.toMs)
      if (place === 0 && isReplaced && polls === 0) continue
      const before = chosen.get(startMs)
      if (before === undefined || polls >= pollsOf(before.from, before.row))
        chosen.set(startMs, { from, row })
    }
  const starts = Array.from(chosen.keys()).toSorted((a, b) => a - b)
  const places = new Map(starts.map((startMs, place) => [startMs, place]))
  return gatherRows(sources, stored.stepMs, starts, (from, row) => {
    const startMs = from.startMs[row] ?? 0
    const { from: best, row: bestRow } = chosen.get(startMs) ?? {}
    return best === from && bestRow === row ? (places.get(startMs) ?? -1) : -1
  })
}
