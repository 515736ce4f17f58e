import { DEFAULTS } from '#base/defaults.ts'
import type { ClockOffset } from '#record/clock-offset.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { ServiceRules, ScopedRule } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { ServiceId } from '#record/service.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import type { Metric } from '#metrics/metric.ts'
import type { Assessment, ShownValue } from './assessment.ts'
import type { Correction, Diagnosed } from './diagnosis.ts'

declare const nodeKeyBrand: unique symbol
/** A node's identity: the same node asked through two services is two. Fits into a URL. */
export type NodeKey = string & { readonly [nodeKeyBrand]: true }

/** `nodeId` undefined: the service's default node. */
export const nodeKeyOf = (serviceId: ServiceId, nodeId: string | undefined): NodeKey =>
  `${serviceId}!${nodeId === undefined ? 'own' : canonicalNodeId(nodeId)}` as NodeKey

/** From a URL; it may name a node that is not configured. */
export const nodeKeyFromText = (text: string): NodeKey => text as NodeKey

/** The last good answer. Times named `…Ms` without more are on the engine's steady clock. */
export type Reading = {
  readonly record: StatusRecord
  /** Start of the request: the reading's age counts from here. */
  readonly startedMs: number
  readonly startedWallMs: number
  readonly latencyMs: number
  /** How old each timestamp was at the start of the request, by the metric's id; one that can't be used is absent. */
  readonly ages: Readonly<Partial<Record<string, HeartbeatAge>>>
  /** The Age header in seconds, where a cache is in the way and says so. */
  readonly cachedForS: number | undefined
  /** Whether the record's proof is right; absent while the service has no proof profile, so that nothing was checked. */
  readonly proof?: ProofVerdict
  /** Since the node's answer before, the service's clock was set back, and counters that follow it fell. */
  readonly clockSetBack?: true
  /** There was a gap in watching since the node's answer before. */
  readonly unwatched?: true
}

/** Counted from the start of the request: the answer was no younger than that. */
export const readingAgeMs = (reading: Reading, nowMs: number): number =>
  Math.max(0, nowMs - reading.startedMs)

/** A timestamp's age at the reading in ms; undefined where unknown. */
export function ageAtReading({ ages }: Reading, id: string): number | undefined {
  const age = ages[id]
  return age !== undefined && 'ageMs' in age ? age.ageMs : undefined
}

export type Episode = {
  readonly failure: PollFailure
  /** Start of the first request of this run that failed; the run may have changed its kind since. */
  readonly sinceMs: number
  readonly sinceWallMs: number
  /** Failed polls in a row; 0 for a node that was not asked itself, because its service can't be (no key, key refused, mixed content). */
  readonly misses: number
}

/** How long a metric has had its value, as far as this screen has seen. */
export type ValueSince = {
  readonly sinceMs: number
  readonly sinceWallMs: number
  /** Time in it without a current reading: whether the value was the same then is unknown. */
  readonly unseenMs: number
}

/** Since this screen began to watch; a decrease is a restart counted from 0. */
export type CounterTrack = {
  /** While it watched. */
  readonly increase: number
  /** In gaps, as while the computer slept. */
  readonly unwatched: number
  readonly restarts: number
  readonly lastRestartWallMs: number | undefined
}

/** Everything the page needs to draw one node. Immutable; an unchanged node keeps its identity. */
export type NodeLive = {
  readonly key: NodeKey
  readonly serviceId: ServiceId
  /** As it is requested; undefined: the default node. */
  readonly nodeId: string | undefined
  readonly name: string | undefined
  readonly tags: readonly string[]
  /** Where it differs from its service's. */
  readonly pollIntervalMs?: number
  /** Units and limits of this node alone. */
  readonly rules: readonly ScopedRule[]
  readonly reading: Reading | undefined
  /** Undefined after a poll that succeeded. */
  readonly episode: Episode | undefined
  /** Of the node, or of all of its service's; undefined without a plan (no key, key locked). */
  readonly nextPollMs: number | undefined
  readonly inFlight: boolean
  readonly answered: number
  readonly failed: number
  /** By the ids of the record's states, gauges and fingerprints: an age changes by itself, a counter is tracked. */
  readonly since: Readonly<Partial<Record<string, ValueSince>>>
  /** By the ids of counters that were read. */
  readonly counters: Readonly<Partial<Record<string, CounterTrack>>>
}

