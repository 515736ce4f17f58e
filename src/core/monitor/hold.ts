import type { Clock } from '#base/clock.ts'
import type { LogEntry } from '#history/event-log.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import { refusedWaitMs } from './backoff.ts'
import { heldBack } from './node-state.ts'
import type { Log } from './ports.ts'
import { bringBack, countAnswer, nodeAfter } from './recovery.ts'
import type { Schedule } from './schedule.ts'
import type { FleetState, TrackedNode, TrackedService } from './tracked.ts'

/** Services that are asked less, or not at all, for what they said or what is missing. */
export type Holds = {
  /**
   * The key was refused several times in a row: many services lock out whoever goes on. One
   * node asks for all of them, at first soon and then more and more rarely, each time another one,
   * since one node alone may be barred.
   */
  readonly refused: (service: TrackedService, failure: PollFailure, nowMs: number) => void
  /** The service asked for fewer requests: no node is asked before then. */
  readonly rateLimited: (
    service: TrackedService,
    failure: PollFailure,
    untilMs: number,
    nowMs: number,
  ) => void
  /** Without a key nothing can be asked, and a page that may not reach the service need not try. */
  readonly pause: (service: TrackedService, failure: PollFailure, nowMs: number) => void
  /** The cause is gone, or may be: what was held back is asked again, spread and from the grid's next slots on. */
  readonly release: (service: TrackedService, nowMs: number) => void
  /** The same for a key that came or a person who asks: at once. */
  readonly resume: (service: TrackedService, nowMs: number) => void
  /** A node of a service that is held back carries the service's failure, though it was not asked itself. */
  readonly showOn: (node: TrackedNode, nowMs: number) => void
  /** Nodes are no longer watched: others ask in their place. */
  readonly left: (service: TrackedService, nowMs: number) => void
  /** A node of the service answered: whatever was held against the service before it was asked is over. */
  readonly answered: (service: TrackedService, startedMs: number, nowMs: number) => void
}

type HoldEvent = readonly [
  service: TrackedService,
  what: 'asking-slowed' | 'asking-paused' | 'asking-resumed',
  failure: PollFailure,
]

type HoldParts = {
  readonly clock: Clock
  readonly log: Log
  readonly fleet: FleetState
  readonly schedule: Schedule
}

export function createHolds({ clock, log, fleet, schedule }: HoldParts): Holds {
  const { changes, setLive } = fleet

  const note = (...event: HoldEvent): void => log([entryOf(clock.wallMs(), ...event)])

  const holdBack = (service: TrackedService, failure: PollFailure, nowMs: number): void => {
    const wallMs = clock.wallMs()
    for (const node of service.nodes.values()) {
      if (node.flight !== undefined) continue // its answer is under way and will say more
      setLive(node, heldBack(node.live, failure, nowMs, wallMs))
      schedule.plan(node, nowMs)
    }
    changes.services()
  }

  const forget = (service: TrackedService): void => {
    const failure = service.waiting ?? service.hold?.failure
    if (failure !== undefined) note(service, 'asking-resumed', failure)
    service.waiting = undefined
    service.hold = undefined
    service.probe = undefined
    service.refusals = 0
    for (const node of service.nodes.values()) {
      node.notBeforeMs = 0
      if (node.live.episode?.misses === 0) setLive(node, { ...node.live, episode: undefined })
    }
    changes.services()
  }

  const release = (service: TrackedService, nowMs: number): void => {
    forget(service)
    schedule.planAll(service, nowMs)
  }

  return {
    release,
    refused: (service, failure, nowMs) => {
      if (service.hold?.reason !== 'refused') note(service, 'asking-slowed', failure)
      const waitMs = refusedWaitMs(service.service.pollIntervalMs, service.refusals)
      service.hold = { reason: 'refused', sinceMs: nowMs, untilMs: nowMs + waitMs, failure }
      service.probe = nodeAfter(service, service.probe)
      holdBack(service, failure, nowMs)
    },
    rateLimited: (service, failure, untilMs, nowMs) => {
      if (service.hold === undefined) note(service, 'asking-slowed', failure)
      service.hold = { reason: 'rate-limited', sinceMs: nowMs, untilMs, failure }
      holdBack(service, failure, nowMs)
    },
    pause: (service, failure, nowMs) => {
      if (service.waiting?.kind !== failure.kind) note(service, 'asking-paused', failure)
      service.waiting = failure
      service.hold = undefined
      holdBack(service, failure, nowMs)
    },
    resume: (service, nowMs) => {
      forget(service)
      schedule.planOutOfTurn(Array.from(service.nodes.values()), nowMs)
    },
    showOn: (node, nowMs) => {
      const { waiting, hold } = node.service
      const failure = waiting ?? hold?.failure
      if (failure !== undefined) setLive(node, heldBack(node.live, failure, nowMs, clock.wallMs()))
    },
    left: (service, nowMs) => {
      if (service.hold?.reason !== 'refused' || service.probe !== undefined) return
      service.probe = nodeAfter(service, undefined)
      schedule.planAll(service, nowMs)
    },
    answered: (service, startedMs, nowMs) => {
      const wasDown = countAnswer(service, startedMs, nowMs)
      if (service.hold !== undefined && startedMs >= service.hold.sinceMs) release(service, nowMs)
      else if (wasDown && service.hold === undefined) bringBack(service, schedule, nowMs)
    },
  }
}

/** Puts an end to holds whose time is over. A refusal of the key ends by an answer only. */
export function endExpiredHolds({ services, changes }: FleetState, nowMs: number): void {
  for (const service of services.values()) {
    if (service.hold?.reason !== 'rate-limited' || service.hold.untilMs > nowMs) continue
    service.hold = undefined
    changes.services()
  }
}

/** The log tells of a service as a whole what its nodes were not asked for. */
const entryOf = (wallMs: number, ...[{ id, nodes }, what, failure]: HoldEvent): LogEntry => ({
  wallMs,
  area: 'service',
  what,
  serviceId: id,
  facts: { kind: failure.kind, code: failureCode(failure), nodes: nodes.size },
})
