import { DEFAULTS } from '#base/defaults.ts'
import type { ClockOffset, WhoseClock } from '#record/clock-offset.ts'
import type { FailureKind, PollFailure } from '#protocol/failure.ts'
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
/** A node's identity: the same node polled through two services counts as two. Safe in a URL. */
export type NodeKey = string & { readonly [nodeKeyBrand]: true }

/** `nodeId` undefined: the service's default node. */
export const nodeKeyOf = (serviceId: ServiceId, nodeId: string | undefined): NodeKey =>
  `${serviceId}!${nodeId === undefined ? 'own' : canonicalNodeId(nodeId)}` as NodeKey

/** From a URL; may name a node that is not configured. */
export const nodeKeyFromText = (text: string): NodeKey => text as NodeKey

/** The last good answer. Times named `…Ms` without a clock are on the engine's steady clock. */
export type Reading = {
  readonly record: StatusRecord
  /** Start of the request; the reading's age counts from here. */
  readonly startedMs: number
  readonly startedWallMs: number
  readonly latencyMs: number
  /** Age of each timestamp at the start of the request, by metric id; unusable ones are absent. */
  readonly ages: Readonly<Partial<Record<string, HeartbeatAge>>>
  /** The Age header in seconds, if a cache sent one. */
  readonly cachedForS: number | undefined
  /** How old a collector's values were when the answer came; absent without a collector. */
  readonly collectedMs?: number
  /** Absent while the service has no proof profile. */
  readonly proof?: ProofVerdict
  /** The service's clock was set back since the node's previous answer, and counters that follow it fell. */
  readonly clockSetBack?: true
  /** There was a watching gap since the node's previous answer. */
  readonly unwatched?: true
  /** The node that the previous answer was about, if the service has since made another node its default. */
  readonly formerNodeId?: string
}

/** Counts from the start of the request, so it may exceed the true age but is never below it. */
export const readingAgeMs = (reading: Reading, nowMs: number): number =>
  Math.max(0, nowMs - reading.startedMs)

/** In ms; undefined if unknown. */
export function ageAtReading({ ages }: Reading, id: string): number | undefined {
  const age = ages[id]
  return age !== undefined && 'ageMs' in age ? age.ageMs : undefined
}

export type Episode = {
  readonly failure: PollFailure
  /** Start of the first failed request of this run; the kind of failure may have changed since. */
  readonly sinceMs: number
  readonly sinceWallMs: number
  /**
   * Failed polls in a row; 0 for a node that was not polled, because its service has no key, refuses the key, or is blocked as
   * mixed content.
   */
  readonly misses: number
  /** Start of the last failed poll; absent if none was sent. */
  readonly atMs?: number
  /** Start of the first poll that failed in the present way; absent if all polls of this run failed in that way. */
  readonly changedMs?: number
  /** The service was down and has answered since the last failed poll, which therefore says nothing about this node. */
  readonly isOutdated?: true
}

/** How long a metric has had its value, as far as this screen has observed. */
export type ValueSince = {
  readonly sinceMs: number
  readonly sinceWallMs: number
  /** Part of that time without a current reading, in which the value is unknown. */
  readonly unseenMs: number
}

/** Since this screen began to watch. A decrease counts as a restart from 0. */
export type CounterTrack = {
  /** Without increases in gaps. */
  readonly increase: number
  /** Increases in gaps, as while the computer slept. */
  readonly unwatched: number
  readonly restarts: number
  readonly lastRestartWallMs: number | undefined
}

/** A node's published state. Immutable; an unchanged node keeps its identity. */
export type NodeLive = {
  readonly key: NodeKey
  readonly serviceId: ServiceId
  /** As requested; undefined: the default node. */
  readonly nodeId: string | undefined
  readonly name: string | undefined
  readonly tags: readonly string[]
  /** Set if it differs from its service's. */
  readonly pollIntervalMs?: number
  /** Units and limits of this node alone. */
  readonly rules: readonly ScopedRule[]
  readonly reading: Reading | undefined
  /** Undefined after a successful poll. */
  readonly episode: Episode | undefined
  /** The last kind of refusal (scope key or node) that an answer about this node ended: how often, and when last. */
  readonly endedRefusals?: { readonly kind: FailureKind; readonly count: number; readonly atMs: number }
  /** Next poll of the node, or of the node that polls for its service. Undefined if none is planned (no key, locked key). */
  readonly nextPollMs: number | undefined
  readonly inFlight: boolean
  readonly answered: number
  readonly failed: number
  /**
   * By metric id, for states, gauges and fingerprints, and for timestamps that can't be read. Other timestamps change on their
   * own, and counters are tracked.
   */
  readonly since: Readonly<Partial<Record<string, ValueSince>>>
  /** By metric id, for counters that were read. */
  readonly counters: Readonly<Partial<Record<string, CounterTrack>>>
}

