import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { AlarmScope, Maintenance } from '#settings/schema.ts'
import { serviceIdOf } from '#record/service.ts'
import type { AlarmSubject } from './alarm.ts'

/** A subject that is a whole service is only in the scope of that service, or of all. */
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

/** 1 January 1970 was a Thursday. */
const FIRST_DAY = 4

/** A window that starts in the evening may end on the next day. */
export const openWindows = (
  windows: readonly Maintenance[],
  wallMs: number,
  zoneOffsetMs: (wallMs: number) => number = () => 0,
): readonly Maintenance[] => windows.filter(({ when }) => isOpen(when, wallMs, zoneOffsetMs))

function isOpen(
  when: Maintenance['when'],
  wallMs: number,
  zoneOffsetMs: (wallMs: number) => number,
): boolean {
  if (when.kind === 'once') return wallMs >= when.fromMs && wallMs < when.toMs
  const localMs = when.zone === 'local' ? wallMs + zoneOffsetMs(wallMs) : wallMs
  const today = Math.floor(localMs / DAY_MS)
  return [today, today - 1].some((day) => {
    const beganMs = day * DAY_MS + when.startMinute * MINUTE_MS
    const isDay = when.days.includes((day + FIRST_DAY) % 7)
    return isDay && localMs >= beganMs && localMs < beganMs + when.minutes * MINUTE_MS
  })
}
