import { MINUTE_MS } from '#base/time.ts'
import { clocksOf, OFFSET_WARNING_MS, type ComparedClocks } from '#record/clock-offset.ts'
import { isOpenToOthers } from '#record/service.ts'
import type { NodeLive } from '#fleet/live.ts'
import { DEFAULT_PROFILE_ID } from '#signing/preset-ids.ts'
import type { Diagnosed, ProbeAnswer, Probes } from '#fleet/diagnosis.ts'
import type { Clock } from '#base/clock.ts'
import { needsLocalPermission } from '#protocol/address-check.ts'
import { wordsOf } from '#protocol/answer-words.ts'
import { failureCode, type PollFailure } from '#protocol/failure.ts'
import type { HttpReply, NetworkProbe, Transport } from '#protocol/transport.ts'
import { profileOf } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import { diagnose, type Findings } from './diagnose.ts'
import type { Changes } from './changes.ts'
import { send } from './poll.ts'
import { hasMoved, heartbeatOffsetOf } from './service-clock.ts'
import type { ProbeRun, TrackedNode, TrackedService } from './tracked.ts'
import { isSignedByServer } from '#signing/profile-needs.ts'
import { statusQuery, statusUrl } from '#signing/signing-values.ts'

export type ProbePorts = {
  readonly clock: Clock
  readonly transport: Transport
  /** Absent where there is no browser: then nothing stands between the program and the network. */
  readonly probe?: NetworkProbe | undefined
}

/** What is looked into: a poll that failed, and how it went out. */
export type ProbeSubject = {
  readonly failure: PollFailure
  readonly nodeId: string | undefined
  /** Where requests go; no slash at the end. */
  readonly base: string
  readonly proxied: boolean
  /** See there. */
  readonly isSignedByServer: boolean
  /** Origin of the page, which is its own server's. */
  readonly serverUrl: string
  /** Names of the headers that carry a signature. */
  readonly headerNames: readonly string[]
  readonly timeoutMs: number
}

/** How a failed poll of a node went out. */
export const probeSubject = (
  { service, serverUrl }: { readonly service: Service; readonly serverUrl: string },
  base: string,
  nodeId: string | undefined,
  failure: PollFailure,
): ProbeSubject => ({
  failure,
  nodeId,
  base,
  proxied: service.via === 'proxy',
  isSignedByServer: isSignedByServer(service),
  serverUrl,
  headerNames: Object.keys(profileOf(service)?.headers ?? {}),
  timeoutMs: service.timeoutMs,
})

/** A probe that takes longer says no more. */
const PROBE_TIMEOUT_MAX_MS = 5_000
/** What the probes' headers carry instead of a signature. */
const NO_SIGNATURE = 'probe'

/** Failures that look alike from here and have causes that differ. */
export function isProbed({ failure, proxied }: Pick<ProbeSubject, 'failure' | 'proxied'>): boolean {
  switch (failure.kind) {
    case 'unauthorized':
    case 'forbidden':
    case 'redirected':
    case 'not-json':
    case 'unexpected-status':
      return true
    case 'unreachable':
      return !proxied && failure.detail === undefined
    case 'timeout':
      // The dashboard's own server tells what it saw, unless it says nothing at all.
      return !proxied || failure.hop === 'proxy'
    default:
      return false
  }
}

type Known = Pick<Findings, 'correction' | 'isPlain' | 'wasReadable' | 'isProfileGuessed'> & {
  /** Of the signed request, where it could be read. */
  readonly reply: HttpReply | undefined
  readonly clocks: ComparedClocks | undefined
}

/** What probes find out about a failure; undefined where that adds nothing to the failure itself. */
export async function investigate(
  ports: ProbePorts,
  subject: ProbeSubject,
  known: () => Known,
): Promise<Omit<Diagnosed, 'code'> | undefined> {
  const probes = await runProbes(ports, subject)
  const { reply, clocks, ...rest } = known()
  const signed = reply && wordsOf(reply)
  const findings = { failure: subject.failure, signed, probes, offset: undefined, ...rest }
  const diagnosis = diagnose({ ...findings, ...clocks })
  return diagnosis && { diagnosis, atWallMs: probes.atWallMs }
}

/** At most four requests, one after the other, none with a signature. Never throws. */
export async function runProbes(ports: ProbePorts, subject: ProbeSubject): Promise<Probes> {
  const found = await probesFor(ports, subject)
  return { ...found, atWallMs: ports.clock.wallMs() }
}

async function probesFor(ports: ProbePorts, subject: ProbeSubject): Promise<Omit<Probes, 'atWallMs'>> {
  const { failure, base, nodeId, serverUrl, headerNames, proxied } = subject
  if (proxied && failure.kind === 'timeout') return { ownServer: await askOwnServer(ports, subject) }
  if (subject.isSignedByServer) return {}
  const url = statusUrl(base, statusQuery(nodeId))
  const unsigned = await ask(ports, subject, url, {})
  const isRefusal = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  const isSilence = failure.kind === 'unreachable' || failure.kind === 'timeout'
  if (unsigned.kind === 'answered') {
    if ((!isRefusal && !isSilence) || headerNames.length === 0) return { unsigned }
    const headers = Object.fromEntries(headerNames.map((name) => [name, NO_SIGNATURE]))
    return { unsigned, headersWithoutSignature: await ask(ports, subject, url, headers) }
  }
  if (!isSilence || ports.probe === undefined) return { unsigned }
  // The same address as the poll's: its root may be answered by something else.
  const opaque = await ports.probe.opaque(url, timeoutOf(subject))
  const permission = needsLocalPermission(serverUrl, base) ? await ports.probe.localNetwork(base) : undefined
  return {
    unsigned,
    opaque,
    ...(permission !== undefined && { permission }),
    ownServer: await askOwnServer(ports, subject),
  }
}

