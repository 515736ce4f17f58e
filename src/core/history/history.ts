import type { MetricKind } from '#metrics/metric.ts'
import type { BuiltInMetric } from '#metrics/metrics.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { EventFacts } from './event-log.ts'

type Ids<K extends MetricKind> = Extract<BuiltInMetric, { readonly kind: K; readonly field: string }>['id']

/**
 * The values of an answer, named by `sampleKeys`; undefined if the poll failed or the field was unusable.
 * Metrics that a registry adds have theirs beside these.
 */
type SampleValues =
  /** The nearest double of a gauge or counter, and the exact decimal text if the double is not exact. */
  { readonly [Id in Ids<'gauge' | 'counter'>]?: number } & {
    readonly [Id in Ids<'gauge' | 'counter'> as `${Id}Exact`]?: string
  } & {
    /** Since the node's last good sample; 0 for the first. After a restart it is the new total. */
    readonly [Id in Ids<'counter'> as `${Id}Increase`]?: number
  } & { readonly [Id in Ids<'counter'> as `${Id}Restarted`]?: boolean } & {
    /** Part of the time that the increase spans was not watched. Stored rows have a flag of their own. */
    readonly [Id in Ids<'counter'> as `${Id}Unwatched`]?: boolean
  } & {
    readonly [Id in Ids<'timestamp'> as `${Id}AgeMs`]?: number
  } & {
    /** A state's word, or 8 hex digits of a fingerprint. */
    readonly [Id in Ids<'state' | 'fingerprint'>]?: string
  } & {
    /** Whether the fingerprint differs from the node's last one. */
    readonly [Id in Ids<'fingerprint'> as `${Id}Changed`]?: boolean
  }

/** One poll, success or failure. */
export type Sample = SampleValues & {
  /** The node's key. */
  readonly node: string
  /** When the request began by this computer's clock, Unix ms. Increases from sample to sample of a node. */
  readonly atMs: number
  readonly latencyMs: number
  /** The node's poll interval; absent: the default. */
  readonly everyMs?: number
  /** The service's own time of the answer, Unix ms, if the answer has it. */
  readonly serviceMs?: number
  /** `answered`, or the kind of failure. */
  readonly outcome: 'answered' | FailureKind
  /** Not stored with the samples, but possibly worth a journal entry. */
  readonly more?: SampleMore
}

export type SampleMore = {
  /** Details of the failure, such as the HTTP status. */
  readonly failure?: EventFacts
  /** Members of the record that the interface does not define. */
  readonly unknownFields?: readonly string[]
  /** `verified`, or why the proof is wrong; absent if it was not checked. */
  readonly proof?: string
  /** The service's clock was set back since the node's last answer, and counters derived from it fell. */
  readonly clockSetBack?: true
}

/**
 * A time when nobody watched, for every node. It ends what was seen before it even if it has no length. A `clock-step` that
 * ends before it starts means that the clock was set back by the difference: earlier samples move back by it, so that later
 * ones follow in order.
 */
export type Gap = {
  readonly fromMs: number
  readonly toMs: number
  readonly reason: 'asleep' | 'clock-step' | 'closed'
}

/** The samples and gaps of one tick, stored together; gaps come first. */
export type HistoryBatch = { readonly samples: readonly Sample[]; readonly gaps: readonly Gap[] }

/**
 * Stores samples. It may lose the oldest samples, never the newest. A failing store must not stop polling, so
 * `append` rejects and the engine continues.
 */
export type History = {
  readonly append: (batch: HistoryBatch) => Promise<void>
  /** Drops unstored samples of nodes that are no longer watched. */
  readonly forget: (nodes: readonly string[]) => Promise<void>
}
