import { DAY_MS } from '#base/time.ts'
import { SEGMENT_KINDS, segmentFromMs, segmentToMs, type SegmentId } from '#history/tiers.ts'
import type { Settings } from '#settings/schema.ts'
import type { SegmentSize } from './database.ts'

export type RetentionSettings = Settings['history']

export type Removal = { readonly id: SegmentId; readonly reason: 'age' | 'budget' | 'full' }

/** If two segments are equally old, samples go first, then minutes. */
export const byAge = ({ id: a }: SegmentSize, { id: b }: SegmentSize): number =>
  segmentToMs(a) - segmentToMs(b) || SEGMENT_KINDS.indexOf(a.kind) - SEGMENT_KINDS.indexOf(b.kind)

/**
 * The segments to remove, in order: those beyond their age, then the oldest until the rest fits the budget.
 * Never the current one.
 */
export function removals(
  sizes: readonly SegmentSize[],
  { samplesDays, rollupsDays }: Omit<RetentionSettings, 'budgetBytes'>,
  budgetBytes: number,
  nowMs: number,
): readonly Removal[] {
  const going: Removal[] = []
  let bytes = sizes.reduce((sum, size) => sum + size.bytes, 0)
  for (const size of sizes.toSorted(byAge)) {
    const { id } = size
    const days = id.kind === 'samples' ? samplesDays : rollupsDays
    if (segmentToMs(id) > nowMs - days * DAY_MS) continue
    going.push({ id, reason: 'age' })
    bytes -= size.bytes
  }
  // A future segment comes from a wrong clock and is not current.
  const isCurrent = (id: SegmentId): boolean => segmentFromMs(id) <= nowMs && segmentToMs(id) > nowMs
  for (const { id, bytes: own } of sizes.toSorted(byAge)) {
    if (bytes <= budgetBytes) break
    if (isCurrent(id) || going.some((removal) => removal.id === id)) continue
    going.push({ id, reason: 'budget' })
    bytes -= own
  }
  return going
}
