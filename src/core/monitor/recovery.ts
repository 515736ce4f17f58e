import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import { slotMs, type Schedule, nextSlotMs } from './schedule.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/** A service that brought nothing for this many intervals was down, and one good answer means that it is back. */
const DOWN_AFTER_INTERVALS = 1.5

const isSilent = ({ answeredMs, shortestMs }: TrackedService, nowMs: number): boolean =>
  answeredMs === undefined || nowMs - answeredMs > DOWN_AFTER_INTERVALS * shortestMs

/** Nothing but failures came for so long. */
export const isDown = (service: TrackedService, nowMs: number): boolean =>
  service.failedSince && isSilent(service, nowMs)

/**
 * The longer a service is down, the more rarely each of its nodes is asked; so that its return is
 * seen all the same, one of them in turn is asked once an interval. That is one request an interval and
 * service at most, beside those that the nodes make by themselves.
 */
export function keepProbing(
  service: TrackedService,
  schedule: Pick<Schedule, 'planAt'>,
  nowMs: number,
): void {
  const { failedSince, waiting, hold, probedAtMs, nodes, shortestMs } = service
  if (!failedSince || waiting !== undefined || hold !== undefined || probedAtMs > nowMs) return
  const first = nodes.values().next().value
  if (first === undefined || !isSilent(service, nowMs)) return
  // The grid of one node is that of them all, so that probes keep their distance.
  const atMs = nextSlotMs(first.phase, shortestMs, Math.max(nowMs, probedAtMs + shortestMs / 2))
  const next = nodeAfter(service, service.probe, (node) => mayProbe(node, atMs))
  if (next === undefined) return
  service.probe = next
  service.probedAtMs = atMs
  if ((next.live.nextPollMs ?? atMs) >= atMs) schedule.planAt(next, atMs)
}

/** There may be a network again: one node of each service that failed is asked at once. However often this is said, not more than once a second. */
export function probeNow(service: TrackedService, schedule: Pick<Schedule, 'planAt'>, nowMs: number): void {
  const { failedSince, waiting, hold, triedMs } = service
  const isJustTried = nowMs - triedMs < DEFAULTS.pollIntervalMinMs
  if (!failedSince || waiting !== undefined || hold !== undefined || isJustTried) return
  const next = nodeAfter(service, service.probe, (node) => mayProbe(node, nowMs))
  if (next === undefined) return
  service.probe = next
  service.triedMs = nowMs
  schedule.planAt(next, nowMs)
}

/** Whether this answer shows that the service is back. */
export function countAnswer(service: TrackedService, startedMs: number, nowMs: number): boolean {
  const wasDown = service.failedSince && isSilent(service, startedMs)
  if (wasDown) service.backMs = nowMs
  service.answeredMs = startedMs
  service.failedSince = false
  service.refusals = 0
  service.limitations = 0
  return wasDown
}

/** Has nodes that wait long because of their service asked at their next slots, which lie spread. */
export function bringBack({ nodes }: TrackedService, schedule: Pick<Schedule, 'plan'>, nowMs: number): void {
  for (const node of nodes.values()) {
    const { episode, nextPollMs } = node.live
    if (episode === undefined || nextPollMs === undefined || node.flight !== undefined) continue
    if (nextPollMs <= slotMs(node, nowMs) || FAILURES[episode.failure.kind].scope === 'node') continue
    node.notBeforeMs = 0
    schedule.plan(node, nowMs)
  }
}

/** The node that follows in the configured order, round and round. */
export function nodeAfter(
  { nodes: all }: TrackedService,
  before: TrackedNode | undefined,
  isMeant: (node: TrackedNode) => boolean = () => true,
): TrackedNode | undefined {
  const nodes = Array.from(all.values())
  const place = before === undefined ? -1 : nodes.indexOf(before)
  return [...nodes.slice(place + 1), ...nodes.slice(0, place + 1)].find(isMeant)
}

/** It waits for its service alone, and nobody named a time before which it must not be asked. */
const mayProbe = ({ flight, notBeforeMs, live: { episode } }: TrackedNode, atMs: number): boolean =>
  flight === undefined && notBeforeMs <= atMs && (episode === undefined || isOfService(episode.failure))

const isOfService = ({ kind }: PollFailure): boolean =>
  kind === 'offline' || (FAILURES[kind].scope === 'service' && kind !== 'rate-limited')
