import { DEFAULTS } from '#base/defaults.ts'
import type { Result } from '#base/result.ts'
import type { KeeperRoom } from './keeper-room.ts'
import { readParts } from './read-rows.ts'
import { ROLLUP_FORM, SERIES_FORM, type RecordForm } from './records.ts'
import { rollLate, rollSeries } from '#history/roll-series.ts'
import { addRollups, createRollup, type Rollup } from '#history/rollup.ts'
import { createSeries, placeAt, type Series } from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import { mergeRows, type TailNode } from './tail.ts'
import { SPREAD_FROM_MS, TIERS, type TierName } from '#history/tiers.ts'

/** A stretch of one node's time. */
export type NodeRange = { readonly node: string; readonly fromMs: number; readonly toMs: number }

/** How far before the range a row may lie that still holds in it. */
const BEFORE_MS = DEFAULTS.slowAfterRejectionMs

/** Every row of the range, of records and of memory; and some before it. */
export async function readSamples(
  room: KeeperRoom,
  { node, fromMs, toMs }: NodeRange,
  bridgeMs = 0,
): Promise<Series> {
  const firstMs = fromMs - Math.max(bridgeMs, BEFORE_MS)
  return room.moves.steady(async () => {
    const parts = await readParts(room, SERIES_FORM, 'samples', node, firstMs, toMs)
    const tail = room.tail.nodes.get(node)?.series ?? createSeries(1)
    return [...known(parts), tail].reduce(mergeRows)
  })
}

type SumsForm = Pick<RecordForm<Rollup>, 'decode'>

/** What records say, and what memory adds to it. `form`: with all that was summed up, or as far as lanes need it. */
export const readSums = async (
  room: KeeperRoom,
  tier: Exclude<TierName, 'samples'>,
  range: NodeRange,
  form: SumsForm = ROLLUP_FORM,
): Promise<Rollup> => (await readAllSums(room, tier, range, form)).sums

/** The same. `isWhole`: false where records could not be read just now. */
export async function readAllSums(
  room: KeeperRoom,
  tier: Exclude<TierName, 'samples'>,
  { node, fromMs, toMs }: NodeRange,
  form: SumsForm,
): Promise<{ readonly sums: Rollup; readonly isWhole: boolean }> {
  const { stepMs } = TIERS[tier]
  const withSpread = stepMs >= SPREAD_FROM_MS
  return room.moves.steady(async () => {
    const parts = await readParts(room, form, tier, node, fromMs, toMs)
    const tail = room.tail.nodes.get(node)
    const mine = tail === undefined ? [] : tailSums(room, tail, tier, withSpread, toMs)
    const all = [...known(parts), ...mine]
    const sums = all.length === 0 ? createRollup(stepMs, withSpread) : addRollups(all, stepMs)
    return { sums, isWhole: parts.ok }
  })
}

/** Rows that no sum holds yet, and the time since the sums end. */
function tailSums(
  room: KeeperRoom,
  { series, carried, summed }: TailNode,
  tier: Exclude<TierName, 'samples'>,
  withSpread: boolean,
  toMs: number,
): readonly Rollup[] {
  const kind = tier === 'minute' ? 'minute' : 'coarse'
  const { stepMs } = TIERS[tier]
  const fromMs = room.rolledToMs[kind]
  const first = Math.max(carried, summed[kind])
  const late = placeAt(series, fromMs)
  return [
    ...(first < late ? [rollLate(series, first, late, stepMs, withSpread)] : []),
    ...(fromMs < toMs ? [rollSeries(series, { fromMs, toMs }, stepMs, withSpread)] : []),
  ]
}

const known = <T>(parts: Result<readonly T[], StorageFailure>): readonly T[] => (parts.ok ? parts.value : [])
