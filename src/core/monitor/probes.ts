import { MINUTE_MS } from '#base/time.ts'
import { clocksOf, OFFSET_WARNING_MS } from '#record/clock-offset.ts'
import { isOpenToOthers } from '#record/service.ts'
import type { NodeLive } from '#fleet/live.ts'
import { DEFAULT_PROFILE_ID } from '#signing/preset-ids.ts'
import type { Diagnosis, ProbeAnswer, Probes } from '#fleet/diagnosis.ts'
import { needsLocalPermission } from '#protocol/address-check.ts'
import { haveSameWords, wordsOf, type AnswerWords } from '#protocol/answer-words.ts'
import { failureLook, type PollFailure } from '#protocol/failure.ts'
import type { HttpReply, NetworkProbe, Transport } from '#protocol/transport.ts'
import { profileOf } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import { AMBIGUOUS, diagnose, type Findings } from './diagnose.ts'
import { send } from './poll.ts'
import { hasMoved, heartbeatOffsetOf } from './service-clock.ts'
import type { FleetState, ProbeRun, TrackedNode, TrackedService } from './tracked.ts'
import { isSignedByServer } from '#signing/profile-needs.ts'
import { statusQuery, statusUrl } from '#signing/signing-values.ts'

export type ProbePorts = {
  readonly transport: Transport
  /** Absent outside browsers, where no CORS or permission stands between program and network. */
  readonly probe?: NetworkProbe | undefined
}

export type ProbeSubject = {
  readonly service: Service
  readonly nodeId: string | undefined
  /** URL prefix of the poll. */
  readonly base: string
  readonly serverUrl: string
  readonly failure: PollFailure
}

/** A probe that takes longer than this shows nothing more. */
const PROBE_TIMEOUT_MAX_MS = 5_000
/** Header value that the probes send instead of a signature. */
const NO_SIGNATURE = 'probe'

export function isProbed({ failure, service }: Pick<ProbeSubject, 'failure' | 'service'>): boolean {
  const isProxied = service.via === 'proxy'
  if (failure.kind === 'unreachable') return !isProxied && failure.detail === undefined
  // The dashboard server reports what it saw, unless it does not answer at all.
  if (failure.kind === 'timeout') return !isProxied || failure.hop === 'proxy'
  return AMBIGUOUS[failure.kind] !== undefined
}

/**
 * Undefined if the probes add nothing to the failure itself. `known` is called after the probes, because they may have
 * brought more evidence.
 */
export async function investigate(
  ports: ProbePorts,
  subject: ProbeSubject,
  known: () => Omit<Findings, 'failure' | 'probes' | 'isPlain'>,
): Promise<Diagnosis | undefined> {
  const { failure, service } = subject
  const probes = await runProbes(ports, subject)
  return diagnose({ failure, probes, isPlain: isOpenToOthers(service.baseUrl), ...known() })
}

