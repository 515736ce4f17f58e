import { DEFAULTS } from '#base/defaults.ts'
import { groupBy } from '#base/group-by.ts'
import {
  failureCode,
  failureLook,
  FAILURES,
  type FailureKind,
  type FailureScope,
  type PollFailure,
} from '#protocol/failure.ts'
import { clocksOf } from '#record/clock-offset.ts'
import type { ServiceId } from '#record/service.ts'
import {
  blame,
  diagnosisOfSome,
  settled,
  type Culprit,
  type Failing as FailingService,
  type ServiceEvidence,
} from './blame.ts'
import { conditionOf, severityOf } from './conditions.ts'
import type { Diagnosed } from '#fleet/diagnosis.ts'
import type { Cause, Evidence } from '#fleet/cause.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import {
  pollIntervalOf,
  soonestPollMs,
  type AssessedNode,
  type Episode,
  type NodeLive,
  type Reading,
  type ServiceLive,
} from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'

type Failing = AssessedNode & { readonly episode: Episode }
type OfFailure = Extract<Evidence, { readonly kind: 'failure' }>
type FailureCause = Cause & { readonly sinceMs: number; readonly evidence: OfFailure }

/** A request that times out takes up to an interval, and the next one follows within another. */
const LOST_PACKET_INTERVALS = 2
/** More nodes with the same failure share one message. */
const NODES_TOLD_APART_MAX = 3

export function failureCauses(
  snapshot: FleetSnapshot,
  nodes: ReadonlyMap<string, readonly AssessedNode[]>,
  nowMs: number,
): readonly Cause[] {
  const services = Array.from(snapshot.services.values()).flatMap((service) => {
    const all = nodes.get(service.id) ?? []
    return all.length === 0 ? [] : [failuresAt(service, all, nowMs)]
  })
  const screen = groupBy(
    services.flatMap(({ unsent }) => unsent),
    screenGroupOf,
  )
  const ofScreen = Array.from(screen, ([id, group]) => ({
    ...causeOf(codeOf(group[0]), 'screen', undefined, group, nowMs),
    id,
  }))
  return [...ofScreen, ...blamed(snapshot, services, nowMs)]
}

function failuresAt(service: ServiceLive, nodes: readonly AssessedNode[], nowMs: number) {
  const all = nodes.filter(({ episode }) => episode?.isOutdated !== true)
  const alternating = new Set(alternatingIn(service, all, nowMs))
  const failing = all.filter(isFailing).filter((node) => !alternating.has(node))
  const ofScope = (scope: FailureScope) =>
    failing.filter(({ episode }) => FAILURES[episode.failure.kind].scope === scope)
  const ofReplicas = Array.from(groupBy(alternating, codeOf), ([code, group]): FailureCause => ({
    ...withFacts(causeOf(code, 'service', service.id, group, nowMs), { alternates: true }),
    severity: 'warning',
  }))
  const causes = [
    // A refusal concerns the key, any other failure the service, so each has its own message.
    ...serviceCauses(service, ofScope('service'), all, service.hold?.reason === 'rate-limited', nowMs),
    ...serviceCauses(service, ofScope('key'), all, service.hold?.reason === 'refused', nowMs),
    ...nodeCauses(service.id, ofScope('node'), all, nowMs),
  ]
    .map((cause) => withDiagnosis(acceptedElsewhere(cause, all), service))
    .concat(ofReplicas)
  const answers = all.flatMap(({ episode, reading }) =>
    episode === undefined ? (reading?.startedMs ?? []) : [],
  )
  const main = causes.find(isWhole) ?? causes[0]
  const { baseUrl, via, pollIntervalMs } = service.service
  const failure = main && { failing: failureIn(main) }
  const evidence: ServiceEvidence = { baseUrl, via, answeredMs: Math.max(...answers), ...failure }
  const untilMs = Math.max(...all.map(knownUntilMs))
  return { unsent: ofScope('screen'), causes, evidence, untilMs, pollIntervalMs }
}

