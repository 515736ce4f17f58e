import { DEFAULTS } from '#base/defaults.ts'
import { segmentFromMs, segmentToMs, type SegmentId, type SegmentKind } from '#history/tiers.ts'

export type RetentionSettings = {
  /** Days for which every sample is kept, */
  readonly samplesDays: number
  /** and for which its rollups are. */
  readonly rollupsDays: number
  readonly budgetBytes: number
}

export const RETENTION_DEFAULTS: RetentionSettings = {
  samplesDays: DEFAULTS.historySamplesDays,
  rollupsDays: DEFAULTS.historyRollupsDays,
  budgetBytes: DEFAULTS.historyBudgetBytes,
}

export type SegmentSize = { readonly id: SegmentId; readonly bytes: number }
export type Removal = { readonly id: SegmentId; readonly reason: 'age' | 'budget' }

const DAY_MS = 86_400_000
/** Of what the browser grants: reaching its quota must never be what ends the history. */
const QUOTA_SHARE = 0.5

/** What may be used: the operator's budget, well under what the browser grants. */
export const budgetOf = (settings: RetentionSettings, quotaBytes: number | undefined): number =>
  Math.min(
    settings.budgetBytes,
    quotaBytes === undefined ? Number.POSITIVE_INFINITY : quotaBytes * QUOTA_SHARE,
  )

const FINEST_FIRST: readonly SegmentKind[] = ['samples', 'minute', 'coarse']

/** Where two are equally old, samples go before minutes and those before the rest. */
export const byAge = (a: SegmentId, b: SegmentId): number =>
  segmentToMs(a) - segmentToMs(b) || FINEST_FIRST.indexOf(a.kind) - FINEST_FIRST.indexOf(b.kind)

/**
 * Which segments go, in this order: those that are wholly too old, then the oldest ones until
 * the rest fits the budget. What is being written to never goes.
 */
export function removals(
  sizes: readonly SegmentSize[],
  settings: RetentionSettings,
  budgetBytes: number,
  nowMs: number,
): readonly Removal[] {
  const days = ({ kind }: SegmentId): number =>
    kind === 'samples' ? settings.samplesDays : settings.rollupsDays
  const isTooOld = ({ id }: SegmentSize): boolean => segmentToMs(id) <= nowMs - days(id) * DAY_MS
  const tooOld = sizes.filter(isTooOld)
  const rest = sizes.filter((size) => !isTooOld(size))
  // A future segment comes from a clock that was wrong: it is not what is being written to.
  const isCurrent = (id: SegmentId): boolean => segmentFromMs(id) <= nowMs && segmentToMs(id) > nowMs
  let bytes = rest.reduce((sum, size) => sum + size.bytes, 0)
  const overBudget: Removal[] = []
  for (const size of oldestFirst(rest.filter(({ id }) => !isCurrent(id)))) {
    if (bytes <= budgetBytes) break
    overBudget.push({ id: size.id, reason: 'budget' })
    bytes -= size.bytes
  }
  return [...oldestFirst(tooOld).map(({ id }): Removal => ({ id, reason: 'age' })), ...overBudget]
}

const oldestFirst = (sizes: readonly SegmentSize[]): readonly SegmentSize[] =>
  sizes.toSorted((a, b) => byAge(a.id, b.id))
