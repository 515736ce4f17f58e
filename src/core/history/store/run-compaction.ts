import { ok, type Result } from '#base/result.ts'
import { compactSums, outgoingOf, sampleChanges, segmentsOf, type Outgoing } from './compact.ts'
import { nextKey, slabOf } from './flush.ts'
import type { KeeperRoom } from './keeper-room.ts'
import { SLABS_FROM, SLABS_TO } from './load-tail.ts'
import { writeTo, type OpenSegment } from './segments.ts'
import { appendRows, createSeries, placeAt, type Series } from '#history/series.ts'
import type { Change, StorageFailure } from '#history/storage.ts'
import type { Tail } from './tail.ts'
import { segmentAt, segmentName, segmentOfName, type SegmentId } from '#history/tiers.ts'

/**
 * Brings every row before the cut from the tail into records: first the sums, then the samples
 * together with the end of their slabs. What fails half-way is done again from where it was.
 */
export async function runCompaction(
  room: KeeperRoom,
  cutMs: number,
): Promise<Result<undefined, StorageFailure>> {
  const { tail } = room
  const outgoing = outgoingOf(tail.nodes, cutMs)
  if (outgoing.every(({ carried, count }) => carried === count)) return ok(undefined)
  const shifted = room.shifts.length
  /** Else another tab leads, or this one read everything anew. */
  const isOurs = (): boolean => !room.resting && room.tail === tail
  for (const kind of ['minute', 'coarse'] as const) {
    for (const id of segmentsOf(kind, outgoing, cutMs).toReversed()) {
      if (!isOurs()) return ok(undefined)
      const done = await compactSums(room, { ...id, kind }, outgoing, cutMs, (toMs) => {
        room.rolledToMs[kind] = Math.max(room.rolledToMs[kind], toMs)
        for (const { node, series, count } of outgoing) {
          const there = tail.nodes.get(node)
          if (there === undefined) continue
          there.summed[kind] = Math.max(there.summed[kind], Math.min(count, placeAt(series, toMs)))
        }
      })
      if (!done.ok) return done
    }
  }
  return room.exclusive(async () => {
    // The clock was set back meanwhile, too: places and times no longer fit.
    if (room.shifts.length !== shifted || !isOurs()) return ok(undefined)
    const moved = await moveSamples(room, outgoing, cutMs)
    if (!moved.ok) return moved
    await room.moves.during(async () => settle(tail, outgoing, moved.value))
    return ok(undefined)
  })
}

type Flushed = { readonly node: string; readonly flushed: number }

/** Records hold these rows from now on. */
function settle(tail: Tail, outgoing: readonly Outgoing[], moved: readonly Flushed[]): void {
  for (const { node, count } of outgoing) tail.settle(node, count)
  for (const { node, flushed } of moved) {
    const there = tail.nodes.get(node)
    if (there !== undefined) there.flushed = flushed
  }
}

type Remainder = { readonly node: string; readonly part: Series; readonly carried: number }

/** The newest segment first: it takes what remains of the slabs before the older ones give theirs up. */
async function moveSamples(
  room: KeeperRoom,
  outgoing: readonly Outgoing[],
  cutMs: number,
): Promise<Result<readonly Flushed[], StorageFailure>> {
  const nowMs = Math.round(room.clock.wallMs())
  const current = segmentAt('samples', nowMs)
  const key = nextKey(room, nowMs)
  const remainder = remainderOf(room, outgoing)
  const others = new Map<string, SegmentId>()
  for (const id of segmentsOf('samples', outgoing, cutMs)) others.set(segmentName(id), id)
  for (const name of room.slabs) {
    const id = segmentOfName(name)
    if (id !== undefined) others.set(name, id)
  }
  others.delete(segmentName(current))
  const older = Array.from(others.values()).toSorted((a, b) => b.index - a.index)
  for (const id of [current, ...older]) {
    const done = await room.segments.use(id, async (segment) => {
      const moved = await sampleChanges(segment, outgoing, room.packer)
      if (!moved.ok) return moved
      const changes: Change[] = [
        ...moved.value.changes,
        { kind: 'delete', range: { table: 'slabs', from: SLABS_FROM, to: SLABS_TO } },
      ]
      if (id === current) changes.push(remainderChange(segment, remainder, key, changes))
      return writeTo(segment, changes, { ...segment.head, bytes: segment.head.bytes + moved.value.bytes })
    })
    if (!done.ok) return done
    if (id !== current) room.slabs.delete(segmentName(id))
  }
  room.slabs.add(segmentName(current))
  return ok(remainder.map(({ node, part }) => ({ node, flushed: part.length })))
}

/** What stays in the tail: each node's last settled row, and all that came after. */
function remainderOf({ tail }: KeeperRoom, outgoing: readonly Outgoing[]): readonly Remainder[] {
  const settled = new Map(outgoing.map(({ node, count }) => [node, count]))
  return Array.from(tail.nodes, ([node, { series }]) => {
    const count = settled.get(node) ?? 0
    const from = Math.max(0, count - 1)
    const part = createSeries(Math.max(1, series.length - from))
    appendRows(part, series, from, series.length)
    return { node, part, carried: count > 0 ? 1 : 0 }
  })
}

/** Carried rows lie before all others in a slab. */
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
    table: 'slabs',
    key: [key],
    value: slabOf(segment, { parts, rows }, carried.length, [], changes),
  }
}
