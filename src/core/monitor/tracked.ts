import type { ClockOffset, HeartbeatSighting } from '#record/clock-offset.ts'
import type { Detector } from '#record/detect.ts'
import type { PollTime } from '#history/series.ts'
import type { ServiceRules, ScopedRule } from '#settings/effective.ts'
import type { Service, WatchedNode } from '#settings/schema.ts'
import type { AnswerWords } from '#protocol/answer-words.ts'
import type { FailureScope, PollFailure } from '#protocol/failure.ts'
import type { ServiceId } from '#record/service.ts'
import { pollIntervalOf, type NodeKey, type NodeLive, type Round, type WatchGap } from '#fleet/live.ts'
import type { Diagnosed } from '#fleet/diagnosis.ts'
import type { PastAnswer, SeenAnswers, ServiceClock } from './reply-clock.ts'
import type { CheckedProof } from './proof-check.ts'

/** How long a service's requests recently occupied their connection slots: a mean over about half a round, and the last one. */
export type AnswerTime = { readonly meanMs: number; readonly lastMs: number; readonly count: number }

/** The engine's state of a service. Mutable; only the engine has access to it. */
export type TrackedService = {
  readonly id: ServiceId
  service: Service
  /** URL prefix of requests: the service itself or the proxy's path for it; without a trailing slash. */
  base: string
  /** Host and port of `base`. */
  host: string
  /** Shortest poll interval among its nodes. */
  shortestMs: number
  readonly asking: ServiceAsking
  readonly clock: ServiceClock
  /** Undefined before the first answer. */
  answerTime: AnswerTime | undefined
  /** As published: set only if the round does not fit into the interval. */
  round: Round | undefined
  /** The current probe run, and the start times of recent ones by the steady clock. */
  probed: ProbeRun | undefined
  probedMs: readonly number[]
  readonly nodes: Map<NodeKey, TrackedNode>
  /** Replaced as a whole when a rule or a detected unit changes. */
  rules: ServiceRules
  readonly detector: Detector
}

/** Why a service's nodes are polled less or not at all. `failure` is the service's answer or what is missing. */
export type Hold = {
  readonly reason: 'paused' | 'rate-limited' | 'refused'
  readonly sinceMs: number
  readonly untilMs: number
  readonly failure: PollFailure
}

/** Rejections in a row, over all nodes: since the first one, no request was accepted. `sinceMs`: its start. */
export type RejectionRow = { readonly count: number; readonly length: number; readonly sinceMs: number }

/** Only `asking.ts` writes it. */
export type ServiceAsking = {
  hold: Hold | undefined
  /** Refusals of the key. */
  refusals: RejectionRow
  /** 429 answers. */
  limitations: RejectionRow
  /**
   * Failures of the service in a row, over all nodes; polls that started together count once. `startedMs`: start of the
   * last one. `count` is infinite once the signer has failed.
   */
  failures: { readonly count: number; readonly startedMs: number }
  /**
   * `answeredMs`: start of the last poll that returned a record. `failedScope`: scope of the last failure since then; undefined
   * if there was none.
   */
  answeredMs: number | undefined
  failedScope: FailureScope | undefined
  /** Whether the dashboard server has been unreachable since that poll. */
  isServerGone: boolean
  /** When an answer last showed that the service is back after an outage. */
  backMs: number
  /** The node that polls for all: alone while the key is refused, in addition to the others while the service is down. */
  probe: TrackedNode | undefined
  /** When the last request to the service was started. */
  askedMs: number
  /** When the last request without a signature during a hold was sent, and in which ways such requests have ended. */
  knocked: { readonly atMs: number; readonly looks: readonly string[] }
}

export type ProbeRun = {
  readonly look: string
  /** The words of the answer that was probed, if there was one. */
  readonly words: AnswerWords | undefined
  readonly atMs: number
  /** The node whose failure is probed; its next answer or other failure ends the run. */
  readonly node: TrackedNode
  found: Diagnosed | undefined
  /** The known clock offset, which is part of the diagnosis. */
  offset: ClockOffset | undefined
}