/**
 * Until when the node's polls show how its service is: as long as they fail, but not while a hold keeps it from being polled.
 */
function knownUntilMs(node: AssessedNode): number {
  if (!isFailing(node) || node.episode.misses === 0)
    return node.reading?.startedMs ?? Number.NEGATIVE_INFINITY
  return node.episode.failure.kind === 'rate-limited' ? failedMs(node) : Number.POSITIVE_INFINITY
}

/** A refusal that ends and returns only once may come from a change that a person made. */
const ALTERNATING_TIMES = 2
/** A key that no answer has accepted for this long is refused, however often it was accepted before. */
const ACCEPTED_WITHIN_INTERVALS = 4

/**
 * Nodes whose refusals alternate with answers, at this node or at another one of the service. A node that was never answered
 * may really be unknown. Refusals do not count if a corrected signing time may have ended them.
 */
function alternatingIn(
  service: ServiceLive,
  all: readonly AssessedNode[],
  nowMs: number,
): readonly Failing[] {
  if (service.correction !== undefined && service.correction.state !== 'used') return []
  const endedIn = (node: AssessedNode): FailureKind | undefined => {
    const { kind, count, atMs } = node.endedRefusals ?? { kind: undefined, count: 0, atMs: 0 }
    const isRecent = nowMs - atMs <= DEFAULTS.alternatingIntervals * pollIntervalOf(node, service)
    return isRecent && count >= ALTERNATING_TIMES ? kind : undefined
  }
  const ended = new Set(all.map(endedIn))
  const answeredMs = Math.max(...all.map(({ reading }) => (reading === undefined ? 0 : receivedMs(reading))))
  const isAccepted = nowMs - answeredMs <= ACCEPTED_WITHIN_INTERVALS * service.service.pollIntervalMs
  return all.filter(isFailing).filter((node) => {
    const { kind } = node.episode.failure
    const condition = conditionOf(kind)
    const isOfReplica =
      condition === 'key-rejected' ? isAccepted : condition === 'rejected' && node.reading !== undefined
    return isOfReplica && ended.has(kind)
  })
}

/** Reasons for which the signer refuses a single service; they say nothing about other services. */
const REFUSED_FOR_ONE: readonly string[] = [
  'key-not-allowed',
  'profile-not-accepted',
  'text-refused',
  'chain-key',
  'not-configured',
]

/** A problem that stops this screen from polling is one message for all services, except for refusals of single services. */
function screenGroupOf({ serviceId, episode: { failure } }: Failing): string {
  const code = failureCode(failure)
  const isRefused = failure.kind === 'signer-failed' && REFUSED_FOR_ONE.includes(failure.reason)
  return isRefused ? `${code} ${failure.reason}@${serviceId}` : `${code}@screen`
}

function serviceCauses(
  service: ServiceLive,
  failing: readonly Failing[],
  all: readonly AssessedNode[],
  isHeld: boolean,
  nowMs: number,
): readonly FailureCause[] {
  const { id } = service
  const isSilent = isAllSilent(service, failing, all, nowMs)
  const areAll = isHeld || areAllConcerned(service, failing, all, isSilent, nowMs)
  const [shown, ...others] = waysOf(failing, service)
  if (areAll && shown !== undefined) {
    const whole = causeOf(codeOf(shown[0]), 'service', id, shown, nowMs, failing)
    const isWaiting = (node: AssessedNode): boolean =>
      (isSilent || (isHeld && node.reading !== undefined)) && !isFailing(node) && !isCurrentAt(node, nowMs)
    const waiting = all.filter(isWaiting)
    const cause = { ...whole, nodes: [...whole.nodes, ...waiting.map(({ key }) => key)] }
    const isMixed = others.some(([other]) => codeOf(other) !== cause.code)
    return isTold(failing, service, nowMs) ? [isMixed ? withFacts(cause, { mixed: true }) : cause] : []
  }
  return Array.from(groupBy(failing, codeOf))
    .filter(([, group]) => isTold(group, service, nowMs))
    .map(([code, group]) =>
      ofSome(causeOf(code, 'node', id, waysOf(group, service)[0] ?? group, nowMs, group)),
    )
}

