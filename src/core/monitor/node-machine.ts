import { DEFAULTS } from '#base/defaults.ts'
import type { Reading } from '#fleet/live.ts'
import type { Sample } from '#history/history.ts'
import { isWatchedBetween, OUTCOME_CODES } from '#history/series.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { afterAnswer, afterFailure, setBack, withSharedFailure, type Answered } from './node-state.ts'
import type { SentPoll } from './poll.ts'
import type { CheckedProof } from './proof-check.ts'
import { noveltyOf, type Novelty } from './reply-clock.ts'
import {
  intervalOf,
  type FailedBefore,
  type FleetState,
  type Flight,
  type HeartbeatClock,
  type LastValues,
  type NodeState,
  type TrackedNode,
} from './tracked.ts'

/*
 * The state machine of a node: each function is one thing that happens to a node. Nothing else changes a node's state;
 * what pages see of it (`live`) is changed by `setLive`.
 */

type Fleet = Pick<FleetState, 'setLive'>

const change = (node: TrackedNode, changes: Partial<NodeState>): void => void Object.assign(node, changes)

/** In characters. A record has about 400; a longer answer is not stored. */
export const KEPT_BODY_MAX = 4_096

export const newNodeState = (): NodeState => ({
  lastValues: {},
  lastBody: undefined,
  failedBefore: undefined,
  checked: undefined,
  heartbeatClock: undefined,
  suspect: false,
  urgent: false,
  past: [],
  seen: [],
  notBeforeMs: 0,
  flight: undefined,
  sampledWallMs: 0,
  lastPoll: undefined,
  unwatched: false,
})

export const lookedAt = (node: TrackedNode): void => change(node, { urgent: true })

/** Earliest next poll that the service named; 0 removes it. */
export const heldUntil = (node: TrackedNode, notBeforeMs: number): void => change(node, { notBeforeMs })

export function pollBegan({ setLive }: Fleet, node: TrackedNode, flight: Flight): void {
  change(node, { flight, urgent: false })
  setLive(node, { ...node.live, inFlight: true })
}

export function pollEnded({ setLive }: Fleet, node: TrackedNode): void {
  change(node, { flight: undefined })
  setLive(node, { ...node.live, inFlight: false })
}

/** Compares an answer with the node's earlier ones and stores it beside them. */
export function replyCame(node: TrackedNode, sent: SentPoll): Omit<Novelty, 'past' | 'seen'> {
  const { past, seen, ...novelty } = noveltyOf(node, sent, node.service.clock)
  change(node, { past, seen })
  return novelty
}

export function polled(node: TrackedNode, { startedMs }: SentPoll, outcome: Sample['outcome']): void {
  const before = node.lastPoll
  const lastPoll = { atMs: startedMs, everyMs: intervalOf(node), outcome: OUTCOME_CODES[outcome] }
  const unwatched = node.unwatched || (before !== undefined && !isWatchedBetween(before, lastPoll))
  change(node, { lastPoll, unwatched })
}

/**
 * Returns the wall time for a poll's sample. It is always later than the node's last one, even if the clock was set back
 * slightly.
 */
export function sampled(node: TrackedNode, startedWallMs: number): number {
  change(node, { sampledWallMs: Math.max(startedWallMs, node.sampledWallMs + 1) })
  return node.sampledWallMs
}

export function recordCame(
  { setLive }: Fleet,
  node: TrackedNode,
  reading: Reading,
  body: string | undefined,
  metrics: MetricRegistry,
): Answered {
  const holdsMs = DEFAULTS.staleAfterIntervals * intervalOf(node)
  const answered = afterAnswer(node.live, node.lastValues, reading, metrics, holdsMs)
  change(node, {
    lastValues: answered.lastValues,
    lastBody: body !== undefined && body.length <= KEPT_BODY_MAX ? body : undefined,
    failedBefore: undefined,
    suspect: false,
    unwatched: false,
    notBeforeMs: 0,
  })
  setLive(node, answered.live)
  return answered
}

/** `sent`: a request was sent. An episode that began under an earlier engine continues. */
export function pollFailed(
  { setLive }: Fleet,
  node: TrackedNode,
  failure: PollFailure,
  { startedMs, startedWallMs, sent }: Pick<SentPoll, 'startedMs' | 'startedWallMs'> & { sent: boolean },
): void {
  const { failedBefore } = node
  const live = afterFailure(node.live, failure, startedMs, startedWallMs, sent)
  change(node, { failedBefore: undefined, ...(sent && { suspect: failure.kind === 'timeout' }) })
  const { episode } = live
  if (failedBefore === undefined || episode === undefined) return setLive(node, live)
  setLive(node, {
    ...live,
    episode: {
      ...episode,
      sinceMs: episode.sinceMs - (episode.sinceWallMs - failedBefore.sinceMs),
      sinceWallMs: failedBefore.sinceMs,
      misses: episode.misses + failedBefore.misses,
    },
  })
}

/** The service has a hold; the node shows its failure without having been polled. */
export const sharesFailure = (
  { setLive }: Fleet,
  node: TrackedNode,
  failure: PollFailure,
  sinceMs: number,
  sinceWallMs: number,
): void => setLive(node, withSharedFailure(node.live, failure, sinceMs, sinceWallMs))

/** The service's hold ended, which also ends a failure that the node only shared. */
export function serviceFreed({ setLive }: Fleet, node: TrackedNode): void {
  heldUntil(node, 0)
  if (node.live.episode?.misses === 0) setLive(node, { ...node.live, episode: undefined })
}

/** Restores what an earlier engine saved. */
export function restored(
  { setLive }: Fleet,
  node: TrackedNode,
  known: {
    readonly reading: Reading
    readonly since: TrackedNode['live']['since']
    readonly lastValues: LastValues
    readonly lastBody: string
    readonly failedBefore: FailedBefore | undefined
  },
): void {
  const { reading, since, ...state } = known
  change(node, state)
  setLive(node, { ...node.live, reading, since })
}

export const unwatchedFor = (node: TrackedNode): void => change(node, { unwatched: true })

/** Shifts stored wall times by as much as this computer's clock was set back. */
export function clockSetBack({ setLive }: Fleet, node: TrackedNode, byMs: number): void {
  change(node, { sampledWallMs: node.sampledWallMs - byMs })
  setLive(node, setBack(node.live, byMs))
}

/** Undefined discards the measurement, because it was made against another clock. */
export const heartbeatTimed = (node: TrackedNode, heartbeatClock: HeartbeatClock | undefined): void =>
  change(node, { heartbeatClock })

export const proofChecked = (node: TrackedNode, checked: CheckedProof | undefined): void =>
  change(node, { checked })

/** The proof profile changed, so earlier verdicts no longer apply. */
export function proofForgotten({ setLive }: Fleet, node: TrackedNode): void {
  proofChecked(node, undefined)
  const { reading } = node.live
  if (reading?.proof === undefined) return
  const { proof: _, ...unchecked } = reading
  setLive(node, { ...node.live, reading: unchecked })
}
