import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import type { Timestamp } from '#record/field.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import type { EffectiveSettings } from '#settings/effective.ts'

/** The kind decides how a value is stored, rolled up and drawn. */
export type MetricValues = {
  /** A word of the service. */
  readonly state: string
  readonly gauge: ExactNumber
  /** A whole number that only grows, until it restarts. */
  readonly counter: ExactNumber
  /** A moment; its age is evaluated and stored, by the clocks that the reading compared. */
  readonly timestamp: Timestamp
  /** A text of which only changes matter. */
  readonly fingerprint: string
}
export type MetricKind = keyof MetricValues

/** `amount`: by `stakeDecimals` and `stakeSymbol`. `ms`: a duration. */
export type MetricUnit = 'ratio' | 'amount' | 'count' | 'ms' | 'none'

export type MetricLimit = {
  readonly side: 'above' | 'below'
  readonly state: 'warning' | 'critical'
  readonly value: number
  /** The exact decimal, where it is compared to the last digit. */
  readonly text?: string
}

/** The page has the words for it. */
export type MetricReason =
  | 'within-limits'
  /** Usable, without a limit. */
  | 'no-limit'
  | 'below-limit'
  | 'above-limit'
  /** Missing or unusable. */
  | 'unusable-field'
  | 'out-of-unit'
  /** A status word without a set meaning, and the meanings that the operator set. */
  | 'unknown-word'
  | 'status-warning'
  | 'status-bad'
  | 'too-old'
  | 'clocks-disagree'
  /** The clocks are compared too roughly for an age. */
  | 'clock-uncertain'
  /** The next answer may miss its deadline. */
  | 'near-timeout'
  | 'empty-proof'
  | 'proof-verified'
  | 'proof-wrong'
  /** Not configured, or this browser is too slow to check each. */
  | 'proof-not-checked'
  /** It should have been checked and could not be. */
  | 'proof-not-checkable'

export type MetricEvaluation = {
  readonly state: 'ok' | 'info' | 'warning' | 'critical' | 'unknown' | 'not-checked'
  readonly reason: MetricReason
  readonly limit?: MetricLimit
  /** Of a timestamp: the limits that it crosses as it gets older, in that order. */
  readonly changes?: readonly MetricLimit[]
}

/** Known beside the value when it is evaluated. */
export type MetricContext = {
  readonly settings: EffectiveSettings
  readonly timeoutMs: number
  /** What the clocks showed at its reading, and its age then. */
  readonly age: HeartbeatAge | undefined
  readonly ageMs: number | undefined
  /** Absent: not checked. */
  readonly proof: ProofVerdict | undefined
}

type Definition<Id extends string, K extends MetricKind> = {
  readonly id: Id
  readonly kind: K
  readonly unit: MetricUnit
  /** In charts, tables and exports for people. */
  readonly heading: string
  /** A short name to filter by, in small letters. */
  readonly alias?: string
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
  /** Of a gauge that seldom changes: each change is an event, and since when it has its value is shown beside it. */
  readonly settled?: true
  /** Rollups of a quarter hour and longer keep its distribution; `complement`: of what is missing to 1. */
  readonly distribution?: 'values' | 'complement'
  /** An alarm ends once the value is so far back within its limit, in the unit that is shown. */
  readonly deadband?: number
  /** On which sides limits can be set; absent: on both. */
  readonly sides?: readonly MetricLimit['side'][]
  /** The graver ones first. */
  limits?(settings: EffectiveSettings): readonly MetricLimit[]
  /** For what limits do not cover. */
  evaluate?(value: MetricValues[K], context: MetricContext): MetricEvaluation | undefined
  /** In ascending order; absent: not shown there. */
  readonly check?: {
    readonly order: number
    /** Shorter than the heading above. */
    readonly heading?: string
    /** The text while it is ok. */
    readonly ok?: string
  }
  /** A state or timestamp among the large figures of the node page and the wall. */
  readonly lead?: true
  readonly chart?: {
    readonly order: number
    readonly kind: 'area' | 'line' | 'bars' | 'ticks'
    /** Where a step has many answers: their median and 95th percentile. */
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
    /** The figure of all nodes. */
    readonly fleet?: { readonly heading: string; readonly of: 'max' | 'mean' }
  }
}

export type RecordMetric<Id extends string = string, K extends MetricKind = MetricKind> = Definition<
  Id,
  K
> & {
  readonly field: string
}

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

/** In the order of the interface. */
export type MetricRegistry = readonly Metric[]

/** Not what is measured on the way there, nor an age, which is about now. */
export const isComparable = ({ kind, field }: Metric): boolean => field !== undefined && kind !== 'timestamp'
