import { nodeKeyOf, type FleetSnapshot } from '#fleet/live.ts'
import type { AlarmScope } from '#settings/alarm-settings.ts'
import { serviceIdOf } from '#record/service.ts'
import type { AlarmSubject } from './alarm.ts'

/** Whether a rule or a window is for this subject. What is of a whole service is only in the scope of that, or of all. */
export function isInScope(
  scope: AlarmScope,
  subject: AlarmSubject,
  snapshot: Pick<FleetSnapshot, 'nodes'> | undefined,
): boolean {
  switch (scope.for) {
    case 'all':
      return true
    case 'service':
      return 'serviceId' in subject && subject.serviceId === serviceIdOf(scope.service)
    case 'tag':
      return subject.kind === 'node' && snapshot?.nodes.get(subject.node)?.tags.includes(scope.tag) === true
    case 'node':
      return subject.kind === 'node' && subject.node === nodeKeyOf(serviceIdOf(scope.service), scope.node)
  }
}
