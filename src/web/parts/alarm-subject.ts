import { toVisibleText } from '#base/visible-text.ts'
import type { AlarmView } from '#alarms/alarm.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { hrefOf, nodePath } from '#react/routes.ts'
import { alarmTexts as words } from '#texts/en-alarms.ts'
import { nodeNameIn, serviceNameIn } from '#texts/names.ts'
import { titleOf } from './alarm-words.ts'

/** The name of the alarm's subject: node, service, key or dashboard. A grouped alarm uses its worst node. */
export function subjectOf(alarm: AlarmView, fleet: FleetSnapshot): string {
  const { subject, memberCount, nodeCount, members } = alarm
  if (memberCount > 1) {
    const [worst] = members
    return worst === undefined
      ? words.countNodes(memberCount)
      : words.worstOf(nodeNameIn(fleet, worst.node), memberCount - 1)
  }
  switch (subject.kind) {
    case 'node':
      return nodeNameIn(fleet, subject.node)
    case 'service':
      return nodeCount > 1
        ? words.ofService(nodeCount, serviceNameIn(fleet, subject.serviceId))
        : serviceNameIn(fleet, subject.serviceId)
    case 'key':
      return words.key(serviceNameIn(fleet, subject.serviceId))
    case 'screen':
      return words.screen
  }
}

/** For example "No usable answer, vela-007", for messages apart from the alarm. */
export const whatOf = (alarm: AlarmView, fleet: FleetSnapshot, metrics: MetricRegistry): string =>
  words.about(titleOf(alarm, metrics), toVisibleText(subjectOf(alarm, fleet)))

/** Undefined if the alarm concerns several nodes or none. */
export const onlyNodeOf = ({ subject, memberCount, nodes, nodeCount }: AlarmView): NodeKey | undefined => {
  if (memberCount > 1) return undefined
  if (subject.kind === 'node') return subject.node
  return nodeCount === 1 ? nodes[0] : undefined
}

export const alarmHref = ({ id }: AlarmView): string => hrefOf(`/alarms?alarm=${encodeURIComponent(id)}`)

export const nodeHref = (key: NodeKey): string => hrefOf(nodePath(key))
