import { gapEntry } from '#history/gap-entry.ts'
import { setBack } from './node-state.ts'
import { plan } from './plan.ts'
import { setLive, type Room } from './room.ts'
import type { TimeNotice } from './time-watch.ts'
import type { WatchGap } from '#fleet/live.ts'

const GAPS_MAX = 50

/** Puts right what a sleep or a set clock made wrong. Cheap when there was neither. */
export function mindTime(room: Room, notice: TimeNotice): void {
  if (notice.stepped) forgetOffsets(room)
  if (notice.setBackMs > 0) moveBack(room, notice.setBackMs)
  if (notice.unwatchedMs > 0) wakeUp(room, notice)
}

function forgetOffsets(room: Room): void {
  for (const service of room.services.values()) {
    service.offset = undefined
    service.correction = undefined
    for (const node of service.nodes.values()) node.heartbeatClock = undefined
  }
  room.changes.services()
}

/** Times that were noted are told by the clock as it is now, or they would lie in the future. */
function moveBack(room: Room, byMs: number): void {
  const wallMs = room.clock.wallMs()
  for (const node of room.nodes.values()) {
    setLive(room, node, setBack(node.live, byMs))
    node.sampledWallMs -= byMs
  }
  room.screen.startedWallMs -= byMs
  room.screen.gaps = room.screen.gaps.map((gap) => ({
    ...gap,
    fromWallMs: gap.fromWallMs - byMs,
    toWallMs: gap.toWallMs - byMs,
  }))
  addGap(room, { fromWallMs: wallMs + byMs, toWallMs: wallMs, reason: 'clock-step' })
}

/**
 * Nobody watched. What was under way is given up, since an answer that waited for hours is no
 * reading of now; everything that was missed is asked once, at the next slots, and not in a burst.
 */
function wakeUp(room: Room, { nowMs, unwatchedMs }: TimeNotice): void {
  noteUnwatched(room, unwatchedMs)
  for (const node of room.nodes.values()) {
    const missed = node.live.nextPollMs !== undefined && node.live.nextPollMs < nowMs
    if (node.flight !== undefined) node.flight.abort.abort()
    else if (missed || room.limiter.has(node)) plan(room, node, nowMs)
  }
}

/** Nobody watched for so long, up to now. */
export function noteUnwatched(room: Room, unwatchedMs: number): void {
  const wallMs = room.clock.wallMs()
  addGap(room, { fromWallMs: wallMs - unwatchedMs, toWallMs: wallMs, reason: 'asleep' })
}

function addGap(room: Room, gap: WatchGap): void {
  room.screen.gaps = [...room.screen.gaps, gap].slice(-GAPS_MAX)
  const kept = { fromMs: gap.fromWallMs, toMs: gap.toWallMs, reason: gap.reason }
  room.records.gap(kept)
  room.log([gapEntry(kept)])
  room.changes.screen()
}
