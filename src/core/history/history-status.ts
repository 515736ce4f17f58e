import type { StorageFailure } from '#storage/storage.ts'
import type { TierName } from './tiers.ts'

/**
 * Remembered by the page outside the database, because a damaged or cleared database opens empty and without
 * an error.
 */
export type Sentinel = {
  readonly version: 2
  /** Unix ms of the newest sample. */
  readonly lastMs: number
}

/** A restore that was interrupted before it applied anything, or before it applied the settings. */
export type CutOff = 'restore' | 'restore-settings'

export type HistoryStatus = {
  readonly state: 'starting' | 'kept' | 'not-kept'
  /** Why samples are not stored, and since when. Later ones exist in memory only. */
  readonly failure: StorageFailure | undefined
  readonly notKeptSinceMs: number | undefined
  /** Samples are stored up to this time. */
  readonly savedToMs: number | undefined
  /** The history is gone, and this app did not delete it. */
  readonly lost: { readonly noticedMs: number; readonly lastMs: number } | undefined
  /** The task that was interrupted when this browser was closed. */
  readonly cutOff: { readonly noticedMs: number; readonly what: CutOff } | undefined
  /** This browser also has the history of an earlier version, which this one cannot read. */
  readonly hasOlder: boolean
  /** Unreadable records: gaps in the charts. */
  readonly damaged: number
  readonly bytes: number
  readonly budgetBytes: number
  /** How far back each resolution goes; undefined if it has nothing. */
  readonly reach: Readonly<Record<TierName, number | undefined>>
  /** The last segment that retention or the budget removed. */
  readonly removed:
    | { readonly reason: 'age' | 'budget' | 'full'; readonly toMs: number; readonly atMs: number }
    | undefined
  readonly sentinel: Sentinel | undefined
}

export const FIRST_STATUS: HistoryStatus = {
  state: 'starting',
  failure: undefined,
  notKeptSinceMs: undefined,
  savedToMs: undefined,
  lost: undefined,
  cutOff: undefined,
  hasOlder: false,
  damaged: 0,
  bytes: 0,
  budgetBytes: 0,
  reach: { samples: undefined, minute: undefined, quarter: undefined, hour: undefined },
  removed: undefined,
  sentinel: undefined,
}

/** Undefined at a first run, and for anything that is not a sentinel. */
export function readSentinel(value: unknown): Sentinel | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { version, lastMs }: { readonly [name in keyof Sentinel]?: unknown } = value
  return version === 2 && typeof lastMs === 'number' ? { version, lastMs } : undefined
}