export const pollIntervalOf = (
  { pollIntervalMs }: Pick<NodeLive, 'pollIntervalMs'>,
  service: { readonly service: Pick<Service, 'pollIntervalMs'> } | undefined,
): number => pollIntervalMs ?? service?.service.pollIntervalMs ?? DEFAULTS.pollIntervalMs

/** A node with what its state means now and later. */
export type AssessedNode = NodeLive & {
  readonly assessment: Assessment
  /** Absent: none, or only one service has this node. */
  readonly disagreements?: readonly Disagreement[]
}

/** What two services report of one node and time does not explain, as one of them sees it. */
export type Disagreement = {
  readonly metric: string
  /** `behind`: one counter is below what the other was before. `proof`: one proof is right and the other wrong. */
  readonly kind: 'differs' | 'behind' | 'proof'
  /** As it is shown; of a proof its verdict. */
  readonly own: string
  readonly other: string
  /** The same node at the other service. */
  readonly with: NodeKey
  /** It stands first in the list: what concerns both is reported once, of this one. */
  readonly isFirst: boolean
  readonly sinceMs: number
  readonly sinceWallMs: number
}

/** In the unit that is shown; an age grows. Undefined if it can't be used. */
export function valueNow(
  { reading, assessment }: AssessedNode,
  { id, kind }: Pick<Metric, 'id' | 'kind'>,
  nowMs: number,
): ShownValue | undefined {
  const value = assessment.values[id]
  if (kind !== 'timestamp' || value?.value === undefined || reading === undefined) return value
  const ageMs = value.value + readingAgeMs(reading, nowMs)
  return { text: String(ageMs), value: ageMs }
}

export type ServiceLive = {
  readonly id: ServiceId
  readonly service: Service
  readonly rules: ServiceRules
  /** Undefined until an answer carried a readable Date. */
  readonly offset: ClockOffset | undefined
  /** By most of its nodes' heartbeats, while no Date can be read; absent before a first heartbeat. */
  readonly heartbeatOffset?: ClockOffset | undefined
  /** Undefined while requests are signed with this computer's own time without a problem. */
  readonly correction: Correction | undefined
  readonly diagnosed: Diagnosed | undefined
  /** Polling is slowed for every node of the service until then. */
  readonly hold: { readonly reason: 'rate-limited' | 'refused'; readonly untilMs: number } | undefined
  /** Absent if it fits, or too little was measured. */
  readonly round?: Round | undefined
}

export type Round = {
  /** Failing nodes are asked less often and do not count. */
  readonly nodes: number
  readonly takesMs: number
  readonly intervalMs: number
  /** Of one request, on average. */
  readonly answerMs: number
  /** Of this service, on average; others of its host share the limit. */
  readonly inFlight: number
  readonly isShared: boolean
  /** What limits it: the pace that is set, the requests in flight, or answers that take longer than an interval. */
  readonly limit: 'pace' | 'in-flight' | 'answers'
}

/**
 * A stretch in which this screen did not watch: nothing was asked, so nothing is known. On
 * most systems a sleep (`asleep`) looks like a clock that was set ahead before a service has named its time. A
 * `clock-step` is no such stretch: its end lies before its start, and the difference is how far the
 * computer's clock was set back.
 */
export type WatchGap = {
  readonly fromWallMs: number
  readonly toWallMs: number
  readonly reason: 'asleep' | 'clock-step'
  /** Only the wall clock moved: the computer slept, or (`maybe`) its clock was set ahead; a service's time shows which. */
  readonly set?: 'maybe' | 'ahead'
}

export type ScreenLive = {
  readonly startedWallMs: number
  /** The most recent gaps, oldest first, at most 50. */
  readonly gaps: readonly WatchGap[]
  /** How late the most overdue request is beyond its slot; 0 when the round fits into the interval. */
  readonly behindMs: number
  readonly answered: number
  readonly failed: number
  /** As the browser reports; believed only when polls fail too. */
  readonly offline: boolean
}
