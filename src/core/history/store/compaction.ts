import { err, ok, type Result } from '#base/result.ts'
import { rollLate, rollSeries } from '#history/roll-series.ts'
import { addRollups, coarsen, type Rollup } from '#history/rollup.ts'
import { appendRows, createSeries, placeAt, type Series } from '#history/series.ts'
import type { Change, Packer, StorageFailure } from '#history/storage.ts'
import {
  segmentAt,
  segmentFromMs,
  segmentName,
  segmentOfName,
  segmentToMs,
  SPREAD_FROM_MS,
  TIERS,
  type SegmentId,
  type SegmentKind,
  type TierName,
} from '#history/tiers.ts'
import type { HeadBlock, HeadNode } from './head-block.ts'
import type { ReadState } from './read-history.ts'
import { placePieces, ROLLUP_FORM, rollupPieces, SERIES_FORM, seriesPieces, type Piece } from './records.ts'
import { numberOf, writeTo, type OpenSegment, type SegmentStore } from './segments.ts'
import {
  flush,
  isFlushed,
  metaAfter,
  nextKey,
  noteWritten,
  takeUnwritten,
  WAL_FROM,
  WAL_TO,
  walRecordOf,
  type WalState,
} from './wal.ts'

/**
 * Brings every row before the cut from the head block into records: first the rollups, then the samples
 * together with the end of their write-ahead records. What fails half-way is done again from where it was.
 */
export async function runCompaction(
  state: CompactionState,
  cutMs: number,
): Promise<Result<undefined, StorageFailure>> {
  if (isNothing(outgoingOf(state.head.nodes, cutMs))) return ok(undefined)
  // Taken together: what is summed up is later found again by the key of its last write-ahead record.
  const taken = await state.exclusive(async () => {
    // Rows may come while those before them are written.
    do {
      const kept = await flush(state)
      if (!kept.ok) return kept
    } while (!isFlushed(state))
    const { head, lastKey } = state
    return ok({ head, lastKey, outgoing: outgoingOf(head.nodes, cutMs) })
  })
  if (!taken.ok) return taken
  const { head, lastKey, outgoing } = taken.value
  // What stays is written anew, and nothing says then that it was summed up. Soon the cut is behind it.
  if (outgoing.some(({ count, rolled }) => Math.max(rolled.minute, rolled.coarse) > count))
    return ok(undefined)
  /** Else everything was read anew, or a node's history was deleted. */
  const isOurs = (): boolean => state.head === head && outgoing.every((out) => isThere(head, out))
  for (const kind of ['minute', 'coarse'] as const) {
    for (const id of segmentsOf(kind, outgoing, cutMs).toReversed()) {
      const onKept = (toMs: number): void => {
        state.rolledToMs[kind] = Math.max(state.rolledToMs[kind], toMs)
        for (const { headNode, series, count } of outgoing)
          headNode.rolled[kind] = Math.max(headNode.rolled[kind], Math.min(count, placeAt(series, toMs)))
      }
      const done = await compactRollups(state, { ...id, kind }, outgoing, cutMs, { lastKey, isOurs, onKept })
      if (!isOurs()) return ok(undefined)
      if (!done.ok) return done
    }
  }
  return state.exclusive(async () => {
    // The clock was set back meanwhile, too: places and times no longer fit.
    if (state.shifts.length > 0 || !isOurs()) return ok(undefined)
    const moved = await moveSamples(state, outgoing, cutMs)
    if (moved.ok)
      await state.compaction.during(async () => {
        for (const out of outgoing) if (isThere(head, out)) head.settle(out.node, out.count)
      })
    return moved
  })
}

const isNothing = (outgoing: readonly Outgoing[]): boolean =>
  outgoing.every(({ carried, count }) => carried === count)

/** Rows of a node that go from the head block into records: `[carried, count)`. */
type Outgoing = {
  readonly node: string
  readonly headNode: HeadNode
  readonly series: Series
  readonly carried: number
  readonly count: number
  /** Of them the first so many are in the rollups. */
  readonly rolled: Readonly<HeadNode['rolled']>
}

/** Whether its history was not deleted meanwhile; one of the same name may have begun since. */
const isThere = ({ nodes }: HeadBlock, { node, headNode }: Outgoing): boolean => nodes.get(node) === headNode

/** What rows are brought into records with. */
export type CompactionState = SegmentStore & WalState & Pick<ReadState, 'compaction' | 'rolledToMs'>

/** A segment of rollups. */
type RollupId = SegmentId & { readonly kind: 'minute' | 'coarse' }

/** The rows of every node that lie before the cut, but for those that came out of order behind it. */
function outgoingOf(nodes: ReadonlyMap<string, HeadNode>, cutMs: number): readonly Outgoing[] {
  return Array.from(nodes, ([node, headNode]) => ({
    node,
    headNode,
    series: headNode.series,
    carried: headNode.carried,
    rolled: { ...headNode.rolled },
    count: Math.max(headNode.carried, placeAt(headNode.series, cutMs)),
  }))
}

