import type { AlarmView } from '#alarms/alarm.ts'
import type { NodeClass } from '#fleet/assessment.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { onlyNodeOf } from '#parts/alarm-subject.ts'
import type { WallOptions, WallView } from './wall-options.ts'

/** Whether an alarm is about something that this wall shows; what concerns a whole service or this screen always is. */
export function concerns({ subject }: AlarmView, { views }: WallOptions, { nodes }: FleetSnapshot): boolean {
  if (subject.kind === 'screen' || views.some(({ kind }) => kind === 'fleet')) return true
  const shown = views.flatMap((view) => (view.kind === 'node' ? [view.node] : []))
  return subject.kind === 'node'
    ? shown.includes(subject.node)
    : shown.some((key) => nodes.get(key)?.serviceId === subject.serviceId)
}

/** The node itself where all that is wrong is about it alone; otherwise the list, which names each. */
export function viewOfAlarms(
  active: readonly AlarmView[],
  severities: ReadonlyMap<NodeKey, NodeClass>,
  { views }: WallOptions,
): WallView {
  const isShown = (node: NodeKey): boolean =>
    views.some((view) => view.kind === 'fleet' || view.node === node)
  const wrong = Array.from(severities).flatMap(([key, severity]) =>
    (severity === 'critical' || severity === 'warning') && isShown(key) ? [key] : [],
  )
  const [first, ...others] = [...active.map(onlyNodeOf), ...wrong]
  if (first !== undefined && others.every((other) => other === first)) return { kind: 'node', node: first }
  const alone: WallView | undefined = views.length === 1 ? views[0] : undefined
  return alone ?? { kind: 'fleet' }
}
