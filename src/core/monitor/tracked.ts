import type { ClockOffset, HeartbeatSighting } from '#record/clock-offset.ts'
import type { Detector } from '#record/detect.ts'
import type { PollTime } from '#history/series.ts'
import type { ServiceRules, ScopedRule } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import type { FailureScope, PollFailure } from '#protocol/failure.ts'
import type { ServiceId } from '#record/service.ts'
import { pollIntervalOf, type NodeKey, type NodeLive, type Round, type WatchGap } from '#fleet/live.ts'
import type { Diagnosed } from '#fleet/diagnosis.ts'
import type { Changes } from './changes.ts'
import type { PastAnswer, SeenAnswers, ServiceClock } from './reply-clock.ts'
import type { CheckedProof } from './proof-check.ts'

/** How long requests of a service held their places lately: a mean over about half a round. */
export type AnswerTime = { readonly meanMs: number; readonly count: number }

/** A service as the engine knows it. Mutable, as its nodes are; nothing outside the engine reaches it. */
export type TrackedService = {
  readonly id: ServiceId
  service: Service
  /** Where requests go: the service itself or the proxy's path for it; no slash at the end. */
  base: string
  /** Host and port of `base`. */
  host: string
  /** How often the node of it is asked that is asked most. */
  shortestMs: number
  readonly asking: ServiceAsking
  readonly clock: ServiceClock
  /** How long its requests took lately; undefined before the first. */
  answerTime: AnswerTime | undefined
  /** As it is published: where it does not fit into the interval. */
  round: Round | undefined
  /** What is looked into, and when something was lately, by the steady clock. */
  probed: ProbeRun | undefined
  probedMs: readonly number[]
  readonly nodes: Map<NodeKey, TrackedNode>
  /** Replaced whole when a rule or what was detected changes. */
  rules: ServiceRules
  readonly detector: Detector
}

/** Why the nodes of a service are asked less, or not at all; `failure` is what the service said, or what is missing. */
export type Hold = {
  readonly reason: 'paused' | 'rate-limited' | 'refused'
  readonly sinceMs: number
  readonly untilMs: number
  readonly failure: PollFailure
}

/** How a service may be asked, and what its last answers say of that. Only the state machine in `asking.ts` writes it. */
export type ServiceAsking = {
  hold: Hold | undefined
  /** Refusals of the key in a row, over all nodes. */
  refusals: number
  /** Answers 429 in a row, over all nodes. */
  limitations: number
  /** Start of the last poll that brought a record, and whom the last failure since then was about; undefined: none. */
  answeredMs: number | undefined
  failedScope: FailureScope | undefined
  /** When an answer last showed that the service is back after it was down. */
  backMs: number
  /** The node that asks for all of them: alone while the key is refused, beside the others while the service is down. */
  probe: TrackedNode | undefined
  /** When a request to it was last begun. */
  askedMs: number
  /** When it was last asked because there may be a network again. */
  triedMs: number
}

/** One run of probes. */
export type ProbeRun = {
  readonly code: string
  /** The node whose failure is looked into; once it answers, the episode is over. */
  readonly node: TrackedNode
  found: Diagnosed | undefined
  /** What was known of the service's clock, which is part of what is found. */
  offset: ClockOffset | undefined
}

/** What a node's own heartbeats say of its clock, and the last of them. */
export type HeartbeatClock = {
  readonly last: HeartbeatSighting
  /** When an answer first showed that heartbeat, by the steady clock. */
  readonly sinceMs: number
  readonly offset: ClockOffset | undefined
  /** When the offset was last narrowed, by the steady clock. */
  readonly atMs: number
}

/** The text of the last usable value of each metric, by its id, also where the newest reading lacks one. */
export type LastValues = Readonly<Record<string, string>>

/** A run of failures that an engine before this one saw begin. `sinceMs` is a wall time. */
export type FailedBefore = { readonly sinceMs: number; readonly misses: number }

