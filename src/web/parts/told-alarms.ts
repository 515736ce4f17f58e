import type { AlarmKind, AlarmSubject, AlarmView } from '#alarms/alarm.ts'
import { sharedTroubles } from '#alarms/shared-rules.ts'
import type { Cause } from '#evaluate/causes.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useAlarms } from '#react/use-fleet.ts'
import { useNodeAlarms } from '#react/use-node-alarms.ts'
import { isActive } from './active-alarm.ts'

/** What a node's failing polls raise. */
const FAILURE_KINDS: readonly AlarmKind[] = ['unreachable', 'rejected', 'key-rejected']

/** A message over a node's page that tells of its failing polls: why, since when, and what next. */
export const tellsFailure = ({ evidence, nodes }: Cause, node: NodeKey): boolean =>
  evidence.kind === 'failure' && nodes.includes(node)

type Alarms = {
  /** Those of which a message tells already. */
  readonly told: readonly AlarmView[]
  readonly others: readonly AlarmView[]
}

/** A node's active alarms, in the engine's order: what nobody has acknowledged first, then the worst. */
export function useAlarmsApart(node: NodeKey): Alarms {
  const alarms = useNodeAlarms(node).filter(isActive)
  const hasMessage = useEvaluation(({ causes }) => causes.some((cause) => tellsFailure(cause, node)))
  const isTold = ({ kind }: AlarmView): boolean => hasMessage && FAILURE_KINDS.includes(kind)
  return { told: alarms.filter(isTold), others: alarms.filter((alarm) => !isTold(alarm)) }
}

/** The alarm of a service, a key or this screen that was raised for a message's cause. */
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
