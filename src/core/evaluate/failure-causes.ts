import { DEFAULTS } from '#base/defaults.ts'
import { failureCode, FAILURES, type PollFailure, type Severity } from '#protocol/failure.ts'
import type { ServiceId } from '#record/service.ts'
import type { Cause } from './cause.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import type { AssessedNode, Episode, FleetSnapshot, NodeLive } from '#fleet/live.ts'
import type { Diagnosed } from '#fleet/diagnosis.ts'

type Failing = AssessedNode & { readonly episode: Episode }
type NodesByService = ReadonlyMap<string, readonly AssessedNode[]>

/** From this share of its nodes on, it is the service that fails and not the nodes. */
const WHOLE_SERVICE_SHARE = 0.8
/** So many nodes with the same failure of their own are reported in one message. */
const NODES_TOLD_APART_MAX = 3
/** A first failure with the next try within this time is no news yet. */
const SOON_MS = DEFAULTS.backOffMaxMs
/** A service out of reach is critical from this many misses on, */
const UNREACHABLE_CRITICAL_MISSES = 3
/** and one that answers with errors after this long. */
const SERVER_ERROR_CRITICAL_MS = 600_000

/** The causes behind failed polls. */
export function failureCauses(
  snapshot: FleetSnapshot,
  nodes: NodesByService,
  nowMs: number,
): readonly Cause[] {
  const screen = new Map<string, Failing[]>()
  const others: Cause[] = []
  for (const [id, { hold, diagnosed }] of snapshot.services) {
    const all = nodes.get(id) ?? []
    const failing = all.filter(isFailing)
    const ofScope = (...scopes: readonly string[]) =>
      failing.filter(({ episode }) => scopes.includes(FAILURES[episode.failure.kind].scope))
    for (const [code, group] of byCode(ofScope('screen')))
      screen.set(code, [...(screen.get(code) ?? []), ...group])
    const own = [
      ...serviceCauses(id, ofScope('service', 'key'), all, hold !== undefined, nowMs),
      ...nodeCauses(id, ofScope('node'), nowMs),
    ]
    others.push(...own.map((cause) => withDiagnosis(cause, diagnosed)))
  }
  const ofScreen = Array.from(screen, ([code, group]) => causeOf(code, 'screen', undefined, group, nowMs))
  return [...ofScreen, ...withoutNetwork(snapshot, others, nowMs)]
}

function serviceCauses(
  id: ServiceId,
  failing: readonly Failing[],
  all: readonly AssessedNode[],
  /** Whether the service's word holds back its other nodes too. */
  isHeld: boolean,
  nowMs: number,
): readonly Cause[] {
  const asked = all.filter((node) => node.reading !== undefined || node.episode !== undefined).length
  const isWhole = isHeld || failing.length >= WHOLE_SERVICE_SHARE * asked
  const groups = Array.from(byCode(failing)).toSorted((a, b) => b[1].length - a[1].length)
  const [most] = groups
  if (isWhole && most !== undefined) {
    const cause = causeOf(most[0], 'service', id, most[1], nowMs, failing)
    return isTold(failing, nowMs) ? [cause] : []
  }
  return groups
    .filter(([, group]) => isTold(group, nowMs))
    .map(([code, group]) => causeOf(code, 'node', id, group, nowMs))
}

/** What was found out at one node of a service holds for each that fails in the same way. */
function withDiagnosis(cause: Cause, diagnosed: Diagnosed | undefined): Cause {
  const { code, evidence } = cause
  if (evidence.kind !== 'failure' || diagnosed === undefined || diagnosed.code !== code) return cause
  return { ...cause, evidence: { ...evidence, diagnosed } }
}

/** Two missed polls of whatever nodes, or one that can't be a lost packet, or nothing to show at all, or for long. */
function isTold(all: readonly Failing[], nowMs: number): boolean {
  const failing = all.filter((node) => !isKeptFresh(node, nowMs))
  return (
    failing.reduce((sum, { episode }) => sum + episode.misses, 0) >= 2 ||
    failing.some(
      (node) => node.reading === undefined || !mayPass(node.episode.failure) || isLeft(node, nowMs),
    )
  )
}

/** A cache that keeps answers for less time than a reading holds harms nobody. */
export const isKeptFresh = (node: AssessedNode, nowMs: number): boolean =>
  node.episode?.failure.kind === 'repeated' && isCurrentAt(node, nowMs)

/** What it said no longer holds, and it is not asked again soon. */
const isLeft = (node: Failing, nowMs: number): boolean =>
  !isCurrentAt(node, nowMs) && (node.nextPollMs ?? nowMs) - nowMs > SOON_MS

const mayPass = ({ kind }: PollFailure): boolean =>
  kind === 'unreachable' || kind === 'timeout' || kind === 'cut-off' || kind === 'server-error'

function nodeCauses(id: ServiceId, failing: readonly Failing[], nowMs: number): readonly Cause[] {
  return Array.from(byCode(failing)).flatMap(([code, group]) =>
    group.length > NODES_TOLD_APART_MAX
      ? [causeOf(code, 'node', id, group, nowMs)]
      : group.map((node) => causeOf(code, 'node', id, [node], nowMs)),
  )
}