/**
 * Whether the service is at fault for the failure of these nodes: nearly all failing nodes fail in this way, and no other node
 * is known to answer. A node that has not been polled since most failures began may still answer, so for 1.5 intervals it counts
 * as answering. A single failure shows nothing about nodes that were not polled since.
 */
function areAllConcerned(
  { service }: ServiceLive,
  failing: readonly Failing[],
  all: readonly AssessedNode[],
  isSilent: boolean,
  nowMs: number,
): boolean {
  const sinceMs = beginOfMost(failing)
  const others = all.filter((node) => !isFailing(node) && node.reading !== undefined)
  // Nodes that have not been polled since then may be failing for an earlier reason.
  const failed = all.filter((node) => isFailing(node) && failedMs(node) >= sinceMs).length
  const mayAnswer = ({ reading }: AssessedNode): boolean =>
    (reading?.startedMs ?? 0) > sinceMs ||
    (!isSilent && nowMs - sinceMs <= DEFAULTS.lateAfterIntervals * service.pollIntervalMs)
  const isEnough = isSilent || failing.length > 1 || others.length === 0
  return isEnough && failing.length >= DEFAULTS.wholeServiceShare * failed && !others.some(mayAnswer)
}

/** This many nodes in a row without an answer, for as long as a request may take, can't be a coincidence. */
const SILENT_IN_A_ROW = 16

/** Whether the service answers no request. If so, nodes that wait for a connection are no evidence that it works. */
function isAllSilent(
  service: ServiceLive,
  failing: readonly Failing[],
  all: readonly AssessedNode[],
  nowMs: number,
): boolean {
  if (all.every((node) => isUnanswered(node, service, nowMs))) return true
  const sinceMs = beginOfMost(failing)
  const isDue = ({ nextPollMs = nowMs }: AssessedNode): boolean => nextPollMs < nowMs
  return (
    nowMs - sinceMs >= service.service.timeoutMs &&
    all.filter((node) => node.episode?.failure.kind === 'timeout' || isDue(node)).length >= SILENT_IN_A_ROW
  )
}

/**
 * Nodes grouped by kind of failure, the most frequent kind first; of equally frequent kinds, the newest first. If the kind of any
 * node has changed, the service may have changed, so only polls of the last interval count: older ones may be outdated.
 */
function waysOf(
  failing: readonly Failing[],
  service: ServiceLive,
): readonly (readonly [Failing, ...Failing[]])[] {
  const newestMs = Math.max(...failing.map(failedMs))
  const isRecent = (node: Failing): boolean => newestMs - failedMs(node) < pollIntervalOf(node, service)
  const hasChanged = failing.some(({ episode }) => episode.changedMs !== undefined)
  const counted = (hasChanged ? failing.filter(isRecent) : failing).toSorted(
    (a, b) => failedMs(b) - failedMs(a),
  )
  return Array.from(groupBy(counted, ({ episode }) => failureLook(episode.failure)).values()).toSorted(
    (a, b) => b.length - a.length,
  )
}

/** Start of the last failed poll. */
const failedMs = ({ episode }: Failing): number => episode.atMs ?? episode.sinceMs

/**
 * No request about the node has been answered for 1.5 intervals, whether or not one was sent. If that is true of every node of a
 * service, the nodes that wait for a connection are no evidence that it works.
 */
function isUnanswered(node: AssessedNode, service: ServiceLive, nowMs: number): boolean {
  const { answered, reading, nextPollMs = nowMs } = node
  if (answered === 0 && isFailing(node)) return true
  // After a hold or a sleep it has not been polled yet.
  if (!isFailing(node) && nextPollMs > nowMs) return false
  const fromMs = answered > 0 && reading !== undefined ? receivedMs(reading) : nextPollMs
  return nowMs - fromMs > DEFAULTS.lateAfterIntervals * pollIntervalOf(node, service)
}

