import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import type { Timestamp } from '#record/field.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import type { EffectiveSettings } from '#settings/effective.ts'

/** The kind decides how a value is stored, rolled up and drawn. */
export type MetricValues = {
  /** A word that the service reports. */
  readonly state: string
  readonly gauge: ExactNumber
  /** A whole number that only grows, until it restarts. */
  readonly counter: ExactNumber
  /** A point in time. Its age, by the clocks compared at the reading, is evaluated and stored. */
  readonly timestamp: Timestamp
  /** A text of which only changes matter. */
  readonly fingerprint: string
}
export type MetricKind = keyof MetricValues

/** `amount`: formatted with `stakeDecimals` and `stakeSymbol`. `ms`: a duration. */
export type MetricUnit = 'ratio' | 'amount' | 'count' | 'ms' | 'none'

/** The figures of a metric in a report: of all answers, of the first and the last one, or the growth of a counter. */
export type ReportFigure = 'mean' | 'min' | 'p95' | 'first' | 'last' | 'increase'

export type MetricLimit = {
  readonly side: 'above' | 'below'
  readonly state: 'warning' | 'critical'
  readonly value: number
  /** The exact decimal, for metrics that are compared to the last digit. */
  readonly text?: string
}

export type MetricReason =
  | 'within-limits'
  /** Usable, without a limit. */
  | 'no-limit'
  | 'below-limit'
  | 'above-limit'
  /** Missing or unusable. */
  | 'unusable-field'
  | 'out-of-unit'
  /** A status without a set meaning, or with a meaning that the operator set. */
  | 'unknown-word'
  | 'status-warning'
  | 'status-bad'
  | 'too-old'
  | 'clocks-disagree'
  /** The clock offset is too uncertain for an age. */
  | 'clock-uncertain'
  /** The next answer may time out. */
  | 'near-timeout'
  | 'empty-proof'
  | 'proof-verified'
  | 'proof-wrong'
  /** Not configured, or this browser is too slow to check each. */
  | 'proof-not-checked'
  /** The check was due but not possible. */
  | 'proof-not-checkable'

export type MetricEvaluation = {
  readonly state: 'ok' | 'info' | 'warning' | 'critical' | 'unknown' | 'not-checked'
  readonly reason: MetricReason
  readonly limit?: MetricLimit
  /** For timestamps: the limits that it will cross as it ages, in that order. */
  readonly changes?: readonly MetricLimit[]
}

/** Facts for evaluating a value. */
export type MetricContext = {
  readonly settings: EffectiveSettings
  readonly timeoutMs: number
  /** The age by the clocks at the reading, and in ms if known. */
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
  /** A short lower-case name for filters. */
  readonly alias?: string
  readonly help: string
  /** Prefix of its columns in exports. */
  readonly exportName: string
  readonly prometheusName: string
  /** The settings that decide its unit and its limits. */
  readonly settings: readonly (keyof EffectiveSettings)[]
  /** Converts a gauge to the displayed unit; undefined if the value exceeds its range. Absent: shown as written. */
  shown?(value: MetricValues[K], settings: EffectiveSettings): ExactNumber | undefined
  /** History stores a gauge in the displayed unit. Absent: as written, so that a unit can be set later. */
  readonly keep?: 'shown'
  /** Gauges are rounded to multiples of this before they are stored. */
  readonly resolution?: number
  /** Stores the exact decimal if the nearest double differs. Counters always do. */
  readonly exact?: true
  /** For gauges that seldom change: each change is an event, and the node page shows since when it has its value. */
  readonly settled?: true
  /** Rollups of 15 minutes and longer store its distribution; `complement`: that of 1 minus the value. */
  readonly distribution?: 'values' | 'complement'
  /** How far the value must return within its limit before an alarm clears, in the displayed unit. */
  readonly deadband?: number
  /** Sides on which limits can be set; absent: both. */
  readonly sides?: readonly MetricLimit['side'][]
  /** Most severe first. */
  limits?(settings: EffectiveSettings): readonly MetricLimit[]
  /** For checks that limits do not cover. */
  evaluate?(value: MetricValues[K], context: MetricContext): MetricEvaluation | undefined
  /** In ascending order; absent: not in the list of checks. */
  readonly check?: {
    readonly order: number
    /** Replaces the heading above if shorter. */
    readonly heading?: string
    /** The text while the check is ok. */
    readonly ok?: string
  }
  /** A state or timestamp among the large figures of the node page and the wall. */
  readonly lead?: true
  readonly chart?: {
    readonly order: number
    readonly kind: 'area' | 'line' | 'bars' | 'ticks'
    /** Shows the median and 95th percentile of steps with many answers. */
    readonly band?: true
    readonly note?: 'min' | 'max' | 'total'
  }
  readonly table?: {
    readonly order: number
    readonly align: 'start' | 'end'
    /** In units of the reader's text size. */
    readonly rem?: number
    /** Shows the last 24 hours beside the value; for a timestamp, its position relative to its limits. */
    readonly trend?: true
    /** Its position on the row's card on a phone; absent: not shown there. */
    readonly card?: 'value' | 'under' | 'note'
  }
  /** Its figures in reports; absent: it has none. */
  readonly report?: readonly ReportFigure[]
  readonly wall?: {
    readonly order: number
    /** Replaces the heading above if shorter. */
    readonly heading?: string
    /** A figure of all nodes. */
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

/** Excludes response times, which depend on the route, and ages, which depend on the current time. */
export const isComparable = ({ kind, field }: Metric): boolean => field !== undefined && kind !== 'timestamp'
