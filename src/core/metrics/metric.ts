import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import type { Timestamp } from '#record/field.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import type { EffectiveSettings } from '#settings/effective.ts'

/** What a metric of each kind is read as. The kind decides how it is kept, rolled up and drawn. */
export type MetricValues = {
  /** A word of the service. */
  readonly state: string
  /** A number that goes up and down. */
  readonly gauge: ExactNumber
  /** A whole number that only grows, until it restarts. */
  readonly counter: ExactNumber
  /** A moment; what is judged and kept is its age, by the clocks that the reading compared. */
  readonly timestamp: Timestamp
  /** A text of which only matters whether it changes. */
  readonly fingerprint: string
}
export type MetricKind = keyof MetricValues

/** `amount`: by `stakeDecimals` and `stakeSymbol`. `ms`: a duration. */
export type MetricUnit = 'ratio' | 'amount' | 'count' | 'ms' | 'none'

/** A limit in the unit that is shown. */
export type MetricLimit = {
  readonly side: 'above' | 'below'
  readonly state: 'warning' | 'critical'
  readonly value: number
  /** The exact decimal, where it is compared to the last digit. */
  readonly text?: string
}

/** Why a metric is in its state; the page has the words. */
export type MetricReason =
  | 'within-limits'
  /** Usable, and nobody set a limit. */
  | 'no-limit'
  | 'below-limit'
  | 'above-limit'
  /** The field came and can't be used, or did not come. */
  | 'unusable-field'
  | 'out-of-unit'
  /** A status word of which nobody has said what it means, and what the operator said of the others. */
  | 'unknown-word'
  | 'status-warning'
  | 'status-bad'
  | 'too-old'
  | 'clocks-disagree'
  /** The clocks are not compared closely enough to tell how old it is. */
  | 'clock-uncertain'
  /** The next answer may miss its deadline. */
  | 'near-timeout'
  | 'empty-proof'
  | 'proof-verified'
  | 'proof-wrong'
  /** Nobody asked for it to be checked, or this browser is not fast enough to check each. */
  | 'proof-not-checked'
  /** It should have been checked and could not be. */
  | 'proof-not-checkable'

export type MetricEvaluation = {
  readonly state: 'ok' | 'info' | 'warning' | 'critical' | 'unknown' | 'not-checked'
  readonly reason: MetricReason
  readonly limit?: MetricLimit
  /** Of a timestamp: the limits that it crosses by getting older, in that order. */
  readonly changes?: readonly MetricLimit[]
}

/** What is known beside a metric's value when it is evaluated. */
export type MetricContext = {
  readonly settings: EffectiveSettings
  readonly timeoutMs: number
  /** Of a timestamp: what the clocks said at its reading, and its age then where one can be told. */
  readonly age: HeartbeatAge | undefined
  readonly ageMs: number | undefined
  /** Absent: nothing was checked. */
  readonly proof: ProofVerdict | undefined
}

type Definition<Id extends string, K extends MetricKind> = {
  readonly id: Id
  readonly kind: K
  readonly unit: MetricUnit
  /** As it is called in charts, tables and exports for people. */
  readonly heading: string
  /** A short name to filter by, in small letters. */
  readonly alias?: string
  /** One sentence. */
  readonly help: string
  /** Its columns in exports begin with it. */
  readonly exportName: string
  readonly prometheusName: string
  /** The settings that decide its unit and its limits. */
  readonly settings: readonly (keyof EffectiveSettings)[]
  /** A gauge in the unit that is shown; undefined: beyond its unit. Absent: as it is written. */
  shown?(value: MetricValues[K], settings: EffectiveSettings): ExactNumber | undefined
  /** Of a gauge, which of the two history keeps. Absent: as written, so that a unit can be set later. */
  readonly keep?: 'shown'
  /** Gauges are rounded to multiples of it before they are kept. */
  readonly resolution?: number
  /** Keep the exact decimal where the nearest double is not it. Counters always do. */
  readonly exact?: true
  /** Of a gauge that seldom changes: each change is an event, and since when it is what it is stands beside it. */
  readonly settled?: true
  /** Rollups of a quarter hour and longer keep its distribution; `complement`: of what is missing to 1. */
  readonly distribution?: 'values' | 'complement'
  /** An alarm stays what it was until the value is so far back within its limit, in the unit that is shown. */
  readonly deadband?: number
  /** On which sides limits can be set; absent: on both. */
  readonly sides?: readonly MetricLimit['side'][]
  /** Graver ones first. */
  limits?(settings: EffectiveSettings): readonly MetricLimit[]
  /** Where limits do not say it all; undefined: they do. */
  evaluate?(value: MetricValues[K], context: MetricContext): MetricEvaluation | undefined
  /** Where it is shown, and in which order; absent: not there. */
  readonly check?: {
    readonly order: number
    /** Shorter than the heading above, */
    readonly heading?: string
    /** and what is said while all is well. */
    readonly ok?: string
  }
  /** Of a state or a timestamp: it is one of the large figures of the node page and the wall. */
  readonly lead?: true
  readonly chart?: {
    readonly order: number
    readonly kind: 'area' | 'line' | 'bars' | 'ticks'
    /** Where many answers are one step: the middle of them, and up to the 95th of 100. */
    readonly band?: true
    readonly note?: 'min' | 'max' | 'total'
  }
  readonly table?: {
    readonly order: number
    readonly align: 'start' | 'end'
    /** In units of the reader's text size. */
    readonly rem?: number
    /** Beside the value: its last 24 hours, or of a timestamp where it stands against its limits. */
    readonly trend?: true
    /** Its place in the card that a row is on a phone; absent: it is left out there. */
    readonly card?: 'value' | 'under' | 'note'
  }
  readonly wall?: {
    readonly order: number
    /** Shorter than the heading above. */
    readonly heading?: string
    /** What is said of all nodes together. */
    readonly fleet?: { readonly heading: string; readonly of: 'max' | 'mean' }
  }
}

/** A metric that a record names. */
export type RecordMetric<Id extends string = string, K extends MetricKind = MetricKind> = Definition<
  Id,
  K
> & {
  /** The record's member; how it is read is its kind's. */
  readonly field: string
}

/** A metric that this dashboard measures at each answer. */
export type MeasuredMetric<Id extends string = string, K extends MetricKind = MetricKind> = Definition<
  Id,
  K
> & {
  readonly field?: undefined
  readonly measured: keyof Measured
}

export type Measured = { readonly latencyMs: number }

export type MetricOf<K extends MetricKind> = RecordMetric<string, K> | MeasuredMetric<string, K>
export type Metric = { readonly [K in MetricKind]: MetricOf<K> }[MetricKind]

/** Metrics in the order of the interface. Whoever walks them is given the registry. */
export type MetricRegistry = readonly Metric[]

/** Whether services can disagree about it: what is measured is about the way there, and an age is about now. */
export const isComparable = ({ kind, field }: Metric): boolean => field !== undefined && kind !== 'timestamp'
