import { ok, type Result } from '#base/result.ts'
import { compactRollups, outgoingOf, sampleChanges, segmentsOf, type Outgoing } from './compact.ts'
import { nextKey, walRecordOf } from './flush.ts'
import type { StoreState } from './store-state.ts'
import { WAL_FROM, WAL_TO } from './load-tail.ts'
import { writeTo, type OpenSegment } from './segments.ts'
import { appendRows, createSeries, placeAt, type Series } from '#history/series.ts'
import type { Change, StorageFailure } from '#history/storage.ts'
import type { HeadBlock } from './head-block.ts'
import { segmentAt, segmentName, segmentOfName, type SegmentId } from '#history/tiers.ts'

/**
 * Brings every row before the cut from the head block into records: first the rollups, then the samples
 * together with the end of their write-ahead records. What fails half-way is done again from where it was.
 */
export async function runCompaction(
  state: StoreState,
  cutMs: number,
): Promise<Result<undefined, StorageFailure>> {
  const { head } = state
  const outgoing = outgoingOf(head.nodes, cutMs)
  if (outgoing.every(({ carried, count }) => carried === count)) return ok(undefined)
  const shifted = state.shifts.length
  /** Else another tab leads, or this one read everything anew. */
  const isOurs = (): boolean => !state.resting && state.head === head
  for (const kind of ['minute', 'coarse'] as const) {
    for (const id of segmentsOf(kind, outgoing, cutMs).toReversed()) {
      if (!isOurs()) return ok(undefined)
      const done = await compactRollups(state, { ...id, kind }, outgoing, cutMs, (toMs) => {
        state.rolledToMs[kind] = Math.max(state.rolledToMs[kind], toMs)
        for (const { node, series, count } of outgoing) {
          const there = head.nodes.get(node)
          if (there === undefined) continue
          there.rolled[kind] = Math.max(there.rolled[kind], Math.min(count, placeAt(series, toMs)))
        }
      })
      if (!done.ok) return done
    }
  }
  return state.exclusive(async () => {
    // The clock was set back meanwhile, too: places and times no longer fit.
    if (state.shifts.length !== shifted || !isOurs()) return ok(undefined)
    const moved = await moveSamples(state, outgoing, cutMs)
    if (!moved.ok) return moved
    await state.compaction.during(async () => settle(head, outgoing, moved.value))
    return ok(undefined)
  })
}

type Flushed = { readonly node: string; readonly flushed: number }

/** Records hold these rows from now on. */
function settle(head: HeadBlock, outgoing: readonly Outgoing[], moved: readonly Flushed[]): void {
  for (const { node, count } of outgoing) head.settle(node, count)
  for (const { node, flushed } of moved) {
    const there = head.nodes.get(node)
    if (there !== undefined) there.flushed = flushed
  }
}

type Remainder = { readonly node: string; readonly part: Series; readonly carried: number }

/** The newest segment first: it takes what remains of the write-ahead records before the older ones give theirs up. */
async function moveSamples(
  state: StoreState,
  outgoing: readonly Outgoing[],
  cutMs: number,
): Promise<Result<readonly Flushed[], StorageFailure>> {
  const nowMs = Math.round(state.clock.wallMs())
  const current = segmentAt('samples', nowMs)
  const key = nextKey(state, nowMs)
  const remainder = remainderOf(state, outgoing)
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
      if (id === current) changes.push(remainderChange(segment, remainder, key, changes))
      return writeTo(segment, changes, { ...segment.meta, bytes: segment.meta.bytes + moved.value.bytes })
    })
    if (!done.ok) return done
    if (id !== current) state.walSegments.delete(segmentName(id))
  }
  state.walSegments.add(segmentName(current))
  return ok(remainder.map(({ node, part }) => ({ node, flushed: part.length })))
}

/** What stays in the head block: each node's last settled row, and all that came after. */
function remainderOf({ head }: StoreState, outgoing: readonly Outgoing[]): readonly Remainder[] {
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
