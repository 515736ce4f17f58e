import { err, ok, type Result } from '#base/result.ts'
import type { CompactionGuard } from './compaction-guard.ts'
import { placePieces, ROLLUP_FORM, SERIES_FORM, type Piece } from './records.ts'
import { rollLate, rollSeries } from '#history/roll-series.ts'
import { addRollups, coarsen, takeRows, type Rollup } from '#history/rollup.ts'
import { numberOf, writeTo, type OpenSegment, type Segments } from './segments.ts'
import { appendRows, createSeries, NOT_WATCHED, placeAt, type Series } from '#history/series.ts'
import type { Change, Packer, StorageFailure } from '#history/storage.ts'
import type { HeadNode } from './head-block.ts'
import {
  segmentAt,
  segmentFromMs,
  segmentToMs,
  SPREAD_FROM_MS,
  TIERS,
  type SegmentId,
  type SegmentKind,
  type TierName,
} from '#history/tiers.ts'

/** Rows of a node that go from the head block into records: `[carried, count)`. */
export type Outgoing = {
  readonly node: string
  readonly series: Series
  readonly carried: number
  readonly count: number
  /** Of them the first so many are in the rollups. */
  readonly rolled: Readonly<HeadNode['rolled']>
}

export type CompactPorts = {
  readonly segments: Segments
  readonly packer: Packer
  /** Resolves soon: lets polls go on between two nodes. */
  readonly yieldToEventLoop: () => Promise<void>
  readonly compaction: CompactionGuard
  /** Up to where this tab knows its time to be in the rollups. */
  readonly rolledToMs: Readonly<Record<'minute' | 'coarse', number>>
}

/** A segment of rollups. */
export type RollupId = SegmentId & { readonly kind: 'minute' | 'coarse' }

/** The rows of every node that lie before the cut, but for those that came out of order behind it. */
export function outgoingOf(nodes: ReadonlyMap<string, HeadNode>, cutMs: number): readonly Outgoing[] {
  return Array.from(nodes, ([node, { series, carried, rolled }]) => ({
    node,
    series,
    carried,
    rolled: { ...rolled },
    count: Math.max(carried, placeAt(series, cutMs)),
  }))
}

/** Every segment of a kind in which these rows lie, newest first. */
export function segmentsOf(
  kind: SegmentKind,
  outgoing: readonly Outgoing[],
  cutMs: number,
): readonly SegmentId[] {
  const ids = new Map<number, SegmentId>()
  for (const { series, carried, count } of outgoing)
    for (let place = carried; place < count;) {
      const id = segmentAt(kind, series.columns.atMs[place] ?? 0)
      ids.set(id.index, id)
      place = Math.max(place + 1, placeAt(series, segmentToMs(id)))
    }
  // What held before goes on holding, also in a segment in which nobody was asked yet.
  const last = segmentAt(kind, cutMs - 1)
  if (ids.size > 0) ids.set(last.index, last)
  return Array.from(ids.values()).toSorted((a, b) => b.index - a.index)
}

/** Brings the rollups of these rows up to the cut into a segment. `onKept`: they are there from now on. */
export async function compactRollups(
  { segments, packer, yieldToEventLoop, compaction, rolledToMs }: CompactPorts,
  id: RollupId,
  outgoing: readonly Outgoing[],
  cutMs: number,
  onKept: (toMs: number) => void,
): Promise<Result<undefined, StorageFailure>> {
  return segments.use(id, async (segment) => {
    // Another tab, late with what it had begun, summed up rows that lie in this one's memory too.
    if ((segment.meta.rolledToMs ?? Number.NEGATIVE_INFINITY) > rolledToMs[id.kind]) return err('taken')
    const toMs = Math.min(cutMs, segmentToMs(id))
    const fromMs = Math.max(segmentFromMs(id), segment.meta.rolledToMs ?? Number.NEGATIVE_INFINITY)
    const changes: Change[] = []
    const pieces: Piece<Rollup>[] = []
    for (const out of outgoing) {
      const rollups = rollupsOf(id, out, fromMs, toMs)
      if (rollups.every(({ rollup }) => rollup.startMs.length === 0)) continue
      const node = numberOf(segment, out.node, changes)
      for (const { tier, rollup } of rollups) pieces.push(...rollupPieces(tier, node, rollup))
      await yieldToEventLoop()
    }
    const placed = await placePieces(segment, ROLLUP_FORM, pieces, packer)
    if (!placed.ok) return placed
    const firstMs = Math.min(
      segment.meta.firstMs ?? Number.POSITIVE_INFINITY,
      ...pieces.map(({ content }) => content.startMs[0] ?? Number.POSITIVE_INFINITY),
    )
    const meta = {
      ...segment.meta,
      firstMs: Number.isFinite(firstMs) ? firstMs : undefined,
      bytes: segment.meta.bytes + placed.value.bytes,
      rolledToMs: Math.max(toMs, segment.meta.rolledToMs ?? toMs),
    }
    return compaction.during(async () => {
      const kept = await writeTo(segment, [...changes, ...placed.value.changes], meta)
      if (kept.ok) onKept(toMs)
      return kept
    })
  })
}

