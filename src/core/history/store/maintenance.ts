import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { ok, type Result } from '#base/result.ts'
import type { Change, StorageFailure } from '#history/storage.ts'
import { segmentFromMs, segmentToMs, TIERS, type SegmentId, type TierName } from '#history/tiers.ts'
import { compact, moveToMinutes } from './compaction.ts'
import { segmentKey, sizeId, under } from './database.ts'
import { joinEvents } from './events.ts'
import { byAge, removals, type Removal } from './retention.ts'
import type { StoreState } from './store-state.ts'

/** Rows in memory beyond which they go into blocks before their hour is over. */
const HEAD_MAX = DEFAULTS.samplesInMemoryMax * 0.75
/** Of what the browser grants: reaching its quota must never be what ends the history. */
const QUOTA_SHARE = 0.5
/** Days whose events are looked at once a day. */
const EVENT_DAYS = 8

/** Once an hour: rows into blocks, and retention; once a day the room of what was written over is given back. */
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
      // A day's recent batches, and blocks that were written over, take more room than what is kept. Where it can't be given back, it waits.
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
    underWay ??= state.upkeep(runIfDue).finally(() => {
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
    /** Does what is due once an hour; resolves when it is done. */
    run,
    /** The same every minute from now on. */
    keepRunning,
    /** What was done last no longer counts. */
    again: (): void => {
      doneHour = Number.NaN
    },
  }
}

/** Says how much there is and how far back it goes. */
export async function survey(state: StoreState): Promise<void> {
  const sizes = Array.from(state.database.sizes.values())
  const quotaBytes = await state.storage.quotaBytes()
  const reachOf = (tier: TierName): number | undefined => {
    const kind = TIERS[tier].segment
    const starts = sizes.flatMap(({ id, bytes, firstMs }) =>
      id.kind === kind && bytes > 0 && Number.isFinite(firstMs) ? [firstMs] : [],
    )
    return starts.length === 0 ? undefined : Math.min(...starts)
  }
  const samples = reachOf('samples')
  // While samples are there, minutes are worked out from them.
  const minutes = [reachOf('minute'), samples].filter((atMs) => atMs !== undefined)
  state.setStatus({
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    budgetBytes: Math.min(
      state.settings.budgetBytes,
      quotaBytes === undefined ? Number.POSITIVE_INFINITY : quotaBytes * QUOTA_SHARE,
    ),
    reach: {
      samples,
      minute: minutes.length === 0 ? undefined : Math.min(...minutes),
      quarter: reachOf('quarter'),
      hour: reachOf('hour'),
    },
  })
}

async function keepRetention(state: StoreState): Promise<Result<unknown, StorageFailure>> {
  await survey(state)
  const sizes = Array.from(state.database.sizes.values())
  const going = removals(sizes, state.settings, state.status.get().budgetBytes, state.clock.wallMs())
  for (const removal of going) {
    // Of samples that are too old, what they say by the minute stays.
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

/** The disk is full: the oldest segment that is not being written to goes. False: there is none. */
export async function giveRoom(state: StoreState): Promise<boolean> {
  const nowMs = state.clock.wallMs()
  const oldest = Array.from(state.database.sizes.values())
    .filter(({ id }) => segmentToMs(id) <= nowMs)
    .toSorted(byAge)[0]
  if (oldest === undefined) return false
  // On a full disk a browser takes no transaction but one that only deletes.
  const deleted = await state.database.deleteAlone(rowsOf(oldest.id))
  // Only this makes the browser give back the room of what was deleted.
  if (!deleted.ok || !(await state.storage.tidy()).ok) return false
  return (await remove(state, { id: oldest.id, reason: 'full' })).ok
}

/** Events live as long as the coarse roll-ups. */
const rowsOf = (id: SegmentId): readonly Change[] => [
  { kind: 'delete', range: { table: 'blocks', ...under(segmentKey(id)) } },
  ...(id.kind === 'coarse'
    ? [
        {
          kind: 'delete' as const,
          range: { table: 'events' as const, from: [segmentFromMs(id)], to: [segmentToMs(id)] },
        },
      ]
    : []),
]

async function remove(
  state: StoreState,
  { id, reason }: Removal,
): Promise<Result<undefined, StorageFailure>> {
  const toMs = segmentToMs(id)
  const bytes = state.database.sizes.get(sizeId(id))?.bytes ?? 0
  const done = await state.database.commit(rowsOf(id), { grown: [{ id, bytes: -bytes, firstMs: 0 }] })
  if (!done.ok) return done
  const atMs = state.clock.wallMs()
  state.setStatus({ removed: { reason, toMs, atMs } })
  state.events.add([
    { wallMs: atMs, area: 'watching', what: 'history-removed', facts: { reason, toMs, kept: id.kind } },
  ])
  return done
}
