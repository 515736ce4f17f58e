import { DEFAULTS } from '#base/defaults.ts'
import type { Result } from '#base/result.ts'
import type { StoreState } from './store-state.ts'
import { readParts } from './read-rows.ts'
import { ROLLUP_FORM, SERIES_FORM, type RecordForm } from './records.ts'
import { rollLate, rollSeries } from '#history/roll-series.ts'
import { addRollups, createRollup, type Rollup } from '#history/rollup.ts'
import { createSeries, placeAt, type Series } from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import { mergeRows, type HeadNode } from './head-block.ts'
import { SPREAD_FROM_MS, TIERS, type TierName } from '#history/tiers.ts'

/** A stretch of one node's time. */
export type NodeRange = { readonly node: string; readonly fromMs: number; readonly toMs: number }

/** How far before the range a row may lie that still holds in it. */
const BEFORE_MS = DEFAULTS.slowAfterRejectionMs

/** Every row of the range, of records and of memory; and some before it. */
export async function readSamples(
  state: StoreState,
  { node, fromMs, toMs }: NodeRange,
  maxGapMs = 0,
): Promise<Series> {
  const firstMs = fromMs - Math.max(maxGapMs, BEFORE_MS)
  return state.compaction.steady(async () => {
    const parts = await readParts(state, SERIES_FORM, 'samples', node, firstMs, toMs)
    const head = state.head.nodes.get(node)?.series ?? createSeries(1)
    return [...known(parts), head].reduce(mergeRows)
  })
}

type RollupForm = Pick<RecordForm<Rollup>, 'decode'>

/** What records say, and what memory adds to it. `form`: with all that was summed up, or as far as lanes need it. */
export const readRollups = async (
  state: StoreState,
  tier: Exclude<TierName, 'samples'>,
  range: NodeRange,
  form: RollupForm = ROLLUP_FORM,
): Promise<Rollup> => (await readAllRollups(state, tier, range, form)).rollups

/** The same. `isWhole`: false where records could not be read just now. */
export async function readAllRollups(
  state: StoreState,
  tier: Exclude<TierName, 'samples'>,
  { node, fromMs, toMs }: NodeRange,
  form: RollupForm,
): Promise<{ readonly rollups: Rollup; readonly isWhole: boolean }> {
  const { stepMs } = TIERS[tier]
  const withSpread = stepMs >= SPREAD_FROM_MS
  return state.compaction.steady(async () => {
    const parts = await readParts(state, form, tier, node, fromMs, toMs)
    const head = state.head.nodes.get(node)
    const mine = head === undefined ? [] : headRollups(state, head, tier, withSpread, toMs)
    const all = [...known(parts), ...mine]
    const rollups = all.length === 0 ? createRollup(stepMs, withSpread) : addRollups(all, stepMs)
    return { rollups, isWhole: parts.ok }
  })
}

/** Rows that no rollup holds yet, and the time since the rollups end. */
function headRollups(
  state: StoreState,
  { series, carried, rolled }: HeadNode,
  tier: Exclude<TierName, 'samples'>,
  withSpread: boolean,
  toMs: number,
): readonly Rollup[] {
  const kind = tier === 'minute' ? 'minute' : 'coarse'
  const { stepMs } = TIERS[tier]
  const fromMs = state.rolledToMs[kind]
  const first = Math.max(carried, rolled[kind])
  const late = placeAt(series, fromMs)
  return [
    ...(first < late ? [rollLate(series, first, late, stepMs, withSpread)] : []),
    ...(fromMs < toMs ? [rollSeries(series, { fromMs, toMs }, stepMs, withSpread)] : []),
  ]
}

const known = <T>(parts: Result<readonly T[], StorageFailure>): readonly T[] => (parts.ok ? parts.value : [])
