import { toVisibleText } from '#base/visible-text.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmValue, AlarmView, AlarmNotification } from './alarm.ts'

/** The words and names of an alarm, as the engine knows them. */
export type AlarmFacts = {
  /** What is wrong, in one line, the node's name in it. */
  readonly title: string
  /** What it means and what was seen; may be empty. */
  readonly text: string
  /** The service's base URL. */
  readonly service?: string
  readonly nodeId?: string
  readonly nodeName?: string
  /** Where on this dashboard it is shown. */
  readonly link: string
}
export type DescribeAlarm = (alarm: AlarmView) => AlarmFacts

export type WebhookMessage = {
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A body of the form of version 1, which `docs` describes; members are only ever added to it. */
export function webhookMessage(
  notification: AlarmNotification,
  describe: DescribeAlarm,
  summary: string,
): WebhookMessage {
  const { id, kind, reason, severity, group, count, wallMs } = notification
  return {
    id,
    body: {
      version: 1,
      id,
      kind,
      reason,
      severity,
      at: iso(wallMs),
      group,
      // The one member that chat services read.
      text: chatText(summary),
      count,
      alarms: notification.alarms.map((alarm) => alarmOf(alarm, describe(alarm))),
    },
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * A text whose names can't call a channel, pose as a link or as our own words. Slack and Mattermost read `<!channel>` and
 * links out of angle brackets, and take these three as entities; what Slack, Mattermost, Teams and Discord otherwise
 * give a meaning has no escape that all of them know, so it is written full-width. An underscore within a word has none.
 */
function chatText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\uff3f')
    .replace(/:\/\//g, ':\uff0f\uff0f')
    .replace(/[@*~`[\]|\\#!]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0))
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
}

/** What the test button sends. */
export const webhookTest = (id: string, wallMs: number, text: string): WebhookMessage => ({
  id,
  body: {
    version: 1,
    id,
    kind: 'test',
    severity: 'info',
    at: iso(wallMs),
    text: chatText(text),
    count: 0,
    alarms: [],
  },
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

/** A failure's details are for the screen; its code says which it is. */
function plainValue(value: AlarmValue | undefined): object | undefined {
  if (value === undefined) return undefined
  switch (value.unit) {
    case 'failure':
      return { unit: value.unit, code: value.code }
    case 'nodes':
      return { unit: value.unit, value: value.value }
    case 'ms':
    case 'ratio':
    case 'per-hour':
    case 'count':
    case 'stake':
      return value
    case 'status':
    case 'reason':
      // A service's own word, which may hide or turn what follows it in whatever shows this message.
      return { ...value, text: toVisibleText(value.text, DEFAULTS.proofCharsMax) }
  }
}

const iso = (wallMs: number | undefined): string | undefined =>
  wallMs === undefined ? undefined : new Date(wallMs).toISOString()