/** Every segment of a kind in which these rows lie, newest first. */
function segmentsOf(kind: SegmentKind, outgoing: readonly Outgoing[], cutMs: number): readonly SegmentId[] {
  const ids = new Map<number, SegmentId>()
  for (const { series, carried, count } of outgoing)
    for (let place = carried; place < count;) {
      const id = segmentAt(kind, series.columns.atMs[place] ?? 0)
      ids.set(id.index, id)
      place = Math.max(place + 1, placeAt(series, segmentToMs(id)))
    }
  // What held before goes on holding, also in a segment in which nobody was asked yet.
  const last = segmentAt(kind, cutMs - 1)
  ids.set(last.index, last)
  return Array.from(ids.values()).toSorted((a, b) => b.index - a.index)
}

type RollupWork = {
  /** Of the last write-ahead record that has such rows. */
  readonly lastKey: number
  readonly isOurs: () => boolean
  readonly onKept: (toMs: number) => void
}

/**
 * Brings the rollups of these rows up to the cut into a segment. `onKept`: they are there from now on. Where all was
 * read anew meanwhile they are not written: whoever read it knows nothing of them, and would sum up the same rows again.
 */
async function compactRollups(
  { segments, packer, yieldToEventLoop, exclusive, compaction, rolledToMs }: CompactionState,
  id: RollupId,
  outgoing: readonly Outgoing[],
  cutMs: number,
  { lastKey, isOurs, onKept }: RollupWork,
): Promise<Result<undefined, StorageFailure>> {
  return segments.use(id, async (segment) => {
    // Another engine, late with what it had begun, summed up rows that lie in this one's memory too.
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
      rolledKey: lastKey,
      rolledKeyToMs: toMs,
    }
    return exclusive(async () => {
      // An error, so that the numbers that nodes got meanwhile are not held on to.
      if (!isOurs()) return err('taken')
      return compaction.during(async () => {
        const kept = await writeTo(segment, [...changes, ...placed.value.changes], meta)
        if (kept.ok) onKept(toMs)
        return kept
      })
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

/** What becomes of a segment's samples when these rows are brought into records. */
async function sampleChanges(
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

type Remainder = { readonly node: string; readonly part: Series; readonly carried: number }

/** The newest segment first: it takes what remains of the write-ahead records before the older ones give theirs up. */
async function moveSamples(
  state: CompactionState,
  outgoing: readonly Outgoing[],
  cutMs: number,
): Promise<Result<undefined, StorageFailure>> {
  const nowMs = Math.round(state.clock.wallMs())
  const current = segmentAt('samples', nowMs)
  const key = nextKey(state, nowMs)
  const remainder = remainderOf(state, outgoing)
  // Of what came meanwhile, which is part of what remains.
  const unwritten = takeUnwritten(state)
  const others = new Map<string, SegmentId>()
  for (const id of segmentsOf('samples', outgoing, cutMs)) others.set(segmentName(id), id)
  for (const name of state.walSegments) {
    const id = segmentOfName(name)
    if (id !== undefined) others.set(name, id)
  }
  others.delete(segmentName(current))
  const older = Array.from(others.values()).toSorted((a, b) => b.index - a.index)
  for (const id of [current, ...older]) {
    const done = await state.segments.use(id, async (segment) => {
      const moved = await sampleChanges(segment, outgoing, state.packer)
      if (!moved.ok) return moved
      const changes: Change[] = [
        ...moved.value.changes,
        { kind: 'delete', range: { table: 'wal', from: WAL_FROM, to: WAL_TO } },
      ]
      const meta = { ...segment.meta, bytes: segment.meta.bytes + moved.value.bytes }
      // Where the clock was set back into this segment, the sign of life of the one after it is of a time to come.
      if (id !== current) return writeTo(segment, changes, { ...meta, aliveMs: undefined })
      changes.push(remainderChange(segment, remainder, key, changes))
      return writeTo(segment, changes, metaAfter(meta, unwritten.span, nowMs))
    })
    if (!done.ok) return done
    if (id === current) noteWritten(unwritten)
    else state.walSegments.delete(segmentName(id))
  }
  state.walSegments.add(segmentName(current))
  return ok(undefined)
}

/** What stays in the head block: each node's last settled row, and all that came after. */
function remainderOf({ head }: CompactionState, outgoing: readonly Outgoing[]): readonly Remainder[] {
  const settled = new Map(outgoing.map(({ node, count }) => [node, count]))
  return Array.from(head.nodes, ([node, { series }]) => {
    const count = settled.get(node) ?? 0
    const from = Math.max(0, count - 1)
    const part = createSeries(Math.max(1, series.length - from))
    appendRows(part, series, from, series.length)
    return { node, part, carried: count > 0 ? 1 : 0 }
  })
}

/** Carried rows lie before all others in a write-ahead record. */
function remainderChange(
  segment: OpenSegment,
  remainder: readonly Remainder[],
  key: number,
  changes: Change[],
): Change {
  const carried = remainder.filter(({ carried: first }) => first === 1)
  const rows = createSeries(
    Math.max(
      1,
      remainder.reduce((sum, { part }) => sum + part.length, 0),
    ),
  )
  for (const { part } of carried) appendRows(rows, part, 0, 1)
  for (const { part, carried: first } of remainder) appendRows(rows, part, first, part.length)
  const parts = [
    ...carried.map(({ node }) => ({ node, count: 1 })),
    ...remainder.map(({ node, part, carried: first }) => ({ node, count: part.length - first })),
  ]
  return {
    kind: 'put',
    table: 'wal',
    key: [key],
    value: walRecordOf(segment, { parts, rows }, carried.length, [], changes),
  }
}
