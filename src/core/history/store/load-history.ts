import { ok, type Result } from '#base/result.ts'
import { loadEvents } from './flush-events.ts'
import { noteLoss, type KeeperRoom } from './keeper-room.ts'
import { loadTail, missingOf } from './load-tail.ts'
import { gapEntry } from '#history/gap-entry.ts'
import { compareLate, recall } from './recall.ts'
import { placeAt, type Series } from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import type { Tail } from './tail.ts'
import { segmentName } from '#history/tiers.ts'

/** It is noted this often that somebody watches; */
export const ALIVE_EVERY_MS = 15_000
/** so that being away for less than this may have been a reload. */
const AWAY_MIN_MS = 2 * ALIVE_EVERY_MS

/** Reads back what was kept, says what is missing, and puts what this session brought behind it. */
export async function loadHistory(room: KeeperRoom): Promise<Result<undefined, StorageFailure>> {
  room.segments.unclaim()
  const listed = await room.segments.refresh()
  if (!listed.ok) return listed
  const missing = await missingOf(room.segments, room.known?.segments ?? {})
  if (!missing.ok) return missing
  if (missing.value && room.status.get().lost === undefined) noteLoss(room, room.known?.lastMs)
  const tail = room.newTail()
  const read = await loadTail(room.segments, room.packer, tail, room.onDamaged)
  if (!read.ok) return read
  for (const node of tail.nodes.values()) node.flushed = node.series.length
  const known = await recall(room, tail)
  const ends = new Map(Array.from(tail.nodes, ([node, { series }]) => [node, lastMsOf(series)]))
  adopt(room, tail, read.value.aliveMs)
  compareLate(room, known, ends)
  room.lastKey = Math.max(room.lastKey, read.value.lastKey)
  for (const id of read.value.slabs) room.slabs.add(segmentName(id))
  await markSummed(room)
  const events = await loadEvents(room)
  if (!events.ok) return events
  room.loaded = true
  return ok(undefined)
}

/** What was read back comes before what this session brought meanwhile. */
function adopt(room: KeeperRoom, tail: Tail, aliveMs: number | undefined): void {
  const session = room.tail
  const nowMs = room.clock.wallMs()
  const ends = Array.from(tail.nodes.values(), ({ series }) => lastMsOf(series))
  const endMs = Math.max(...ends, aliveMs ?? Number.NEGATIVE_INFINITY)
  const starts = Array.from(session.nodes.values(), ({ series }) => series.columns.atMs[0] ?? nowMs)
  const startMs = Math.min(nowMs, ...starts.filter((atMs) => atMs > endMs))
  if (endMs > nowMs) {
    // The clock was set back while nobody watched: what was kept happened earlier than it says.
    const byMs = Math.floor(Math.min(nowMs, ...starts) - endMs) - 1
    tail.addGap({ fromMs: -byMs, toMs: 0, reason: 'clock-step' })
    room.shifts.push(byMs)
  } else if (aliveMs !== undefined && startMs - aliveMs > AWAY_MIN_MS) {
    const gap = { fromMs: aliveMs, toMs: startMs, reason: 'closed' } as const
    tail.addGap(gap)
    room.events.add([gapEntry(gap)])
  }
  for (const [node, { series }] of session.nodes) {
    // What this tab heard while another one kept it is kept.
    const from = placeAt(series, lastMsOf(tail.nodes.get(node)?.series) + 1)
    tail.addRows(node, series, from, series.length, false)
  }
  room.tail = tail
  room.usual = new Map()
}

/** A crash between sums and samples leaves rows whose sums are there. */
async function markSummed(room: KeeperRoom): Promise<void> {
  for (const kind of ['minute', 'coarse'] as const)
    for (const id of room.segments.ids().filter((one) => one.kind === kind)) {
      const head = await room.segments.use(id, async (segment) => ok(segment.head))
      if (!head.ok || head.value.rolledToMs === undefined) continue
      room.rolledToMs[kind] = Math.max(room.rolledToMs[kind], head.value.rolledToMs)
      for (const { series, summed } of room.tail.nodes.values())
        while (
          summed[kind] < series.length &&
          (series.columns.atMs[summed[kind]] ?? 0) < head.value.rolledToMs
        )
          summed[kind]++
    }
}

const lastMsOf = (series: Series | undefined): number =>
  series === undefined || series.length === 0
    ? Number.NEGATIVE_INFINITY
    : (series.columns.atMs[series.length - 1] ?? 0)
