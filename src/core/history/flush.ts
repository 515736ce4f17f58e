import { ok, type Result } from '#base/result.ts'
import { seal } from './envelope.ts'
import type { Gap } from './history.ts'
import { pollsIn } from './compact.ts'
import type { KeeperRoom } from './keeper-room.ts'
import { numberOf, writeTo, type Head, type OpenSegment } from './segments.ts'
import { appendRows, createSeries, type Series } from './series.ts'
import { encodeSlab } from './slab-codec.ts'
import type { Change, StorageFailure } from './storage.ts'
import { segmentAt, segmentName } from './tiers.ts'

/** Rows in one slab at most: what gathered through an outage is written in several. */
const ROWS_MAX = 50_000

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
  const count = batches.reduce((sum, { from, to }) => sum + to - from, 0)
  const rows = createSeries(Math.max(1, count))
  for (const { node, from, to } of batches)
    appendRows(rows, room.tail.nodes.get(node)?.series ?? createSeries(1), from, to)
  const parts = batches.map(({ node, from, to }) => ({ node, count: to - from }))
  const gaps = shifts.map((byMs): Gap => ({ fromMs: -byMs, toMs: 0, reason: 'clock-step' }))
  const done = await room.segments.use(id, async (segment) => {
    const changes: Change[] = []
    const slab = slabOf(segment, { parts, rows }, 0, gaps, changes)
    changes.push({ kind: 'put', table: 'slabs', key: [key], value: slab })
    const head = aliveHead(segment.head, rows, nowMs)
    const kept = await writeTo(segment, changes, head)
    if (kept.ok) room.lastHead = { name: segmentName(id), head }
    return kept
  })
  if (done.ok) room.slabs.add(segmentName(id))
  return done.ok ? ok(undefined) : done
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
  const nodes = new Uint32Array(rows.length)
  let place = 0
  for (const { node, count } of parts) {
    nodes.fill(numberOf(segment, node, changes), place, place + count)
    place += count
  }
  return seal(encodeSlab({ gaps, carried, rows, nodes }))
}

/** What a segment says of itself after these rows. */
function aliveHead(head: Head, rows: Series, nowMs: number): Head {
  let { firstMs = Number.POSITIVE_INFINITY, lastMs = Number.NEGATIVE_INFINITY } = head
  const { atMs } = rows.columns
  for (let place = 0; place < rows.length; place++) {
    firstMs = Math.min(firstMs, atMs[place] ?? firstMs)
    lastMs = Math.max(lastMs, atMs[place] ?? lastMs)
  }
  const samples = head.samples + pollsIn(rows, 0, rows.length)
  return rows.length === 0
    ? { ...head, aliveMs: nowMs }
    : { ...head, samples, firstMs, lastMs, aliveMs: nowMs }
}