/** The node's clock offset by its heartbeats, and the last heartbeat. */
export type HeartbeatClock = {
  readonly last: HeartbeatSighting
  /** When an answer first showed that heartbeat, by the steady clock. */
  readonly sinceMs: number
  readonly offset: ClockOffset | undefined
  /** When the offset was last narrowed, by the steady clock. */
  readonly atMs: number
}

/** Text of the last usable value by metric id, even if the newest reading lacks one. */
export type LastValues = Readonly<Record<string, string>>

export type Flight = {
  readonly abort: AbortController
  /** When the poll got its connection slot, by the steady clock. */
  readonly sinceMs: number
  /** Polls that share a slot have the same object. */
  readonly slot: object
  readonly release: () => void
  /** The poll was aborted because of a new key or time; the node is polled again at once. */
  asksAgain: boolean
}

/** The engine's state of a node; pages see only `live`. */
export type TrackedNode = {
  readonly key: NodeKey
  readonly service: TrackedService
  readonly nodeId: string | undefined
  /** Position in the grid; fixed while the node is watched. */
  readonly index: number
  readonly phase: number
  /** Only `setLive` replaces it. */
  live: NodeLive
  lastValues: LastValues
  /** The last good answer as received, if it is short enough to be stored. */
  lastBody: string | undefined
  /** An episode that began under an earlier engine, until this engine's first poll has ended. `sinceMs` is a wall time. */
  failedBefore: { readonly sinceMs: number; readonly misses: number } | undefined
  checked: CheckedProof | undefined
  /** Used while the service's Date cannot be read; undefined until a heartbeat was seen and after a clock was set. */
  heartbeatClock: HeartbeatClock | undefined
  /** Its last poll timed out. */
  suspect: boolean
  /** The node is in view and waits for its next poll. */
  urgent: boolean
  /** The last distinct answers, to recognize those that a cache repeats. */
  past: readonly PastAnswer[]
  seen: SeenAnswers
  /** Earliest next poll that the service named for this node; manual polls ignore it. 0: none. */
  notBeforeMs: number
  flight: Flight | undefined
  /** Wall time of its last sample, so that samples stay in order. */
  sampledWallMs: number
  /** Its last poll of this session, by the steady clock. */
  lastPoll: PollTime | undefined
  /** There was a watching gap since its last answer. */
  unwatched: boolean
}

export const intervalOf = ({ live, service }: TrackedNode): number => pollIntervalOf(live, service)

export const newNodeLive = (
  key: NodeKey,
  serviceId: ServiceId,
  nodeId: string | undefined,
  { name, tags = [], pollIntervalMs }: Partial<WatchedNode> = {},
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

type ScreenState = {
  startedWallMs: number
  gaps: readonly WatchGap[]
  answered: number
  failed: number
  /** Since when the browser reports no network. */
  offlineSinceMs: number | undefined
  /** When the newest answered request was sent. */
  networkSeenMs: number
}

export type FleetState = ReturnType<typeof createFleetState>

export function createFleetState(onChange: () => void, startedWallMs: number) {
  let changed = { nodes: new Set<NodeKey>(), order: false, services: false }
  const mark = (what: 'order' | 'services') => (): void => {
    changed[what] = true
    onChange()
  }
  const changes = {
    node: (key: NodeKey): void => {
      changed.nodes.add(key)
      onChange()
    },
    order: mark('order'),
    services: mark('services'),
    screen: onChange,
    /** The unpublished changes since the last batch. */
    take: () => {
      const taken = changed
      changed = { nodes: new Set(), order: false, services: false }
      return taken
    },
  }
  const screen: ScreenState = {
    startedWallMs,
    gaps: [],
    answered: 0,
    failed: 0,
    offlineSinceMs: undefined,
    networkSeenMs: Number.NEGATIVE_INFINITY,
  }
  return {
    /** In the configured order. */
    nodes: new Map<NodeKey, TrackedNode>(),
    services: new Map<ServiceId, TrackedService>(),
    screen,
    changes,
    /** Replaces a node's published state; the same object means no change. */
    setLive: (node: TrackedNode, live: NodeLive): void => {
      if (live === node.live) return
      node.live = live
      changes.node(node.key)
    },
  }
}
