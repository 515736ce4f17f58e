import type { AlarmView, AlarmNotification } from '#alarms/alarm.ts'
import type { AlarmFacts } from '#delivery/delivery-queue.ts'
import { type NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { baseUrlOf, type ServiceId } from '#record/service.ts'
import { alarmName } from './en-alarm-names.ts'
import { outgoingTexts as words } from './en-notifications.ts'
import { nodeNameIn, serviceNameIn } from './names.ts'

/** Texts about alarms for readers away from this screen. `origin` is the dashboard's origin, used in links. */
export function createAlarmFacts(fleet: () => FleetSnapshot, origin: string, metrics: MetricRegistry) {
  const describe = (alarm: AlarmView): AlarmFacts => {
    const node = onlyNode(alarm)
    const live = node === undefined ? undefined : fleet().nodes.get(node)
    const serviceId = alarm.subject.kind === 'screen' ? undefined : alarm.subject.serviceId
    const service = serviceId === undefined ? undefined : baseUrlOf(serviceId)
    return {
      title: words.title(alarmName(alarm.kind, metrics), subjectOf(alarm, fleet())),
      text: alarm.todo ?? '',
      ...(service !== undefined && { service }),
      ...(live?.nodeId !== undefined && { nodeId: live.nodeId }),
      ...(live?.name !== undefined && { nodeName: live.name }),
      ...(live !== undefined && live.tags.length > 0 && { tags: live.tags }),
      link: `${origin}/#/alarms?alarm=${encodeURIComponent(alarm.id)}`,
    }
  }
  return {
    describe,
    summary: (notice: AlarmNotification): string =>
      words.summary(
        notice,
        notice.alarms.map((alarm) => describe(alarm).title),
        notice.count,
      ),
    test: { text: words.test, link: `${origin}/` },
  }
}

const onlyNode = ({ subject, memberCount }: AlarmView): NodeKey | undefined =>
  subject.kind === 'node' && memberCount <= 1 ? subject.node : undefined

function subjectOf({ subject, memberCount, nodeCount }: AlarmView, fleet: FleetSnapshot): string {
  const serviceOf = (id: ServiceId): string => serviceNameIn(fleet, id)
  const many = Math.max(memberCount, nodeCount)
  switch (subject.kind) {
    case 'node':
      return memberCount > 1 ? words.nodes(memberCount) : nodeNameIn(fleet, subject.node)
    case 'service':
      return many > 1
        ? `${serviceOf(subject.serviceId)} (${words.nodes(many)})`
        : serviceOf(subject.serviceId)
    case 'key':
      return words.key(serviceOf(subject.serviceId))
    case 'screen':
      return words.screen
  }
}
