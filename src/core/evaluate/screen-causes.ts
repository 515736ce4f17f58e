import { DEFAULTS } from '#base/defaults.ts'
import type { Service } from '#settings/schema.ts'
import { isOverdue } from '#fleet/assessment.ts'
import { pollIntervalOf, soonestPollMs, type AssessedNode, type NodeKey } from '#fleet/live.ts'
import { shortestIntervalMs, type FleetSnapshot } from '#fleet/snapshot.ts'
import { NO_POLLS, type Cause } from '#fleet/cause.ts'
import { CONDITIONS } from './conditions.ts'

type NodesByService = ReadonlyMap<string, readonly AssessedNode[]>

/** Problems of polling itself. `named`: nodes whose silence a failure already explains. */
export function screenCauses(
  snapshot: FleetSnapshot,
  nodes: NodesByService,
  named: ReadonlySet<NodeKey>,
  nowMs: number,
): readonly Cause[] {
  const { services } = snapshot
  const intervalOf = (node: AssessedNode): number => pollIntervalOf(node, services.get(node.serviceId))
  const overdue = Array.from(snapshot.nodes.values()).filter(
    (node) => !named.has(node.key) && isOverdue(node, intervalOf(node), nowMs),
  )
  const rounds = roundCauses(snapshot, nodes, named, overdue)
  // A round that does not fit also delays the other services of its host.
  const behind = rounds.length > 0 ? [] : behindCause(snapshot, nodes, overdue, nowMs)
  const explained = new Set(rounds.map(({ serviceId }) => serviceId))
  const others = overdue.filter(({ serviceId }) => !explained.has(serviceId))
  return [
    ...gapCause(snapshot, nowMs),
    ...rounds,
    ...behind,
    ...(behind.length > 0 ? [] : overdueCauses(snapshot, nodes, others, nowMs)),
  ]
}

/** One cause per service, because intervals differ. */
function overdueCauses(
  { services }: FleetSnapshot,
  all: NodesByService,
  overdue: readonly AssessedNode[],
  nowMs: number,
): readonly Cause[] {
  return Array.from(services.values()).flatMap(({ id, service }) => {
    const nodes = overdue.filter(({ serviceId }) => serviceId === id)
    if (nodes.length === 0) return []
    const isPlanned = nodes.every(({ nextPollMs, inFlight }) => !inFlight && (nextPollMs ?? 0) > nowMs)
    const collectedMs = collectedLate(nodes, service)
    const intervalMs = Math.min(...nodes.map((node) => pollIntervalOf(node, { service })))
    const facts = {
      id: `watch/overdue@${id}`,
      severity: isPlanned && collectedMs === 0 ? 'info' : 'warning',
      scope: nodes.length === all.get(id)?.length ? 'service' : 'node',
      serviceId: id,
      nodes: nodes.map(({ key }) => key),
      nextPollMs: soonestPollMs(nodes),
      evidence: {
        kind: 'overdue',
        intervalMs,
        ...(collectedMs > 0 ? { collectedMs } : hangingIn(all.get(id) ?? [])),
      },
    } as const
    return [causeOf('watch/overdue', facts)]
  })
}

/** Nodes that hang hold connections that others wait for. */
function hangingIn(nodes: Iterable<AssessedNode>): { readonly hanging?: number } {
  const hanging = Array.from(nodes).filter(({ episode }) => episode?.failure.kind === 'timeout').length
  return hanging === 0 ? {} : { hanging }
}

/** Age of a collector's values on arrival, in ms, if they were too old to be current for each of these nodes; otherwise 0. */
function collectedLate(nodes: readonly AssessedNode[], service: Service): number {
  const ages = nodes.map((node) => {
    const ageMs = node.episode === undefined ? (node.reading?.collectedMs ?? 0) : 0
    return ageMs > DEFAULTS.staleAfterIntervals * pollIntervalOf(node, { service }) ? ageMs : 0
  })
  return ages.includes(0) ? 0 : Math.max(...ages)
}

function gapCause({ screen, wallMs, nowMs: madeMs }: FleetSnapshot, nowMs: number): readonly Cause[] {
  const gap = screen.gaps.at(-1)
  if (gap === undefined || wallMs + nowMs - madeMs - gap.toWallMs >= CONDITIONS.gap.reportedForMs) return []
  const code = gap.reason === 'asleep' && gap.set !== 'ahead' ? 'watch/asleep' : 'watch/clock-step'
  const evidence = { kind: 'gap', gap } as const
  return [causeOf(code, { severity: 'none', sinceWallMs: gap.toWallMs, evidence })]
}

/** Known from measurements before anything is late. While no node of the service answers, nothing is measured. */
const roundCauses = (
  { services }: FleetSnapshot,
  nodes: NodesByService,
  named: ReadonlySet<NodeKey>,
  overdue: readonly AssessedNode[],
): readonly Cause[] =>
  Array.from(services.values()).flatMap(({ id, service, round }) => {
    if (
      round === undefined ||
      !nodes.get(id)?.some(({ key, episode }) => episode === undefined && !named.has(key))
    )
      return []
    const facts = {
      id: `watch/round-too-long@${id}`,
      severity: CONDITIONS['round-too-long'].severity,
      scope: 'service',
      serviceId: id,
      nodes: overdue.filter(({ serviceId }) => serviceId === id).map(({ key }) => key),
      evidence: { kind: 'round-too-long', round, via: service.via },
    } as const
    return [causeOf('watch/round-too-long', facts)]
  })

/** Reported once the most overdue request is later than a whole interval: every reading is older than it should be. */
function behindCause(
  snapshot: FleetSnapshot,
  nodes: NodesByService,
  overdue: readonly AssessedNode[],
  nowMs: number,
): readonly Cause[] {
  const { screen } = snapshot
  const intervalMs = shortestIntervalMs(snapshot)
  if (screen.behindMs <= CONDITIONS.throttled.overIntervals * intervalMs) return []
  const isHung = (id: string): boolean => hasHungSince(nodes.get(id) ?? [], nowMs - screen.behindMs)
  if (Array.from(nodes.keys()).some(isHung) && overdue.every(({ serviceId }) => isHung(serviceId))) return []
  const evidence = {
    kind: 'behind',
    behindMs: screen.behindMs,
    intervalMs,
    ...hangingIn(snapshot.nodes.values()),
  } as const
  const late = overdue.map(({ key }) => key)
  return [causeOf('watch/behind', { severity: CONDITIONS.throttled.severity, evidence, nodes: late })]
}

/** The service has answered nothing since then, or only now answers again: its requests waited for those that got no answer. */
function hasHungSince(nodes: readonly AssessedNode[], fromMs: number): boolean {
  const hanging = nodes.filter(({ episode }) => episode?.failure.kind === 'timeout')
  const isUnanswered = nodes.every(({ reading }) => (reading?.startedMs ?? fromMs) <= fromMs)
  return hanging.some(({ episode }) => isUnanswered || episode?.isOutdated === true)
}

/** A cause other than failed polls. It concerns this screen unless the facts name a service or nodes. */
const causeOf = (code: string, facts: Pick<Cause, 'severity' | 'evidence'> & Partial<Cause>): Cause => ({
  id: code,
  code,
  scope: 'screen',
  serviceId: undefined,
  nodes: [],
  ...NO_POLLS,
  ...facts,
})