/** A reading from a collector or a cache is older than the poll that brought it. */
const receivedMs = ({ startedMs, collectedMs = 0, cachedForS = 0 }: Reading): number =>
  startedMs + collectedMs + 1_000 * cachedForS

/** When most nodes began to fail in the present way: the start of the oldest failure that is not among the oldest fifth. */
function beginOfMost(failing: readonly Failing[]): number {
  const begins = failing.map(({ episode }) => episode.changedMs ?? episode.sinceMs).toSorted((a, b) => a - b)
  return begins[Math.ceil((1 - DEFAULTS.wholeServiceShare) * begins.length)] ?? begins.at(-1) ?? 0
}

/** Answers about other nodes show that the key works for them, even if these nodes now fail in another way. */
function acceptedElsewhere(cause: FailureCause, all: readonly AssessedNode[]): FailureCause {
  const isRefused = FAILURES[cause.evidence.failure.kind].scope === 'key' && cause.scope === 'node'
  const isAccepted = ({ key, reading }: AssessedNode): boolean =>
    !cause.nodes.includes(key) && (reading?.startedMs ?? 0) > cause.sinceMs
  return isRefused && all.some(isAccepted) ? withFacts(cause, { siblings: 'answered' }) : cause
}

/** A key that is refused for some nodes still works for the others. */
const ofSome = (cause: FailureCause): FailureCause =>
  cause.severity === 'critical' && cause.code.startsWith('auth/') ? { ...cause, severity: 'warning' } : cause

/** A probe's result for one node of a service applies to all nodes that fail in the same way. */
function withDiagnosis(cause: FailureCause, service: ServiceLive): FailureCause {
  const isProbed = service.diagnosed?.look === failureLook(cause.evidence.failure)
  const diagnosed = isProbed ? service.diagnosed : clocksApart(cause, service)
  const { clockSet } = service
  return diagnosed === undefined ? cause : withFacts(cause, { diagnosed, ...(clockSet && { clockSet }) })
}

/** An offset so large that the operator must agree to the service's time; the refusal shows it without a probe. */
function clocksApart({ evidence: { failure } }: FailureCause, service: ServiceLive): Diagnosed | undefined {
  const { correction } = service
  if (failure.kind !== 'unauthorized' || correction?.state !== 'ask') return undefined
  const clocks = { kind: 'clocks', offset: undefined, ...clocksOf(service) } as const
  const clues = [clocks, { kind: 'correction', correction }] as const
  return { look: failureLook(failure), diagnosis: { likely: ['clock'], clues } }
}

/**
 * Reported after two missed polls of any nodes, or at once if a failure cannot be a lost packet, there is no reading, or the
 * failure has lasted.
 */
function isTold(all: readonly Failing[], service: ServiceLive, nowMs: number): boolean {
  const failing = all.filter((node) => !isKeptFresh(node, nowMs))
  return (
    failing.reduce((sum, { episode }) => sum + episode.misses, 0) >= 2 ||
    failing.some(
      (node) =>
        node.reading === undefined ||
        !mayPass(node.episode.failure) ||
        (!isCurrentAt(node, nowMs) && isLeft(node, service)),
    )
  )
}

/** A cache that repeats an answer is harmless while the reading is current. */
export const isKeptFresh = (node: AssessedNode, nowMs: number): boolean =>
  node.episode?.failure.kind === 'repeated' && isCurrentAt(node, nowMs)

const mayPass = ({ kind }: PollFailure): boolean =>
  kind === 'unreachable' || kind === 'timeout' || kind === 'cut-off' || kind === 'server-error'

/** The next poll comes later than after a lost packet. */
const isLeft = (node: Failing, service: ServiceLive): boolean =>
  node.nextPollMs !== undefined &&
  node.nextPollMs - node.episode.sinceMs > LOST_PACKET_INTERVALS * pollIntervalOf(node, service)

