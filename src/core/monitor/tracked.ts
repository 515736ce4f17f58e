import type { ClockOffset } from '#protocol/clock-offset.ts'
import type { ExactNumber } from '#protocol/exact-number.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { ServiceId } from '#protocol/service.ts'
import type { Service } from '#protocol/settings.ts'
import type { NodeKey, NodeLive, ServiceLive } from './live.ts'

/** The engine's own notes on a service. The only mutable state besides the nodes'; nothing outside the engine sees it. */
export type TrackedService = {
  readonly id: ServiceId
  service: Service
  /** Where requests go: the service itself or the proxy's path for it; no slash at the end. */
  base: string
  /** Host and port of `base`. */
  host: string
  /** Why nothing can be asked until a key or a setting changes. */
  waiting: PollFailure | undefined
  /** All but one node are held back until then; `failure` is what the service said. */
  hold: (NonNullable<ServiceLive['hold']> & { readonly failure: PollFailure }) | undefined
  /** Refusals of the key in a row, over all nodes. */
  refusals: number
  /** Answers 429 in a row, over all nodes. */
  limitations: number
  /** Start of the last poll that brought a record, and whether one has failed since. */
  answeredMs: number | undefined
  failedSince: boolean
  offset: ClockOffset | undefined
  offsetMs: number
  /** The node that asks for all of them while the key is refused. */
  probe: TrackedNode | undefined
  readonly nodes: Map<NodeKey, TrackedNode>
}

/** What was last seen of a node's fields, also where the newest reading lacks one. */
export type LastSeen = {
  readonly status: string | undefined
  readonly stake: string | undefined
  readonly proof: string | undefined
  readonly threats: ExactNumber | undefined
}

export type Flight = {
  readonly abort: AbortController
  /** When the poll took its place, by the steady clock. */
  readonly sinceMs: number
  readonly release: () => void
}

export type TrackedNode = {
  readonly key: NodeKey
  readonly service: TrackedService
  readonly nodeId: string | undefined
  /** Its place in the spread; kept as long as the node is watched. */
  readonly index: number
  readonly phase: number
  live: NodeLive
  seen: LastSeen
  /** Its last poll timed out. */
  suspect: boolean
  flight: Flight | undefined
  /** Wall time of its last sample, so that samples stay in order. */
  sampledWallMs: number
}

export const NOTHING_SEEN: LastSeen = {
  status: undefined,
  stake: undefined,
  proof: undefined,
  threats: undefined,
}

export const serviceLive = (tracked: TrackedService): ServiceLive => ({
  id: tracked.id,
  service: tracked.service,
  offset: tracked.offset,
  hold: tracked.hold && { reason: tracked.hold.reason, untilMs: tracked.hold.untilMs },
})

/** A node of which nothing is known yet. */
export const newNodeLive = (
  key: NodeKey,
  serviceId: ServiceId,
  nodeId: string | undefined,
  name: string | undefined,
): NodeLive => ({
  key,
  serviceId,
  nodeId,
  name,
  reading: undefined,
  episode: undefined,
  nextPollMs: undefined,
  inFlight: false,
  answered: 0,
  failed: 0,
  statusSinceWallMs: undefined,
  stakeSinceWallMs: undefined,
  proofSinceMs: undefined,
  counter: { increase: 0, restarts: 0, lastRestartWallMs: undefined },
})
