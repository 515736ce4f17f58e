import { ok, type Result } from '#base/result.ts'
import type { Sentinel } from '#history/history-status.ts'
import { setStatus, type StoreState } from './store-state.ts'
import { budgetOf, removals, type Removal, type SegmentSize } from './retention.ts'
import type { SegmentMeta } from './segments.ts'
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

type Surveyed = { readonly id: SegmentId; readonly meta: SegmentMeta; readonly bytes: number }

/** Looks at every segment, and tells how much there is and how far back it goes. */
export async function survey(state: StoreState): Promise<Result<readonly SegmentSize[], StorageFailure>> {
  const listed = await state.segments.refresh()
  if (!listed.ok) return listed
  const all: Surveyed[] = []
  for (const id of state.segments.ids()) {
    const surveyed = await state.segments.use(id, async ({ meta, events }) =>
      ok({ id, meta, bytes: meta.bytes + events.bytes }),
    )
    if (!surveyed.ok) return surveyed
    all.push(surveyed.value)
  }
  const quotaBytes = await state.storage.quotaBytes()
  const reachOf = (kind: SegmentKind): number | undefined => {
    const oldest = all
      .filter(({ id, meta }) => id.kind === kind && (kind === 'samples' ? meta.samples : meta.bytes) > 0)
      .toSorted((a, b) => a.id.index - b.id.index)[0]
    return oldest && Math.max(segmentFromMs(oldest.id), oldest.meta.firstMs ?? Number.NEGATIVE_INFINITY)
  }
  setStatus(state, {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    budgetBytes: budgetOf(state.settings, quotaBytes),
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
  const samples = all.filter(({ id, meta }) => id.kind === 'samples' && meta.samples > 0)
  const lastMs = Math.max(...samples.map(({ meta }) => meta.lastMs ?? Number.NEGATIVE_INFINITY))
  if (!Number.isFinite(lastMs)) return undefined
  return {
    version: 1,
    segments: Object.fromEntries(samples.map(({ id, meta }) => [segmentName(id), meta.samples])),
    lastMs,
  }
}

/** Removes whole segments: those that are too old, and the oldest while there is too much. */
export async function keepRetention(state: StoreState): Promise<Result<readonly Removal[], StorageFailure>> {
  const sizes = await survey(state)
  if (!sizes.ok) return sizes
  const nowMs = state.clock.wallMs()
  const going = removals(sizes.value, state.settings, state.status.get().budgetBytes, nowMs)
  for (const removal of going) {
    const removed = await state.segments.remove(removal.id)
    if (!removed.ok) return removed
    noteRemoval(state, removal.id, removal.reason)
  }
  if (going.length > 0) {
    const after = await survey(state)
    if (!after.ok) return after
  }
  return ok(going)
}

/** The disk is full: the oldest segment that is not being written to goes. False: there is none. */
export async function giveRoom(state: StoreState): Promise<boolean> {
  const nowMs = state.clock.wallMs()
  const oldest = state.segments
    .ids()
    .filter((id) => segmentToMs(id) <= nowMs)
    .toSorted((a, b) => segmentToMs(a) - segmentToMs(b) || place(a.kind) - place(b.kind))[0]
  if (oldest === undefined) return false
  const removed = await state.segments.remove(oldest)
  if (!removed.ok) return false
  noteRemoval(state, oldest, 'full')
  return true
}

function noteRemoval(state: StoreState, id: SegmentId, reason: Removal['reason'] | 'full'): void {
  const atMs = state.clock.wallMs()
  const toMs = segmentToMs(id)
  setStatus(state, { removed: { reason, toMs, atMs } })
  state.events.add([
    { wallMs: atMs, area: 'watching', what: 'history-removed', facts: { reason, toMs, kept: id.kind } },
  ])
}

const place = (kind: SegmentKind): number => TIER_NAMES.findIndex((name) => TIERS[name].segment === kind)
