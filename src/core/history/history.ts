import type { FailureKind } from '#protocol/failure.ts'
import type { EventFacts } from './event-log.ts'

/** One poll, success or failure. `node` is the node's key: (service, node). */
export type Sample = {
  readonly node: string
  /** Start of the request, Unix ms by this computer's clock; increases from sample to sample of a node. */
  readonly atMs: number
  readonly latencyMs: number
  /** The interval at which the node is asked; absent: the default one. */
  readonly everyMs?: number
  /** The service's own time when it answered, Unix ms, where the answer names it. */
  readonly serviceMs?: number
  /** `answered`, or why not. */
  readonly outcome: 'answered' | FailureKind
  /** The fields below are undefined where the poll failed or the field could not be used. */
  readonly status?: string
  /** Nearest double, and the exact decimal text where the double is not exact. */
  readonly stake?: number
  readonly stakeExact?: string
  /** 0 to 1. */
  readonly participation?: number
  readonly threatTotal?: number
  /** Exact decimal text of the total, where the double is not exact. */
  readonly threatExact?: string
  /** Increase since the node's last good sample; 0 for the first. After a restart the new total counts from 0. */
  readonly threatIncrease?: number
  readonly threatRestarted?: boolean
  readonly heartbeatAgeMs?: number
  /** Fingerprint of the proof: 8 hex digits. */
  readonly proof?: string
  /** Whether it differs from the node's last one. */
  readonly proofChanged?: boolean
  /** What is not kept with the samples, and may be worth an entry in the log. */
  readonly more?: SampleMore
}

export type SampleMore = {
  /** What else is known of the failure: the status, what stood in the way. */
  readonly failure?: EventFacts
  /** Members of the record that the interface does not know. */
  readonly unknownFields?: readonly string[]
  /** `verified`, or why the record's proof is wrong; absent where it was not checked. */
  readonly proof?: string
}

/**
 * A stretch in which nobody watched. Applies to every node. A `clock-step` whose end lies
 * before its start says that the computer's clock was set back by the difference: what was
 * kept so far happened that much earlier, and the samples that follow are in order again.
 */
export type Gap = {
  readonly fromMs: number
  readonly toMs: number
  readonly reason: 'asleep' | 'clock-step' | 'closed'
}

/** What one tick brought, kept in one go; its gaps come before its samples. */
export type HistoryBatch = { readonly samples: readonly Sample[]; readonly gaps: readonly Gap[] }

/** Points in time order, already decimated; a NaN value breaks the line. Both arrays have the same length. */
export type Points = { readonly atMs: Float64Array; readonly value: Float64Array }

/**
 * Amounts as points. `exact`: the decimal text, by its time, of each point whose double is not the
 * amount. Empty where drawn from rollups, which keep doubles only.
 */
export type AmountPoints = Points & { readonly exact: ReadonlyMap<number, string> }

/** A stretch of the time axis, by what happened to the polls in it. */
export type LaneSpan = {
  readonly fromMs: number
  readonly toMs: number
  readonly kind: 'answered' | 'no-answer' | 'not-watched'
  /** For `no-answer`: the failure that was seen most. */
  readonly failure?: FailureKind
}

export type ThreatBar = {
  readonly fromMs: number
  readonly toMs: number
  readonly increase: number
  readonly restarted: boolean
}

/** Lowest, highest and last value in the range; NaN where there is none. */
export type LaneStats = { readonly min: number; readonly max: number; readonly last: number }

/** How answers of one step were spread over time: the 50th and the 95th of 100. NaN where there was none. */
export type Band = {
  /** Starts of the steps, which are all `stepMs` long. */
  readonly atMs: Float64Array
  readonly stepMs: number
  readonly p50: Float64Array
  readonly p95: Float64Array
}

/** Everything that the aligned lanes of one node draw, for one range and width. */
export type LaneData = {
  readonly fromMs: number
  readonly toMs: number
  /** 0: drawn from every sample. Otherwise from rollups of steps so long, and in columns of whole steps. */
  readonly stepMs: number
  /** Samples in the range, and how many points the longest lane was reduced to. */
  readonly samples: number
  readonly points: number
  readonly answered: number
  readonly failed: number
  readonly notWatchedMs: number
  readonly spans: readonly LaneSpan[]
  /** Ages at each sample, in ms. */
  readonly heartbeatAge: Points
  readonly participation: Points
  readonly stake: AmountPoints
  readonly latency: Points
  readonly latencyBand: Band
  readonly stats: {
    readonly heartbeatAge: LaneStats
    readonly participation: LaneStats
    readonly stake: LaneStats
    readonly latency: LaneStats
  }
  readonly threats: readonly ThreatBar[]
  readonly threatIncrease: number
  /** Times at which the proof changed, at most one a column; the start of the step where drawn from rollups. */
  readonly proofChanges: Float64Array
  readonly restarts: Float64Array
}

export type LaneQuery = {
  readonly node: string
  readonly fromMs: number
  readonly toMs: number
  /** Pixel columns to draw on; each keeps its first, lowest, highest and last value. 1 to 4,000. */
  readonly columns: number
  /** Width of a threat bar. */
  readonly barMs: number
  /** A hole between two samples longer than this is not bridged, unless they were asked for at a longer interval then. */
  readonly maxGapMs: number
}

/** What 90 of 100 values lay between: the 5th and the 95th of 100. */
export type UsualRange = readonly [low: number, high: number]

/** What was usual in the last seven days; a value of which less than a day is known has no range. */
export type Usual = {
  /** Ms. */
  readonly heartbeatAge?: UsualRange
  /** 0 to 1. */
  readonly participation?: UsualRange
  /** Ms. */
  readonly latency?: UsualRange
  /** Threat responses in one bar of the query's width. */
  readonly threats?: UsualRange
}

export type UsualQuery = {
  readonly node: string
  /** End of the seven days, Unix ms. */
  readonly toMs: number
  /** Width of one threat bar; only whole minutes have a range. */
  readonly barMs: number
}

/**
 * Where samples go and where charts come from. Implementations may lose the oldest, never
 * the newest; a failing store must not stop polling, so `append` rejects and the engine goes on.
 */
export type History = {
  readonly append: (batch: HistoryBatch) => Promise<void>
  readonly readLanes: (query: LaneQuery) => Promise<LaneData>
  /** Absent where nothing is kept for days. */
  readonly readUsual?: (query: UsualQuery) => Promise<Usual>
  /** Drops what is kept of nodes that are no longer watched. */
  readonly forget: (nodes: readonly string[]) => Promise<void>
}
