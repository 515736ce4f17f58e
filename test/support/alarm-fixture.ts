import type { AlarmsView, AlarmView } from '#alarms/alarm.ts'
import { serviceIdOf } from '#record/service.ts'
import { aNode, BASE_URL, WALL_MS } from './fleet-fixture.ts'

/** A heartbeat alarm raised a minute ago. `fields` overrides any part. */
export const anAlarm = (fields: Partial<AlarmView> = {}): AlarmView => ({
  id: 'heartbeat-old vela',
  ruleId: 'heartbeat-old',
  kind: 'heartbeat-old',
  severity: 'critical',
  subject: { kind: 'node', node: aNode().key, serviceId: serviceIdOf(BASE_URL) },
  phase: 'firing',
  acknowledged: undefined,
  shelved: undefined,
  maintenance: false,
  inhibitedBy: undefined,
  flapping: false,
  evidence: { state: 'fresh', ageMs: 0 },
  sinceWallMs: WALL_MS - 72_000,
  raisedWallMs: WALL_MS - 60_000,
  clearedWallMs: undefined,
  raised24h: 1,
  value: { unit: 'ms', value: 252_000 },
  limit: { unit: 'ms', value: 180_000 },
  notified: true,
  memberCount: 1,
  members: [],
  nodes: [],
  nodeCount: 0,
  todo: undefined,
  ...fields,
})

/** A view of these alarms whose counts match its active alarms. */
export function anAlarmsView(alarms: readonly AlarmView[], fields: Partial<AlarmsView> = {}): AlarmsView {
  const active = alarms.filter(({ phase, shelved }) => phase === 'firing' && shelved === undefined)
  const count = (severity: AlarmView['severity']): number =>
    active.filter((alarm) => alarm.severity === severity).length
  const waiting = active.filter(({ acknowledged }) => acknowledged === undefined)
  return {
    revision: 1,
    writer: 'a',
    wallMs: WALL_MS,
    alarms,
    counts: {
      critical: count('critical'),
      warning: count('warning'),
      info: count('info'),
      unacknowledged: waiting.length,
      unacknowledgedCritical: waiting.filter(({ severity }) => severity === 'critical').length,
      cleared: alarms.filter(({ phase }) => phase === 'cleared').length,
    },
    oldestUnacknowledgedWallMs: waiting[0]?.raisedWallMs,
    mutedUntilWallMs: undefined,
    persisted: true,
    ...fields,
  }
}
