import type { Clock } from '#base/clock.ts'
import type { FleetUpdate, NodeLive, ServiceLive } from '#fleet/live.ts'

export type Rebased = { readonly update: FleetUpdate; readonly gridMs: number }

/**
 * Puts another tab's times onto this tab's steady clock. A message that was long under way, or
 * waited while this tab was frozen, must not make old readings young: the wall clock, which both
 * share, tells how long that was, and of all messages the one that was quickest counts.
 */
export function createRebase(
  clock: Pick<Clock, 'wallMs'>,
  nowMs: () => number,
): (update: FleetUpdate, gridMs: number) => Rebased {
  let leadMs = Number.POSITIVE_INFINITY
  return (update, gridMs) => {
    const underWayMs = Math.max(0, clock.wallMs() - update.wallMs)
    leadMs = Math.min(leadMs, nowMs() - underWayMs - update.nowMs)
    return { update: moved(update, leadMs), gridMs: gridMs + leadMs }
  }
}

function moved(update: FleetUpdate, byMs: number): FleetUpdate {
  const { services, ...rest } = update
  return {
    ...rest,
    nowMs: update.nowMs + byMs,
    changed: update.changed.map((node) => movedNode(node, byMs)),
    ...(services !== undefined && { services: services.map((service) => movedService(service, byMs)) }),
  }
}

const movedNode = (node: NodeLive, byMs: number): NodeLive => ({
  ...node,
  reading: node.reading && { ...node.reading, startedMs: node.reading.startedMs + byMs },
  episode: node.episode && { ...node.episode, sinceMs: node.episode.sinceMs + byMs },
  nextPollMs: node.nextPollMs === undefined ? undefined : node.nextPollMs + byMs,
  proofSinceMs: node.proofSinceMs === undefined ? undefined : node.proofSinceMs + byMs,
})

const movedService = (service: ServiceLive, byMs: number): ServiceLive => ({
  ...service,
  hold: service.hold && { ...service.hold, untilMs: service.hold.untilMs + byMs },
})
