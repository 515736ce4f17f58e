import { ok, type Result } from '#base/result.ts'
import { seal } from './envelope.ts'
import type { Gap } from '#history/history.ts'
import { pollsIn } from './compact.ts'
import type { KeeperRoom } from './keeper-room.ts'
import { numberOf, writeTo, type Head, type OpenSegment } from './segments.ts'
import { appendRows, createSeries, type Series } from '#history/series.ts'
import { beginSlab, encodeSlab, endSlab } from '#history/codec/slab-codec.ts'
import type { Change, StorageFailure } from '#history/storage.ts'
import { segmentAt, segmentName } from '#history/tiers.ts'

/** Rows in one slab at most, some MB: what more gathered through an outage is written in several. */
const ROWS_MAX = 300_000

type Batch = { readonly node: string; readonly from: number; readonly to: number }

/** Keeps every row that is not kept yet: one record for the whole fleet. Resolves to how many rows there were. */
export async function flush(room: KeeperRoom): Promise<Result<number, StorageFailure>> {
  let written = 0
  while (true) {
    const batches = takeBatches(room)
    if (batches.length === 0 && room.shifts.length === 0) return ok(written)
    const shifts = room.shifts
    room.shifts = []
    const done = await writeSlab(room, batches, shifts)
    if (!done.ok) {
      room.shifts = [...shifts, ...room.shifts]
      return done
    }
    for (const { node, from, to } of batches) {
      const there = room.tail.nodes.get(node)
      // The oldest may have given way meanwhile: places then are others, and keeping a row twice does no harm.
      if (there?.flushed === from) there.flushed = to
      written += to - from
    }
  }
}

function takeBatches({ tail }: KeeperRoom): readonly Batch[] {
  const batches: Batch[] = []
  let room = ROWS_MAX
  for (const [node, { series, flushed }] of tail.nodes) {
    if (flushed >= series.length || room === 0) continue
    const to = Math.min(series.length, flushed + room)
    batches.push({ node, from: flushed, to })
    room -= to - flushed
  }
  return batches
}

async function writeSlab(
  room: KeeperRoom,
  batches: readonly Batch[],
  shifts: readonly number[],
): Promise<Result<undefined, StorageFailure>> {
  const nowMs = Math.round(room.clock.wallMs())
  // Chosen once: a second attempt writes the same record.
  const key = nextKey(room, nowMs)
  const id = segmentAt('samples', nowMs)
  const rows = rowsOf(room, batches)
  const gaps = shifts.map((byMs): Gap => ({ fromMs: -byMs, toMs: 0, reason: 'clock-step' }))
  // Now, and not when the database is open: the tail may be another one by then.
  const start = beginSlab({ gaps, carried: 0, ...rows })
  const written = spanOf(rows)
  const parts = batches.map(({ node, from, to }) => ({ node, count: to - from }))
  const done = await room.segments.use(id, async (segment) => {
    const changes: Change[] = []
    const slab = seal(endSlab(start, nodesOf(segment, parts, changes)))
    changes.push({ kind: 'put', table: 'slabs', key: [key], value: slab })
    const head = aliveHead(segment.head, written, nowMs)
    const kept = await writeTo(segment, changes, head)
    if (kept.ok) room.lastHead = { name: segmentName(id), head }
    return kept
  })
  if (done.ok) room.slabs.add(segmentName(id))
  return done.ok ? ok(undefined) : done
}

type Rows = { readonly rows: Series; readonly from: number; readonly to: number }

/** One node's rows as they lie there; those of several, one behind the other. */
function rowsOf({ tail }: KeeperRoom, batches: readonly Batch[]): Rows {
  const seriesOf = (node: string): Series => tail.nodes.get(node)?.series ?? createSeries(1)
  const [only] = batches
  if (batches.length === 1 && only !== undefined)
    return { rows: seriesOf(only.node), from: only.from, to: only.to }
  const count = batches.reduce((sum, { from, to }) => sum + to - from, 0)
  const rows = createSeries(Math.max(1, count))
  for (const { node, from, to } of batches) appendRows(rows, seriesOf(node), from, to)
  return { rows, from: 0, to: count }
}

/** Notes that somebody watches still, also where polls are rare. */
export async function noteAlive(room: KeeperRoom): Promise<Result<undefined, StorageFailure>> {
  if (room.tail.size() === 0) return ok(undefined)
  const nowMs = Math.round(room.clock.wallMs())
  return room.segments.use(segmentAt('samples', nowMs), (segment) =>
    writeTo(segment, [], { ...segment.head, aliveMs: nowMs }),
  )
}

export function nextKey(room: KeeperRoom, nowMs: number): number {
  room.lastKey = Math.max(room.lastKey + 1, nowMs)
  return room.lastKey
}

/** Rows of several nodes, node by node: so many of each. */
export type SlabRows = {
  readonly parts: readonly { readonly node: string; readonly count: number }[]
  readonly rows: Series
}

/** A slab of these rows; nodes that have no number in the segment get one. */
export function slabOf(
  segment: OpenSegment,
  { parts, rows }: SlabRows,
  carried: number,
  gaps: readonly Gap[],
  changes: Change[],
): Uint8Array<ArrayBuffer> {
  return seal(encodeSlab({ gaps, carried, rows, nodes: nodesOf(segment, parts, changes) }))
}

/** For each row its node's number in the segment. */
function nodesOf(segment: OpenSegment, parts: SlabRows['parts'], changes: Change[]): Uint32Array {
  const nodes = new Uint32Array(parts.reduce((sum, { count }) => sum + count, 0))
  let place = 0
  for (const { node, count } of parts) {
    nodes.fill(numberOf(segment, node, changes), place, place + count)
    place += count
  }
  return nodes
}

type Written = { readonly polls: number; readonly firstMs: number; readonly lastMs: number }

function spanOf({ rows, from, to }: Rows): Written {
  const { atMs } = rows.columns
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let place = from; place < to; place++) {
    const at = atMs[place] ?? 0
    if (at < firstMs) firstMs = at
    if (at > lastMs) lastMs = at
  }
  return { polls: pollsIn(rows, from, to), firstMs, lastMs }
}

/** What a segment says of itself after these rows. */
function aliveHead(head: Head, { polls, firstMs, lastMs }: Written, nowMs: number): Head {
  if (firstMs > lastMs) return { ...head, aliveMs: nowMs }
  return {
    ...head,
    samples: head.samples + polls,
    firstMs: Math.min(head.firstMs ?? firstMs, firstMs),
    lastMs: Math.max(head.lastMs ?? lastMs, lastMs),
    aliveMs: nowMs,
  }
}