async function askOwnServer(ports: ProbePorts, subject: ProbeSubject): Promise<'answers' | 'silent'> {
  const own = await ask(ports, subject, `${subject.serverUrl}/config.json`, {})
  return own.kind === 'unreachable' || own.kind === 'timeout' ? 'silent' : 'answers'
}

const timeoutOf = ({ timeoutMs }: ProbeSubject): number => Math.min(timeoutMs, PROBE_TIMEOUT_MAX_MS)

async function ask(
  { transport }: ProbePorts,
  subject: ProbeSubject,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<ProbeAnswer> {
  const sent = await send(transport, url, headers, timeoutOf(subject), new AbortController().signal)
  if (sent.ok) return answerOf(sent.value)
  // Nobody holds that signal, so nothing aborts.
  return { kind: sent.error.kind === 'aborted' ? 'unreachable' : sent.error.kind }
}

/** An answer of the dashboard's own server in place of the service's is none of the service's. */
function answerOf(reply: HttpReply): ProbeAnswer {
  if (reply.proxyFailure !== undefined)
    return { kind: reply.proxyFailure === 'timeout' ? 'timeout' : 'unreachable' }
  if (reply.status >= 300 && reply.status <= 399 && reply.status !== 304) return { kind: 'redirected' }
  return { kind: 'answered', words: wordsOf(reply) }
}

/** However often a service comes and goes, its failures are looked into this often within the time, and no more. */
const RUNS_MAX = 6
const RUNS_WITHIN_MS = 6 * MINUTE_MS

/** Looks into failures that look alike: once for each episode of a service. */
export type Prober = ReturnType<typeof createProber>

/** `nodes`: those of the service, as far as it is watched. */
export const isProfileGuessed = (
  { profile }: Service,
  nodes: readonly Pick<NodeLive, 'reading'>[],
): boolean => profile === DEFAULT_PROFILE_ID && nodes.every(({ reading }) => reading === undefined)

export function createProber(ports: ProbePorts, serverUrl: () => string, changes: Pick<Changes, 'services'>) {
  let disposed = false

  const run = async (
    probed: ProbeRun,
    service: TrackedService,
    subject: ProbeSubject,
    reply: HttpReply | undefined,
  ): Promise<void> => {
    const found = await investigate(ports, subject, () => {
      probed.offset = service.clock.offset
      return {
        reply,
        clocks: clocksOf({ offset: service.clock.offset, heartbeatOffset: heartbeatOffsetOf(service) }),
        correction: service.clock.correction,
        isPlain: isOpenToOthers(service.service.baseUrl),
        wasReadable: service.asking.answeredMs !== undefined,
        isProfileGuessed: isProfileGuessed(
          service.service,
          Array.from(service.nodes.values(), ({ live }) => live),
        ),
      }
    })
    // Otherwise the episode is over.
    if (found === undefined || disposed || service.probed !== probed) return
    probed.found = { code: probed.code, ...found }
    changes.services()
  }

  return {
    consider: (
      node: TrackedNode,
      failure: PollFailure,
      reply: HttpReply | undefined,
      nowMs: number,
    ): void => {
      const { service } = node
      const route = { service: service.service, serverUrl: serverUrl() }
      const subject = probeSubject(route, service.base, node.nodeId, failure)
      const code = failureCode(failure)
      if (!isProbed(subject) || isFoundOf(service, code) || !isLasting(node, failure)) return
      const recent = service.probedMs.filter((ms) => nowMs - ms < RUNS_WITHIN_MS)
      if (recent.length >= RUNS_MAX) return
      service.probed = { code, node, found: undefined, offset: service.clock.offset }
      service.probedMs = [...recent, nowMs]
      void run(service.probed, service, subject, reply)
    },
    /** What was found holds no longer: the node answered, or is asked in another way. */
    end: (service: TrackedService): void => {
      const wasFound = service.probed?.found !== undefined
      service.probed = undefined
      if (wasFound) changes.services()
    },
    dispose: (): void => {
      disposed = true
    },
  }
}

/** A clock that was set meanwhile makes another failure of it, whatever it is called. */
const isFoundOf = ({ probed, clock: { offset } }: TrackedService, code: string): boolean =>
  probed?.code === code && !hasMoved(probed.offset, offset, OFFSET_WARNING_MS)

/** One lost packet needs no explanation; what never worked does, and so does an answer. */
const isLasting = ({ live }: TrackedNode, { kind }: PollFailure): boolean =>
  (kind !== 'unreachable' && kind !== 'timeout') ||
  live.reading === undefined ||
  (live.episode?.misses ?? 0) >= 2