/** Several services, and none of them reached: they have this computer in common, or its way to the network. */
function withoutNetwork(snapshot: FleetSnapshot, causes: readonly Cause[], nowMs: number): readonly Cause[] {
  const isLost = (cause: Cause): boolean =>
    cause.scope === 'service' &&
    cause.evidence.kind === 'failure' &&
    cause.evidence.failure.kind === 'unreachable'
  const lost = causes.filter(isLost)
  const watched = new Set(Array.from(snapshot.nodes.values(), (node) => node.serviceId))
  if (lost.length < 2 || lost.length < watched.size) return behindPortal(watched.size, causes)
  const affected = lost.flatMap((cause) => cause.nodes.flatMap((key) => snapshot.nodes.get(key) ?? []))
  const [first] = lost
  // The dashboard's own server stands before all of them: then that is what is not reached.
  const proxyLost = lost.every(
    ({ evidence }) =>
      evidence.kind === 'failure' &&
      evidence.failure.kind === 'unreachable' &&
      evidence.failure.hop === 'proxy',
  )
  const code = proxyLost ? 'net/unreachable' : 'net/network'
  const whole = causeOf(code, 'screen', undefined, affected.filter(isFailing), nowMs)
  const evidence =
    proxyLost && first !== undefined
      ? first.evidence
      : ({ kind: 'no-network', services: lost.length } as const)
  return [{ ...whole, evidence, seenAt: undefined }, ...causes.filter((cause) => !isLost(cause))]
}

/** Several services, and something else answers in place of each: it stands between this computer and all of them. */
function behindPortal(watched: number, causes: readonly Cause[]): readonly Cause[] {
  const isForeign = ({ scope, evidence }: Cause): boolean =>
    scope === 'service' &&
    evidence.kind === 'failure' &&
    (evidence.failure.kind === 'redirected' ||
      (evidence.failure.kind === 'not-json' && evidence.failure.problem === 'web-page'))
  const foreign = causes.filter(isForeign)
  const [first] = foreign
  if (first === undefined || foreign.length < 2 || foreign.length < watched) return causes
  const whole: Cause = {
    ...first,
    id: 'net/portal@screen',
    code: 'net/portal',
    severity: 'critical',
    scope: 'screen',
    serviceId: undefined,
    nodes: foreign.flatMap(({ nodes }) => nodes),
    misses: Math.max(...foreign.map(({ misses }) => misses)),
    evidence: { kind: 'portal', services: foreign.length },
    seenAt: undefined,
  }
  return [whole, ...causes.filter((cause) => !isForeign(cause))]
}

function causeOf(
  code: string,
  scope: Cause['scope'],
  serviceId: ServiceId | undefined,
  /** Those whose failure it is; the newest of them is shown. */
  group: readonly Failing[],
  nowMs: number,
  /** Everyone it concerns. */
  affected: readonly Failing[] = group,
): Cause {
  const first = affected.reduce((a, b) => (b.episode.sinceMs < a.episode.sinceMs ? b : a))
  const shown = group.reduce((a, b) => (b.episode.sinceMs > a.episode.sinceMs ? b : a))
  const { failure } = shown.episode
  const misses = Math.max(...affected.map(({ episode }) => episode.misses))
  const { sinceMs, sinceWallMs } = first.episode
  const only = scope === 'node' && affected.length === 1 ? `/${shown.key}` : ''
  return {
    id: `${code}@${serviceId ?? 'screen'}${only}`,
    code,
    severity: severityOf(failure, misses, nowMs - sinceMs),
    scope,
    serviceId,
    nodes: affected.map(({ key }) => key),
    sinceMs,
    sinceWallMs,
    misses,
    nextPollMs: soonest(affected),
    evidence: { kind: 'failure', failure },
    seenAt: isEveryones(failure, affected) ? undefined : shown.key,
  }
}

/** An answer, a status or a time of one node must not be reported as that of all. */
function isEveryones(failure: PollFailure, affected: readonly Failing[]): boolean {
  const facts = JSON.stringify(failure)
  return affected.every(
    ({ episode }) => episode.failure === failure || JSON.stringify(episode.failure) === facts,
  )
}

/** A failure that may pass gets more severe when it does not. */
export function severityOf(failure: PollFailure, misses: number, lastedMs: number): Severity {
  if (failure.kind === 'unreachable' && misses < UNREACHABLE_CRITICAL_MISSES) return 'warning'
  if (failure.kind === 'server-error' && lastedMs >= SERVER_ERROR_CRITICAL_MS) return 'critical'
  return FAILURES[failure.kind].severity
}

/** Undefined where nothing is planned. */
function soonest(nodes: readonly NodeLive[]): number | undefined {
  let soonestMs: number | undefined
  for (const { nextPollMs } of nodes)
    if (nextPollMs !== undefined) soonestMs = Math.min(soonestMs ?? nextPollMs, nextPollMs)
  return soonestMs
}

const isFailing = (node: AssessedNode): node is Failing => node.episode !== undefined

function byCode(failing: readonly Failing[]): ReadonlyMap<string, Failing[]> {
  const groups = new Map<string, Failing[]>()
  for (const node of failing) {
    const code = failureCode(node.episode.failure)
    const group = groups.get(code) ?? []
    groups.set(code, group)
    group.push(node)
  }
  return groups
}
