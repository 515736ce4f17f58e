import { DAY_MS, MINUTE_MS, type TimeRange } from '#base/time.ts'
import { nodeKeyOf, type NodeKey } from '#fleet/live.ts'
import type { AlarmScope, Maintenance } from '#settings/schema.ts'
import { serviceIdOf } from '#record/service.ts'
import type { AlarmSubject } from './alarm.ts'

export type TaggedNodes = {
  readonly nodes: ReadonlyMap<NodeKey, { readonly tags: readonly string[] }>
}

/** A whole service is only in the scope of that service or of all. */
export function isInScope(
  scope: AlarmScope,
  subject: AlarmSubject,
  snapshot: TaggedNodes | undefined,
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

export const openWindows = (
  windows: readonly Maintenance[],
  wallMs: number,
  zoneOffsetMs: (wallMs: number) => number = () => 0,
): readonly Maintenance[] =>
  windows.filter(
    ({ when }) => windowTimes(when, { fromMs: wallMs, toMs: wallMs + 1 }, zoneOffsetMs).length > 0,
  )

/** How far this computer's zone is ahead of UTC at a moment. */
export const localOffsetMs = (wallMs: number): number => -new Date(wallMs).getTimezoneOffset() * MINUTE_MS

/** When a window is open in a range, Unix ms, oldest first. */
export function windowTimes(
  when: Maintenance['when'],
  { fromMs, toMs }: TimeRange,
  zoneOffsetMs: (wallMs: number) => number,
): readonly TimeRange[] {
  const clipped = (beginMs: number, endMs: number): readonly TimeRange[] =>
    endMs > fromMs && beginMs < toMs
      ? [{ fromMs: Math.max(fromMs, beginMs), toMs: Math.min(toMs, endMs) }]
      : []
  if (when.kind === 'once') return clipped(when.fromMs, when.toMs)
  const offsetMs = when.zone === 'local' ? zoneOffsetMs : () => 0
  const dayOf = (wallMs: number): number => Math.floor((wallMs + offsetMs(wallMs)) / DAY_MS)
  // The first moment at which the clock shows this time or a later one; a change of the clock can skip or repeat it.
  const momentOf = (localMs: number): number => {
    let moment = localMs - Math.max(offsetMs(localMs - DAY_MS), offsetMs(localMs + DAY_MS))
    while (moment + offsetMs(moment) < localMs) moment += MINUTE_MS
    return moment
  }
  const lastsMs = when.minutes * MINUTE_MS
  const first = dayOf(fromMs - lastsMs)
  return Array.from({ length: dayOf(toMs) - first + 1 }, (_, index) => first + index)
    .filter((day) => when.days.includes((day + FIRST_DAY) % 7))
    .flatMap((day) => {
      const beganMs = momentOf(day * DAY_MS + when.startMinute * MINUTE_MS)
      return clipped(beganMs, beganMs + lastsMs)
    })
}