/** Sends at most four requests, one after the other, none with a signature. Never throws. */
export async function runProbes(ports: ProbePorts, subject: ProbeSubject): Promise<Probes> {
  const { failure, service, base, nodeId, serverUrl } = subject
  if (service.via === 'proxy' && failure.kind === 'timeout')
    return { ownServer: await askOwnServer(ports, subject) }
  if (isSignedByServer(service)) return {}
  const url = statusUrl(base, statusQuery(nodeId))
  const unsigned = await ask(ports, subject, url, {})
  const looks = AMBIGUOUS[failure.kind]
  if (unsigned.kind === 'answered') {
    const names = Object.keys(profileOf(service)?.headers ?? {})
    if (looks === 'foreign' || names.length === 0) return { unsigned }
    const headers = Object.fromEntries(names.map((name) => [name, NO_SIGNATURE]))
    return { unsigned, headersWithoutSignature: await ask(ports, subject, url, headers) }
  }
  if (looks !== 'silence' || ports.probe === undefined) return { unsigned }
  // Uses the URL of the poll, because something else may answer at the root.
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

const timeoutOf = ({ service }: Pick<ProbeSubject, 'service'>): number =>
  Math.min(service.timeoutMs, PROBE_TIMEOUT_MAX_MS)

async function ask(
  { transport }: ProbePorts,
  subject: Pick<ProbeSubject, 'service'>,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<ProbeAnswer> {
  const sent = await send(transport, url, headers, timeoutOf(subject), new AbortController().signal)
  if (sent.ok) return answerOf(sent.value)
  // Nothing aborts this signal.
  return { kind: sent.error.kind === 'aborted' ? 'unreachable' : sent.error.kind }
}

/** An answer of the dashboard server in place of the service's does not count as an answer. */
function answerOf(reply: HttpReply): ProbeAnswer {
  if (reply.proxyFailure !== undefined)
    return { kind: reply.proxyFailure === 'timeout' ? 'timeout' : 'unreachable' }
  if (reply.status >= 300 && reply.status <= 399 && reply.status !== 304) return { kind: 'redirected' }
  return { kind: 'answered', words: wordsOf(reply) }
}

/** Limits the runs per service, even if it keeps failing and recovering. */
const RUNS_MAX = 6
const RUNS_WITHIN_MS = 6 * MINUTE_MS

/** Probes ambiguous failures once per episode of a service, and again during a long silence. */
export type Prober = ReturnType<typeof createProber>

/** `nodes`: the watched nodes of the service. */
export const isProfileGuessed = (
  { profile }: Service,
  nodes: readonly Pick<NodeLive, 'reading'>[],
): boolean => profile === DEFAULT_PROFILE_ID && nodes.every(({ reading }) => reading === undefined)

export function createProber(
  ports: ProbePorts & { readonly onError: (error: unknown) => void },
  serverUrl: () => string,
  changes: Pick<FleetState['changes'], 'services'>,
) {
  let disposed = false

  const run = async (probed: ProbeRun, service: TrackedService, subject: ProbeSubject): Promise<void> => {
    const diagnosis = await investigate(ports, subject, () => {
      probed.offset = service.clock.offset
      return {
        signed: probed.words,
        offset: undefined,
        ...clocksOf({ offset: service.clock.offset, heartbeatOffset: heartbeatOffsetOf(service) }),
        correction: service.clock.correction,
        wasReadable: service.asking.answeredMs !== undefined,
        isProfileGuessed: isProfileGuessed(
          service.service,
          Array.from(service.nodes.values(), ({ live }) => live),
        ),
      }
    })
    // Another `probed` means that the episode is over.
    if (disposed || service.probed !== probed || (probed.found ?? diagnosis) === undefined) return
    probed.found = diagnosis && { look: probed.look, diagnosis }
    changes.services()
  }

  /** Discards the result because the node answered or fails in another way, or the route changed. */
  const end = (service: TrackedService): void => {
    const wasFound = service.probed?.found !== undefined
    service.probed = undefined
    if (wasFound) changes.services()
  }

  return {
    consider: (
      node: TrackedNode,
      failure: PollFailure,
      reply: HttpReply | undefined,
      nowMs: number,
    ): void => {
      const { service, nodeId } = node
      const { base } = service
      const subject = { service: service.service, nodeId, base, serverUrl: serverUrl(), failure }
      const look = failureLook(failure)
      const words = reply && wordsOf(reply)
      if (service.probed?.node === node && service.probed.look !== look) end(service)
      if (!isProbed(subject) || isFoundOf(service, failure, words, nowMs) || !isLasting(node, failure)) return
      const recent = service.probedMs.filter((ms) => nowMs - ms < RUNS_WITHIN_MS)
      if (recent.length >= RUNS_MAX) return
      const found = service.probed?.look === look ? service.probed.found : undefined
      service.probed = { look, words, atMs: nowMs, node, found, offset: service.clock.offset }
      service.probedMs = [...recent, nowMs]
      run(service.probed, service, subject).catch(ports.onError)
    },
    end,
    /** Sends one request without a signature. `ended` gets the way in which it ended, unless the server would sign it. */
    knock: ({ service: { service, base }, nodeId }: TrackedNode, ended: (look: string) => void): void => {
      if (isSignedByServer(service)) return
      const knock = async (): Promise<void> => {
        const answer = await ask(ports, { service }, statusUrl(base, statusQuery(nodeId)), {})
        if (!disposed) ended(answer.kind === 'answered' ? String(answer.words.status) : answer.kind)
      }
      knock().catch(ports.onError)
    },
    dispose: (): void => {
      disposed = true
    },
  }
}

/** Polls without an answer look alike, so their cause can change unseen. */
const SILENCE_PROBED_EVERY_MS = 2 * MINUTE_MS

/** If a clock was set since, or the answer has other words, the same failure counts as a new one. */
const isFoundOf = (
  { probed, clock: { offset } }: TrackedService,
  failure: PollFailure,
  words: AnswerWords | undefined,
  nowMs: number,
): boolean =>
  probed?.look === failureLook(failure) &&
  !(words && probed.words && haveSameWords(words, probed.words) === false) &&
  !hasMoved(probed.offset, offset, OFFSET_WARNING_MS) &&
  (AMBIGUOUS[failure.kind] !== 'silence' || nowMs - probed.atMs < SILENCE_PROBED_EVERY_MS)

/** One lost packet needs no diagnosis. A node that never answered does, and so does an unexpected answer. */
const isLasting = ({ live }: TrackedNode, { kind }: PollFailure): boolean =>
  AMBIGUOUS[kind] !== 'silence' || live.reading === undefined || (live.episode?.misses ?? 0) >= 2