export type Flight = {
  readonly abort: AbortController
  /** When the poll took its place, by the steady clock. */
  readonly sinceMs: number
  readonly release: () => void
  /** It was given up for another key or time: the node is asked with that at once. */
  asksAgain: boolean
}

/** What the engine alone knows of a node. Only the state machine in `node-machine.ts` changes it. */
export type NodeState = Readonly<{
  lastValues: LastValues
  /** The last good answer as it came, where it is short enough to be kept. */
  lastBody: string | undefined
  /** Until the first poll of this engine has ended. */
  failedBefore: FailedBefore | undefined
  /** The last proof that was checked. */
  checked: CheckedProof | undefined
  /** Kept while the service's own time can't be read; undefined until a heartbeat was seen, and after a clock was set. */
  heartbeatClock: HeartbeatClock | undefined
  /** Its last poll timed out. */
  suspect: boolean
  /** Somebody opened it and waits for its next poll. */
  urgent: boolean
  /** The last answers that differ, so that what a cache kept is known again. */
  past: readonly PastAnswer[]
  seen: SeenAnswers
  /** What the service named for this node: it is not asked before, unless by a person. 0: nothing. */
  notBeforeMs: number
  flight: Flight | undefined
  /** Wall time of its last sample, so that samples stay in order. */
  sampledWallMs: number
  /** Its last poll of this session, by the steady clock. */
  lastPoll: PollTime | undefined
  /** Nobody watched for some time since its last answer. */
  unwatched: boolean
}>

export type TrackedNode = NodeState & {
  readonly key: NodeKey
  readonly service: TrackedService
  readonly nodeId: string | undefined
  /** Its place in the spread; kept as long as the node is watched. */
  readonly index: number
  readonly phase: number
  /** Only `setLive` replaces it. */
  readonly live: NodeLive
}

export const intervalOf = ({ live, service }: TrackedNode): number => pollIntervalOf(live, service)

/** A node of which nothing is known yet. */
export const newNodeLive = (
  key: NodeKey,
  serviceId: ServiceId,
  nodeId: string | undefined,
  {
    name,
    tags = [],
    pollIntervalMs,
  }: {
    readonly name?: string | undefined
    readonly tags?: readonly string[]
    readonly pollIntervalMs?: number | undefined
  } = {},
  rules: readonly ScopedRule[] = [],
): NodeLive => ({
  key,
  serviceId,
  nodeId,
  name,
  tags,
  ...(pollIntervalMs !== undefined && { pollIntervalMs }),
  rules,
  reading: undefined,
  episode: undefined,
  nextPollMs: undefined,
  inFlight: false,
  answered: 0,
  failed: 0,
  since: {},
  counters: {},
})

/** What is known of the computer and the network while it polls. */
export type ScreenState = {
  startedWallMs: number
  gaps: readonly WatchGap[]
  answered: number
  failed: number
  /** Since when the browser says that there is no network. */
  offlineSinceMs: number | undefined
  /** When an answer last proved that there is one. */
  networkSeenMs: number
}

/** What is polled, and what is known of it. */
export type FleetState = {
  /** In the configured order. */
  readonly nodes: Map<NodeKey, TrackedNode>
  readonly services: Map<ServiceId, TrackedService>
  readonly screen: ScreenState
  readonly changes: Changes
  /** Replaces what is published of a node; the same object means that nothing changed. */
  readonly setLive: (node: TrackedNode, live: NodeLive) => void
}

export const createFleetState = (changes: Changes, startedWallMs: number): FleetState => ({
  nodes: new Map(),
  services: new Map(),
  screen: {
    startedWallMs,
    gaps: [],
    answered: 0,
    failed: 0,
    offlineSinceMs: undefined,
    networkSeenMs: Number.NEGATIVE_INFINITY,
  },
  changes,
  setLive: (node, live) => {
    if (live === node.live) return
    Object.assign(node, { live })
    changes.node(node.key)
  },
})
