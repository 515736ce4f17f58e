import type { TimeRange } from '#base/time.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { EventFacts, LogEntry } from './event-log.ts'

/**
 * One poll, success or failure, with the values of its answer, named by `sampleKeys`; a value is absent if the poll failed or
 * the field was unusable.
 */
export type Sample = Readonly<Record<string, unknown>> & {
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

type SampleMore = {
  /** Details of the failure, such as the HTTP status. */
  readonly failure?: EventFacts
  /** Members of the record that the interface does not define. */
  readonly unknownFields?: readonly string[]
  /** `verified`, or why the proof is wrong; absent if it was not checked. */
  readonly proof?: string
  /** The service's clock was set back since the node's last answer, and counters derived from it fell. */
  readonly clockSetBack?: true
  /** Ids of the former and the new default node, if it changed since the last answer. */
  readonly otherNode?: { readonly from: string; readonly to: string }
}

/**
 * A time when nobody watched, for every node. A gap ends the preceding sample even if the gap's length is 0. A
 * `clock-step` that ends before it starts means that the clock was set back by the difference: earlier samples move back
 * by that difference, so that later ones follow in order.
 */
export type Gap = TimeRange & {
  readonly reason: 'asleep' | 'clock-step' | 'closed'
}

/**
 * The journal's entry for a gap, dated when polling resumed. `clock-step`: how far the clock was set back.
 */
export const gapEntry = ({ fromMs, toMs, reason }: Gap): LogEntry => ({
  wallMs: toMs,
  area: 'watching',
  what: reason === 'clock-step' && toMs < fromMs ? 'clock-set-back' : 'gap',
  facts: { reason, fromMs: Math.round(fromMs), toMs: Math.round(toMs) },
})

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
