import type { Diagnosed } from '#fleet/diagnosis.ts'
import { wordsOf } from '#protocol/answer-words.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import type { HttpReply } from '#protocol/ports.ts'
import { profileOf } from '#settings/service-profiles.ts'
import { clocksOf } from '#evaluate/clock-causes.ts'
import { diagnose } from './diagnose.ts'
import type { ServiceLive } from '#fleet/live.ts'
import { heartbeatOffsetOf } from './heartbeat-clock.ts'
import { isProbed, runProbes, type ProbePorts, type ProbeSubject } from './probes.ts'
import type { Room } from './room.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/** The engine's note on one run of probes. */
export type ProbeRun = {
  readonly code: string
  /** The node whose failure is looked into; once it answers, the episode is over. */
  readonly node: TrackedNode
  found: Diagnosed | undefined
}

/** Looks into failures that look alike: once for each episode of a service. */
export type Prober = {
  readonly consider: (
    node: TrackedNode,
    failure: PollFailure,
    reply: HttpReply | undefined,
    nowMs: number,
  ) => void
  readonly dispose: () => void
}

/** However often a service comes and goes, its failures are looked into this often within the time, and no more. */
const RUNS_MAX = 6
const RUNS_WITHIN_MS = 360_000

/** `told` is called when there is something new to tell. */
export function createProber(ports: ProbePorts, serverOrigin: () => string, told: () => void): Prober {
  let disposed = false

  const look = async (
    run: ProbeRun,
    { service }: TrackedNode,
    subject: ProbeSubject,
    reply: HttpReply | undefined,
  ): Promise<void> => {
    const probes = await runProbes(ports, subject)
    if (disposed || service.probed !== run) return // the episode is over
    const diagnosis = diagnose({
      failure: subject.failure,
      signed: reply && wordsOf(reply),
      probes,
      offset: undefined,
      ...clocksOf({ offset: service.offset, ...heartbeatOffsetIn(service) }),
      correction: service.correction,
      isPlain: service.service.baseUrl.startsWith('http:'),
    })
    if (diagnosis === undefined) return
    run.found = { code: run.code, diagnosis, atWallMs: probes.atWallMs }
    told()
  }

  return {
    consider: (node, failure, reply, nowMs) => {
      const { service } = node
      const subject = subjectOf(node, failure, serverOrigin())
      const code = failureCode(failure)
      if (!isProbed(subject) || service.probed?.code === code || !isLasting(node, failure)) return
      const recent = service.probedMs.filter((ms) => nowMs - ms < RUNS_WITHIN_MS)
      if (recent.length >= RUNS_MAX) return
      const run: ProbeRun = { code, node, found: undefined }
      service.probed = run
      service.probedMs = [...recent, nowMs]
      void look(run, node, subject, reply)
    },
    dispose: () => {
      disposed = true
    },
  }
}

/** What was found holds no longer: the node answered, or is asked in another way. */
export function endProbes(room: Room, service: TrackedService): void {
  if (service.probed === undefined) return
  const wasTold = service.probed.found !== undefined
  service.probed = undefined
  if (wasTold) room.changes.services()
}

/** One lost packet needs no explanation; what never worked does, and so does an answer. */
const isLasting = ({ live }: TrackedNode, { kind }: PollFailure): boolean =>
  (kind !== 'unreachable' && kind !== 'timeout') ||
  live.reading === undefined ||
  (live.episode?.misses ?? 0) >= 2

const subjectOf = (
  { nodeId, service }: TrackedNode,
  failure: PollFailure,
  serverOrigin: string,
): ProbeSubject => ({
  failure,
  nodeId,
  base: service.base,
  proxied: service.service.via === 'proxy',
  serverOrigin,
  headerNames: Object.keys(profileOf(service.service)?.headers ?? {}),
  timeoutMs: service.service.timeoutMs,
})

const heartbeatOffsetIn = (service: TrackedService): Pick<ServiceLive, 'heartbeatOffset'> => {
  const heartbeatOffset = heartbeatOffsetOf(service)
  return heartbeatOffset === undefined ? {} : { heartbeatOffset }
}