export const pollIntervalOf = (
  { pollIntervalMs }: Pick<NodeLive, 'pollIntervalMs'>,
  service: { readonly service: Pick<Service, 'pollIntervalMs'> } | undefined,
): number => pollIntervalMs ?? service?.service.pollIntervalMs ?? DEFAULTS.pollIntervalMs

/** Undefined if no poll is planned. */
export function soonestPollMs(nodes: readonly NodeLive[]): number | undefined {
  const plans = nodes.flatMap(({ nextPollMs }) => nextPollMs ?? [])
  return plans.length === 0 ? undefined : plans.reduce((soonest, ms) => Math.min(soonest, ms))
}

/** A node with its assessment now and later. */
export type AssessedNode = NodeLive & {
  readonly assessment: Assessment
  /** Absent: none, or only one service has this node. */
  readonly disagreements?: readonly Disagreement[]
}

/** A contradiction between two services about one node that a delay cannot explain, as one of them sees it. */
export type Disagreement = {
  readonly metric: string
  /** `behind`: one counter is below an earlier value of the other. `proof`: one proof is right and the other wrong. */
  readonly kind: 'differs' | 'behind' | 'proof'
  /** The displayed value; for a proof its verdict. */
  readonly own: string
  readonly other: string
  /** The same node at the other service. */
  readonly with: NodeKey
  /** One of the services has no current reading, so the difference may be over. */
  readonly isHeld?: true
  /** Comes first in the list: a contradiction is reported once, for this node. */
  readonly isFirst: boolean
  readonly sinceMs: number
  readonly sinceWallMs: number
}

/** Those between services that both have a current reading. */
export const currentDisagreements = ({ disagreements = [] }: AssessedNode): readonly Disagreement[] =>
  disagreements.filter(({ isHeld }) => isHeld !== true)

/** In the displayed unit; ages grow. Undefined if it cannot be used. */
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
  /** Two answers in a row agreed on the offset. A single one may come from a replica with a wrong clock. */
  readonly isClockAgreed?: true
  /** From most of its nodes' heartbeats, while no Date can be read; absent before the first heartbeat. */
  readonly heartbeatOffset?: ClockOffset | undefined
  /** Whose clock was set, if the clocks disagree because of it; absent: unknown. */
  readonly clockSet?: WhoseClock
  /** Undefined while the service accepts requests signed with this computer's own time. */
  readonly correction: Correction | undefined
  readonly diagnosed: Diagnosed | undefined
  /** Until then polling is slowed for every node of the service. */
  readonly hold: { readonly reason: 'rate-limited' | 'refused'; readonly untilMs: number } | undefined
  /** Absent if the round fits within the interval, or too little was measured. */
  readonly round?: Round | undefined
}

export type Round = {
  /** Failing nodes are polled less often and do not count. */
  readonly nodes: number
  /** Per interval; more than `nodes` if some nodes are polled more often than the service's interval. */
  readonly requests: number
  readonly takesMs: number
  readonly intervalMs: number
  /** Mean of one request. */
  readonly answerMs: number
  /** Mean number of this service's requests in flight; other services of its host share the limit. */
  readonly inFlight: number
  readonly isShared: boolean
  /**
   * The limiting factor of the round: the configured pace, the requests in flight, or answers that take longer than an
   * interval.
   */
  readonly limit: 'pace' | 'in-flight' | 'answers'
}

/**
 * A period in which this screen did not poll. On most systems a sleep (`asleep`) looks like a clock that was set ahead, until a
 * service's time shows which it was. A `clock-step` ends before it starts: the clock was set back by the difference.
 */
export type WatchGap = {
  readonly fromWallMs: number
  readonly toWallMs: number
  readonly reason: 'asleep' | 'clock-step'
  /** Only the wall clock jumped: the computer slept, or (`maybe`) its clock was set ahead; a service's time shows which. */
  readonly set?: 'maybe' | 'ahead'
}

export type ScreenLive = {
  readonly startedWallMs: number
  /** The most recent gaps, oldest first, at most 50. */
  readonly gaps: readonly WatchGap[]
  /** Delay of the most overdue request after its slot; 0 if the round fits within the interval. */
  readonly behindMs: number
  readonly answered: number
  readonly failed: number
  /** As the browser reports; it counts only if polls fail too. */
  readonly offline: boolean
}
