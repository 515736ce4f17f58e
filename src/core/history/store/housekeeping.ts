import { ok, type Result } from '#base/result.ts'
import type { Sentinel } from '#history/history-status.ts'
import { setStatus, type KeeperRoom } from './keeper-room.ts'
import { budgetOf, removals, type Removal, type SegmentSize } from './retention.ts'
import type { Head } from './segments.ts'
import type { StorageFailure } from '#history/storage.ts'
import {
  segmentFromMs,
  segmentName,
  segmentToMs,
  TIER_NAMES,
  TIERS,
  type SegmentId,
  type SegmentKind,
} from '#history/tiers.ts'

type Surveyed = { readonly id: SegmentId; readonly head: Head; readonly bytes: number }

/** Looks at every segment, and tells how much there is and how far back it goes. */
export async function survey(room: KeeperRoom): Promise<Result<readonly SegmentSize[], StorageFailure>> {
  const listed = await room.segments.refresh()
  if (!listed.ok) return listed
  const all: Surveyed[] = []
  for (const id of room.segments.ids()) {
    const surveyed = await room.segments.use(id, async ({ head, events }) =>
      ok({ id, head, bytes: head.bytes + events.bytes }),
    )
    if (!surveyed.ok) return surveyed
    all.push(surveyed.value)
  }
  const quotaBytes = await room.storage.quotaBytes()
  const reachOf = (kind: SegmentKind): number | undefined => {
    const oldest = all
      .filter(({ id, head }) => id.kind === kind && (kind === 'samples' ? head.samples : head.bytes) > 0)
      .toSorted((a, b) => a.id.index - b.id.index)[0]
    return oldest && Math.max(segmentFromMs(oldest.id), oldest.head.firstMs ?? Number.NEGATIVE_INFINITY)
  }
  setStatus(room, {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    budgetBytes: budgetOf(room.settings, quotaBytes),
    reach: {
      samples: reachOf('samples'),
      minute: reachOf(TIERS.minute.segment),
      quarter: reachOf(TIERS.quarter.segment),
      hour: reachOf(TIERS.hour.segment),
    },
    sentinel: sentinelOf(all),
  })
  return ok(all.map(({ id, bytes }) => ({ id, bytes })))
}

function sentinelOf(all: readonly Surveyed[]): Sentinel | undefined {
  const samples = all.filter(({ id, head }) => id.kind === 'samples' && head.samples > 0)
  const lastMs = Math.max(...samples.map(({ head }) => head.lastMs ?? Number.NEGATIVE_INFINITY))
  if (!Number.isFinite(lastMs)) return undefined
  return {
    version: 1,
    segments: Object.fromEntries(samples.map(({ id, head }) => [segmentName(id), head.samples])),
    lastMs,
  }
}

/** Removes whole segments: those that are too old, and the oldest while there is too much. */
export async function keepRetention(room: KeeperRoom): Promise<Result<readonly Removal[], StorageFailure>> {
  const sizes = await survey(room)
  if (!sizes.ok) return sizes
  const nowMs = room.clock.wallMs()
  const going = removals(sizes.value, room.settings, room.status.get().budgetBytes, nowMs)
  for (const removal of going) {
    const removed = await room.segments.remove(removal.id)
    if (!removed.ok) return removed
    noteRemoval(room, removal.id, removal.reason)
  }
  if (going.length > 0) {
    const after = await survey(room)
    if (!after.ok) return after
  }
  return ok(going)
}

/** The disk is full: the oldest segment that is not being written to goes. False: there is none. */
export async function giveRoom(room: KeeperRoom): Promise<boolean> {
  const nowMs = room.clock.wallMs()
  const oldest = room.segments
    .ids()
    .filter((id) => segmentToMs(id) <= nowMs)
    .toSorted((a, b) => segmentToMs(a) - segmentToMs(b) || place(a.kind) - place(b.kind))[0]
  if (oldest === undefined) return false
  const removed = await room.segments.remove(oldest)
  if (!removed.ok) return false
  noteRemoval(room, oldest, 'full')
  return true
}

function noteRemoval(room: KeeperRoom, id: SegmentId, reason: Removal['reason'] | 'full'): void {
  const atMs = room.clock.wallMs()
  const toMs = segmentToMs(id)
  setStatus(room, { removed: { reason, toMs, atMs } })
  room.events.add([
    { wallMs: atMs, area: 'watching', what: 'history-removed', facts: { reason, toMs, kept: id.kind } },
  ])
}

const place = (kind: SegmentKind): number => TIER_NAMES.findIndex((name) => TIERS[name].segment === kind)
