import { wordsOf } from '#protocol/answer-words.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import type { HttpReply } from '#protocol/ports.ts'
import { profileOf } from '#settings/service-profiles.ts'
import { clocksOf } from '#evaluate/clock-causes.ts'
import { diagnose } from './diagnose.ts'
import type { ServiceLive } from '#fleet/live.ts'
import type { Changes } from './changes.ts'
import { heartbeatOffsetOf } from './service-clock.ts'
import { isProbed, runProbes, type ProbePorts, type ProbeSubject } from './probes.ts'
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

  const investigate = async (
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
    changes.services()
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
      void investigate(run, node, subject, reply)
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
