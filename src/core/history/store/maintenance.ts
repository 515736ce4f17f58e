import { DEFAULTS } from '#base/defaults.ts'
import { ok, type Result } from '#base/result.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { StorageFailure } from '#history/storage.ts'
import {
  segmentFromMs,
  segmentName,
  segmentToMs,
  TIERS,
  type SegmentId,
  type SegmentKind,
} from '#history/tiers.ts'
import { runCompaction } from './compaction.ts'
import { mergeBlocks } from './merge-blocks.ts'
import { budgetOf, byAge, removals, type Removal, type SegmentSize } from './retention.ts'
import type { SegmentMeta } from './segments.ts'
import { setStatus, type StoreState } from './store-state.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** An hour is over when no answer to a request of it can come any more. */
const GRACE_MS = DEFAULTS.timeoutMaxMs + 30_000
/** Rows in memory beyond which they go into records before their hour is over. */
const HEAD_MAX = DEFAULTS.samplesInMemoryMax * 0.75

/** Once an hour: rows into records, and retention; once a day: records into blocks. */
export function createMaintenance(state: StoreState, trouble: (failure: StorageFailure) => void) {
  let doneToMs = Number.NEGATIVE_INFINITY
  let mergedMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | undefined

  const runTo = async (cutMs: number): Promise<Result<unknown, StorageFailure>> => {
    const compacted = await runCompaction(state, cutMs)
    if (!compacted.ok) return compacted
    const completeMs = Math.floor(cutMs / DAY_MS) * DAY_MS
    if (completeMs !== mergedMs) {
      let blocks = 0
      for (const id of state.segments.ids().toSorted((a, b) => b.index - a.index)) {
        const merged = await state.exclusive(() => mergeBlocks(state, id, completeMs))
        if (!merged.ok) return merged
        blocks += merged.value
      }
      mergedMs = completeMs
      // A day's write-ahead records and parts are gone, and would take more room than all that is kept of them. Where it can't be, it waits.
      if (blocks > 0) await state.storage.tidy()
    }
    return keepRetention(state)
  }

  const runIfDue = async (): Promise<void> => {
    if (state.status.get().state !== 'kept') return
    const overMs = state.clock.wallMs() - GRACE_MS
    const stepMs = state.head.size() > HEAD_MAX ? MINUTE_MS : HOUR_MS
    const cutMs = Math.floor(overMs / stepMs) * stepMs
    if (cutMs === doneToMs) return
    const done = await runTo(cutMs)
    if (done.ok) doneToMs = cutMs
    else if (done.error !== 'full' || !(await giveRoom(state))) trouble(done.error)
  }

  const run = (): Promise<void> => {
    underWay ??= runIfDue().finally(() => {
      underWay = undefined
    })
    return underWay
  }
  const keepRunning = (): void =>
    state.after(MINUTE_MS, () => {
      keepRunning()
      void run()
    })

  return {
    /** Does what is due once an hour is over; resolves when it is done. */
    run,
    /** The same every minute from now on. */
    keepRunning,
    /** What was done last no longer counts. */
    again: (): void => {
      doneToMs = Number.NEGATIVE_INFINITY
      // What was brought in late, as by a restore, is of days that are long over.
      mergedMs = Number.NEGATIVE_INFINITY
    },
  }
}

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
    sentinel: sentinelOf(all, state.storage.generation()),
  })
  return ok(all.map(({ id, bytes }) => ({ id, bytes })))
}

function sentinelOf(all: readonly Surveyed[], generation: number): Sentinel | undefined {
  const samples = all.filter(({ id, meta }) => id.kind === 'samples' && meta.samples > 0)
  const lastMs = Math.max(...samples.map(({ meta }) => meta.lastMs ?? Number.NEGATIVE_INFINITY))
  if (!Number.isFinite(lastMs)) return undefined
  return {
    version: 1,
    generation,
    segments: Object.fromEntries(samples.map(({ id, meta }) => [segmentName(id), meta.samples])),
    lastMs,
  }
}

/** Removes whole segments: those that are too old, and the oldest while there is too much. */
async function keepRetention(state: StoreState): Promise<Result<unknown, StorageFailure>> {
  const sizes = await survey(state)
  if (!sizes.ok) return sizes
  const nowMs = state.clock.wallMs()
  const going = removals(sizes.value, state.settings, state.status.get().budgetBytes, nowMs)
  for (const removal of going) {
    const removed = await state.segments.remove(removal.id)
    if (!removed.ok) return removed
    noteRemoval(state, removal.id, removal.reason)
  }
  return going.length === 0 ? sizes : survey(state)
}

/** The disk is full: the oldest segment that is not being written to goes. False: there is none. */
export async function giveRoom(state: StoreState): Promise<boolean> {
  const nowMs = state.clock.wallMs()
  const oldest = state.segments
    .ids()
    .filter((id) => segmentToMs(id) <= nowMs)
    .toSorted(byAge)[0]
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
