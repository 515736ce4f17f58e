import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES } from '#protocol/failure.ts'
import { slotMs, type Schedule } from './schedule.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/** A service that brought nothing for this many intervals was down, and one good answer means that it is back. */
const DOWN_AFTER_INTERVALS = 1.5

const silentFromMs = ({ answeredMs = Number.NEGATIVE_INFINITY, shortestMs }: TrackedService): number =>
  answeredMs + DOWN_AFTER_INTERVALS * shortestMs

/** Nothing but failures came for so long. */
export const isDown = (service: TrackedService, nowMs: number): boolean =>
  service.failedScope !== undefined && nowMs > silentFromMs(service)

/**
 * The longer a service is down, the more rarely each of its nodes is asked; so that its return is
 * seen all the same, one of them in turn is asked wherever nobody was for an interval. Called after
 * whatever may change that; returns when it has to be called even if nothing does.
 */
export function keepProbing(
  service: TrackedService,
  schedule: Pick<Schedule, 'planAt'>,
  nowMs: number,
): number | undefined {
  const { probe, askedMs, shortestMs } = service
  if (!mayBeProbed(service)) return undefined
  if (!isDown(service, nowMs)) return silentFromMs(service) + 1
  const dueMs = Math.max(nowMs, askedMs + shortestMs)
  const isPlanned =
    probe !== undefined && probe.flight === undefined && (probe.live.nextPollMs ?? dueMs + 1) <= dueMs
  const next = isPlanned ? undefined : nextProbe(service, dueMs)
  if (next === undefined) return undefined
  service.probe = next
  if ((next.live.nextPollMs ?? dueMs) >= dueMs) schedule.planAt(next, dueMs)
  return undefined
}

const mayBeProbed = ({ failedScope, waiting, hold }: TrackedService): boolean =>
  failedScope !== undefined && waiting === undefined && hold === undefined

/** A node that answered before the outage shows best whether the service is back. */
function nextProbe(service: TrackedService, atMs: number): TrackedNode | undefined {
  const { probe, answeredMs = Number.POSITIVE_INFINITY, shortestMs } = service
  const wellFromMs = answeredMs - 2 * shortestMs
  return (
    nodeAfter(
      service,
      probe,
      (node) => mayProbe(node, atMs) && (node.live.reading?.startedMs ?? 0) >= wellFromMs,
    ) ?? nodeAfter(service, probe, (node) => mayProbe(node, atMs))
  )
}

/** There may be a network again: one node of each service that failed is asked at once. However often this is said, not more than once a second. */
export function probeNow(service: TrackedService, schedule: Pick<Schedule, 'planAt'>, nowMs: number): void {
  if (!mayBeProbed(service) || nowMs - service.triedMs < DEFAULTS.pollIntervalMinMs) return
  const next = nextProbe(service, nowMs)
  if (next === undefined) return
  service.probe = next
  service.triedMs = nowMs
  schedule.planAt(next, nowMs)
}

/** Whether this answer shows that the service is back. */
export function countAnswer(service: TrackedService, startedMs: number, nowMs: number): boolean {
  const wasDown = isDown(service, startedMs)
  if (wasDown) service.backMs = nowMs
  service.answeredMs = startedMs
  service.failedScope = undefined
  service.refusals = 0
  service.limitations = 0
  return wasDown
}

/** Has nodes that wait long because of their service asked at their next slots, which lie spread. */
export function bringBack({ nodes }: TrackedService, schedule: Pick<Schedule, 'plan'>, nowMs: number): void {
  for (const node of nodes.values()) {
    const { episode, nextPollMs } = node.live
    if (episode === undefined || nextPollMs === undefined || node.flight !== undefined) continue
    if (nextPollMs <= slotMs(node, nowMs)) continue
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

/** Nodes that are rate-limited or refused get no additional requests. */
const mayProbe = ({ flight, notBeforeMs, live: { episode } }: TrackedNode, atMs: number): boolean =>
  flight === undefined &&
  (episode === undefined ||
    (FAILURES[episode.failure.kind].scope !== 'key' &&
      (episode.failure.kind !== 'rate-limited' || notBeforeMs <= atMs)))
