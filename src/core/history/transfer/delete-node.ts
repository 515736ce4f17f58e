import { ok, type Result } from '#base/result.ts'
import { bytesOf, segmentKey, under, type Growth, type SegmentSize } from '#history/store/database.ts'
import { NOTHING_KNOWN } from '#history/store/derive-events.ts'
import { survey } from '#history/store/maintenance.ts'
import type { StoreState } from '#history/store/store-state.ts'
import type { Change, StorageFailure } from '#storage/storage.ts'
import { TIER_NAMES, TIERS } from '#history/tiers.ts'
import type { TransferEnd } from './transfer.ts'

/**
 * Deletes all samples and rollups of a node in one transaction. Its journal entries stay, and one records
 * this deletion. Recent batches have its rows until compaction, but nothing reads them.
 */
export async function deleteNode(
  state: StoreState,
  node: string,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  if (!(await go(0))) return { kind: 'cancelled', unchanged: true }
  const done = await state.exclusive(() => deleteRows(state, node))
  if (!done.ok) return { kind: 'failed', failure: done.error, unchanged: true }
  const facts = { records: done.value }
  state.events.add([
    { wallMs: state.clock.wallMs(), area: 'operator', what: 'history-deleted', nodeKey: node, facts },
  ])
  await survey(state)
  return { kind: 'done', rows: done.value, skipped: 0 }
}

async function deleteRows(state: StoreState, node: string): Promise<Result<number, StorageFailure>> {
  const { database, head, lastValues } = state
  const stored = database.nodes.get(node)
  let rows = head.nodes.get(node)?.series.length ?? 0
  const changes: Change[] = []
  const grown: Growth[] = []
  if (stored !== undefined) {
    for (const size of database.sizes.values()) {
      const left = await withoutNode(state, size, stored.number)
      if (!left.ok) return left
      rows += left.value.blocks
      changes.push(...left.value.changes)
      grown.push(left.value.grown)
    }
    const forgotten = {
      ...stored,
      compactedUntil: database.meta().seq,
      untilMs: Number.NEGATIVE_INFINITY,
      last: NOTHING_KNOWN,
    }
    const done = await database.commit(changes, { nodes: new Map([[node, forgotten]]), grown })
    if (!done.ok) return done
  }
  head.forget(node)
  lastValues.byNode.delete(node)
  return ok(rows)
}

/** The changes that remove a node from a segment, and the segment's new size. */
async function withoutNode({ database }: StoreState, { id, firstMs }: SegmentSize, node: number) {
  const ranges = TIER_NAMES.filter((tier) => TIERS[tier].segment === id.kind).map((tier) => ({
    table: 'blocks' as const,
    ...under([...segmentKey(id), TIERS[tier].rank, node]),
  }))
  const read = await database.read([...ranges, { table: 'blocks', ...under(segmentKey(id)), keysOnly: true }])
  if (!read.ok) return read
  const blocks = read.value.slice(0, ranges.length).flat()
  const bytes = blocks.reduce((sum, { value }) => sum + bytesOf(value), 0)
  const starts = (read.value.at(-1) ?? [])
    .filter(({ key }) => key[3] !== node)
    .map(({ key }) => Number(key[4]))
  return ok({
    blocks: blocks.length,
    changes: ranges.map((range): Change => ({ kind: 'delete', range })),
    grown: { id, bytes: -bytes, firstMs: Math.max(firstMs, Math.min(...starts)), isCut: true },
  })
}