type TierRollup = { readonly tier: Exclude<TierName, 'samples'>; readonly rollup: Rollup }

/** One node's rollups at each resolution of a segment: in the window with their time, late ones without. */
function rollupsOf(
  id: SegmentId,
  { series, carried, count, rolled }: Outgoing,
  fromMs: number,
  toMs: number,
): readonly TierRollup[] {
  const late = placeAt(series, fromMs)
  const done = id.kind === 'minute' ? rolled.minute : rolled.coarse
  const lateFrom = Math.max(carried, done, placeAt(series, segmentFromMs(id)))
  const lateTo = Math.min(count, late, placeAt(series, segmentToMs(id)))
  const at = (stepMs: number): Rollup => {
    const withSpread = stepMs >= SPREAD_FROM_MS
    const parts = [
      ...(lateFrom < lateTo ? [rollLate(series, lateFrom, lateTo, stepMs, withSpread)] : []),
      ...(fromMs < toMs ? [rollSeries(series, { fromMs, toMs }, stepMs, withSpread, count)] : []),
    ]
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : addRollups(parts, stepMs)
  }
  if (id.kind === 'minute') return [{ tier: 'minute', rollup: at(TIERS.minute.stepMs) }]
  const quarter = at(TIERS.quarter.stepMs)
  return [
    { tier: 'quarter', rollup: quarter },
    { tier: 'hour', rollup: coarsen(quarter, TIERS.hour.stepMs) },
  ]
}

/** A roll-up in pieces of one record each. */
export function rollupPieces(tier: TierName, node: number, rollup: Rollup): readonly Piece<Rollup>[] {
  const { partMs } = TIERS[tier]
  const pieces: Piece<Rollup>[] = []
  for (let start = 0; start < rollup.startMs.length;) {
    const fromMs = Math.floor((rollup.startMs[start] ?? 0) / partMs) * partMs
    let end = start + 1
    while (end < rollup.startMs.length && (rollup.startMs[end] ?? 0) < fromMs + partMs) end++
    const key = { tier, node, fromMs, toMs: fromMs + partMs }
    pieces.push({
      key,
      content: start === 0 && end === rollup.startMs.length ? rollup : takeRows(rollup, start, end),
    })
    start = end
  }
  return pieces
}

/** What becomes of a segment's samples when these rows are brought into records. */
export async function sampleChanges(
  segment: OpenSegment,
  outgoing: readonly Outgoing[],
  packer: Packer,
): Promise<Result<{ readonly changes: readonly Change[]; readonly bytes: number }, StorageFailure>> {
  const changes: Change[] = []
  const pieces: Piece<Series>[] = []
  for (const { node, series, carried, count } of outgoing) {
    const start = Math.max(carried, placeAt(series, segmentFromMs(segment.id)))
    const end = Math.min(count, placeAt(series, segmentToMs(segment.id)))
    if (start >= end) continue
    pieces.push(...seriesPieces(numberOf(segment, node, changes), series, start, end))
  }
  const placed = await placePieces(segment, SERIES_FORM, pieces, packer)
  return placed.ok ? ok({ ...placed.value, changes: [...changes, ...placed.value.changes] }) : placed
}

export function seriesPieces(
  node: number,
  series: Series,
  from: number,
  to: number,
): readonly Piece<Series>[] {
  const { partMs } = TIERS.samples
  const pieces: Piece<Series>[] = []
  for (let start = from; start < to;) {
    const fromMs = Math.floor((series.columns.atMs[start] ?? 0) / partMs) * partMs
    const end = Math.min(to, placeAt(series, fromMs + partMs))
    const content = createSeries(end - start)
    appendRows(content, series, start, end)
    pieces.push({ key: { tier: 'samples', node, fromMs, toMs: fromMs + partMs }, content })
    start = end
  }
  return pieces
}

/** Polls among rows; the marks of unwatched time are none. */
export function pollsIn({ columns }: Series, start: number, end: number): number {
  let polls = 0
  for (let place = start; place < end; place++) if (columns.outcome[place] !== NOT_WATCHED) polls++
  return polls
}
