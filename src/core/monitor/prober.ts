import { failureCode, type PollFailure } from '#protocol/failure.ts'
import type { HttpReply } from '#protocol/transport.ts'
import { OFFSET_WARNING_MS } from '#record/clock-offset.ts'
import { clocksOf } from '#record/heartbeat-offset.ts'
import type { Changes } from './changes.ts'
import { hasMoved, heartbeatOffsetOf } from './service-clock.ts'
import { investigate, isProbed, probeSubject, type ProbePorts, type ProbeSubject } from './probes.ts'
import { isOpenToOthers } from '#record/service.ts'
import type { ProbeRun, TrackedNode, TrackedService } from './tracked.ts'

/** Looks into failures that look alike: once for each episode of a service. */
export type Prober = {
  readonly consider: (
    node: TrackedNode,
    failure: PollFailure,
    reply: HttpReply | undefined,
    nowMs: number,
  ) => void
  /** What was found holds no longer: the node answered, or is asked in another way. */
  readonly end: (service: TrackedService) => void
  readonly dispose: () => void
}

/** However often a service comes and goes, its failures are looked into this often within the time, and no more. */
const RUNS_MAX = 6
const RUNS_WITHIN_MS = 360_000

export function createProber(
  ports: ProbePorts,
  serverOrigin: () => string,
  changes: Pick<Changes, 'services'>,
): Prober {
  let disposed = false

  const run = async (
    probed: ProbeRun,
    service: TrackedService,
    subject: ProbeSubject,
    reply: HttpReply | undefined,
  ): Promise<void> => {
    const found = await investigate(ports, subject, () => {
      probed.offset = service.offset
      return {
        reply,
        clocks: clocksOf({ offset: service.offset, heartbeatOffset: heartbeatOffsetOf(service) }),
        correction: service.correction,
        isPlain: isOpenToOthers(service.service.baseUrl),
        wasReadable: service.answeredMs !== undefined,
      }
    })
    // Otherwise the episode is over.
    if (found === undefined || disposed || service.probed !== probed) return
    probed.found = { code: probed.code, ...found }
    changes.services()
  }

  return {
    consider: (node, failure, reply, nowMs) => {
      const { service } = node
      const route = { service: service.service, serverOrigin: serverOrigin() }
      const subject = probeSubject(route, service.base, node.nodeId, failure)
      const code = failureCode(failure)
      if (!isProbed(subject) || isFoundOf(service, code) || !isLasting(node, failure)) return
      const recent = service.probedMs.filter((ms) => nowMs - ms < RUNS_WITHIN_MS)
      if (recent.length >= RUNS_MAX) return
      service.probed = { code, node, found: undefined, offset: service.offset }
      service.probedMs = [...recent, nowMs]
      void run(service.probed, service, subject, reply)
    },
    end: (service) => {
      const wasFound = service.probed?.found !== undefined
      service.probed = undefined
      if (wasFound) changes.services()
    },
    dispose: () => {
      disposed = true
    },
  }
}

/** A clock that was set meanwhile makes another failure of it, whatever it is called. */
const isFoundOf = ({ probed, offset }: TrackedService, code: string): boolean =>
  probed?.code === code && !hasMoved(probed.offset, offset, OFFSET_WARNING_MS)

/** One lost packet needs no explanation; what never worked does, and so does an answer. */
const isLasting = ({ live }: TrackedNode, { kind }: PollFailure): boolean =>
  (kind !== 'unreachable' && kind !== 'timeout') ||
  live.reading === undefined ||
  (live.episode?.misses ?? 0) >= 2
