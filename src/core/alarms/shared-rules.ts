import type { Cause } from '#evaluate/causes.ts'
import { clocksOf, isFarApart } from '#evaluate/clock-causes.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import type { AssessedNode, FleetSnapshot, NodeKey } from '#fleet/live.ts'
import { FAILURES } from '#protocol/failure.ts'
import type { ServiceId } from '#record/service.ts'
import type { AlarmSubject, AlarmValue, SharedKind } from './alarm.ts'
import { bad, good, HELD, type Evaluation } from './seen.ts'

/** What nodes have in common: a service, a key, this computer. */
export type SharedEvaluation = {
  readonly kind: SharedKind
  readonly subject: AlarmSubject
  readonly evaluation: Evaluation
  /** The nodes that it explains. */
  readonly nodes: readonly NodeKey[]
}

/** What is wrong with more than single nodes, by the causes that the banners show too. */
export const sharedTroubles = (causes: readonly Cause[]): readonly SharedEvaluation[] =>
  causes.flatMap((cause) => {
    const kind = kindOf(cause)
    if (kind === undefined || cause.severity === 'none' || cause.scope === 'node') return []
    const evaluation: Evaluation = bad(cause.severity, valueOf(cause))
    return [{ kind, subject: subjectOf(kind, cause.serviceId), evaluation, nodes: cause.nodes }]
  })

function kindOf({ evidence }: Cause): SharedKind | undefined {
  if (evidence.kind === 'no-network' || evidence.kind === 'portal') return 'network'
  if (evidence.kind === 'clock-offset') return 'clock-skew'
  if (evidence.kind !== 'failure') return undefined
  const { scope, again } = FAILURES[evidence.failure.kind]
  if (scope === 'key') return 'key-rejected'
  return scope === 'screen' || again === 'wait' ? 'paused' : 'unreachable'
}

function subjectOf(kind: SharedKind, serviceId: ServiceId | undefined): AlarmSubject {
  if (serviceId === undefined) return { kind: 'screen' }
  return { kind: kind === 'key-rejected' ? 'key' : 'service', serviceId }
}

function valueOf({ code, evidence }: Cause): AlarmValue {
  if (evidence.kind === 'clock-offset')
    return { unit: 'ms', value: (evidence.offset.lowMs + evidence.offset.highMs) / 2 }
  return evidence.kind === 'failure'
    ? { unit: 'failure', code, failure: evidence.failure }
    : { unit: 'failure', code }
}

/** What is known of something that was wrong and is no longer among the causes: over, or merely not seen. */
export function sharedEnd(
  kind: SharedKind,
  subject: AlarmSubject,
  snapshot: FleetSnapshot,
  nodes: readonly AssessedNode[],
): Evaluation {
  if (kind === 'clock-skew') return clockEnd(subject, snapshot)
  const ended = nodes.some((node) => {
    if (!snapshot.services.has(node.serviceId)) return false
    if (node.episode === undefined) return isCurrentAt(node, snapshot.nowMs)
    const { scope, again } = FAILURES[node.episode.failure.kind]
    if (kind === 'key-rejected') return false
    // Whoever refuses was reached.
    if (kind === 'paused') return again !== 'wait' && scope !== 'screen'
    return scope === 'key' || again === 'rejection'
  })
  return ended ? good() : HELD
}

function clockEnd(subject: AlarmSubject, { services }: FleetSnapshot): Evaluation {
  const compared = Array.from(services.values()).flatMap((service) => {
    const isMeant = subject.kind === 'screen' || ('serviceId' in subject && subject.serviceId === service.id)
    return isMeant ? (clocksOf(service) ?? []) : []
  })
  return compared.some(({ offset }) => !isFarApart(offset)) ? good() : HELD
}
