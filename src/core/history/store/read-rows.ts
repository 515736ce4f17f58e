import { ok, type Result } from '#base/result.ts'
import { readRecord, recordKeyOf, recordsIn, type RecordForm } from './records.ts'
import type { Segments } from './segments.ts'
import type { Packer, StorageFailure, StoredRow } from '#history/storage.ts'
import { segmentsIn, segmentName, TIERS, type SegmentId, type TierName } from '#history/tiers.ts'

export type ReadPorts = {
  readonly segments: Segments
  readonly packer: Packer
  readonly onDamaged: () => void
}

/**
 * Everything that records hold of a node in `[fromMs, toMs)`, and what lies beside it in the
 * same records, oldest first: one read in each segment that the range touches.
 */
export async function readParts<T>(
  { segments, packer, onDamaged }: ReadPorts,
  form: Pick<RecordForm<T>, 'decode'>,
  tier: TierName,
  node: string,
  fromMs: number,
  toMs: number,
): Promise<Result<readonly T[], StorageFailure>> {
  const names = segments.ids().map(segmentName)
  const ids = segmentsIn(TIERS[tier].segment, fromMs, toMs, names)
  // All at once: what takes time is the way to the store and back.
  const found = await Promise.all(ids.map((id) => readSegment(segments, id, tier, node, fromMs, toMs)))
  const parts: T[] = []
  for (const rows of found) {
    if (!rows.ok) return rows
    for (const { key, value } of rows.value) {
      const span = recordKeyOf(tier, key)
      if (span === undefined || span.toMs <= fromMs) continue
      const content = await readRecord(form, value, packer)
      if (content === undefined) onDamaged()
      else parts.push(content)
    }
  }
  return ok(parts)
}

const readSegment = (
  segments: Segments,
  id: SegmentId,
  tier: TierName,
  node: string,
  fromMs: number,
  toMs: number,
): Promise<Result<readonly StoredRow[], StorageFailure>> =>
  segments.use(id, async ({ database, nodes }) => {
    const number = nodes.get(node)
    if (number === undefined) return ok([])
    const read = await database.read([recordsIn(tier, number, fromMs, toMs)])
    return read.ok ? ok(read.value[0] ?? []) : read
  })
