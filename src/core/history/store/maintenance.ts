import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { ok, type Result } from '#base/result.ts'
import type { Change, StorageFailure } from '#storage/storage.ts'
import { segmentFromMs, segmentToMs, type SegmentId, type SegmentKind } from '#history/tiers.ts'
import { compact, moveToMinutes } from './compaction.ts'
import { segmentKey, sizeId, under } from './database.ts'
import { joinEvents } from './events.ts'
import { byAge, removals, type Removal } from './retention.ts'
import type { StoreState } from './store-state.ts'

/** With more rows in memory, compaction starts before its hour. */
const HEAD_MAX = DEFAULTS.samplesInMemoryMax * 0.75
/** The share of the browser's quota to use, so that reaching the quota never ends the history. */
const QUOTA_SHARE = 0.5
/** Each day, the events of this many days are joined. */
const EVENT_DAYS = 8

/** Compacts and applies retention once an hour, and reclaims disk space once a day. */
export function createMaintenance(state: StoreState, trouble: (failure: StorageFailure) => void) {
  let doneHour = Number.NaN
  let doneDay = Number.NaN
  let underWay: Promise<void> | undefined

  const runNow = async (nowMs: number): Promise<Result<unknown, StorageFailure>> => {
    const compacted = await compact(state)
    if (!compacted.ok) return compacted
    const day = Math.floor(nowMs / DAY_MS)
    const isNewDay = day !== doneDay
    const joined = await joinEvents(state, (isNewDay ? day - EVENT_DAYS : day) * DAY_MS, (day + 1) * DAY_MS)
    if (!joined.ok) return joined
    if (isNewDay) {
      // Deleted batches and overwritten blocks of a day take more disk space than the live data. If
      // reclaiming fails, it waits a day.
      await state.storage.tidy()
      doneDay = day
    }
    return keepRetention(state)
  }

  const runIfDue = async (): Promise<void> => {
    if (state.status.get().state !== 'kept') return
    const nowMs = state.clock.wallMs()
    const hour = Math.floor(nowMs / HOUR_MS)
    if (hour === doneHour && state.head.size() <= HEAD_MAX) return
    const done = await runNow(nowMs)
    if (done.ok) doneHour = hour
    else if (done.error !== 'full' || !(await state.exclusive(() => giveRoom(state)))) trouble(done.error)
  }

  const run = (): Promise<void> => {
    underWay ??= state.maintenance(runIfDue).finally(() => {
      underWay = undefined
    })
    return underWay
  }
  return {
    /** Runs the tasks that are due. Resolves when they are done. */
    run,
    keepRunning: (): void => state.every(MINUTE_MS, () => void run()),
    /** Makes every task due. */
    again: (): void => {
      doneHour = Number.NaN
    },
  }
}

/** Publishes the size of the history and how far back it goes. */
export async function survey(state: StoreState): Promise<void> {
  const sizes = Array.from(state.database.sizes.values())
  const quotaBytes = (await state.storage.quotaBytes()) ?? Number.POSITIVE_INFINITY
  const oldestOf = (...kinds: readonly SegmentKind[]): number | undefined => {
    const firstMs = Math.min(
      ...sizes.filter(({ id }) => kinds.includes(id.kind)).map((segment) => segment.firstMs),
    )
    return Number.isFinite(firstMs) ? firstMs : undefined
  }
  const coarse = oldestOf('coarse')
  state.setStatus({
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    budgetBytes: Math.min(state.settings.budgetBytes, quotaBytes * QUOTA_SHARE),
    // Minutes are computed from samples where those exist.
    reach: {
      samples: oldestOf('samples'),
      minute: oldestOf('samples', 'minute'),
      quarter: coarse,
      hour: coarse,
    },
  })
}

async function keepRetention(state: StoreState): Promise<Result<unknown, StorageFailure>> {
  await survey(state)
  const sizes = Array.from(state.database.sizes.values())
  const going = removals(sizes, state.settings, state.status.get().budgetBytes, state.clock.wallMs())
  for (const removal of going) {
    // Samples that are too old become 1-minute rollups.
    const moved =
      removal.id.kind === 'samples' && removal.reason === 'age'
        ? await moveToMinutes(state, removal.id)
        : ok(undefined)
    const done = moved.ok ? await state.exclusive(() => remove(state, removal)) : moved
    if (!done.ok) return done
  }
  if (going.length > 0) {
    await state.storage.tidy()
    await survey(state)
  }
  return ok(undefined)
}

/**
 * Deletes the oldest segment that is complete, because the disk is full. Resolves to false if there is none.
 */
export async function giveRoom(state: StoreState): Promise<boolean> {
  const nowMs = state.clock.wallMs()
  const oldest = Array.from(state.database.sizes.values())
    .filter(({ id }) => segmentToMs(id) <= nowMs)
    .toSorted(byAge)[0]
  if (oldest === undefined) return false
  // On a full disk a browser accepts only transactions that delete.
  const deleted = await state.database.deleteAlone(rowsOf(oldest.id))
  // Only this makes the browser reclaim the space.
  if (!deleted.ok || !(await state.storage.tidy()).ok) return false
  return (await remove(state, { id: oldest.id, reason: 'full' })).ok
}

/** Events live as long as the coarse rollups. */
function rowsOf(id: SegmentId): readonly Change[] {
  const blocks: Change = { kind: 'delete', range: { table: 'blocks', ...under(segmentKey(id)) } }
  const events = { table: 'events', from: [segmentFromMs(id)], to: [segmentToMs(id)] } as const
  return id.kind === 'coarse' ? [blocks, { kind: 'delete', range: events }] : [blocks]
}

async function remove(
  state: StoreState,
  { id, reason }: Removal,
): Promise<Result<undefined, StorageFailure>> {
  const toMs = segmentToMs(id)
  const bytes = state.database.sizes.get(sizeId(id))?.bytes ?? 0
  const done = await state.database.commit(rowsOf(id), { grown: [{ id, bytes: -bytes, firstMs: 0 }] })
  if (!done.ok) return done
  const atMs = state.note('history-removed', { reason, toMs, kept: id.kind })
  state.setStatus({ removed: { reason, toMs, atMs } })
  return done
}