/** If every one of several nodes has the same failure, it is reported once. */
function nodeCauses(
  id: ServiceId,
  failing: readonly Failing[],
  all: readonly AssessedNode[],
  nowMs: number,
): readonly FailureCause[] {
  const asked = all.filter(wasAsked).length
  return Array.from(groupBy(failing, codeOf)).flatMap(([code, group]) => {
    if (group.length === asked && asked > 1)
      return [withFacts(causeOf(code, 'node', id, group, nowMs), { siblings: 'same' })]
    return group.length > NODES_TOLD_APART_MAX
      ? [causeOf(code, 'node', id, group, nowMs)]
      : group.map((node) => causeOf(code, 'node', id, [node], nowMs))
  })
}

const wasAsked = ({ reading, episode }: NodeLive): boolean => reading !== undefined || episode !== undefined

/** Adds facts to the evidence. */
const withFacts = (cause: FailureCause, facts: Partial<OfFailure>): FailureCause => ({
  ...cause,
  evidence: { ...cause.evidence, ...facts },
})

/** Adds to each cause where the fault lies. A fault that several services share becomes one cause of the screen. */
function blamed(
  snapshot: FleetSnapshot,
  services: readonly ReturnType<typeof failuresAt>[],
  nowMs: number,
): readonly Cause[] {
  const common: Record<Common, FailureCause[]> = { network: [], portal: [], 'own-server': [] }
  const ofServices: Cause[] = []
  for (const service of services) {
    for (const cause of service.causes) {
      const { sinceMs } = cause
      // A service that has not been polled since then, although 1.5 intervals have passed, says nothing about this failure.
      const isSoon = nowMs - sinceMs <= DEFAULTS.lateAfterIntervals * service.pollIntervalMs
      const others = services
        .filter((other) => other !== service && (isSoon || other.untilMs > sinceMs))
        .map(({ evidence }) => evidence)
      const culprit = blame({ ...service.evidence, failing: failureIn(cause) }, others)
      if (culprit === 'service' || culprit === 'node')
        ofServices.push(ownCause(cause, service.evidence, culprit))
      else common[culprit].push(cause)
    }
  }
  return [...COMMON.flatMap((culprit) => joined(snapshot, culprit, common[culprit], nowMs)), ...ofServices]
}

const COMMON = ['network', 'portal', 'own-server'] as const
type Common = (typeof COMMON)[number]

const isWhole = ({ scope }: Cause): boolean => scope === 'service'

const failureIn = (cause: FailureCause): FailingService['failing'] => ({
  failure: cause.evidence.failure,
  sinceMs: cause.sinceMs,
  isWhole: isWhole(cause),
  diagnosis: cause.evidence.diagnosed?.diagnosis,
})

/** The fault of a service or of some of its nodes, without causes that other nodes rule out. */
function ownCause(cause: FailureCause, { answeredMs }: ServiceEvidence, culprit: Culprit): Cause {
  const { diagnosed, failure, ...rest } = cause.evidence
  const areOthersWell =
    rest.siblings === 'answered' || (cause.scope === 'node' && answeredMs >= cause.sinceMs)
  const probed = diagnosed?.diagnosis.likely.includes('own-server') ? undefined : diagnosed?.diagnosis
  const diagnosis = probed && (areOthersWell ? diagnosisOfSome(probed) : probed)
  return {
    ...cause,
    evidence: {
      ...rest,
      failure: settled(failure, culprit),
      ...(diagnosed && diagnosis && { diagnosed: { ...diagnosed, diagnosis } }),
      ...(areOthersWell && { siblings: 'answered' }),
    },
  }
}

