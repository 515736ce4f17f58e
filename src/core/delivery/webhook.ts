import type { AlarmNotification, AlarmValue, AlarmView } from '#alarms/alarm.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { chatText } from '#receivers/chat-text.ts'
import type { AlarmFacts, DescribeAlarm, MessageDetails, ReceiverKind } from './delivery-queue.ts'

/** Version 1 of the body, described in `docs`; members are only ever added. */
export const webhookBody = (
  { id, kind, reason, severity, group, count, alarms, wallMs }: AlarmNotification,
  describe: DescribeAlarm,
  summary: string,
  details: MessageDetails,
) => ({
  version: 1,
  id,
  kind,
  reason,
  severity,
  at: iso(wallMs),
  group,
  title: summary,
  text: chatText(summary),
  link: alarms[0] && describe(alarms[0]).link,
  ...details,
  count,
  alarms: alarms.map((alarm) => alarmOf(alarm, describe(alarm))),
})

export const testBody: ReceiverKind['testBody'] = (wallMs, { text, link }) => ({
  version: 1,
  id: `test-${wallMs}`,
  kind: 'test',
  severity: 'info',
  at: iso(wallMs),
  title: text,
  text: chatText(text),
  link,
  count: 0,
  alarms: [],
})

function alarmOf(alarm: AlarmView, { title, text, service, nodeId, nodeName, link }: AlarmFacts): object {
  return {
    id: alarm.id,
    rule: alarm.ruleId,
    kind: alarm.kind,
    severity: alarm.severity,
    phase: alarm.phase,
    title,
    text,
    link,
    since: iso(alarm.sinceWallMs),
    raised: iso(alarm.raisedWallMs),
    cleared: iso(alarm.clearedWallMs),
    service,
    node: nodeId,
    nodeName,
    nodeCount: alarm.nodeCount > 0 ? alarm.nodeCount : undefined,
    value: plainValue(alarm.value),
    limit: plainValue(alarm.limit),
    todo: alarm.todo,
  }
}

/** A failure's details are for the screen; its code is enough here. */
function plainValue(value: AlarmValue | undefined): object | undefined {
  if (value?.unit === 'failure') return { unit: value.unit, code: value.code }
  if (value?.unit === 'nodes') return { unit: value.unit, value: value.value }
  // A service's own word may contain characters that hide or reverse text.
  if (value?.unit === 'status' || value?.unit === 'reason')
    return { ...value, text: toVisibleText(value.text, DEFAULTS.proofCharsMax) }
  return value
}

const iso = (wallMs: number | undefined): string | undefined =>
  wallMs === undefined ? undefined : new Date(wallMs).toISOString()
