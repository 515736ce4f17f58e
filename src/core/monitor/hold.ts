import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { LogEntry } from '#history/event-log.ts'
import { FAILURES, failureCode, type PollFailure } from '#protocol/failure.ts'
import { heldBack } from './node-state.ts'
import type { Log } from './ports.ts'
import { slotMs, type Schedule } from './schedule.ts'
import type { FleetState, TrackedNode, TrackedService } from './tracked.ts'

/** Services that are asked less, or not at all, for what they said or what is missing. */
export type Holds = {
  /**
   * The key was refused several times in a row: many services lock out whoever goes on. One
   * node asks for all of them, rarely, each time another one, since one node alone may be barred.
   */
  readonly refused: (service: TrackedService, failure: PollFailure, nowMs: number) => void
  /** The service asked for fewer requests: no node is asked before then. */
  readonly rateLimited: (service: TrackedService, failure: PollFailure, untilMs: number) => void
  /** Without a key nothing can be asked, and a page that may not reach the service need not try. */
  readonly pause: (service: TrackedService, failure: PollFailure, nowMs: number) => void
  /** The cause is gone, or may be: what was held back is asked again, spread and from the grid's next slots on. */
  readonly release: (service: TrackedService, nowMs: number) => void
  /** The same for a key that came or a person who asks: at once. */
  readonly resume: (service: TrackedService, nowMs: number) => void
  /** A node of a service that is held back carries the service's failure, though it was not asked itself. */
  readonly showOn: (node: TrackedNode, nowMs: number) => void
  /** A node of the service answered: whatever was held against the service is over. */
  readonly answered: (service: TrackedService, startedMs: number, nowMs: number) => void
  /** Puts an end to holds whose time is over. A refusal of the key ends by an answer only. */
  readonly endExpired: (nowMs: number) => void
}

/** A service that brought nothing for this many intervals was down, and one good answer means that it is back. */
const DOWN_AFTER_INTERVALS = 1.5

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
    for (const node of service.nodes.values())
      if (node.live.episode?.misses === 0) setLive(node, { ...node.live, episode: undefined })
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
      service.hold = { reason: 'refused', untilMs: nowMs + DEFAULTS.slowAfterRefusalMs, failure }
      service.probe = nodeAfter(service, service.probe)
      holdBack(service, failure, nowMs)
    },
    rateLimited: (service, failure, untilMs) => {
      if (service.hold === undefined) note(service, 'asking-slowed', failure)
      service.hold = { reason: 'rate-limited', untilMs, failure }
      schedule.planAll(service, untilMs)
      changes.services()
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
      const failure = waiting ?? (hold?.reason === 'refused' ? hold.failure : undefined)
      if (failure !== undefined) setLive(node, heldBack(node.live, failure, nowMs, clock.wallMs()))
    },
    answered: (service, startedMs, nowMs) => {
      const wasDown = countAnswer(service, startedMs)
      if (service.hold?.reason === 'refused') release(service, nowMs)
      else if (wasDown) for (const node of backedOff(service, nowMs)) schedule.plan(node, nowMs)
    },
    endExpired: (nowMs) => {
      for (const service of fleet.services.values()) {
        if (service.hold?.reason !== 'rate-limited' || service.hold.untilMs > nowMs) continue
        service.hold = undefined
        changes.services()
      }
    },
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

/** Whether this answer shows that the service is back. */
function countAnswer(service: TrackedService, startedMs: number): boolean {
  const { answeredMs, failedSince } = service
  const downMs = DOWN_AFTER_INTERVALS * service.service.pollIntervalMs
  service.answeredMs = startedMs
  service.failedSince = false
  service.refusals = 0
  service.limitations = 0
  return failedSince && (answeredMs === undefined || startedMs - answeredMs > downMs)
}

/** Nodes that wait long because of their service; their slots lie spread when it is back. */
const backedOff = ({ nodes }: TrackedService, nowMs: number): readonly TrackedNode[] =>
  Array.from(nodes.values()).filter((node) => {
    const { episode, nextPollMs } = node.live
    if (episode === undefined || nextPollMs === undefined || node.flight !== undefined) return false
    return nextPollMs > slotMs(node, nowMs) && FAILURES[episode.failure.kind].scope !== 'node'
  })

/** The node that follows in the configured order, round and round. */
function nodeAfter(service: TrackedService, before: TrackedNode | undefined): TrackedNode | undefined {
  const nodes = Array.from(service.nodes.values())
  const place = before === undefined ? -1 : nodes.indexOf(before)
  return nodes[(place + 1) % nodes.length]
}