/** Merges the causes of a shared fault. The dashboard server may serve only one of the services. */
function joined(
  snapshot: FleetSnapshot,
  culprit: Common,
  causes: readonly FailureCause[],
  nowMs: number,
): readonly Cause[] {
  const [first] = causes
  if (first === undefined || causes.length < 2) return causes
  const affected = causes.flatMap((cause) => cause.nodes.flatMap((key) => snapshot.nodes.get(key) ?? []))
  const codes = { network: 'net/network', portal: 'net/portal', 'own-server': first.code }
  const whole = causeOf(codes[culprit], 'screen', undefined, affected.filter(isFailing), nowMs)
  const services = causes.length
  const isOfServer = causes.every((cause) => isReportedByServer(cause, snapshot))
  const evidence: Readonly<Record<Common, Evidence>> = {
    network: { kind: 'no-network', services, ...(isOfServer && { of: 'server' }) },
    portal: { kind: 'portal', services },
    'own-server': unmixed(first.evidence),
  }
  const severity = culprit === 'portal' ? 'critical' : whole.severity
  const all = affected.map(({ key }) => key)
  return [{ ...whole, severity, nodes: all, evidence: evidence[culprit], seenAt: undefined }]
}

/** Nodes that failed in another way before have no part in a fault of the dashboard server. */
function unmixed(evidence: OfFailure): OfFailure {
  const { mixed: _, ...rest } = evidence
  return rest
}

/** A browser learns only from the dashboard server how a connection failed; an engine in Node knows it itself. */
const isReportedByServer = (
  { serviceId, evidence: { failure } }: FailureCause,
  { services }: FleetSnapshot,
): boolean =>
  'detail' in failure &&
  failure.detail !== undefined &&
  serviceId !== undefined &&
  services.get(serviceId)?.service.via === 'proxy'

function causeOf(
  code: string,
  scope: Cause['scope'],
  serviceId: ServiceId | undefined,
  /** Nodes with this failure; the newest failure is shown. */
  group: readonly Failing[],
  nowMs: number,
  affected: readonly Failing[] = group,
): FailureCause {
  const begun = scope === 'node' ? affected : sinceLastAnswer(affected)
  const first = begun.reduce((a, b) => (b.episode.sinceMs < a.episode.sinceMs ? b : a))
  const shown = group.reduce((a, b) => (failedMs(b) > failedMs(a) ? b : a))
  const { failure } = shown.episode
  const misses = Math.max(...begun.map(({ episode }) => episode.misses))
  const { sinceMs, sinceWallMs } = first.episode
  const only = scope === 'node' && affected.length === 1 ? `/${shown.key}` : ''
  return {
    id: `${code}@${serviceId ?? 'screen'}${only}`,
    code,
    severity: severityOf(
      failure,
      misses,
      nowMs - sinceMs,
      affected.every((node) => isCurrentAt(node, nowMs)),
    ),
    scope,
    serviceId,
    nodes: affected.map(({ key }) => key),
    sinceMs,
    sinceWallMs,
    misses,
    nextPollMs: soonestPollMs(affected),
    evidence: { kind: 'failure', failure },
    seenAt: isEveryones(failure, affected) ? undefined : shown.key,
  }
}

/** A node that failed while another one was answered failed on its own; the service's failure began later. */
function sinceLastAnswer(failing: readonly Failing[]): readonly Failing[] {
  const answeredMs = Math.max(...failing.map(({ reading }) => reading?.startedMs ?? Number.NEGATIVE_INFINITY))
  const begun = failing.filter(({ episode }) => episode.sinceMs >= answeredMs)
  return begun.length === 0 ? failing : begun
}

/** An answer, status or time of one node must not be reported as if all nodes had it. */
function isEveryones(failure: PollFailure, affected: readonly Failing[]): boolean {
  const facts = JSON.stringify(failure)
  return affected.every(
    ({ episode }) => episode.failure === failure || JSON.stringify(episode.failure) === facts,
  )
}

const isFailing = (node: AssessedNode): node is Failing => node.episode !== undefined

const codeOf = ({ episode }: Failing): string => failureCode(episode.failure)
