import type { StorageFailure } from './storage.ts'
import type { TierName } from './tiers.ts'

/**
 * What the page remembers of the history outside of the database, and gives back at the next
 * start: a database that was damaged or cleared opens empty and says nothing.
 */
export type Sentinel = {
  readonly version: 2
  /** Unix ms of the newest sample. */
  readonly lastMs: number
}

/** A restore of which nothing was applied, or all but the settings. */
export type CutOff = 'restore' | 'restore-settings'

/** How well history is kept; the screen shows it. */
export type HistoryStatus = {
  readonly state: 'starting' | 'kept' | 'not-kept'
  /** Why it is not kept, and since when: later samples exist in memory only. */
  readonly failure: StorageFailure | undefined
  readonly notKeptSinceMs: number | undefined
  /** Samples up to here are kept. */
  readonly savedToMs: number | undefined
  /** History that was there is gone, by nobody's wish that this product knows of. */
  readonly lost: { readonly noticedMs: number; readonly lastMs: number | undefined } | undefined
  /** What this browser was closed in the middle of, and what became of it. */
  readonly cutOff: { readonly noticedMs: number; readonly what: CutOff } | undefined
  /** This browser also has the history of an earlier version, which this one can't read. */
  readonly hasOlder: boolean
  /** Records that could not be read: gaps in the charts. */
  readonly damaged: number
  readonly bytes: number
  readonly budgetBytes: number
  /** How far back each resolution goes; undefined where it has nothing. */
  readonly reach: Readonly<Record<TierName, number | undefined>>
  /** The last segment that went, to keep age or budget. */
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

/** Reads what a page had remembered; undefined for a first run, and for anything that is no sentinel. */
export function readSentinel(value: unknown): Sentinel | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { version, lastMs }: { readonly [name in keyof Sentinel]?: unknown } = value
  return version === 2 && typeof lastMs === 'number' ? { version, lastMs } : undefined
}
