import { FAILURE_KINDS, isActive, type AlarmKind, type AlarmSubject, type AlarmView } from '#alarms/alarm.ts'
import { sharedTroubles } from '#alarms/shared-rules.ts'
import type { Cause } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { useAlarms, useFleet } from '#react/use-fleet.ts'
import { useNodeAlarms } from '#react/use-node-alarms.ts'

const OF_FAILURES: readonly AlarmKind[] = FAILURE_KINDS

/** Whether a message above a node's page explains its failing polls. */
export const explainsFailure = ({ evidence, nodes }: Cause, node: NodeKey): boolean =>
  evidence.kind === 'failure' && nodes.includes(node)

/**
 * A node's active alarms, those that a message already explains and the others. Each in the engine's order: unacknowledged
 * first, then by severity.
 */
export function useAlarmsApart(node: NodeKey) {
  const alarms = useNodeAlarms(node).filter(isActive)
  const hasMessage = useFleet(({ causes }) => causes.some((cause) => explainsFailure(cause, node)))
  const isExplained = ({ kind }: AlarmView): boolean => hasMessage && OF_FAILURES.includes(kind)
  return { explained: alarms.filter(isExplained), others: alarms.filter((alarm) => !isExplained(alarm)) }
}

/** The alarm of the service, key or dashboard behind a message's cause. */
export function useSharedAlarm(cause: Cause): AlarmView | undefined {
  const [trouble] = sharedTroubles([cause])
  return useAlarms((view) =>
    trouble === undefined
      ? undefined
      : view?.alarms.find(({ kind, subject }) => kind === trouble.kind && isSame(subject, trouble.subject)),
  )
}

const isSame = (one: AlarmSubject, other: AlarmSubject): boolean =>
  one.kind === other.kind && serviceOf(one) === serviceOf(other)

const serviceOf = (subject: AlarmSubject) => ('serviceId' in subject ? subject.serviceId : undefined)

/**
 * Start of a cause in Unix ms. Uses the alarm's start if the engine was restarted since, because the engine's own time is then
 * later.
 */
export function useCauseSince(cause: Cause): number | undefined {
  const shared = useSharedAlarm(cause)
  const known = useAlarms((view) => view?.alarms) ?? []
  const { sinceWallMs, nodes, evidence } = cause
  const answeredWallMs = useFleet((fleet) => answeredBefore(fleet, nodes))
  if (sinceWallMs === undefined) return undefined
  const own = shared === undefined && evidence.kind === 'failure' ? known : []
  const alarms = own.filter(
    ({ kind, subject, members }) =>
      OF_FAILURES.includes(kind) &&
      [...members, subject].some((one) => 'node' in one && nodes.includes(one.node)),
  )
  // While an alarm recovers, it keeps the start of an outage that has ended.
  const times = [...alarms, ...(shared === undefined ? [] : [shared])].flatMap((alarm) =>
    alarm.phase === 'cleared' || alarm.sinceWallMs < answeredWallMs ? [] : [alarm.sinceWallMs],
  )
  return Math.min(sinceWallMs, ...times)
}

/** The earliest of the nodes' last good answers in Unix ms; -Infinity if one of them has none. */
const answeredBefore = ({ nodes: live }: FleetSnapshot, nodes: readonly NodeKey[]): number =>
  nodes.length === 0
    ? Number.NEGATIVE_INFINITY
    : Math.min(...nodes.map((node) => live.get(node)?.reading?.startedWallMs ?? Number.NEGATIVE_INFINITY))

/** Whether a message's cause is acknowledged: its shared alarm, or the alarms of all its nodes. */
export function useIsAcknowledged(cause: Cause): boolean {
  const shared = useSharedAlarm(cause)
  const known = useAlarms((view) => view?.alarms)
  if (shared !== undefined) return shared.acknowledged !== undefined
  if (cause.evidence.kind !== 'failure' || cause.nodes.length === 0 || known === undefined) return false
  const taken = new Set(
    known.filter(({ kind }) => OF_FAILURES.includes(kind)).flatMap((alarm) => acknowledgedNodes(alarm)),
  )
  return cause.nodes.every((node) => taken.has(node))
}

const acknowledgedNodes = ({ subject, acknowledged, members, nodes }: AlarmView): readonly NodeKey[] => [
  ...members.flatMap((member) => (member.acknowledged === undefined ? [] : [member.node])),
  ...(acknowledged === undefined ? [] : subject.kind === 'node' ? [subject.node] : nodes),
]
